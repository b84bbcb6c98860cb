package kernelgen

import (
	"fmt"
	"strings"
)

// inputs say from what the inputs of a kernel are drawn: words, numbers in single
// precision, and n. The texts are those of job files.
type inputs struct {
	words, reals string
	n            [2]int
}

// widest are all inputs that a kernel is made for.
func (g *generator) widest() inputs {
	return inputs{words: "uniform(0, 4294967295)", reals: "uniform(-100, 100)", n: [2]int{0, 4 * g.opts.Trips}}
}

// narrow draws a part of the widest inputs.
func (g *generator) narrow() inputs {
	all := g.widest()
	return inputs{
		words: pick(g, "zeros", "uniform(4294967295, 4294967295)", "iota", "uniform(0, 1)", "uniform(2147483647, 2147483648)",
			"uniform(1, 1)", "uniform(0, 16)", "uniform(4294967290, 4294967295)", all.words),
		reals: pick(g, "zeros", "uniform(-100, -100)", "uniform(99, 100)", "uniform(-1, 1)", all.reals),
		n:     pick(g, [2]int{0, 0}, [2]int{all.n[1], all.n[1]}, [2]int{1, 1}, all.n),
	}
}

// job is what a job file says besides the inputs.
type job struct {
	head   string
	out    int // elements
	bounds []bound
}

// job draws what is still open of the job and returns it.
func (g *generator) job() *job {
	list := func(shape [3]int) string { return fmt.Sprintf("[%d, %d, %d]", shape[0], shape[1], shape[2]) }
	machine := g.opts.Machine
	if machine == "" {
		machine = "fermi-c2050"
	}
	return &job{
		head: fmt.Sprintf("module = %q\nmachine = %q\ngrid = %s\nblock = %s\nseed = %d\n",
			ModuleFile, machine, list(g.grid), list(g.block), g.IntN(1<<30)),
		out:    volume(g.grid) * volume(g.block) * g.perThread(),
		bounds: g.bounds,
	}
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
	fmt.Fprintf(&b, "\n[[param]]\nname = \"n\"\ntype = \"u32\"\nrange = [%d, %d]\n", from.n[0], from.n[1])
	if len(j.bounds) > 0 {
		b.WriteString("\n[loop]\n")
	}
	for _, l := range j.bounds {
		fmt.Fprintf(&b, "%q = %d\n", l.head, l.most)
	}
	return b.String()
}
