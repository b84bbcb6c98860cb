package kernelgen

import (
	"fmt"
	"strings"
)

// NewSequence makes two or three kernels and a job that launches them one after the other, some several times.
// Each writes to one of two buffers and reads what another one may have written to the other. Branches are not
// marked for splitting.
func NewSequence(src Source, opts Options) *Case {
	opts.Split = false
	opts.Features &^= Contracts // of buffers that no kernel writes
	s := &sequence{}
	for i := range 2 + src.IntN(2) {
		g := start(src, opts, 10000*i) // labels differ
		g.body()
		s.add(g)
	}
	first := s.kernels[0]
	job := first.job(ModuleFile)
	job.bounds, job.out = s.bounds, s.out
	s.plan(src)
	c := &Case{File: ModuleFile, Module: s.module.String()}
	all := first.widest()
	c.Job = s.text(job, all)
	for range opts.Narrowed {
		c.Narrowed = append(c.Narrowed, s.text(job, first.narrow(all)))
	}
	return c
}

// sequence gathers the kernels of a job.
type sequence struct {
	kernels []*generator
	module  strings.Builder
	bounds  []bound
	out     int // elements of each buffer that kernels write to
	entries strings.Builder
}

// add adds a kernel.
func (s *sequence) add(g *generator) {
	head, kernel, _ := strings.Cut(g.module(), "\n\n")
	if len(s.kernels) == 0 {
		s.module.WriteString(head)
	}
	s.kernels = append(s.kernels, g)
	s.module.WriteString("\n\n" + strings.Replace(kernel, "random(", fmt.Sprintf("random%d(", len(s.kernels)), 1))
	s.bounds = append(s.bounds, g.bounds...)
	s.out = max(s.out, elements, volume(g.grid)*volume(g.block)*g.perThread())
}

// plan draws how often kernels are launched: the first, and the others together.
func (s *sequence) plan(src Source) {
	s.entry("launch", 0, 1+src.IntN(2))
	how := fmt.Sprint("repeat = ", 1+src.IntN(3))
	if src.IntN(4) == 3 {
		how = fmt.Sprintf("while = \"flag\"\nlimit = %d", 1+src.IntN(2)) // which nothing sets: one round
	}
	fmt.Fprintf(&s.entries, "\n[[launch]]\n%s\n", how)
	for i := range s.kernels[1:] {
		s.entry("launch.launch", i+1, 1+src.IntN(2))
	}
}

// entry writes the launch of a kernel.
func (s *sequence) entry(table string, kernel, repeat int) {
	g := s.kernels[kernel]
	list := func(shape [3]int) string { return fmt.Sprintf("[%d, %d, %d]", shape[0], shape[1], shape[2]) }
	to, from := "out", "in"
	switch kernel {
	case 1:
		to, from = "other", "out"
	case 2:
		to, from = "out", "other"
	}
	more := ""
	if g.has(WideAtomics) {
		more = ", \"wide\""
	}
	if g.has(Links) {
		more += ", \"links\""
	}
	fmt.Fprintf(&s.entries, "\n[[%s]]\nkernel = \"random%d\"\ngrid = %s\nblock = %s\nrepeat = %d\narguments = [%q, %q, \"real\", \"acc\", \"n\"%s]\n%s",
		table, kernel+1, list(g.grid), list(g.block), repeat, to, from, more, g.dynamic())
}

// text writes the job file.
func (s *sequence) text(j *job, from inputs) string {
	return j.text(from) + fmt.Sprintf("\n[[param]]\nname = \"other\"\ntype = \"u32\"\ncount = %d\ninit = \"iota\"\n", s.out) +
		"\n[[param]]\nname = \"flag\"\ntype = \"u32\"\ncount = 1\n" + s.entries.String()
}
