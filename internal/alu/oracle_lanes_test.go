package alu

import (
	"math/rand/v2"
	"strings"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/isa/ptx"
	"warpbound/internal/test/isatest"
)

// warpDefinition says what a lane gets from an instruction in which the lanes of
// members take part, whose sources src gives: the first result, and the second
// or only predicate.
type warpDefinition func(lane int, members []int, src func(lane, source int) uint64) (value uint64, holds bool)

// laneCase is an instruction of a whole warp. Its operands are d, a register of
// 32 bits, p, a predicate, the sources a, b, c of the given types, and m, the
// member mask.
type laneCase struct {
	text    string
	sources []isa.Type
	want    warpDefinition
}

func laneCases() []laneCase {
	count := func(members []int, holds func(lane int) bool) (n int) {
		for _, lane := range members {
			if holds(lane) {
				n++
			}
		}
		return n
	}
	votes := func(decide func(yes, all int) bool) warpDefinition {
		return func(_ int, members []int, src func(lane, source int) uint64) (uint64, bool) {
			return 0, decide(count(members, func(lane int) bool { return src(lane, 0) == 1 }), len(members))
		}
	}
	ballot := func(_ int, members []int, src func(lane, source int) uint64) (mask uint64, _ bool) {
		for _, lane := range members {
			mask |= src(lane, 0) << lane
		}
		return mask, false
	}
	all := votes(func(yes, all int) bool { return yes == all })
	some := votes(func(yes, _ int) bool { return yes > 0 })
	uniform := votes(func(yes, all int) bool { return yes == 0 || yes == all })
	none := votes(func(yes, _ int) bool { return yes == 0 })
	matchAny := func(lane int, members []int, src func(lane, source int) uint64) (mask uint64, _ bool) {
		for _, other := range members {
			if src(other, 0) == src(lane, 0) {
				mask |= 1 << other
			}
		}
		return mask, false
	}
	matchAll := func(lane int, members []int, src func(lane, source int) uint64) (mask uint64, same bool) {
		if count(members, func(other int) bool { return src(other, 0) == src(lane, 0) }) < len(members) {
			return 0, false
		}
		for _, other := range members {
			mask |= 1 << other
		}
		return mask, true
	}
	first := func(lane int, members []int, _ func(lane, source int) uint64) (uint64, bool) {
		return uint64(members[0]), lane == members[0]
	}
	active := func(_ int, members []int, _ func(lane, source int) uint64) (mask uint64, _ bool) {
		for _, lane := range members {
			mask |= 1 << lane
		}
		return mask, false
	}
	pred := []isa.Type{isa.Pred}
	shuffled := []isa.Type{isa.B32, isa.B32, isa.B32}
	cases := []laneCase{
		{"vote.all.pred p, a", pred, all}, {"vote.sync.all.pred p, a, m", pred, all}, {"vote.all.pred p, !a", pred, none},
		{"vote.any.pred p, a", pred, some}, {"vote.sync.any.pred p, a, m", pred, some},
		{"vote.uni.pred p, a", pred, uniform}, {"vote.sync.uni.pred p, !a, m", pred, uniform},
		{"vote.ballot.b32 d, a", pred, ballot}, {"vote.sync.ballot.b32 d, a, m", pred, ballot},
		{"match.any.sync.b32 d, a, m", []isa.Type{isa.B32}, matchAny}, {"match.any.sync.b64 d, a, m", []isa.Type{isa.B64}, matchAny},
		{"match.all.sync.b32 d, a, m", []isa.Type{isa.B32}, matchAll}, {"match.all.sync.b32 d|p, a, m", []isa.Type{isa.B32}, matchAll},
		{"match.all.sync.b64 d|p, a, m", []isa.Type{isa.B64}, matchAll},
		{"elect.sync d|p, m", nil, first}, {"elect.sync _|p, m", nil, first},
		{"activemask.b32 d", nil, active},
	}
	for _, op := range []string{"add", "min", "max"} {
		for _, t := range []isa.Type{isa.U32, isa.S32} {
			cases = append(cases, laneCase{"redux.sync." + op + "." + t.String() + " d, a, m", []isa.Type{t}, reduction(op, t)})
		}
	}
	for _, op := range []string{"and", "or", "xor"} {
		cases = append(cases, laneCase{"redux.sync." + op + ".b32 d, a, m", []isa.Type{isa.B32}, reduction(op, isa.B32)})
	}
	for _, op := range []string{"min", "max"} {
		for _, mod := range []string{"", ".abs", ".NaN", ".abs.NaN"} {
			def := floatReduction(op == "min", strings.Contains(mod, "abs"), strings.Contains(mod, "NaN"))
			cases = append(cases, laneCase{"redux.sync." + op + mod + ".f32 d, a, m", []isa.Type{isa.F32}, def})
		}
	}
	for _, mode := range []string{"up", "down", "bfly", "idx"} {
		def := shuffle(mode)
		cases = append(cases,
			laneCase{"shfl." + mode + ".b32 d, a, b, c", shuffled, def}, laneCase{"shfl." + mode + ".b32 d|p, a, b, c", shuffled, def},
			laneCase{"shfl.sync." + mode + ".b32 d, a, b, c, m", shuffled, def}, laneCase{"shfl.sync." + mode + ".b32 d|p, a, b, c, m", shuffled, def})
	}
	return cases
}

