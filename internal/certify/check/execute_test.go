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

// operations is a kernel of which each instruction has a result that is not any word.
const operations = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k()
{
	.reg .u32 %r<16>;
	.reg .s32 %s<8>;
	.reg .u64 %d<4>;
	.reg .pred %p;
	mov.u32 %r0, %tid.x;
	rem.u32 %r1, %r0, 7;
	min.u32 %r2, %r0, 20;
	max.u32 %r3, %r0, 20;
	sub.u32 %r4, %r0, 30;
	min.s32 %s0, %r4, 5;
	max.s32 %s1, %r4, -5;
	bfe.u32 %r5, %r4, 3, 5;
	bfe.s32 %s2, %r4, 3, 5;
	or.b32 %r6, %r0, 64;
	xor.b32 %r7, %r0, 17;
	lop3.b32 %r8, %r0, 5, %r1, 0x96;
	mul24.lo.u32 %r9, %r0, 12;
	mul24.lo.s32 %s3, %r4, 12;
	mul.wide.u32 %d0, %r0, 12;
	mul.wide.s32 %d1, %r4, 12;
	mad.wide.s32 %d2, %r4, 12, %d0;
	bra L;
L: // where all are read
	add.u32 %r10, %r1, %r2; add.u32 %r10, %r3, %r5; add.u32 %r10, %r6, %r7; add.u32 %r10, %r8, %r9;
	add.s32 %s4, %s0, %s1; add.s32 %s4, %s2, %s3;
	add.u64 %d3, %d0, %d1; add.u64 %d3, %d2, %d2;
	ret;
}
`

// TestOperations looks at what is known behind each operation: what a lane holds, and not any word.
func TestOperations(t *testing.T) {
	l := flowtest.Job(t, "module = \"k.ptx\"\nkernel = \"k\"\ngrid = [1, 1, 1]\nblock = [40, 1, 1]\n", operations)
	if follow(t, l, 1, 11) < 2 {
		t.Fatal("the second block was not followed")
	}
	p, err := NewProgram(subject(l))
	if err != nil {
		t.Fatal(err)
	}
	s := p.begin(nil)
	p.run(s, p.Blocks[0].Start, p.Blocks[0].End)
	for pc := p.Blocks[0].Start; pc < p.Blocks[0].End; pc++ {
		if in := &p.Kernel.Instrs[pc]; len(in.Dst) == 1 && p.register(s, in.Dst[0].Reg).IsAny() {
			t.Errorf("%s can give any word", in.Brief())
		}
	}
}
