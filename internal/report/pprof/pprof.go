// Package pprof writes a profile of a run for go tool pprof: cycles, issues and waits by kernel and line.
package pprof

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"

	"warpbound/estimate"
	"warpbound/internal/symbol"
)

// The values of each sample, before those of the kinds of waits. The last one is what pprof shows unless it is told
// otherwise.
var values = []*profile.ValueType{
	{Type: "issues", Unit: "count"}, {Type: "lanes", Unit: "count"}, {Type: "diverged", Unit: "count"}, {Type: "transactions", Unit: "count"}, {Type: "cycles", Unit: "cycles"},
}

// Write writes a profile, compressed. A sample is a line: that of the source if the module tells it, and else that of the module.
// Cycles are those that warps waited to issue its instructions, of which several may wait in one cycle; "bound" is what a bound of the job
// charges to the line, in cycles, unless bound is nil. A line that several kernels have counts for the first of them.
func Write(w io.Writer, p *estimate.Profile, bound *estimate.ByLine) error {
	b := &builder{out: &profile.Profile{DefaultSampleType: "cycles"}, functions: make(map[[2]string]*profile.Function), samples: make(map[place]*profile.Sample)}
	kinds := kindsOf(p)
	b.out.SampleType = slices.Clone(values)
	for _, kind := range kinds {
		b.out.SampleType = append(b.out.SampleType, &profile.ValueType{Type: kind, Unit: "cycles"})
	}
	for _, k := range p.Kernels {
		for i := range k.Lines {
			if l := &k.Lines[i]; l.Issues > 0 {
				b.add(k.Kernel, l, kinds)
			}
		}
	}
	if bound != nil {
		b.chargeLines(p, bound)
	}
	return b.out.Write(w)
}

// chargeLines adds what a bound charges to lines, as the last value of each sample.
func (b *builder) chargeLines(p *estimate.Profile, bound *estimate.ByLine) {
	kernels := make(map[[2]string]string) // by line of the module and of the source
	for _, k := range p.Kernels {
		for i := range k.Lines {
			if at := [2]string{k.Lines[i].Line, k.Lines[i].Source}; kernels[at] == "" {
				kernels[at] = k.Kernel
			}
		}
	}
	width := len(b.out.SampleType)
	b.out.SampleType = append(b.out.SampleType, &profile.ValueType{Type: "bound", Unit: "cycles"})
	for _, s := range b.out.Sample {
		s.Value = append(s.Value, 0)
	}
	for i := range bound.Lines {
		l := &bound.Lines[i]
		at := place{kernels[[2]string{l.Pos, l.Source}], cmp.Or(l.Source, l.Pos)}
		s := b.samples[at]
		if s == nil {
			s = b.sample(at, width+1-len(values))
			b.samples[at] = s
		}
		s.Value[width] += l.Cycles
	}
}

// kindsOf are the kinds of waits that occur, by name.
func kindsOf(p *estimate.Profile) []string {
	all := make(map[string]bool)
	for _, k := range p.Kernels {
		for i := range k.Lines {
			for kind := range k.Lines[i].Waits {
				all[kind] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// place is a line in a kernel.
type place struct{ kernel, line string }

// builder makes the profile.
type builder struct {
	out       *profile.Profile
	functions map[[2]string]*profile.Function // by kernel and file
	samples   map[place]*profile.Sample
}

// add adds a line of the module to the sample of its place.
func (b *builder) add(kernel string, l *estimate.ProfiledLine, kinds []string) {
	at := place{kernel, cmp.Or(l.Source, l.Line)}
	s := b.samples[at]
	if s == nil {
		s = b.sample(at, len(kinds))
		b.samples[at] = s
	}
	for i, n := range []int64{l.Issues, l.Lanes, l.Diverged, l.Transactions, l.Cycles} {
		s.Value[i] += n
	}
	for i, kind := range kinds {
		s.Value[len(values)+i] += l.Waits[kind]
	}
}

// sample makes the sample of a place.
func (b *builder) sample(at place, kinds int) *profile.Sample {
	file, number := at.line, int64(0)
	if i := strings.LastIndexByte(at.line, ':'); i >= 0 {
		file = at.line[:i]
		number, _ = strconv.ParseInt(at.line[i+1:], 10, 64)
	}
	key := [2]string{at.kernel, file}
	f := b.functions[key]
	if f == nil {
		f = &profile.Function{ID: uint64(len(b.out.Function) + 1), Name: symbol.Readable(at.kernel), SystemName: at.kernel, Filename: file}
		b.functions[key] = f
		b.out.Function = append(b.out.Function, f)
	}
	loc := &profile.Location{ID: uint64(len(b.out.Location) + 1), Line: []profile.Line{{Function: f, Line: number}}}
	b.out.Location = append(b.out.Location, loc)
	s := &profile.Sample{Location: []*profile.Location{loc}, Value: make([]int64, len(values)+kinds)}
	b.out.Sample = append(b.out.Sample, s)
	return s
}
