package kernelgen

import "fmt"

// contract is what the job says of its inputs, beside what the kernel makes of them: the words of the buffer in and the
// number n are from low to high. Or the words are rows, each by up to step more than the one before. The number m is
// n, or more by up to gap.
type contract struct {
	low, high int
	step      int // 0 if the words are no rows
	gap       int
	exactly   bool // m is by gap more
	even      bool // n is
}

// promise draws what the job of a kernel says.
func (g *generator) promise() {
	low := g.IntN(g.opts.Trips + 1)
	c := contract{low: low, high: low + g.IntN(g.opts.Trips+1-low), gap: g.IntN(g.opts.Trips + 1), exactly: g.chance(40)}
	if g.chance(30) {
		c.step = 1 + g.IntN(4)
	}
	c.even = c.high > c.low && g.chance(30)
	g.contract = c
}

// assumptions is what the job says of how its inputs depend on each other; rows have steps from low to high.
func (c *contract) assumptions(low, high int) string {
	relation := fmt.Sprintf("n <= m && m - n <= %d", c.gap)
	if c.exactly {
		relation = fmt.Sprintf("m == n + %d", c.gap)
	}
	if c.even {
		relation += " && n % 2 == 0"
	}
	text := fmt.Sprintf("\n[[assume]]\nexpr = %q\n", relation)
	if c.step > 0 {
		text += fmt.Sprintf("\n[[assume]]\nmonotone = \"in\"\nstep = [%d, %d]\n", low, high)
	}
	return text
}

// promised is a word that the job bounds, its maximum, and whether it is the length of a row.
func (g *generator) promised(uniform bool) (word string, high int, row bool) {
	c := &g.contract
	r := g.temp("b32")
	switch {
	case g.chance(25):
		g.emit("sub.s32 %s, %%m, %%n", r)
		return r, c.gap, false
	case uniform && g.chance(35):
		return "%n", c.high, false
	}
	at, offset := "%in", 4*g.IntN(elements-1)
	if !uniform {
		at, offset = g.element("%in", g.word(), elements-1, 4), 0
	}
	g.emit("ld.global.u32 %s, [%s+%d]", r, at, offset)
	if c.step > 0 { // a row's length
		next := g.temp("b32")
		g.emit("ld.global.u32 %s, [%s+%d]", next, at, offset+4)
		g.emit("sub.s32 %s, %s, %s", r, next, r)
		return r, c.step, true
	}
	if g.chance(30) {
		g.emit("sub.s32 %s, %s, %d", r, r, c.low)
		return r, c.high - c.low, false
	}
	return r, c.high, false
}

// trips is a number of trips, at most maximum, that follows from what the job promises, perhaps of the length of a row.
func (g *generator) trips(limit string, uniform bool, maximum int) (row bool) {
	r, high, row := g.promised(uniform)
	if high <= maximum {
		g.emit("mov.u32 %s, %s", limit, r)
		return row
	}
	g.emit("%s", pick(g,
		fmt.Sprintf("min.u32 %s, %s, %d", limit, r, maximum),
		fmt.Sprintf("div.u32 %s, %s, %d", limit, r, (high+maximum)/maximum),
	))
	return row
}