// reduction defines redux on integers.
func reduction(op string, t isa.Type) warpDefinition {
	return func(_ int, members []int, src func(lane, source int) uint64) (uint64, bool) {
		sum := integer(src(members[0], 0), t)
		for _, lane := range members[1:] {
			switch x := integer(src(lane, 0), t); {
			case op == "add":
				sum.Add(sum, x)
			case op == "and":
				sum.And(sum, x)
			case op == "or":
				sum.Or(sum, x)
			case op == "xor":
				sum.Xor(sum, x)
			case op == "min" && x.Cmp(sum) < 0, op == "max" && x.Cmp(sum) > 0:
				sum = x
			}
		}
		low := integer(1<<32-1, isa.U64)
		return low.And(low, sum).Uint64(), false
	}
}

// floatReduction defines redux on f32: the extreme of the values that are
// numbers, -0 below +0.
func floatReduction(minimum, abs, nan bool) warpDefinition {
	f := specOf(isa.F32)
	return func(_ int, members []int, src func(lane, source int) uint64) (uint64, bool) {
		best, found := f.canonical(), false
		for _, lane := range members {
			x := src(lane, 0)
			if f.nan(x) {
				if nan {
					return f.canonical(), false
				}
				continue
			}
			if abs {
				x &^= f.signBit()
			}
			below := f.less(x, best) || f.zero(x) && f.zero(best) && f.negative(x)
			if !found || below == minimum {
				best, found = x, true
			}
		}
		return best, false
	}
}

// shuffle defines shfl as the manual's pseudo-code does.
func shuffle(mode string) warpDefinition {
	return func(lane int, members []int, src func(lane, source int) uint64) (uint64, bool) {
		b, clamp, segment := int(src(lane, 1)&31), int(src(lane, 2)&31), int(src(lane, 2)>>8&31)
		minimum := lane & segment
		maximum := lane&segment | clamp&^segment
		from, ok := 0, false
		switch mode {
		case "up":
			from = lane - b
			ok = from >= maximum
		case "down":
			from = lane + b
			ok = from <= maximum
		case "bfly":
			from = lane ^ b
			ok = from <= maximum
		case "idx":
			from = minimum | b&^segment
			ok = from <= maximum
		}
		if !ok {
			from = lane
		}
		for _, member := range members {
			if member == from {
				return src(from, 0), ok
			}
		}
		return src(lane, 0), ok // not defined; the lane's own value here
	}
}

// TestOracleLanes runs every instruction of a whole warp on random values, with
// random lanes taking part, next to its definition.
func TestOracleLanes(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 1))
	for _, c := range laneCases() {
		for range 40 {
			c.check(t, r)
		}
	}
}

