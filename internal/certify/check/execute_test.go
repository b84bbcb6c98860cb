package check

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"warpbound/internal/certify/words"
	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/kernelgen"
	"warpbound/internal/machine"
	"warpbound/internal/test/flowtest"
)

// subject is a launch as the checker sees it.
func subject(l *flowtest.Launch) *Subject {
	m := &machine.Machine{}
	m.SM.WarpSize.Value = int64(l.Grid.Width())
	return &Subject{Kernel: l.Kernel, Bound: l.Bound(), Machine: m}
}

// around draws a set that holds a word.
func around(rnd *rand.Rand, bits int, x uint64) words.Set {
	step := 1 + rnd.Uint64N(4)
	below, above := rnd.Uint64N(3), rnd.Uint64N(3)
	switch rnd.IntN(4) {
	case 0:
		return words.Anything(bits)
	case 1:
		return words.One(bits, x)
	}
	if bits < 4 {
		return words.One(bits, x)
	}
	return words.Span(bits, x-below*step, step, (below+above)*step)
}

// follow executes a launch, and each block that one lane of each warp comes to on sets around what its
// registers hold there: behind the block they must be in the sets that were found.
func follow(t *testing.T, l *flowtest.Launch, ctas int, seed uint64) (blocks int) {
	t.Helper()
	p, err := NewProgram(subject(l))
	if err != nil {
		t.Fatal(err)
	}
	type visit struct {
		block int
		first []uint64
		state *state
	}
	type at struct{ cta, warp int }
	last := make(map[at]*visit)
	live := cfg.Liveness(l.Graph)
	block := l.Grid.Launch().Block
	rnd := rand.New(rand.NewPCG(seed, 5))
	l.Run(t, ctas, func(c *emu.CTA, warp int) func(*emu.Effect) {
		w := &c.Warps[warp]
		lane := int(seed) % min(l.Grid.Width(), block[0]*block[1]*block[2])
		b, begins := p.blockOf[w.PC()]
		if !begins || w.Active()>>lane&1 == 0 {
			return nil
		}
		blocks++
		if v := last[at{c.Index, warp}]; v != nil {
			passed, why := false, ""
			for _, e := range p.Blocks[v.block].Edges {
				if e.To != b {
					continue
				}
				after, ok := p.along(v.state, v.block, e)
				holds := ok
				why = "it never passes"
				for _, r := range live.In(l.Graph.BlockOf(w.PC())) { // others may hold anything in the emulator
					if !ok {
						break
					}
					x, known := w.Register(r, lane)&words.Mask(p.Width(r)), p.register(after, r)
					if !known.Holds(words.One(known.Bits, x)) {
						holds, why = false, fmt.Sprintf("%s is %d, not in %v", p.Kernel.Regs[r].Name, x, known)
					}
					if known.sym != 0 {
						moved := words.Signed((x-v.first[known.sym-1])&words.Mask(known.Bits), known.Bits)
						holds = holds && moved >= known.lo && moved <= known.hi
					}
				}
				passed = passed || holds
			}
			if !passed {
				t.Fatalf("seed %d: what a lane holds at %s, behind %s, was not expected: %s", seed, p.Kernel.Instrs[p.Blocks[b].Start].Pos, p.Kernel.Instrs[p.Blocks[v.block].Start].Pos, why)
			}
		}
		v := &visit{block: b}
		invariant := make(map[isa.Reg]words.Set)
		for r := range p.Kernel.Regs {
			x := w.Register(isa.Reg(r), lane) & words.Mask(p.Width(isa.Reg(r)))
			v.first = append(v.first, x)
			invariant[isa.Reg(r)] = around(rnd, p.Width(isa.Reg(r)), x)
		}
		v.state = p.begin(invariant)
		p.run(v.state, p.Blocks[b].Start, p.Blocks[b].End)
		last[at{c.Index, warp}] = v
		return nil
	})
	return blocks
}

func TestExecutionOfRandomKernels(t *testing.T) {
	for seed := range uint64(25) {
		opts := kernelgen.Options{Statements: 25, Depth: 3, Trips: 8, Threads: 80, CTAs: 4, Irreducible: seed%5 == 4}
		l := flowtest.Random(t, seed, opts)
		if seed%4 == 1 {
			opts.Threads = 30
			c := kernelgen.NewSIMT(rand.New(rand.NewPCG(seed, 0)), opts)
			l = flowtest.Job(t, c.Job, c.Module)
		}
		if follow(t, l, 2, seed) == 0 {
			t.Errorf("seed %d: nothing was followed", seed)
		}
	}
}

func TestExecutionOfTheSuite(t *testing.T) {
	for _, kernel := range flowtest.Kernels() {
		follow(t, flowtest.Suite(t, kernel), 1, 3)
	}
}
