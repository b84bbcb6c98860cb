package alu

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/test/effort"
)

// TestOracleVideo draws video instructions, most of them valid, and checks them
// against the definitions of the manual in exact numbers.
func TestOracleVideo(t *testing.T) {
	valid := 0
	seeds := effort.Draw(t, 120_000)
	for _, seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 17))
		in, n := drawVideo(r)
		types := []isa.Type{isa.U32, isa.U32, isa.U32}[:n]
		c := instance{in: in, dst: isa.B32, sources: words(types...)}
		want := defineVideo(&in, n)
		if want != nil {
			valid++
		}
		c.check(t, want, values(r, types, lanes))
	}
	if effort.Many() && valid < len(seeds)/3 {
		t.Errorf("only %d instructions were valid", valid)
	}
}

// drawVideo draws a video instruction and the number of its sources.
func drawVideo(r *rand.Rand) (isa.Instr, int) {
	rarely := func() bool { return r.IntN(12) == 0 }
	mix := func() isa.Type {
		if rarely() {
			return []isa.Type{isa.U16, isa.S64, isa.F32}[r.IntN(3)]
		}
		return []isa.Type{isa.U32, isa.S32}[r.IntN(2)]
	}
	op := isa.VAdd + isa.Op(r.IntN(int(isa.VMad-isa.VAdd)+1))
	v := &isa.Video{TypeB: mix(), Parts: []int{1, 1, 2, 4}[r.IntN(4)]}
	in := isa.Instr{Op: op, Type: mix(), SrcType: mix(), Video: v, Sat: r.IntN(3) == 0, Wrap: rarely()}
	shifts := op == isa.VShl || op == isa.VShr
	if shifts {
		in.Wrap, v.TypeB = r.IntN(2) == 0, isa.U32
	}
	if shifts || op == isa.VMad {
		v.Parts = 1
	}
	if op == isa.VSet {
		in.Cmp, in.Type, in.Sat = isa.Eq+isa.Cmp(r.IntN(6)), isa.U32, rarely()
	}
	if rarely() {
		in.Cmp = []isa.Cmp{isa.CmpNone, isa.Lt, isa.LtU}[r.IntN(3)]
	}
	v.Width = uint8(32 / v.Parts)
	v.Into = uint8(r.IntN(1<<v.Parts-1) + 1)
	draw := func() isa.Selection {
		s := isa.Selection{Bits: v.Width}
		count := 2 * v.Parts
		if v.Parts == 1 {
			s.Bits = []uint8{8, 16, 32}[r.IntN(3)]
			count = 32 / int(s.Bits)
		}
		for i := range v.Parts {
			s.At[i] = uint8(r.IntN(count))
		}
		return s
	}
	v.A, v.B = draw(), draw()
	n := 3
	switch r.IntN(4) {
	case 0:
		in.Atom = []isa.AtomOp{isa.AtomAdd, isa.AtomMin, isa.AtomMax, isa.AtomExch}[r.IntN(4)]
	case 1:
		if v.Parts == 1 {
			v.Width = []uint8{8, 16}[r.IntN(2)]
			v.Into = 1 << r.IntN(32/int(v.Width))
		}
	case 2:
		if v.Parts == 1 && op != isa.VMad {
			n = 2
		}
	}
	if op == isa.VMad || rarely() {
		v.Minus, v.MinusC, v.PlusOne = r.IntN(4) == 0, r.IntN(4) == 0, r.IntN(4) == 0
		v.Shift = []uint8{0, 7, 15}[r.IntN(3)]
	}
	return in, n
}

// defineVideo defines the video instructions of PTX.
func defineVideo(in *isa.Instr, n int) func(s [4]uint64) uint64 {
	v := in.Video
	mix := []isa.Type{isa.U32, isa.S32}
	for _, t := range []isa.Type{in.Type, in.SrcType, v.TypeB} {
		if !slices.Contains(mix, t) {
			return nil
		}
	}
	scalar := v.Parts == 1
	merges := v.Width != 32
	ordered := slices.Contains([]isa.Cmp{isa.Eq, isa.Ne, isa.Lt, isa.Le, isa.Gt, isa.Ge}, in.Cmp)
	if in.Op == isa.VMad {
		return defineVideoMad(in, n, scalar && !merges && in.Cmp == isa.CmpNone && in.Atom == isa.AtomNone && has(in, "sat"))
	}
	if v.Minus || v.MinusC || v.PlusOne || v.Shift > 0 {
		return nil
	}
	ok := in.Cmp == isa.CmpNone && has(in, "sat")
	switch in.Op {
	case isa.VSet:
		ok = ordered && in.Type == isa.U32 && has(in)
	case isa.VShl, isa.VShr:
		ok = scalar && v.TypeB == isa.U32 && in.Cmp == isa.CmpNone && has(in, "sat", "wrap")
	case isa.VAvrg:
		ok = ok && !scalar
	}
	switch {
	case scalar && in.Atom == isa.AtomNone:
		ok = ok && (n == 3) == merges
	case scalar:
		ok = ok && n == 3 && !merges && slices.Contains([]isa.AtomOp{isa.AtomAdd, isa.AtomMin, isa.AtomMax}, in.Atom)
	default:
		ok = ok && n == 3 && (in.Atom == isa.AtomNone || in.Atom == isa.AtomAdd && !in.Sat)
	}
	if !ok {
		return nil
	}
	return func(s [4]uint64) uint64 {
		sum := integer(s[2], in.Type)
		d := s[2]
		if n < 3 {
			d = 0
		}
		for i := range v.Parts {
			x := videoPart(s[0], s[1], v.A, i, in.SrcType, scalar)
			y := videoPart(s[1], s[1], v.B, i, v.TypeB, scalar)
			if !scalar {
				y = videoPart(s[0], s[1], v.B, i, v.TypeB, false)
			}
			z := videoResult(in, x, y)
			switch in.Atom {
			case isa.AtomAdd:
				if v.Into>>i&1 != 0 {
					sum.Add(sum, z)
				}
			case isa.AtomMin:
				if z.Cmp(sum) < 0 {
					sum = z
				}
			case isa.AtomMax:
				if z.Cmp(sum) > 0 {
					sum = z
				}
			default:
				for at := range 32 / int(v.Width) {
					if v.Into>>at&1 != 0 && (scalar || at == i) {
						low := uint(at) * uint(v.Width)
						d &^= (1<<v.Width - 1) << low
						d |= wrapped(z, int(v.Width)) << low
					}
				}
			}
		}
		if in.Atom != isa.AtomNone {
			return wrapped(sum, 32)
		}
		return d
	}
}

