package kernelgen

// window accesses an element that a word says, in threads in which comparisons before found it to be in range.
func (g *generator) window() {
	x, low := g.anyWord(), g.IntN(elements/2)
	high := low + 1 + g.IntN(elements/2)
	index, shift := x, 0
	if g.chance(40) { // compared is one word, and used another
		shift = g.IntN(64) - 32
		index = g.temp("b32")
		g.emit("add.s32 %s, %s, %d", index, x, shift)
	}
	p, q := g.temp("pred"), g.temp("pred")
	a, b := low-shift, high-shift // of x
	addr := g.temp("b64")
	access := func(guard string) {
		g.emit("mad.wide.%s %s, %s, 4, %%in", pick(g, "s32", "u32"), addr, index)
		g.emit("%sld.global.u32 %s, [%s]", guard, g.anyWord(), addr)
	}
	switch g.IntN(5) {
	case 0: // one branch after the other
		over := g.label()
		g.emit("setp.lt.s32 %s, %s, %d", p, x, a)
		g.jump(p, over)
		g.emit("setp.ge.s32 %s, %s, %d", q, x, b)
		g.jump(q, over)
		access("")
		g.place(over)
	case 1: // joined
		g.emit("setp.ge.s32 %s, %s, %d", p, x, a)
		g.emit("setp.lt.s32 %s, %s, %d", q, x, b)
		g.emit("and.pred %s, %s, %s", p, p, q)
		access("@" + p + " ")
	case 2: // joined by the second comparison
		g.emit("setp.gt.s32 %s, %s, %d", p, x, a-1)
		g.emit("setp.le.and.s32 %s, %s, %d, %s", q, x, b-1, p)
		access("@" + q + " ")
	case 3: // to leave if either does not hold
		over := g.label()
		g.emit("setp.lt.s32 %s, %s, %d", p, x, a)
		g.emit("setp.ge.or.s32 %s, %s, %d, %s", q, x, b, p)
		g.jump(q, over)
		access("")
		g.place(over)
	default: // of the number that is used, as one without a sign
		g.emit("setp.%s %s, %s, %d", pick(g, "lt.u32", "le.u32", "eq.s32"), p, index, high-1)
		access("@" + p + " ")
	}
}

// narrowed is a number of trips, at most maximum, that a branch takes from a word if it is in range.
func (g *generator) narrowed(limit, from string, maximum int) {
	small, p := g.label(), g.temp("pred")
	g.emit("mov.u32 %s, %s", limit, from)
	g.emit("setp.%s.u32 %s, %s, %d", pick(g, "lt", "le"), p, limit, maximum)
	g.jump(p, small)
	g.emit("mov.u32 %s, %d", limit, g.IntN(maximum+1))
	g.place(small)
}

// single is a predicate that holds for one thread, or for few.
func (g *generator) single(p string) {
	q := g.temp("pred")
	switch g.IntN(3) {
	case 0:
		g.emit("setp.eq.%s %s, %%thread, %d", pick(g, "s32", "u32"), p, g.IntN(volume(g.block)))
	case 1:
		g.emit("setp.eq.s32 %s, %%thread, %d", q, g.IntN(volume(g.block)))
		g.emit("setp.eq.and.s32 %s, %%cta, %d, %s", p, g.IntN(volume(g.grid)), q)
	default:
		first := g.IntN(volume(g.block))
		g.emit("setp.ge.u32 %s, %%thread, %d", q, first)
		g.emit("setp.lt.u32 %s, %%thread, %d", p, first+1+g.IntN(4))
		g.emit("and.pred %s, %s, %s", p, p, q)
	}
}
