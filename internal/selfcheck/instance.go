package selfcheck

import (
	"fmt"
	"slices"
	"strings"

	"warpbound/internal/kernelgen"
	"warpbound/internal/machine"
)

// narrowed is the number of jobs with narrower inputs.
const narrowed = 4

// instance draws a machine and a kernel with its launch and inputs. Small numbers make
// small instances.
func instance(src kernelgen.Source, machines []*machine.Machine) Files {
	m := vary(sample(src, machines), src)
	draw := kernelgen.New
	splits := m.Core == machine.Splitting
	if src.IntN(4) == 3 {
		draw = kernelgen.NewSIMT
	}
	threads := int64(80)
	if m.Core == machine.Splitting {
		threads = 200 // several wavefronts
	}
	opts := kernelgen.Options{
		Statements:  1 + src.IntN(24),
		Depth:       1 + src.IntN(3),
		Trips:       1 + src.IntN(8),
		Threads:     1 + src.IntN(int(min(m.SM.CTAThreads.Value, threads))),
		CTAs:        1 + src.IntN(12),
		Bounded:     src.IntN(16) < 15,
		Irreducible: src.IntN(32) == 31 && !splits,
		Narrowed:    narrowed,
		Machine:     machineFile,
		Split:       splits,
		Features:    kernelgen.DrawFeatures(src),
		Warp:        int(m.SM.WarpSize.Value),
		Independent: m.IndependentThreads(),
	}
	if opts.Independent && src.IntN(4) == 3 { // of which only such machines have any
		opts.Features |= [2]kernelgen.Features{kernelgen.SeparateLanes, kernelgen.SeparateBarriers}[src.IntN(2)]
	}
	c := draw(src, opts)
	cpu, program := "", ""
	if m.Core == machine.Integrated && src.IntN(4) > 0 {
		cpu, program = fmt.Sprintf("\n[cpu]\nprogram = %q\n", streamFile), stream(src)
	}
	if src.IntN(16) == 15 {
		opts.Statements = 1 + opts.Statements/2
		c = kernelgen.NewSequence(src, opts)
		if m.Core == machine.Integrated && src.IntN(2) == 0 {
			warm := func(job string) string { return "caches = \"warm\"\n" + job }
			c.Job = warm(c.Job)
			for i := range c.Narrowed {
				c.Narrowed[i] = warm(c.Narrowed[i])
			}
		}
	}
	files := Files{machineFile: string(m.Format()), c.File: c.Module, jobFile: c.Job + cpu}
	if program != "" {
		files[streamFile] = program
	}
	for i, job := range c.Narrowed {
		files[fmt.Sprintf("narrow%d.toml", i+1)] = job + cpu
	}
	return files
}

// stream draws what a CPU does: loops of accesses to memory of its own and to the buffer of words
// of the kernel.
func stream(src kernelgen.Source) string {
	var b strings.Builder
	for range 1 + src.IntN(3) {
		fmt.Fprintf(&b, "for i < %d {\n", 1+src.IntN(60))
		for range 1 + src.IntN(4) {
			if src.IntN(3) == 0 {
				fmt.Fprintf(&b, "  wait %d;\n", src.IntN(300))
			}
			op, buffer := [2]string{"load", "store"}[src.IntN(2)], ""
			if src.IntN(2) == 0 {
				buffer = "in"
			}
			fmt.Fprintf(&b, "  %s %s[(%d * i + %d) %% 1024];\n", op, buffer, src.IntN(200), src.IntN(1024))
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// recorder draws the numbers that are given, 0 when there are none left and the greatest
// possible for those that are too great, or else those of a source. It keeps what it
// drew.
type recorder struct {
	given []int
	src   kernelgen.Source // nil to draw those given
	drew  []int
}

// IntN implements kernelgen.Source.
func (r *recorder) IntN(n int) int {
	v := 0
	switch {
	case r.src != nil:
		v = r.src.IntN(n)
	case len(r.drew) < len(r.given):
		v = min(r.given[len(r.drew)], n-1)
	}
	r.drew = append(r.drew, v)
	return v
}

// sample draws a machine, each core as often as any other, however many of the machines have it.
func sample(src kernelgen.Source, machines []*machine.Machine) *machine.Machine {
	var cores []machine.Core
	for _, m := range machines {
		if !slices.Contains(cores, m.Core) {
			cores = append(cores, m.Core)
		}
	}
	if len(cores) > 1 {
		core := cores[src.IntN(len(cores))]
		machines = slices.DeleteFunc(slices.Clone(machines), func(m *machine.Machine) bool { return m.Core != core })
	}
	return machines[src.IntN(len(machines))]
}
