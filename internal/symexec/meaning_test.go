package symexec

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/alu"
	"warpbound/internal/isa"
	"warpbound/internal/smt"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/isatest"
)

// withoutMeaning are the operations that compute something and have no meaning as terms:
// approximations, video instructions and conversions of packed numbers.
const withoutMeaning = "rsqrt sin cos lg2 ex2 tanh fns vadd vsub vabsdiff vmin vmax vavrg vshl vshr vset vmad cvt.pack"

const (
	testLanes = 32
	allLanes  = 1<<testLanes - 1
)

// TestMeanings compares the terms of random instructions, of every operation on every type,
// with what the emulator makes of random sources.
func TestMeanings(t *testing.T) {
	const plain = 11 // tries of instructions without rare suffixes, by which every operation is compared
	var tries []uint64
	for try := range uint64(plain) {
		tries = append(tries, try)
	}
	for _, try := range effort.Draw(t, 800) {
		tries = append(tries, plain+try)
	}
	eval := alu.NewEvaluator(testLanes)
	var missing []string
	for _, op := range isatest.Ops() {
		if !alu.IsPure(op) || op.Info().Effect&isa.Crosslane != 0 {
			continue
		}
		compared := 0
		for typ := isa.Pred; typ <= isa.TF32; typ++ {
			for _, try := range tries {
				r := rand.New(rand.NewPCG(try, uint64(op)<<8|uint64(typ)))
				c := draw(r, op, typ, int(try))
				p, err := alu.NewPure(c.kernel, &c.kernel.Instrs[0])
				if err != nil {
					continue
				}
				if lifted, err := c.compare(r, eval, p); err != nil {
					t.Fatalf("%s: %v", c.describe(), err)
				} else if lifted {
					compared++
				}
			}
		}
		if compared == 0 {
			missing = append(missing, op.String())
		}
		if (compared == 0) != (meanings[op] == nil) {
			t.Errorf("%v was compared %d times and has %d meanings", op, compared, len(meanings[op]))
		}
	}
	if got := strings.Join(missing, " "); got != withoutMeaning {
		t.Errorf("without meaning are %s, want %s", got, withoutMeaning)
	}
}

// TestSaturating: sums, differences and conversions that saturate have a meaning, too.
func TestSaturating(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 12))
	eval := alu.NewEvaluator(testLanes)
	two, one := []isa.Operand{isa.RegOperand(1), isa.RegOperand(2)}, []isa.Operand{isa.RegOperand(1)}
	for _, in := range []isa.Instr{
		{Op: isa.Add, Type: isa.S32, Src: two},
		{Op: isa.Sub, Type: isa.S32, Src: two},
		{Op: isa.Cvt, Type: isa.U8, SrcType: isa.S32, Src: one},
		{Op: isa.Cvt, Type: isa.S16, SrcType: isa.U32, Src: one},
		{Op: isa.Cvt, Type: isa.U32, SrcType: isa.S64, Src: one},
		{Op: isa.Cvt, Type: isa.S32, SrcType: isa.S64, Src: one},
	} {
		k := &isa.Kernel{Name: "saturating", AddressBits: 64, Regs: slices.Repeat([]isa.RegDecl{{Name: "r", Type: isa.B64}}, 3)}
		in.Sat, in.Dst = true, []isa.Operand{isa.RegOperand(0)}
		k.Instrs = []isa.Instr{in}
		p, err := alu.NewPure(k, &k.Instrs[0])
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			if lifted, err := (generated{k}).compare(r, eval, p); err != nil || !lifted {
				t.Fatalf("%v has a meaning: %t, %v", &in, lifted, err)
			}
		}
	}
}

// generated is an instruction over registers of its own: first the sources, then the results.
type generated struct{ kernel *isa.Kernel }

func (c generated) describe() string {
	in := c.kernel.Instrs[0]
	return fmt.Sprintf("%v (%+v)", &in, in)
}

// draw draws an instruction, plain ones first, which need not exist.
func draw(r *rand.Rand, op isa.Op, typ isa.Type, try int) generated {
	pick := func(n int) bool { return try > 10 && r.IntN(n) == 0 }
	info := op.Info()
	in := isa.Instr{Op: op, Type: typ}
	switch op {
	case isa.Cvt, isa.Set, isa.Slct, isa.Dp4a, isa.Dp2a, isa.Dp2aHi:
		in.SrcType = isa.Type(1 + r.IntN(int(isa.TF32)))
		if r.IntN(3) > 0 {
			usual := []isa.Type{isa.U32, isa.S32, isa.F32, isa.F64, isa.S64, isa.U16, isa.F16}
			in.SrcType = usual[r.IntN(len(usual))]
		}
	}
	switch op {
	case isa.Setp, isa.Set:
		in.Cmp = isa.Eq + isa.Cmp(r.IntN(int(isa.NaN)))
	case isa.Testp:
		in.Cmp = isa.Finite + isa.Cmp(r.IntN(6))
	case isa.Cvt:
		in.Round = isa.Round(r.IntN(int(isa.RoundIntRP) + 1))
	}
	if pick(2) {
		in.Round = isa.RoundRN
	}
	if pick(3) {
		in.Round = isa.Round(r.IntN(int(isa.RoundIntRP) + 1))
	}
	for _, flag := range []*bool{&in.FTZ, &in.Sat, &in.Wrap, &in.NaN, &in.ShiftAmt, &in.Relu, &in.Approx, &in.Full} {
		*flag = pick(6)
	}
	if op == isa.Prmt {
		in.Permute = isa.Permute(r.IntN(int(isa.PermuteRC16) + 1))
	}
	k := &isa.Kernel{Name: "sampled", AddressBits: 64}
	register := func(t isa.Type) isa.Operand {
		k.Regs = append(k.Regs, isa.RegDecl{Name: "r", Type: t})
		return isa.RegOperand(isa.Reg(len(k.Regs) - 1))
	}
	for i := range info.Src[0] + r.IntN(min(info.Src[1], 5)-info.Src[0]+1) {
		t := isa.B64
		if typ == isa.Pred || op == isa.Selp && i == 2 || (op == isa.Setp || op == isa.Set) && i == 2 || i == 4 ||
			op >= isa.AddCarry && op <= isa.MadHiCarry && i == info.Src[0] {
			t = isa.Pred
		}
		o := register(t)
		if o.Not = t == isa.Pred && pick(3); op == isa.Lop3 && i == 3 {
			o = isa.ImmOperand(r.Uint64() & 255)
		}
		in.Src = append(in.Src, o)
	}
	if len(in.Src) > 2 && (op == isa.Setp || op == isa.Set) || len(in.Src) > 4 {
		in.Combine = isa.Combine(r.IntN(4))
	}
	for i := range info.Dst[0] + r.IntN(min(info.Dst[1], 4)-info.Dst[0]+1) {
		t := isa.B64
		switch {
		case typ == isa.Pred || op == isa.Setp || op == isa.Testp || i == 1 && op != isa.Unpack:
			t = isa.Pred
		case op == isa.Cvt && typ.Bits() <= 32 && r.IntN(2) == 0:
			t = isa.B32
		case op == isa.Cvt && typ.Bits() <= 16 && r.IntN(2) == 0:
			t = isa.B16
		}
		in.Dst = append(in.Dst, register(t))
	}
	k.Instrs = []isa.Instr{in}
	return generated{k}
}

