package emu

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/abi"
	"warpbound/internal/isa"
)

// thread is an obvious interpreter of generated programs: one thread, one
// instruction after another. Its memory is the thread's own.
type thread struct {
	regs   map[isa.Reg]uint64
	memory []uint32
	base   uint64 // address of memory
	launch Launch
	id     int // in its CTA
	cta    int
	count  int64 // instructions executed, those with a false guard not included
	failed bool  // by a trap
}

func (th *thread) run(k *isa.Kernel) {
	for pc := 0; ; {
		in := &k.Instrs[pc]
		pc++
		if in.Guard.Set && (th.regs[in.Guard.Reg] == 1) == in.Guard.Not {
			continue
		}
		th.count++
		switch in.Op {
		case isa.Bra:
			pc = in.Target
		case isa.BrxIdx:
			pc = in.Targets[th.value(in.Src[0])]
		case isa.Split, isa.Merge:
		case isa.Exit, isa.Ret:
			return
		case isa.Trap:
			th.failed = true
			return
		default:
			th.execute(in)
		}
	}
}

func (th *thread) value(o isa.Operand) uint64 {
	switch o.Kind {
	case isa.KindImm:
		return o.Imm
	case isa.KindSpecial:
		return map[isa.Special]uint64{
			isa.TidX: uint64(th.id), isa.CtaidX: uint64(th.cta), isa.NtidX: uint64(th.launch.Block[0]),
		}[o.Special]
	}
	return th.regs[o.Reg]
}

func (th *thread) word(o isa.Operand) *uint32 {
	return &th.memory[(th.regs[o.Reg]+o.Imm-th.base)/4%uint64(len(th.memory))]
}

func (th *thread) execute(in *isa.Instr) {
	var s [3]uint64
	for i, o := range in.Src {
		s[i] = th.value(o)
	}
	var d uint64
	switch in.Op {
	case isa.Ld:
		if in.Space == isa.Param {
			d = binary.LittleEndian.Uint64(th.launch.Params)
		} else {
			d = uint64(*th.word(in.Src[0]))
		}
	case isa.St:
		*th.word(in.Src[0]) = uint32(s[1])
		return
	case isa.Mov:
		d = s[0]
	case isa.Add:
		d = uint64(uint32(s[0] + s[1]))
	case isa.Sub:
		d = uint64(uint32(s[0] - s[1]))
	case isa.Mul:
		d = uint64(uint32(s[0] * s[1]))
	case isa.Mad:
		d = uint64(uint32(s[0]*s[1] + s[2]))
	case isa.MadWide:
		d = s[0]*s[1] + s[2]
	case isa.Min:
		d = min(s[0], s[1])
	case isa.And:
		d = s[0] & s[1]
	case isa.Setp:
		if (map[isa.Cmp]bool{isa.Eq: s[0] == s[1], isa.Ne: s[0] != s[1], isa.Lt: s[0] < s[1], isa.Ge: s[0] >= s[1]})[in.Cmp] {
			d = 1
		}
	default:
		panic("the interpreter does not know " + in.Op.String())
	}
	th.regs[in.Dst[0].Reg] = d
}

// TestAgainstThreads runs random programs in warps of several widths, and thread
// by thread: memory and the number of executed instructions must be the same, and
// the stack of a warp never deeper than branches are nested.
func TestAgainstThreads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, deep := program(t)
		launch := Launch{Grid: [3]int{2, 1, 1}, Block: [3]int{rapid.IntRange(1, 70).Draw(t, "threads"), 1, 1}}
		code, err := Decode(k, build(k))
		if err != nil {
			t.Fatal(err)
		}
		n := 2 * launch.Block[0]
		launch.Params = binary.LittleEndian.AppendUint64(nil, abi.GlobalBase)
		want := make([]uint32, n*ownWords)
		var executed int64
		for i := range n {
			th := &thread{
				regs: map[isa.Reg]uint64{}, memory: want[i*ownWords:][:ownWords], launch: launch,
				base: abi.GlobalBase + uint64(4*ownWords*i), id: i % launch.Block[0], cta: i / launch.Block[0],
			}
			th.run(k)
			executed += th.count
		}
		for _, width := range []int{32, 2, 7, 64} {
			if (launch.Block[0]+width-1)/width > 64 {
				continue
			}
			ahead := rapid.Bool().Draw(t, "ahead")
			got, count, diverged, depth, err := runWarps(code, launch, width, 4*n*ownWords, ahead)
			if width == 32 && err == nil {
				if _, _, other, _, err := runWarps(code, launch, width, 4*n*ownWords, !ahead); err != nil || other != diverged {
					t.Fatalf("lanes diverged %d times, and %d times in the other way to execute runs: %v\n%s", diverged, other, err, listing(k))
				}
			}
			if err != nil {
				t.Fatalf("width %d: %v\n%s", width, err, listing(k))
			}
			if !slices.Equal(got, want) {
				t.Fatalf("width %d: memory differs\ngot  %v\nwant %v\n%s", width, got, want, listing(k))
			}
			if count != executed {
				t.Fatalf("width %d: %d thread instructions, want %d\n%s", width, count, executed, listing(k))
			}
			if maximum := 1 + 4*deep; depth > maximum { // a choice of four cases has four entries
				t.Fatalf("width %d: a stack of %d entries; statements are nested %d deep\n%s", width, depth, deep, listing(k))
			}
		}
	})
}

// runWarps executes a launch whose parameter is a buffer of so many bytes, with runs in one go if
// ahead. It returns the buffer's words, the thread instructions, the branches at which lanes diverged and the
// depth of the deepest stack.
func runWarps(code *Code, launch Launch, width, bytes int, ahead bool) (words []uint32, count, branches int64, depth int, err error) {
	mem := new(Memory)
	addr, err := mem.Alloc("buffer", bytes)
	if err != nil {
		return nil, 0, 0, 0, err
	}
	g, err := NewGrid(code, launch, mem, width)
	if err != nil {
		return nil, 0, 0, 0, err
	}
	var cta CTA
	var eff Effect
	for i := range g.CTAs() {
		g.StartCTA(&cta, i)
		for j := range cta.Warps {
			w := &cta.Warps[j]
			for steps := 0; !w.Done(); steps++ {
				if steps > 1e6 {
					return nil, 0, 0, 0, fmt.Errorf("endless")
				}
				if ahead && code.Run(w.PC()) > 0 {
					ends := code.instrs[w.PC()+code.Run(w.PC())-1].control
					eff.Turned, eff.Diverged = true, true // what another instruction did
					threads, diverged := w.Ahead(&eff)
					if !ends && (eff.Turned || eff.Diverged) {
						return nil, 0, 0, 0, fmt.Errorf("a warp that computes takes turns or diverges")
					}
					count += threads
					if diverged {
						branches++
					}
					depth = max(depth, w.Depth())
					continue
				}
				if err := w.Step(new(Env), &eff); err != nil {
					return nil, 0, 0, 0, err
				}
				for m := eff.Mask; m != 0; m &= m - 1 {
					count++
				}
				if eff.Diverged {
					branches++
				}
				depth = max(depth, w.Depth())
			}
		}
	}
	data := mem.Bytes(addr)
	for i := 0; i < len(data); i += 4 {
		words = append(words, binary.LittleEndian.Uint32(data[i:]))
	}
	return words, count, branches, depth, nil
}

func listing(k *isa.Kernel) (text string) {
	for i := range k.Instrs {
		text += fmt.Sprintf("%3d %s\n", i, &k.Instrs[i])
	}
	return text
}
