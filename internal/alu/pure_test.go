package alu

import (
	"testing"

	"warpbound/internal/isa"
)

// TestPure computes instructions without a kernel: with immediates, with a predicate
// that is complemented, with several results, and across lanes.
func TestPure(t *testing.T) {
	k := &isa.Kernel{AddressBits: 64, Bounds: isa.LaunchBounds{ExplicitCluster: true}, Regs: []isa.RegDecl{
		{Name: "a", Type: isa.U32}, {Name: "p", Type: isa.Pred}, {Name: "q", Type: isa.Pred}, {Name: "h", Type: isa.B16}, {Name: "l", Type: isa.B16},
	}}
	a, p, q, h, l := isa.RegOperand(0), isa.RegOperand(1), isa.RegOperand(2), isa.RegOperand(3), isa.RegOperand(4)
	notP := p
	notP.Not = true
	const lane = 5
	source := Lanes{Num: make([]Vector, 1)}
	source.Num[0][lane] = 0xfffffff0
	truth := Lanes{Bits: 1 << lane}
	for _, c := range []struct {
		name string
		in   isa.Instr
		src  []Lanes
		want []uint64 // of each result in the lane
		fail bool
	}{
		{"the same register twice and as result", isa.Instr{Op: isa.Add, Type: isa.U32, Dst: []isa.Operand{a}, Src: []isa.Operand{a, a}}, []Lanes{source, source}, []uint64{0xffffffe0}, false},
		{"an immediate", isa.Instr{Op: isa.Add, Type: isa.U32, Dst: []isa.Operand{a}, Src: []isa.Operand{a, isa.ImmOperand(32)}}, []Lanes{source, {}}, []uint64{0x10}, false},
		{"a special register", isa.Instr{Op: isa.Mov, Type: isa.U32, Dst: []isa.Operand{a}, Src: []isa.Operand{{Kind: isa.KindSpecial, Special: isa.Clock}}}, []Lanes{source}, []uint64{0xfffffff0}, false},
		{"a complemented predicate", isa.Instr{Op: isa.Selp, Type: isa.U32, Dst: []isa.Operand{a}, Src: []isa.Operand{a, isa.ImmOperand(7), notP}}, []Lanes{source, {}, truth}, []uint64{7}, false},
		{"two predicates", isa.Instr{Op: isa.Setp, Type: isa.U32, Cmp: isa.Lt, Dst: []isa.Operand{p, q}, Src: []isa.Operand{a, isa.ImmOperand(7)}}, []Lanes{source, {}}, []uint64{0, 1}, false},
		{"what the kernel decides", isa.Instr{Op: isa.Mov, Type: isa.Pred, Dst: []isa.Operand{p}, Src: []isa.Operand{{Kind: isa.KindSpecial, Special: isa.IsExplicitCluster}}}, []Lanes{{}}, []uint64{1}, false},
		{"parts", isa.Instr{Op: isa.Unpack, Type: isa.B32, Dst: []isa.Operand{l, h}, Src: []isa.Operand{a}}, []Lanes{source}, []uint64{0xfff0, 0xffff}, false},
		{"across lanes", isa.Instr{Op: isa.Vote, Lane: isa.VoteBallot, Type: isa.B32, Dst: []isa.Operand{a}, Src: []isa.Operand{p}}, []Lanes{truth}, []uint64{1 << lane}, false},
		{"a lane that is not named", isa.Instr{Op: isa.Vote, Lane: isa.VoteAll, Type: isa.Pred, Dst: []isa.Operand{q}, Src: []isa.Operand{p, isa.ImmOperand(1)}}, []Lanes{truth, {}}, nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			pure, err := NewPure(k, &c.in)
			if err != nil {
				t.Fatal(err)
			}
			results := make([]Lanes, len(c.in.Dst))
			for i, o := range c.in.Dst {
				if k.Regs[o.Reg].Type != isa.Pred {
					results[i].Num = make([]Vector, 1)
				}
			}
			if err := NewEvaluator(32).Do(pure, 1<<lane, results, c.src); (err != nil) != c.fail {
				t.Fatal(err)
			}
			for i, want := range c.want {
				got := results[i].Bits >> lane & 1
				if results[i].Num != nil {
					got = results[i].Num[0][lane]
				}
				if got != want {
					t.Errorf("result %d is 0x%x, want 0x%x", i, got, want)
				}
			}
		})
	}
	if _, err := NewPure(k, &isa.Instr{Op: isa.Add, Type: isa.B128, Dst: []isa.Operand{a}, Src: []isa.Operand{a, a}}); err == nil {
		t.Error("a type without the operation is not refused")
	}
}

// TestPureOps checks which operations are pure: those that compute.
func TestPureOps(t *testing.T) {
	for _, op := range []isa.Op{isa.Ld, isa.St, isa.Atom, isa.CpAsync, isa.Bra, isa.Exit, isa.Bar, isa.BarWarp, isa.Fence, isa.RunSystem, isa.Isspacep, isa.Nop, isa.Unknown} {
		if IsPure(op) {
			t.Errorf("%s is pure", op)
		}
	}
	for _, op := range []isa.Op{isa.Add, isa.Fma, isa.Cvt, isa.Setp, isa.Selp, isa.Shfl, isa.Vote, isa.Activemask, isa.Mov} {
		if !IsPure(op) {
			t.Errorf("%s is not pure", op)
		}
	}
}

// TestMembers checks which lanes must agree and which must be named.
func TestMembers(t *testing.T) {
	k := &isa.Kernel{AddressBits: 64, Regs: regs(isa.Pred, isa.Pred, isa.U32)}
	vote := isa.Instr{Op: isa.Vote, Lane: isa.VoteAll, Type: isa.Pred, Dst: []isa.Operand{reg(0)}, Src: []isa.Operand{reg(1), reg(2)}}
	pure, err := NewPure(k, &vote)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		members func(lane int) uint64
		mask    uint64
		want    string
	}{
		{"all", func(int) uint64 { return 0xff }, 0xff, ""},
		{"more than take part", func(int) uint64 { return 0xff }, 0x0f, ""},
		{"a lane that is not named", func(int) uint64 { return 0xf3 }, 0xff, "lane 2: the thread takes part and is not named in the member mask 0xf3"},
		{"masks that differ", func(lane int) uint64 { return 0xff << (lane / 5) }, 0xf0, "lane 5: member mask 510, which is 255 in lane 4 of the same warp"},
	} {
		t.Run(c.name, func(t *testing.T) {
			members := Lanes{Num: make([]Vector, 1)}
			for lane := range lanes {
				members.Num[0][lane] = c.members(lane)
			}
			got := ""
			if err := NewEvaluator(32).Do(pure, c.mask, make([]Lanes, 1), []Lanes{{}, members}); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("error %q, want %q", got, c.want)
			}
		})
	}
}
