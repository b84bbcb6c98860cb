package kernelgen

import "fmt"

// crossLane lets lanes of a warp exchange words, where all threads of the CTA that have not ended are together: all
// lanes, or those in which a condition holds.
func (g *generator) crossLane() {
	g.breach(0)
	members, end := "-1", g.label()
	if g.chance(40) {
		members = g.temp("b32")
		p := g.condition(false)
		g.emit("vote.sync.ballot.b32 %s, %s, -1", members, p)
		g.jump(not(p), end)
	}
	g.laneOperation(members)()
	if g.chance(30) {
		g.emit("bar.warp.sync %s", members)
	}
	g.place(end)
}

// laneOperation draws an operation in which members take part, and returns what writes it, with
// other operands each time.
func (g *generator) laneOperation(members string) func() {
	word := func() string { return g.operands()() }
	switch g.IntN(6) {
	case 0:
		return func() { g.emit("vote.sync.ballot.b32 %s, %s, %s", g.anyWord(), g.condition(false), members) }
	case 1:
		how := pick(g, "any", "all", "uni")
		return func() {
			p := g.temp("pred")
			g.emit("vote.sync.%s.pred %s, %s, %s", how, p, g.condition(g.chance(30)), members)
			g.emit("selp.b32 %s, %s, 0, %s", g.anyWord(), g.word(), p)
		}
	case 2:
		return func() { g.emit("match.any.sync.b32 %s, %s, %s", g.anyWord(), word(), members) }
	case 3:
		return func() {
			g.emit("match.all.sync.b32 %s|%s, %s, %s", g.anyWord(), g.temp("pred"), g.word(), members)
		}
	case 4:
		op := pick(g, "add.u32", "add.s32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32")
		return func() { g.emit("redux.sync.%s %s, %s, %s", op, g.anyWord(), word(), members) }
	}
	how, clamp := pick(g, "idx", "up", "down", "bfly"), 31
	if how == "up" {
		clamp = 0
	}
	return func() {
		p := g.temp("pred")
		g.emit("shfl.sync.%s.b32 %s|%s, %s, %s, %d, %s", how, g.anyWord(), p, word(), pick(g, g.anyIndex(), fmt.Sprint(g.IntN(32))), clamp, members)
		g.guarded("selp.b32 %s, 1, 0, %s", g.anyWord(), p)
	}
}

// partial is a barrier of some of the warps, where all threads of the CTA are together and none has ended. What
// some leave in shared memory others find there.
func (g *generator) partial() {
	g.breach(0)
	width := max(g.opts.Warp, 1)
	warps := volume(g.block) / width // full ones
	barrier := 3 + g.IntN(4)
	p, end := g.temp("pred"), g.label()
	g.emit("bar.sync 0") // nobody reads from an exchange before
	switch {
	case warps == 0 || g.chance(25):
		g.emit("%s", fmt.Sprintf("bar.red.popc.u32 %s, %d, %s", g.anyWord(), barrier, g.condition(false)))
		g.emit("bar.red.%s.pred %s, %d, %s", pick(g, "and", "or"), p, barrier, g.condition(false))
		g.emit("selp.b32 %s, 1, 0, %s", g.anyWord(), p)
	case warps == 1 || g.chance(50):
		n := width * (1 + g.IntN(warps))
		g.emit("setp.ge.u32 %s, %%thread, %d", p, n)
		g.jump(p, end)
		g.emit("st.shared.u32 [%s], %s", g.element("%tile", "%thread", n, 4), g.word())
		g.emit("bar.sync %d, %d", barrier, n)
		g.emit("ld.shared.u32 %s, [%s]", g.anyWord(), g.element("%tile", g.anyIndex(), n, 4))
	default:
		writers := width * (1 + g.IntN(warps-1))
		all := writers + width*(1+g.IntN(warps-writers/width))
		readers := g.label()
		g.emit("setp.ge.u32 %s, %%thread, %d", p, writers)
		g.jump(p, readers)
		g.emit("st.shared.u32 [%s], %s", g.element("%tile", "%thread", writers, 4), g.word())
		g.emit("bar.arrive %d, %d", barrier, all)
		g.jump("", end)
		g.place(readers)
		g.emit("setp.ge.u32 %s, %%thread, %d", p, all)
		g.jump(p, end)
		g.emit("bar.sync %d, %d", barrier, all)
		g.emit("ld.shared.u32 %s, [%s]", g.anyWord(), g.element("%tile", g.anyIndex(), writers, 4))
	}
	g.place(end)
}
