package kernelgen

import (
	"fmt"
	"strings"
)

// inputs say from what the inputs of a kernel are sampled: words, numbers in single
// precision, and n. The texts are those of job files.
type inputs struct {
	words, reals string
	n            [2]int
	m            [2]int // if there is one
	assume       string // tables
}

// The widest contents of buffers.
const (
	allWords    = "uniform(0, 4294967295)"
	allReals    = "uniform(-100, 100)"
	allIntegers = "uniform(-2147483648, 2147483647)"
)

// contents draws what a job says of a buffer: all that it may hold or, if kernels are to be
// told before they run, sometimes what it does hold.
func (g *generator) contents(all string) string {
	if g.opts.Bounded && g.chance(20) {
		return pick(g, "zeros", "iota")
	}
	return all
}

// widest draws the inputs of the job.
func (g *generator) widest() inputs {
	if g.has(Contracts) {
		c := &g.contract
		in := inputs{words: uniform(c.low, c.high), reals: g.contents(allReals), n: [2]int{c.low, c.high}, assume: c.assumptions(0, c.step)}
		if c.step > 0 {
			in.words = uniform(0, c.step*elements)
		}
		in.m = [2]int{c.low, c.high + c.gap}
		return in
	}
	in := inputs{words: g.contents(allWords), reals: g.contents(allReals), n: [2]int{0, 4 * g.opts.Trips}}
	if g.opts.Bounded && g.chance(30) {
		in.n[0] = in.n[1]
	}
	return in
}

func uniform(low, high int) string { return fmt.Sprintf("uniform(%d, %d)", low, high) }

// narrow draws a part of some inputs.
func (g *generator) narrow(all inputs) inputs {
	switch {
	case g.has(Contracts):
		g.narrowContract(&all)
	case all.words == allWords:
		all.words = pick(g, "zeros", "uniform(4294967295, 4294967295)", "iota", "uniform(0, 1)", "uniform(2147483647, 2147483648)",
			"uniform(1, 1)", "uniform(0, 16)", "uniform(4294967290, 4294967295)", allWords)
	}
	if all.reals == allReals {
		all.reals = pick(g, "zeros", "uniform(-100, -100)", "uniform(99, 100)", "uniform(-1, 1)", allReals)
	}
	if low, maximum := all.n[0], all.n[1]; low < maximum && !g.contract.even {
		all.n = pick(g, [2]int{low, low}, [2]int{maximum, maximum}, [2]int{low + 1, low + 1}, all.n)
	}
	return all
}

// narrowContract draws a part of the words that the job promises.
func (g *generator) narrowContract(all *inputs) {
	c := &g.contract
	if c.step > 0 {
		low := pick(g, 0, c.step, c.step)
		all.assume = c.assumptions(low, pick(g, low, c.step))
		return
	}
	all.words = pick(g, uniform(c.low, c.low), uniform(c.high, c.high), uniform(c.high, c.high), all.words)
}

// job is what a job file says besides the inputs.
type job struct {
	head   string
	out    int // elements
	bounds []bound
	split  string // table
	wide   bool   // whether there is the buffer of that name
	links  string // table
}

// job draws what is still open of the job and returns it.
func (g *generator) job(module string) *job {
	list := func(shape [3]int) string { return fmt.Sprintf("[%d, %d, %d]", shape[0], shape[1], shape[2]) }
	machine := g.opts.Machine
	if machine == "" {
		machine = "fermi-c2050"
	}
	return &job{
		head: fmt.Sprintf("module = %q\nmachine = %q\ngrid = %s\nblock = %s\nseed = %d\n%s",
			module, machine, list(g.grid), list(g.block), g.IntN(1<<30), g.dynamic()),
		out:    volume(g.grid) * volume(g.block) * g.perThread(),
		bounds: g.bounds,
		split:  g.splitting(),
		wide:   g.has(WideAtomics),
		links:  g.linkTable(),
	}
}

// linkTable draws pointers to words of buffers that no kernel writes.
func (g *generator) linkTable() string {
	if !g.has(Links) {
		return ""
	}
	list := make([]string, links)
	for i := range list {
		list[i] = fmt.Sprintf("\"%s+%d\"", pick(g, "in", "real"), 4*g.IntN(elements-linked+1))
	}
	return fmt.Sprintf("\n[[param]]\nname = \"links\"\ntype = \"u64\"\ncount = %d\nvalues = [%s]\n", links, strings.Join(list, ", "))
}

// dynamic is the key that gives a launch its dynamic shared memory, if it needs some.
func (g *generator) dynamic() string {
	if !g.has(Dynamic) {
		return ""
	}
	return fmt.Sprintf("shared = %d\n", g.tileBytes())
}

// text writes the job file.
func (j *job) text(from inputs) string {
	var b strings.Builder
	b.WriteString(j.head)
	buffer := func(name, typ string, count int, init string) {
		fmt.Fprintf(&b, "\n[[param]]\nname = %q\ntype = %q\ncount = %d\ninit = %q\n", name, typ, count, init)
	}
	buffer("out", "u32", j.out, "zeros")
	buffer("in", "u32", elements, from.words)
	buffer("real", "f32", elements, from.reals)
	buffer("acc", "u32", bins*len(atomics), from.words)
	b.WriteString(number("n", "u32", from.n))
	if from.assume != "" {
		b.WriteString(number("m", "u32", from.m))
	}
	if j.wide {
		buffer("wide", "u64", bins*len(wideAtomics), "zeros")
	}
	b.WriteString(j.links)
	b.WriteString(from.assume)
	b.WriteString(annotations(j.bounds))
	b.WriteString(j.split)
	return b.String()
}

// number writes a parameter that is a number.
func number(name, typ string, n [2]int) string {
	key := fmt.Sprintf("range = [%d, %d]", n[0], n[1])
	if n[0] == n[1] {
		key = fmt.Sprint("value = ", n[0])
	}
	return fmt.Sprintf("\n[[param]]\nname = %q\ntype = %q\n%s\n", name, typ, key)
}

// annotations writes the section of a job file that bounds loops.
func annotations(bounds []bound) string {
	if len(bounds) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n[loop]\n")
	for _, l := range bounds {
		fmt.Fprintf(&b, "%q = %d\n", l.head, l.maximum)
	}
	return b.String()
}
