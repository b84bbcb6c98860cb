package kernelgen

import "fmt"

// ways writes a round of steps that all threads execute so many times, on one way or on each of
// several, of which a thread takes one. The steps are written once for each way, with operands of
// their own, and lanes come to them at different times.
func (g *generator) ways(depth, rounds, trips int, steps []func()) {
	if depth > 0 && g.chance(65) {
		other, end := g.label(), g.label()
		g.jump(g.condition(false), other)
		g.ways(depth-1, rounds, trips, steps)
		g.jump("", end)
		g.place(other)
		g.ways(depth-1, rounds, trips, steps)
		g.place(end)
		return
	}
	round := func() {
		for _, step := range steps {
			g.linger(trips)
			step()
		}
	}
	if rounds > 1 && g.chance(60) {
		g.repeat(fmt.Sprint(rounds), g.label(), round)
		return
	}
	for range rounds {
		round()
	}
}

// linger writes work that takes different threads different times.
func (g *generator) linger(trips int) {
	switch {
	case g.chance(40):
	case g.chance(40):
		g.straight()
	default:
		head := g.label()
		g.repeat(g.limit(false, 1+g.IntN(max(trips, 1)), head), head, g.straight)
	}
}

// repeat is a loop with a head of at least one trip, and of as many as limit says.
func (g *generator) repeat(limit, head string, body func()) {
	count, p := g.temp("b32"), g.temp("pred")
	g.counters = append(g.counters, counter{count, false})
	g.emit("mov.u32 %s, 0", count)
	g.place(head)
	body()
	g.emit("add.s32 %s, %s, 1", count, count)
	g.emit("setp.lt.u32 %s, %s, %s", p, count, limit)
	g.jump(p, head)
	g.counters = g.counters[:len(g.counters)-1]
}

// separateLanes lets lanes of a warp exchange words that come to it at different times and places:
// all of them, or those of each of several groups, of which every lane names its own.
func (g *generator) separateLanes(trips int) {
	g.breach(0)
	if g.chance(20) {
		g.halves(trips)
		return
	}
	members := "-1"
	if g.chance(70) {
		g.linger(trips)
		members = g.groups()
	}
	g.ways(2, 1+g.IntN(3), trips, g.laneOperations(members))
}

// laneOperations draws one operation or two.
func (g *generator) laneOperations(members string) []func() {
	steps := []func(){g.laneOperation(members)}
	if g.chance(40) {
		steps = append(steps, g.laneOperation(members))
	}
	return steps
}

// halves gives the two parts of each warp ways with operations of their own.
func (g *generator) halves(trips int) {
	size := pick(g, 1, 4, 16, 31)
	lane, p := g.temp("b32"), g.temp("pred")
	g.emit("and.b32 %s, %%thread, 31", lane)
	g.emit("setp.lt.u32 %s, %s, %d", p, lane, size)
	low, end := g.label(), g.label()
	g.jump(p, low)
	g.ways(1, 1+g.IntN(3), trips, g.laneOperations(fmt.Sprintf("0x%x", ^uint32(0)<<size)))
	g.jump("", end)
	g.place(low)
	g.ways(1, 1+g.IntN(3), trips, g.laneOperations(fmt.Sprintf("0x%x", 1<<size-1)))
	g.place(end)
}

// groups divides the lanes of each warp into groups and returns the mask of the thread's own.
func (g *generator) groups() string {
	members := g.temp("b32")
	switch g.IntN(4) {
	case 0: // lanes in which a word has the same lowest bits
		key := g.temp("b32")
		g.emit("and.b32 %s, %s, %d", key, g.anyIndex(), pick(g, 1, 3, 4, 31))
		g.emit("match.any.sync.b32 %s, %s, -1", members, key)
	case 1: // neighbours
		n := pick(g, 1, 2, 4, 8, 16)
		first := g.temp("b32")
		g.emit("and.b32 %s, %%thread, %d", first, 32-n)
		g.emit("mov.u32 %s, 0x%x", members, 1<<n-1)
		g.emit("shl.b32 %s, %s, %s", members, members, first)
	case 2: // those in which a condition holds, and the others
		p, others := g.condition(false), g.temp("b32")
		g.emit("vote.sync.ballot.b32 %s, %s, -1", members, p)
		g.emit("not.b32 %s, %s", others, members)
		if p[0] == '!' {
			members, others, p = others, members, p[1:]
		}
		g.emit("selp.b32 %s, %s, %s, %s", members, members, others, p)
	default: // constants
		bit := pick(g, 1, 2, 4, 8, 16)
		mask := uint32(0)
		for lane := range 32 {
			if lane&bit != 0 {
				mask |= 1 << lane
			}
		}
		p, half := g.temp("pred"), g.temp("b32")
		g.emit("and.b32 %s, %%thread, %d", half, bit)
		g.emit("setp.ne.u32 %s, %s, 0", p, half)
		g.emit("selp.b32 %s, 0x%x, 0x%x, %s", members, mask, ^mask, p)
	}
	return members
}

