package kernelgen

import (
	"fmt"
	"strings"
)

// scope is what a statement may do where it stands.
type scope struct {
	depth int // of further compound statements inside
	trips int // by which loops may still multiply the statement's executions

	// together says that all threads of the CTA that have not ended execute the
	// statement together, so that it may hold barriers. All branches around it are
	// uniform, and no thread leaves it without the others.
	together bool
	returns  bool   // threads may exit here without the others
	loops    []loop // that may be left from here
}

// loop is an enclosing loop: where a break and a continue go, and how many regions are
// around it.
type loop struct {
	end, latch string
	regions    int
}

// inner is the scope of the parts of a compound statement. If divergent threads
// may execute them, they may not leave what all execute together.
func (s scope) inner(uniform bool) scope {
	s.depth--
	if s.together && !uniform {
		s.together, s.loops = false, nil
	}
	return s
}

// statement makes one statement.
func (g *generator) statement(s scope) {
	if s.depth > 0 && g.chance(40) {
		compound := []func(scope){g.conditional, g.conditional, g.eitherOf, g.choice}
		if s.trips > 0 {
			compound = append(compound, g.loop, g.loop, g.loop)
		}
		if g.opts.Irreducible {
			compound = append(compound, g.irreducible, g.irreducible)
		}
		pick(g, compound...)(s)
		return
	}
	switch {
	case s.together && g.chance(25):
		switch {
		case g.has(CrossLane) && g.chance(70):
			g.crossLane()
		case g.has(PartialBarriers) && !s.returns && g.chance(60):
			g.partial()
		case g.has(SeparateLanes) && g.chance(70):
			g.separateLanes(s.trips)
		case g.has(SeparateBarriers) && !s.returns && g.chance(70):
			g.separateBarrier(s.trips)
		default:
			g.exchange()
		}
	case len(s.loops) > 0 && g.chance(15):
		g.leave(s)
	case s.returns && g.chance(5):
		g.end(s.together && g.chance(50))
	default:
		g.straight()
	}
}

// sequence makes a few statements, or none.
func (g *generator) sequence(s scope) {
	for n := g.IntN(5); n > 0 && g.left > 0; n-- {
		g.left--
		g.statement(s)
	}
}

// conditional is an if of one arm.
func (g *generator) conditional(s scope) {
	uniform := g.chance(40)
	end := g.label()
	p := g.condition(uniform)
	first := g.open()
	g.jump(p, end)
	last, branch := first, g.text.Len()
	if g.chance(20) { // a second condition to the same end
		g.straight()
		p := g.condition(uniform)
		last = g.open()
		g.jump(p, end)
		branch = g.text.Len()
	}
	g.sequence(s.inner(uniform))
	last.closed = last.closed && g.text.Len() > branch // two paths, not one
	g.shut(first)
	g.place(end)
}

// eitherOf is an if of two arms.
func (g *generator) eitherOf(s scope) {
	uniform := g.chance(40)
	other, end := g.label(), g.label()
	p := g.condition(uniform)
	r := g.open()
	g.jump(p, other)
	g.sequence(s.inner(uniform))
	g.jump("", end)
	g.place(other)
	g.sequence(s.inner(uniform))
	g.shut(r)
	g.place(end)
}

// loop is a loop that counts up to a limit: 0 to maximum trips where the test stands
// at the top, at least one otherwise.
func (g *generator) loop(s scope) {
	maximum := 1 + g.IntN(s.trips)
	uniform := g.chance(50)
	head := g.label()
	limit := g.limit(uniform, maximum, head)
	in := s.inner(uniform)
	in.trips /= maximum
	l := loop{end: g.label(), latch: g.label(), regions: len(g.regions)}
	in.loops = append([]loop{l}, in.loops...)
	if g.has(Counters) && g.chance(75) {
		g.counted(limit, maximum, head, in, uniform && s.together)
		return
	}
	reload := func() {}
	if g.has(Local) && g.chance(50) {
		reload = g.spill(limit)
		defer func() { g.spills-- }()
	}
	count, p := g.temp("b32"), g.temp("pred")
	g.counters = append(g.counters, counter{count, uniform && s.together})
	g.emit("mov.u32 %s, 0", count)
	if g.chance(50) {
		g.place(head)
		reload()
		g.emit("setp.ge.u32 %s, %s, %s", p, count, limit)
		g.jump(p, l.end)
		g.round(in)
		g.place(l.latch)
		g.emit("add.s32 %s, %s, 1", count, count)
		g.jump("", head)
	} else {
		g.place(head)
		g.round(in)
		g.place(l.latch)
		g.emit("add.s32 %s, %s, 1", count, count)
		reload()
		g.emit("setp.lt.u32 %s, %s, %s", p, count, limit)
		g.jump(p, head)
	}
	g.place(l.end)
	g.counters = g.counters[:len(g.counters)-1]
}

// round is the body of a loop. Where threads go round together there often is a barrier in it,
// and some of them leave the kernel behind it.
func (g *generator) round(s scope) {
	if s.together && g.chance(60) {
		g.exchange()
	}
	g.sequence(s)
	if s.together && s.returns && g.chance(40) {
		g.desert()
	}
}