// compare compares an instruction with its terms, if it has any.
func (c generated) compare(r *rand.Rand, eval *alu.Evaluator, p *alu.Pure) (bool, error) {
	in, b := &c.kernel.Instrs[0], smt.NewBuilder()
	var terms []*smt.Term
	var src, dst []alu.Lanes
	for i, o := range in.Src {
		if o.Kind == isa.KindImm {
			terms, src = append(terms, b.Number(64, o.Imm)), append(src, alu.Lanes{})
			continue
		}
		name := fmt.Sprint("s", i)
		if c.kernel.Regs[o.Reg].Type == isa.Pred {
			v := b.Var(name, smt.Bool)
			if o.Not {
				v = b.Not(v)
			}
			terms, src = append(terms, v), append(src, alu.Lanes{Bits: r.Uint64() & allLanes})
			continue
		}
		terms = append(terms, b.Var(name, smt.Bits(64)))
		numbers := make([]alu.Vector, 1)
		for lane := range testLanes {
			numbers[0][lane] = number(r)
		}
		src = append(src, alu.Lanes{Num: numbers})
	}
	var widths []int
	for _, o := range in.Dst {
		widths = append(widths, c.kernel.Regs[o.Reg].Type.Bits())
		dst = append(dst, alu.Lanes{Num: make([]alu.Vector, 1)})
	}
	results, ok := lift(b, in, terms, widths)
	if !ok {
		return false, nil
	}
	if err := eval.Do(p, allLanes, dst, src); err != nil {
		return false, err
	}
	open, doubt := p.Unsettled(allLanes, dst, src), unsettled(b, in, terms)
	for lane := range testLanes {
		m := smt.NewModel()
		for i, s := range src {
			if s.Num != nil {
				m.Numbers[fmt.Sprint("s", i)] = s.Num[0][lane]
			} else {
				m.Numbers[fmt.Sprint("s", i)] = s.Bits >> lane & 1
			}
		}
		e := smt.NewEvaluator(m)
		if doubted := doubt != nil && e.Eval(doubt) == 1; !in.Type.IsFloat() && doubted != (open>>lane&1 == 1) {
			return true, fmt.Errorf("whether results of %#x are unsettled is %v", m.Numbers, doubted)
		}
		for i, x := range results {
			want := dst[i].Num[0][lane]
			if widths[i] == 1 {
				want = dst[i].Bits >> lane & 1
			}
			if got := e.Eval(x); got != want || (widths[i] == 1) != (x.Sort() == smt.Bool) {
				return true, fmt.Errorf("result %d of %#x is %#x, want %#x", i, m.Numbers, got, want)
			}
		}
	}
	return true, nil
}

// number draws bits that are extreme as an integer or as a float of some width.
func number(r *rand.Rand) uint64 {
	x := r.Uint64()
	formats := []smt.Format{smt.Half, smt.BFloat, smt.Single, smt.Double}
	f := formats[r.IntN(len(formats))]
	switch r.IntN(8) {
	case 0:
		return uint64(r.IntN(70))
	case 1:
		return -uint64(r.IntN(70))
	case 2:
		return 1<<r.IntN(64) - uint64(r.IntN(2))
	case 3:
		return x >> r.IntN(64)
	case 4:
		special := []uint64{0, f.Sign(), f.Inf(), f.Inf() | f.Sign(), f.NaN(), f.Inf() + 1, f.Inf() - 1, 1, f.Sign() | 1, f.One()}
		return special[r.IntN(len(special))] | x<<(f.Width()-1)<<1
	case 5:
		return f.One() + (x&(1<<f.Frac-1)<<r.IntN(3) ^ x&f.Sign())
	}
	return x
}

func TestTablesNameEachOperationOnce(t *testing.T) {
	for op, rows := range meanings {
		if op.Info().Dst[1] == 0 || len(rows) == 0 || slices.ContainsFunc(rows, func(m meaning) bool { return m.on == 0 }) {
			t.Errorf("%v has meanings without results or types", op)
		}
	}
}