// videoPart gives the i-th part that is selected of one source, or of two in a row.
func videoPart(a, b uint64, s isa.Selection, i int, t isa.Type, scalar bool) *big.Int {
	all := new(big.Int).SetUint64(a)
	if !scalar {
		all.Add(all, new(big.Int).Lsh(new(big.Int).SetUint64(b), 32))
	}
	all.Rsh(all, uint(s.At[i])*uint(s.Bits))
	signed := map[uint8]isa.Type{8: isa.S8, 16: isa.S16, 32: isa.S32}
	unsigned := map[uint8]isa.Type{8: isa.U8, 16: isa.U16, 32: isa.U32}
	if t == isa.S32 {
		return integer(wrapped(all, int(s.Bits)), signed[s.Bits])
	}
	return integer(wrapped(all, int(s.Bits)), unsigned[s.Bits])
}

// videoResult gives the intermediate result: clamped, or cut to 33 bits.
func videoResult(in *isa.Instr, x, y *big.Int) *big.Int {
	z := new(big.Int)
	amount := uint(min(y.Uint64(), 32))
	if in.Wrap {
		amount = uint(y.Uint64() & 31)
	}
	switch in.Op {
	case isa.VAdd:
		z.Add(x, y)
	case isa.VSub:
		z.Sub(x, y)
	case isa.VAbsDiff:
		z.Abs(z.Sub(x, y))
	case isa.VMin:
		z.Set(x)
		if y.Cmp(x) < 0 {
			z.Set(y)
		}
	case isa.VMax:
		z.Set(x)
		if y.Cmp(x) > 0 {
			z.Set(y)
		}
	case isa.VAvrg:
		if z.Add(x, y).Sign() >= 0 {
			z.Add(z, big.NewInt(1))
		}
		z.Rsh(z, 1)
	case isa.VShl:
		z.Lsh(x, amount)
	case isa.VShr:
		z.Rsh(x, amount)
	case isa.VSet:
		c := x.Cmp(y)
		z.SetUint64(number(map[isa.Cmp]bool{
			isa.Eq: c == 0, isa.Ne: c != 0, isa.Lt: c < 0, isa.Le: c <= 0, isa.Gt: c > 0, isa.Ge: c >= 0,
		}[in.Cmp]))
	}
	if !in.Sat {
		z.SetInt64(int64(wrapped(z, 33)<<31) >> 31)
		return z
	}
	minimum, greatest := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(in.Video.Width))
	if in.Type == isa.S32 {
		greatest.Rsh(greatest, 1)
		minimum.Neg(greatest)
	}
	greatest.Sub(greatest, big.NewInt(1))
	switch {
	case z.Cmp(minimum) < 0:
		return minimum
	case z.Cmp(greatest) > 0:
		return greatest
	}
	return z
}

// defineVideoMad defines the product of parts with a third source added to it.
func defineVideoMad(in *isa.Instr, n int, ok bool) func(s [4]uint64) uint64 {
	v := in.Video
	product := isa.U32
	if in.SrcType == isa.S32 || v.TypeB == isa.S32 || v.Minus {
		product = isa.S32
	}
	final := product
	if v.MinusC {
		final = isa.S32
	}
	contradictory := product != final && (in.Sat || v.Shift > 0)
	if !ok || n != 3 || contradictory || v.Minus && v.MinusC || v.PlusOne && (v.Minus || v.MinusC) {
		return nil
	}
	return func(s [4]uint64) uint64 {
		d := new(big.Int).Mul(videoPart(s[0], 0, v.A, 0, in.SrcType, true), videoPart(s[1], 0, v.B, 0, v.TypeB, true))
		c := integer(s[2], final)
		if v.Minus {
			d.Neg(d)
		}
		if v.MinusC {
			c.Neg(c)
		}
		d.Add(d, c)
		if v.PlusOne {
			d.Add(d, big.NewInt(1))
		}
		d.Rsh(d, uint(v.Shift))
		if in.Sat {
			return clamped(d, final)
		}
		return wrapped(d, 32)
	}
}
