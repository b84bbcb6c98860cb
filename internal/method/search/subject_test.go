package search

import (
	"context"
	"encoding/binary"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/method/search/genetic"
	"warpbound/internal/smt"
	"warpbound/internal/symexec"
	"warpbound/internal/test/flowtest"
	"warpbound/internal/test/smttest"
)

// subject is a launch whose parameters of given elements vary.
type subject struct {
	*flowtest.Launch
	config TrimConfig
}

// load makes a launch of a kernel x(data, more, n), of which vary those that have an element.
func load(t *testing.T, grid, block string, body string, elements ...symexec.Element) *subject {
	t.Helper()
	l := flowtest.Job(t, `module = "k.ptx"
kernel = "k"
grid = `+grid+`
block = `+block+`
[[param]]
name = "data"
type = "u32"
count = 256
init = "zeros"
[[param]]
name = "more"
type = "u32"
count = 256
init = "zeros"
[[param]]
name = "n"
type = "u32"
value = 100
`, `.version 7.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 data, .param .u64 more, .param .u32 n)
{
	.reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>;
	.shared .align 4 .b8 s[1024];
	ld.param.u64 %rd1, [data];
	ld.param.u64 %rd2, [more];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x;
	mad.lo.u32 %r5, %r3, %r4, %r2;
	mul.wide.u32 %rd3, %r5, 4;
	add.u64 %rd4, %rd1, %rd3;
	add.u64 %rd5, %rd2, %rd3;
`+body+"\n}\n")
	s := &subject{l, TrimConfig{Launch: l.Semantics, Solver: smttest.Limited(t), Builder: smt.NewBuilder(), MaxThreads: 3, MaxPaths: 50, MaxSteps: 1000, MaxQueries: 500}}
	params := l.Grid.Launch().Params
	for i, p := range l.Kernel.Params {
		x := Param{Name: p.Name, Array: symexec.Parameters, Offset: p.Offset}
		if i < len(elements) {
			x.Element = elements[i]
		}
		if contents := l.Buffers[i]; contents != nil {
			address := binary.LittleEndian.Uint64(params[p.Offset:])
			s.config.Buffers = append(s.config.Buffers, symexec.Buffer{Name: p.Name, Address: address, Bytes: len(contents)})
			x.Array, x.Offset = p.Name, 0
		}
		if b := x.Element.Bytes; b > 0 {
			x.Count = max(1, len(l.Buffers[i])/b)
		}
		s.config.Space.Params = append(s.config.Space.Params, x)
	}
	return s
}

func (s *subject) trim(t *testing.T) *Trimmed {
	t.Helper()
	res, err := Trim(context.Background(), s.config)
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Plan.check(); err != nil {
		t.Error(err)
	}
	for i, p := range res.Paths {
		if p.Atom >= len(res.Plan.Atoms) {
			t.Errorf("path %d has atom %d of %d", i, p.Atom, len(res.Plan.Atoms))
		}
	}
	return res
}

// instructions executes the launch on inputs, and returns how many instructions each thread takes.
func (s *subject) instructions(t *testing.T, in Inputs) []int {
	t.Helper()
	again := s.Again(t, 1)
	for i, bytes := range in {
		if again.Buffers[i] != nil {
			copy(again.Buffers[i], bytes)
		} else if bytes != nil {
			copy(again.Grid.Launch().Params[s.Kernel.Params[i].Offset:], bytes)
		}
	}
	var counts []int
	env, eff := &emu.Env{SMs: 1}, new(emu.Effect)
	grid := again.Grid.Launch().Grid
	for id := range grid[0] * grid[1] * grid[2] {
		var cta emu.CTA
		again.Grid.StartCTA(&cta, id)
		first := len(counts)
		counts = append(counts, make([]int, len(cta.Warps))...)
		for !cta.Done() {
			for k := range cta.Warps {
				for w := &cta.Warps[k]; !w.Done() && !w.AtBarrier(); {
					if err := w.Step(env, eff); err != nil {
						t.Fatal(err)
					}
					counts[first+k]++
				}
			}
		}
	}
	return counts
}

// all returns inputs in which all threads have an atom, and what it leaves open differs.
func all(p *Plan, atom int32) Inputs {
	n := p.Genome().Len()
	return p.Decode(genetic.Individual{
		{End: p.Groups(), Atoms: []int32{atom}, Seed: 77, Each: true},
		{End: n, Atoms: []int32{genetic.Raw}, Seed: 77, Each: true},
	})
}

func words(high uint64) symexec.Element { return symexec.Element{Bytes: 4, High: high} }

// coverage returns the share of outcomes that some path took, and their share of those that are not
// proved infeasible, both in percent: 100 if there are none.
func (t *Trimmed) coverage() (all, feasible float64) {
	covered, infeasible := 0, 0
	for _, s := range t.Outcomes {
		switch s.Verdict {
		case symexec.Covered:
			covered++
		case symexec.Infeasible:
			infeasible++
		}
	}
	share := func(of int) float64 {
		if of == 0 {
			return 100
		}
		return 100 * float64(covered) / float64(of)
	}
	return share(len(t.Outcomes)), share(len(t.Outcomes) - infeasible)
}