func (c *laneCase) check(t *testing.T, r *rand.Rand) {
	t.Helper()
	mask := r.Uint64() & LowBits(32) >> r.IntN(32)
	switch r.IntN(3) {
	case 0:
		mask = LowBits(32)
	case 1:
		mask |= 1 << r.IntN(32)
	}
	if mask == 0 {
		mask = 1
	}
	in := lowered(t, c.text, c.sources)
	for i := range in.Src {
		if in.Src[i].Kind == isa.KindReg && in.Src[i].Reg == memberReg {
			in.Src[i] = imm(mask)
		}
	}
	pure, err := NewPure(&isa.Kernel{Name: "oracle", AddressBits: 64, Regs: laneRegs(c.sources)}, &in)
	if err != nil {
		t.Fatal(err)
	}
	const before = 0x5a5a_0001
	var d, p *Lanes // the results
	dst := make([]Lanes, len(in.Dst))
	for i, o := range in.Dst {
		switch dst[i].Num = make([]Vector, 1); {
		case o.Kind == isa.KindReg && o.Reg == valueReg:
			d = &dst[i]
			d.Num[0].Fill(before)
		case o.Kind == isa.KindReg && o.Reg == holdsReg:
			p = &dst[i]
		}
	}
	src := make([]Lanes, len(in.Src))
	var rows [32][3]uint64
	for i, typ := range c.sources {
		source := Lanes{Num: make([]Vector, 1)}
		same := r.IntN(3) == 0
		for lane := range rows {
			rows[lane][i] = value(r, typ)
			if same && lane > 0 || r.IntN(2) == 0 {
				rows[lane][i] = rows[r.IntN(lane+1)][i]
			}
			source.Bits |= rows[lane][i] & 1 << lane
			source.Num[0][lane] = rows[lane][i]
		}
		for k, o := range in.Src {
			if o.Kind == isa.KindReg && o.Reg == firstReg+isa.Reg(i) {
				src[k] = source
			}
		}
	}
	if err := step(NewEvaluator(32), pure, mask, dst, src); err != nil {
		t.Errorf("%s (mask %x): %v", c.text, mask, err)
		return
	}
	var members []int
	for lane := range 32 {
		if mask>>lane&1 != 0 {
			members = append(members, lane)
		}
	}
	source := func(lane, i int) uint64 { return rows[lane][i] }
	for lane := range 32 {
		wantValue, wantHolds := uint64(before), false
		if mask>>lane&1 != 0 {
			wantValue, wantHolds = c.want(lane, members, source)
		}
		if d != nil && d.Num[0][lane] != wantValue {
			t.Errorf("%s on %x (mask %x) gives 0x%x in lane %d, want 0x%x", c.text, rows, mask, d.Num[0][lane], lane, wantValue)
			return
		}
		if p != nil && p.Bits>>lane&1 != number(wantHolds) {
			t.Errorf("%s on %x (mask %x) gives %d in lane %d, want %t", c.text, rows, mask, p.Bits>>lane&1, lane, wantHolds)
			return
		}
	}
}

// The registers of a lane case: its results, the member mask, and then the sources.
const (
	valueReg isa.Reg = iota
	memberReg
	holdsReg
	firstReg
)

func laneRegs(sources []isa.Type) []isa.RegDecl {
	return regs(append([]isa.Type{isa.B32, isa.B32, isa.Pred}, sources...)...)
}

// lowered parses one instruction over the registers of laneRegs.
func lowered(t *testing.T, text string, sources []isa.Type) isa.Instr {
	t.Helper()
	decls := ".reg .b32 d, m; .reg .pred p; "
	touch := "mov.u32 d, 0; mov.u32 m, 0; mov.pred p, 0; "
	for i, s := range sources {
		name := string(rune('a' + i))
		decls += ".reg ." + s.String() + " " + name + "; "
	}
	m, err := ptx.Parse("k.ptx", []byte(".version 8.6\n.target sm_100a\n.address_size 64\n.visible .entry k() {\n"+decls+touch+text+"; ret;\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := ptx.Lower(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := isatest.Link(p, "k")
	if err != nil {
		t.Fatal(err)
	}
	in := k.Instrs[len(k.Instrs)-2]
	base := k.Instrs[len(k.Instrs)-5].Dst[0].Reg // of d
	for _, list := range [][]isa.Operand{in.Dst, in.Src} {
		for i := range list {
			if list[i].Kind == isa.KindReg {
				list[i].Reg -= base
			}
		}
	}
	return in
}