// The barriers to which threads of a warp come apart: those for all threads, and those for some,
// which others may have left behind.
const (
	barrierForAll  = 7
	barrierForSome = 11
	barriers       = 16
)

// separateBarrier has barriers to which the threads of a warp come at different times and places,
// where all threads of the CTA are together and none has ended: for all, for the first warps, or
// such that some wait for what others leave in shared memory.
func (g *generator) separateBarrier(trips int) {
	g.breach(0)
	width := max(g.opts.Warp, 1)
	warps := volume(g.block) / width // full ones
	forAll, forSome := barrierForAll+g.IntN(barrierForSome-barrierForAll), barrierForSome+g.IntN(barriers-barrierForSome)
	write := func(n int) func() {
		return func() { g.emit("st.shared.u32 [%s], %s", g.element("%tile", "%thread", n, 4), g.word()) }
	}
	read := func(n int) func() {
		return func() { g.emit("ld.shared.u32 %s, [%s]", g.anyWord(), g.element("%tile", g.anyIndex(), n, 4)) }
	}
	wait := func(form, count string) func() {
		if count == "" {
			return func() { g.barrier(form, forAll, "") }
		}
		return func() { g.barrier(form, forSome, count) }
	}
	form := pick(g, "sync", "sync", "red.popc.u32", "red.and.pred", "red.or.pred")
	if warps == 0 || g.chance(40) {
		n := volume(g.block)
		g.ways(2, 1+g.IntN(2), trips, []func(){wait("sync", ""), write(n), wait(form, ""), read(n)})
		return
	}
	g.ways(1, 1, trips, []func(){wait("sync", "")}) // nobody reads from an exchange before
	p, end := g.temp("pred"), g.label()
	if warps == 1 || g.chance(50) {
		n := width * (1 + g.IntN(warps))
		g.emit("setp.ge.u32 %s, %%thread, %d", p, n)
		g.jump(p, end)
		count := fmt.Sprintf(", %d", n)
		g.ways(2, 1+g.IntN(2), trips, []func(){write(n), wait(form, count), read(n), wait("sync", count)})
	} else {
		writers := width * (1 + g.IntN(warps-1))
		all := writers + width*(1+g.IntN(warps-writers/width))
		readers := g.label()
		g.emit("setp.ge.u32 %s, %%thread, %d", p, writers)
		g.jump(p, readers)
		count := fmt.Sprintf(", %d", all)
		g.ways(2, 1, trips, []func(){write(writers), wait("arrive", count)})
		g.jump("", end)
		g.place(readers)
		g.emit("setp.ge.u32 %s, %%thread, %d", p, all)
		g.jump(p, end)
		g.ways(2, 1, trips, []func(){wait("sync", count), read(writers)})
	}
	g.place(end)
}

// barrier is one to which the threads of a warp may come one by one.
func (g *generator) barrier(form string, id int, count string) {
	at := fmt.Sprint(id)
	if g.chance(15) {
		at = g.temp("b32")
		g.emit("mov.u32 %s, %d", at, id)
	}
	switch form {
	case "red.popc.u32":
		g.emit("barrier.%s %s, %s%s, %s", form, g.anyWord(), at, count, g.condition(false))
	case "red.and.pred", "red.or.pred":
		p := g.temp("pred")
		g.emit("barrier.%s %s, %s%s, %s", form, p, at, count, g.condition(false))
		g.emit("selp.b32 %s, 1, 0, %s", g.anyWord(), p)
	default:
		g.emit("barrier.%s %s%s", form, at, count)
	}
}