// limit is the number of trips, at most maximum, of the loop with a head. Where bounds are wanted
// it is annotated if the number cannot be told from launch constants, indices and
// counters.
func (g *generator) limit(uniform bool, maximum int, head string) string {
	limit, known := g.temp("b32"), g.opts.Bounded && g.chance(70) || g.called || g.has(Fixed)
	if g.has(Contracts) && !g.called && g.chance(60) {
		rows := g.trips(limit, uniform, maximum)
		if g.opts.Bounded && (rows || g.chance(20)) {
			g.bounds = append(g.bounds, bound{head, maximum})
		}
		return limit
	}
	from := ""
	switch {
	case uniform && g.chance(50):
		g.emit("mov.u32 %s, %d", limit, maximum)
		return limit
	case known:
		from = g.knownWord(uniform)
	case uniform:
		from = g.uniformWord()
	default:
		from = g.word()
	}
	if g.has(Guards) && g.chance(40) {
		g.narrowed(limit, from, maximum)
	} else {
		g.emit("rem.u32 %s, %s, %d", limit, from, maximum+1)
	}
	if g.opts.Bounded && !known {
		g.bounds = append(g.bounds, bound{head, maximum})
	}
	return limit
}

// leave is a break or a continue of some enclosing loop, perhaps with work before.
func (g *generator) leave(s scope) {
	l := pick(g, s.loops...)
	g.breach(l.regions)
	to := pick(g, l.end, l.end, l.latch)
	p := g.condition(s.together)
	if g.chance(50) {
		g.jump(p, to)
		return
	}
	stay := g.label()
	g.jump(p, stay)
	g.straight()
	g.jump("", to)
	g.place(stay)
}

// end lets threads end early: at once, by a branch to the last instruction or to the
// stores that all threads make before, or after some work on a path of their own that ends
// in one of these ways.
func (g *generator) end(uniform bool) {
	g.breach(0)
	p := g.condition(uniform)
	how := pick(g, "ret", "exit", "bra "+last, "bra "+stores)
	if g.called {
		g.ends = g.ends || how == "exit"
		if how == "ret" {
			how = "bra " + last // behind which the result is
		}
	}
	if g.chance(50) {
		g.emit("@%s %s", p, how)
		return
	}
	stay := g.label()
	g.jump(p, stay)
	if g.chance(30) { // a path that divides
		over := g.label()
		g.jump(g.condition(false), over)
		g.straight()
		g.place(over)
	}
	g.emit("st.global.u32 %s, %s", g.slot(g.IntN(slots)), g.word())
	g.emit("%s", how)
	g.place(stay)
}

// desert lets threads that go round a loop together part, and some of them end before the
// others, which may be in front of the next barrier by then, reconverge.
func (g *generator) desert() {
	over := g.label()
	g.jump(g.condition(false), over)
	g.straight()
	g.end(g.chance(50))
	g.straight()
	g.place(over)
}

// choice is a switch, by an indexed branch or by a chain of comparisons, of which
// several values may have one case and a case may fall through to the next.
func (g *generator) choice(s scope) {
	uniform := g.chance(30)
	cases := make([]string, 1+g.IntN(4))
	for i := range cases {
		cases[i] = g.label()
	}
	end := g.label()
	targets := make([]string, len(cases)+g.IntN(3))
	for i := range targets {
		if targets[i] = pick(g, append(cases, end)...); i < len(cases) {
			targets[i] = cases[i] // every case is reached
		}
	}
	index, from := g.temp("b32"), g.word()
	switch {
	case g.chanceKnown():
		from = g.knownWord(uniform)
	case uniform:
		from = g.uniformWord()
	}
	g.emit("rem.u32 %s, %s, %d", index, from, len(targets))
	if g.chance(50) {
		list := g.name("T")
		fmt.Fprintf(&g.text, "%s:\t.branchtargets %s;\n", list, strings.Join(targets, ", "))
		guard := ""
		if g.chance(20) {
			guard = "@" + g.condition(uniform) + " "
		}
		g.emit("%sbrx.idx %s, %s", guard, index, list)
	} else {
		for i, target := range targets {
			p := g.temp("pred")
			g.emit("setp.eq.u32 %s, %s, %d", p, index, i)
			g.jump(p, target)
		}
	}
	for _, c := range cases {
		g.place(c)
		g.sequence(s.inner(uniform))
		if g.chance(60) {
			g.jump("", end)
		}
	}
	g.place(end)
}

// irreducible is a group of blocks that branch to each other at will, so that loops
// have several entries. Each thread passes only so many of them.
func (g *generator) irreducible(s scope) {
	in := s.inner(false)
	in.depth, in.trips, in.together, in.loops = 0, 0, false, nil
	blocks := make([]string, 2+g.IntN(4))
	for i := range blocks {
		blocks[i] = g.label()
	}
	end := g.label()
	fuel, empty := g.temp("b32"), g.temp("pred")
	g.emit("mov.u32 %s, %d", fuel, 1+g.IntN(2*max(s.trips, 1)))
	g.jump(g.condition(false), pick(g, blocks...))
	for _, b := range blocks {
		g.place(b)
		g.straight()
		g.emit("add.s32 %s, %s, -1", fuel, fuel)
		g.emit("setp.eq.u32 %s, %s, 0", empty, fuel)
		g.jump(empty, end)
		if in.returns && g.chance(10) {
			g.end(false)
		}
		g.jump(g.condition(g.chance(30)), pick(g, append(blocks, end)...))
	}
	g.place(end)
}

// exchange passes words between the threads of a CTA: from one to another, or
// from the elements of shared memory that are updated atomically.
func (g *generator) exchange() {
	g.breach(0)
	barrier := g.IntN(3)
	g.emit("bar.sync %d", barrier)
	if g.chance(50) {
		g.emit("ld.shared.u32 %s, [%s]", g.anyWord(), g.element("%bins", g.anyIndex(), bins*len(atomics), 4))
		g.emit("bar.sync %d", barrier)
		return
	}
	g.emit("st.shared.u32 [%s], %s", g.element("%tile", "%thread", volume(g.block), 4), g.word())
	g.emit("bar.sync %d", barrier)
	g.emit("ld.shared.u32 %s, [%s]", g.anyWord(), g.element("%tile", g.anyIndex(), volume(g.block), 4))
}
