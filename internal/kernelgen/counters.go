package kernelgen

import "fmt"

// count is how a loop counts its rounds, of which a word says how many it makes. What enter, test and step write
// stands before the loop, in front of a round or behind it, and after each; within a round index is a word that follows
// from the counter.
type count struct {
	enter, step func()
	test        func(again string) // sets a predicate if there is a round more
	index       func() string
	leaps       bool // over the end if it is entered for no round
}

// counting draws how a loop counts, to a limit that is at most maximum.
func (g *generator) counting(limit string, maximum int) count {
	switch g.IntN(8) {
	case 0:
		return g.wideCount(limit)
	case 1:
		return g.halfCount(limit)
	case 2:
		return g.realCount(limit)
	case 3:
		return g.unequalCount(limit)
	case 4:
		return g.downCount(limit)
	case 5:
		return g.growingCount(limit)
	case 6:
		return g.shrinkingCount(limit)
	}
	return g.strideCount(limit, maximum)
}

// wideCount counts in 64 bits.
func (g *generator) wideCount(limit string) count {
	i, end := g.temp("b64"), g.temp("b64")
	return count{
		enter: func() { g.emit("cvt.u64.u32 %s, %s", end, limit); g.emit("mov.u64 %s, 0", i) },
		test:  func(p string) { g.emit("setp.lt.%s %s, %s, %s", pick(g, "u64", "s64"), p, i, end) },
		step:  func() { g.emit("add.s64 %s, %s, 1", i, i) },
		index: func() string { return g.converted("u32.u64", i) },
	}
}

// converted is a 32-bit word made of a register.
func (g *generator) converted(types, from string) string {
	r := g.temp("b32")
	g.emit("cvt.%s %s, %s", types, r, from)
	return r
}

// halfCount counts in 16 bits.
func (g *generator) halfCount(limit string) count {
	i, end := g.temp("b16"), g.temp("b16")
	return count{
		enter: func() { g.emit("cvt.u16.u32 %s, %s", end, limit); g.emit("mov.b16 %s, 0", i) },
		test:  func(p string) { g.emit("setp.lt.%s %s, %s, %s", pick(g, "u16", "s16"), p, i, end) },
		step:  func() { g.emit("add.s16 %s, %s, 1", i, i) },
		index: func() string { return g.converted("u32.u16", i) },
	}
}

// realCount counts in single precision.
func (g *generator) realCount(limit string) count {
	i, end := g.temp("f32"), g.temp("f32")
	return count{
		enter: func() { g.emit("cvt.rn.f32.u32 %s, %s", end, limit); g.emit("mov.f32 %s, 0f00000000", i) },
		test:  func(p string) { g.emit("setp.lt.f32 %s, %s, %s", p, i, end) },
		step:  func() { g.emit("add.rn.f32 %s, %s, 0f3F800000", i, i) },
		index: func() string { return g.converted("rzi.u32.f32", i) },
	}
}

// unequalCount counts up until the limit is met.
func (g *generator) unequalCount(limit string) count {
	i := g.temp("b32")
	return count{
		enter: func() { g.emit("mov.u32 %s, 0", i) },
		test:  func(p string) { g.emit("setp.ne.%s %s, %s, %s", pick(g, "u32", "s32"), p, i, limit) },
		step:  func() { g.emit("add.s32 %s, %s, 1", i, i) },
		index: func() string { return i },
		leaps: true,
	}
}

// downCount counts down to zero.
func (g *generator) downCount(limit string) count {
	i := g.temp("b32")
	last := pick(g, "ne.s32", "gt.s32", "gt.u32")
	return count{
		enter: func() { g.emit("mov.u32 %s, %s", i, limit) },
		test:  func(p string) { g.emit("setp.%s %s, %s, 0", last, p, i) },
		step:  func() { g.emit("add.s32 %s, %s, -1", i, i) },
		index: func() string { return i },
		leaps: true,
	}
}

// growingCount multiplies by two until two to the power of the limit is reached.
func (g *generator) growingCount(limit string) count {
	i, end, one := g.temp("b32"), g.temp("b32"), g.temp("b32")
	return count{
		enter: func() {
			g.emit("mov.u32 %s, 1", one)
			g.emit("shl.b32 %s, %s, %s", end, one, limit)
			g.emit("mov.u32 %s, 1", i)
		},
		test: func(p string) { g.emit("setp.lt.u32 %s, %s, %s", p, i, end) },
		step: func() {
			switch g.IntN(3) {
			case 0:
				g.emit("shl.b32 %s, %s, 1", i, i)
			case 1:
				g.emit("mul.lo.u32 %s, %s, 2", i, i)
			default:
				g.emit("add.u32 %s, %s, %s", i, i, i)
			}
		},
		index: func() string { return i },
	}
}

// shrinkingCount halves a number of as many bits as the limit says until nothing is left.
func (g *generator) shrinkingCount(limit string) count {
	i, one := g.temp("b32"), g.temp("b32")
	return count{
		enter: func() {
			g.emit("mov.u32 %s, 1", one)
			g.emit("shl.b32 %s, %s, %s", i, one, limit)
			g.emit("add.s32 %s, %s, -1", i, i)
		},
		test:  func(p string) { g.emit("setp.ne.s32 %s, %s, 0", p, i) },
		step:  func() { g.emit("%s", pick(g, "shr.u32 "+i+", "+i+", 1", "div.u32 "+i+", "+i+", 2")) },
		index: func() string { return i },
		leaps: true,
	}
}

// strideCount counts down in steps of a power of two from what a mask leaves of the limit and one less than the step,
// as compilers do with what is left of a loop that they unrolled.
func (g *generator) strideCount(limit string, maximum int) count {
	stride := pick(g, 1, 2, 2, 4)
	i := g.temp("b32")
	mask := stride
	for mask <= maximum+stride {
		mask *= 2
	}
	return count{
		enter: func() {
			g.emit("add.s32 %s, %s, %d", i, limit, stride-1)
			g.emit("and.b32 %s, %s, %d", i, i, mask-stride)
		},
		test:  func(p string) { g.emit("setp.ne.s32 %s, %s, 0", p, i) },
		step:  func() { g.emit("add.s32 %s, %s, %d", i, i, -stride) },
		index: func() string { return i },
		leaps: true,
	}
}

// counted is a loop that counts in another way than upwards by one. in is the scope of its rounds.
func (g *generator) counted(limit string, maximum int, head string, in scope, uniform bool) {
	c, p, l := g.counting(limit, maximum), g.temp("pred"), in.loops[0]
	round := func() {
		g.counters = append(g.counters, counter{c.index(), uniform})
		g.round(in)
		g.counters = g.counters[:len(g.counters)-1]
		g.place(l.latch)
		c.step()
	}
	c.enter()
	if g.chance(50) {
		g.place(head)
		c.test(p)
		g.jump("!"+p, l.end)
		round()
		g.jump("", head)
	} else {
		if c.leaps {
			c.test(p)
			g.jump("!"+p, l.end)
		}
		g.place(head)
		round()
		c.test(p)
		g.jump(p, head)
	}
	g.place(l.end)
}

// spill keeps the limit of a loop in local memory, from where each round loads it.
func (g *generator) spill(limit string) (reload func()) {
	slot := fmt.Sprintf("[%%array+%d]", 4*(arrayWords+g.spills))
	g.spills++ // until the loop ends
	g.emit("st.local.u32 %s, %s", slot, limit)
	return func() { g.emit("ld.local.u32 %s, %s", limit, slot) }
}
