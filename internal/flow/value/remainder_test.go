package value

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/strided"
	"warpbound/internal/isa"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/flowtest"
)

// multiplier returns the least factor and power of two by which words of a width are divided by d: the high part of the product,
// shifted. The factor may have one bit more than words have.
func multiplier(d int64, width uint, sign bool) (factor *big.Int, shift uint) {
	precision := width
	if sign {
		precision--
	}
	for power := width; ; power++ {
		two := new(big.Int).Lsh(big.NewInt(1), power)
		m := new(big.Int).Div(two, big.NewInt(d))
		m.Add(m, big.NewInt(1))
		e := new(big.Int).Mul(m, big.NewInt(d))
		e.Sub(e, two)
		if e.Cmp(new(big.Int).Lsh(big.NewInt(1), power-precision)) <= 0 {
			return m, power - width
		}
	}
}

// remainderCode returns instructions that make %r2 (of 64 bits: %d2) what %r1 leaves when it is divided by d, as compilers do.
func remainderCode(d int64, width uint, sign bool) string {
	m, shift := multiplier(d, width, sign)
	low := new(big.Int).And(m, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), width), big.NewInt(1)))
	more := m.BitLen() > int(width)
	letter := "u"
	if sign {
		letter, more = "s", m.BitLen() == int(width)
	}
	code := "mul.hi.$T %r3, %r1, LOW;"
	switch {
	case more && sign:
		code += "add.$T %r3, %r3, %r1;"
	case more:
		code += "sub.$T %r4, %r1, %r3; shr.u$W %r4, %r4, 1; add.$T %r3, %r4, %r3;"
		shift--
	}
	code += "shr.$T %r4, %r3, SHIFT;"
	if sign {
		code += "shr.u$W %r5, %r3, SIGN; add.$T %r4, %r4, %r5;"
	}
	code += "mul.lo.$T %r4, %r4, DIVISOR; sub.$T %r2, %r1, %r4;"
	if width == 64 {
		code = strings.ReplaceAll(code, "%r", "%d")
	}
	return strings.NewReplacer("$T", fmt.Sprint(letter, width), "$W", fmt.Sprint(width), "LOW", low.String(), "SHIFT", fmt.Sprint(shift),
		"SIGN", fmt.Sprint(width-1), "DIVISOR", fmt.Sprint(d)).Replace(code)
}

// setOf returns what is known of a register when the last instruction of a kernel executes.
func setOf(t *testing.T, body, register string) strided.Interval {
	t.Helper()
	g := flowtest.BodyGraph(t, body)
	r := flowtest.Must(Analyze(t.Context(), g, launchfacts.Launch{}))
	before, _ := r.states()
	for reg := range isa.Reg(len(g.Kernel.Regs)) {
		if g.Kernel.Regs[reg].Name == register {
			return before[len(before)-2].Get(reg).Set
		}
	}
	t.Fatalf("no register %s", register)
	return strided.Interval{}
}

// What a division by a constant leaves is known exactly, for words of which nothing is known, as compilers compute it.
func TestRemaindersByConstants(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	divisors := []int64{3, 5, 6, 7, 9, 10, 11, 14, 21, 25, 28, 31, 49, 50, 55, 100, 127, 224, 255, 641, 1000, 1023, 1920, 3600, 65535, 1000003}
	for range 20 {
		divisors = append(divisors, 3+2*rng.Int64N(1<<rng.IntN(28)))
	}
	for _, d := range divisors {
		for _, width := range []uint{32, 64} {
			for _, sign := range []bool{false, true} {
				want := strided.Between(int(width), 0, uint64(d-1))
				if sign {
					want = strided.Between(int(width), uint64(1-d)&strided.Mask(int(width)), uint64(d-1))
				}
				letter := map[uint]string{32: "r", 64: "d"}[width]
				code := fmt.Sprintf("ld.global.u%d %%%s1, [%%buf];", width, letter) + remainderCode(d, width, sign)
				store := fmt.Sprintf("st.global.u%d [%%buf], %%%s2;", width, letter)
				if got := setOf(t, code+store, "%"+letter+"2"); !got.Leq(want) || !want.Leq(got) {
					t.Errorf("%s: %v, want %v", code, got, want)
				}
			}
		}
	}
}

// Sums whose terms come from one word, and some that only look so.
func TestPartsOfWords(t *testing.T) {
	any32 := strided.Any(32)
	for _, c := range []struct {
		name, body string
		want       strided.Interval // of %r9
	}{
		{"two masks", "and.b32 %r2, %r1, 31; and.b32 %r3, %r1, 7; sub.s32 %r9, %r2, %r3;", strided.Steps(32, 0, 24, 8)},
		{"the lesser one first", "and.b32 %r2, %r1, 31; and.b32 %r3, %r1, 7; sub.s32 %r9, %r3, %r2;", strided.Steps(32, ^uint64(23)&0xffffffff, 0, 8)},
		{"with a constant", "and.b32 %r2, %r1, 31; and.b32 %r3, %r1, 7; sub.s32 %r9, %r2, %r3; add.s32 %r9, %r9, 5;", strided.Steps(32, 5, 29, 8)},
		{"masks of which neither holds the other", "and.b32 %r2, %r1, 12; and.b32 %r3, %r1, 6; sub.s32 %r9, %r2, %r3;", strided.Steps(32, ^uint64(1)&0xffffffff, 8, 2)},
		{"a field and a shifted word", "bfe.u32 %r2, %r1, 3, 6; shr.u32 %r4, %r1, 3; and.b32 %r3, %r4, 7; sub.s32 %r9, %r2, %r3;", strided.Steps(32, 0, 56, 8)},
		{"shifted masks", "shr.u32 %r2, %r1, 3; and.b32 %r2, %r2, 63; and.b32 %r3, %r2, 7; sub.s32 %r9, %r2, %r3;", strided.Steps(32, 0, 56, 8)},
		{"shifts that differ", "shr.u32 %r2, %r1, 3; and.b32 %r2, %r2, 31; and.b32 %r3, %r1, 7; sub.s32 %r9, %r2, %r3;", strided.Between(32, ^uint64(6)&0xffffffff, 31)},
		{"words that differ", "ld.global.u32 %r4, [%buf+8]; and.b32 %r2, %r1, 31; and.b32 %r3, %r4, 7; sub.s32 %r9, %r2, %r3;", strided.Between(32, ^uint64(6)&0xffffffff, 31)},
		{"a word without its low bits", "and.b32 %r2, %r1, -32; sub.s32 %r9, %r1, %r2;", strided.Between(32, 0, 31)},
		{"a signed remainder of a power of two", "shr.s32 %r2, %r1, 31; shr.u32 %r2, %r2, 27; add.s32 %r2, %r1, %r2; and.b32 %r2, %r2, -32; sub.s32 %r9, %r1, %r2;", strided.Between(32, ^uint64(30)&0xffffffff, 31)},
		{"shifted down and up", "shr.u32 %r2, %r1, 5; mul.lo.u32 %r2, %r2, 32; sub.s32 %r9, %r1, %r2;", strided.Between(32, 0, 31)},
		{"division", "div.u32 %r2, %r1, 12; mul.lo.u32 %r2, %r2, 12; sub.u32 %r9, %r1, %r2;", strided.Between(32, 0, 11)},
		{"by mad", "mul.hi.u32 %r2, %r1, 1374389535; shr.u32 %r2, %r2, 4; mad.lo.s32 %r9, %r2, -50, %r1;", strided.Between(32, 0, 49)},
		{"a quotient that is a little too great", "mul.hi.u32 %r2, %r1, 1374389540; shr.u32 %r2, %r2, 4; mul.lo.u32 %r2, %r2, 50; sub.u32 %r9, %r1, %r2;", strided.Between(32, ^uint64(15)&0xffffffff, 49)},
		{"a quotient that is a little too small", "mul.hi.u32 %r2, %r1, 1374389530; shr.u32 %r2, %r2, 4; mul.lo.u32 %r2, %r2, 50; sub.u32 %r9, %r1, %r2;", strided.Between(32, 0, 64)},
		{"another divisor", "mul.hi.u32 %r2, %r1, 1374389535; shr.u32 %r2, %r2, 4; mul.lo.u32 %r2, %r2, 51; sub.u32 %r9, %r1, %r2;", strided.Between(32, ^uint64(85899345)&0xffffffff, 50)},
		{"a signed shift of an unsigned product", "mul.hi.u32 %r2, %r1, 1374389535; shr.s32 %r2, %r2, 4; mul.lo.u32 %r2, %r2, 50; sub.u32 %r9, %r1, %r2;", any32},
		{"another word", "ld.global.u32 %r4, [%buf+8]; mul.hi.u32 %r2, %r4, 1374389535; shr.u32 %r2, %r2, 4; mul.lo.u32 %r2, %r2, 50; sub.u32 %r9, %r1, %r2;", any32},
		{"the sum of two masks", "and.b32 %r2, %r1, 31; and.b32 %r3, %r1, 7; add.s32 %r9, %r2, %r3;", strided.Between(32, 0, 38)},
		{"signed words that are negative", "or.b32 %r1, %r1, 0x80000000;" + remainderCode(50, 32, true) + "mov.u32 %r9, %r2;", strided.Between(32, ^uint64(48)&0xffffffff, 0)},
		{"a sign that counts otherwise", "mul.hi.s32 %r2, %r1, 1374389535; shr.s32 %r3, %r2, 4; shr.u32 %r4, %r2, 31; mul.lo.s32 %r3, %r3, 50; mul.lo.s32 %r4, %r4, 49; sub.s32 %r9, %r1, %r3; sub.s32 %r9, %r9, %r4;", strided.Between(32, ^uint64(48)&0xffffffff, 50)},
		{"a word added to a signed product by a positive factor", "mul.hi.s32 %r2, %r1, 1374389535; add.s32 %r2, %r2, %r1; shr.s32 %r2, %r2, 4; mul.lo.s32 %r2, %r2, 50; sub.s32 %r9, %r1, %r2;", any32},
		{"another word added to a signed product", "ld.global.u32 %r4, [%buf+8]; mul.hi.s32 %r2, %r1, -1840700269; add.s32 %r2, %r2, %r4; shr.s32 %r2, %r2, 2; mul.lo.s32 %r2, %r2, 7; sub.s32 %r9, %r1, %r2;", any32},
		{"a signed product by a negative factor", "mul.hi.s32 %r2, %r1, -1840700269; shr.s32 %r2, %r2, 2; mul.lo.s32 %r2, %r2, 7; sub.s32 %r9, %r1, %r2;", any32},
		{"a quarter instead of a half", "mul.hi.u32 %r2, %r1, 613566757; sub.u32 %r3, %r1, %r2; shr.u32 %r3, %r3, 2; add.u32 %r2, %r3, %r2; shr.u32 %r2, %r2, 2; mul.lo.u32 %r2, %r2, 7; sub.u32 %r9, %r1, %r2;", any32},
		{"half of a word", "mul.hi.u32 %r2, %r1, 613566757; shr.u32 %r3, %r1, 1; add.u32 %r2, %r3, %r2; shr.u32 %r2, %r2, 2; mul.lo.u32 %r2, %r2, 7; sub.u32 %r9, %r1, %r2;", any32},
		{"a signed half", "mul.hi.u32 %r2, %r1, 613566757; sub.u32 %r3, %r1, %r2; shr.s32 %r3, %r3, 1; add.u32 %r2, %r3, %r2; shr.u32 %r2, %r2, 2; mul.lo.u32 %r2, %r2, 7; sub.u32 %r9, %r1, %r2;", any32},
		{"signed division", "div.s32 %r2, %r1, 12; mul.lo.s32 %r2, %r2, 12; sub.s32 %r9, %r1, %r2;", any32},
		{"a signed shift of a masked word", "shr.s32 %r2, %r1, 3; and.b32 %r4, %r2, 63; shr.u32 %r5, %r1, 3; and.b32 %r3, %r5, 7; sub.s32 %r9, %r4, %r3;", strided.Between(32, ^uint64(6)&0xffffffff, 63)},
		{"a signed field", "bfe.s32 %r2, %r1, 3, 6; shr.u32 %r4, %r1, 3; and.b32 %r3, %r4, 7; sub.s32 %r9, %r2, %r3;", strided.Between(32, ^uint64(38)&0xffffffff, 31)},
		{"another sign", "mul.hi.s32 %r2, %r1, 1374389535; shr.s32 %r3, %r2, 4; shr.u32 %r4, %r2, 30; mul.lo.s32 %r3, %r3, 50; mul.lo.s32 %r4, %r4, 50; sub.s32 %r9, %r1, %r3; sub.s32 %r9, %r9, %r4;", strided.Between(32, ^uint64(149)&0xffffffff, 50)},
		{"the sign of another word", "ld.global.u32 %r5, [%buf+8]; mul.hi.s32 %r2, %r1, 1374389535; shr.s32 %r3, %r2, 4; shr.u32 %r4, %r5, 31; mul.lo.s32 %r3, %r3, 50; mul.lo.s32 %r4, %r4, 50; sub.s32 %r9, %r1, %r3; sub.s32 %r9, %r9, %r4;", strided.Between(32, ^uint64(49)&0xffffffff, 50)},
		{"a narrow field", "bfe.u32 %r2, %r1, 3, 2; shr.u32 %r4, %r1, 3; and.b32 %r3, %r4, 7; sub.s32 %r9, %r2, %r3;", strided.Steps(32, ^uint64(3)&0xffffffff, 0, 4)},
		{"twice a signed product", "mul.hi.s32 %r2, %r1, -1840700269; shl.b32 %r2, %r2, 1; add.s32 %r2, %r2, %r1; shr.s32 %r2, %r2, 2; mul.lo.s32 %r2, %r2, 7; sub.s32 %r9, %r1, %r2;", any32},
		{"a sign that is -1", "mul.hi.s32 %r2, %r1, 1374389535; shr.s32 %r3, %r2, 4; shr.s32 %r4, %r2, 31; mul.lo.s32 %r3, %r3, 50; mul.lo.s32 %r4, %r4, 50; sub.s32 %r9, %r1, %r3; sub.s32 %r9, %r9, %r4;", strided.Between(32, 0, 100)},
		{"the sign of a quotient of another word", "ld.global.u32 %r5, [%buf+8]; mul.hi.s32 %r5, %r5, 1374389535; mul.hi.s32 %r2, %r1, 1374389535; shr.s32 %r3, %r2, 4; shr.u32 %r4, %r5, 31; mul.lo.s32 %r3, %r3, 50; mul.lo.s32 %r4, %r4, 50; sub.s32 %r9, %r1, %r3; sub.s32 %r9, %r9, %r4;", strided.Between(32, ^uint64(49)&0xffffffff, 50)},
		{"the high bit of an unsigned quotient", "mul.hi.u32 %r5, %r1, -7; mul.hi.s32 %r2, %r1, 1374389535; shr.s32 %r3, %r2, 4; shr.u32 %r4, %r5, 31; mul.lo.s32 %r3, %r3, 50; mul.lo.s32 %r4, %r4, 50; sub.s32 %r9, %r1, %r3; sub.s32 %r9, %r9, %r4;", strided.Between(32, ^uint64(49)&0xffffffff, 50)},
		{"a signed shift and the sign", "shr.s32 %r2, %r1, 5; shr.u32 %r3, %r1, 31; mul.lo.s32 %r2, %r2, 32; mul.lo.s32 %r3, %r3, 32; sub.s32 %r9, %r1, %r2; sub.s32 %r9, %r9, %r3;", strided.Between(32, ^uint64(31)&0xffffffff, 31)},
		{"of a byte, in 16 bits", ".reg .b16 %h<9>; and.b32 %r2, %r1, 255; cvt.u16.u32 %h1, %r2; mul.lo.s16 %h2, %h1, 205; shr.u16 %h2, %h2, 10; mul.lo.s16 %h2, %h2, 5; sub.s16 %h2, %h1, %h2; cvt.u32.u16 %r9, %h2;", strided.Between(32, 0, 4)},
		{"of a remainder, in 16 bits", ".reg .b16 %h<9>; mul.hi.u32 %r2, %r1, 1374389535; shr.u32 %r2, %r2, 4; mul.lo.u32 %r2, %r2, 50; sub.u32 %r2, %r1, %r2; cvt.u16.u32 %h1, %r2; mul.lo.s16 %h2, %h1, 205; shr.u16 %h2, %h2, 10; mul.lo.s16 %h2, %h2, 5; sub.s16 %h2, %h1, %h2; cvt.u32.u16 %r9, %h2;", strided.Between(32, 0, 4)},
		{"of a byte that is multiplied by an even number", ".reg .b16 %h<9>; and.b32 %r2, %r1, 255; cvt.u16.u32 %h1, %r2; mul.lo.s16 %h2, %h1, 206; shr.u16 %h2, %h2, 10; mul.lo.s16 %h2, %h2, 5; sub.s16 %h2, %h1, %h2; cvt.u32.u16 %r9, %h2;", strided.Between(32, 0, 65535)},
		{"of a word that wraps around when it is multiplied", ".reg .b16 %h<9>; and.b32 %r2, %r1, 511; cvt.u16.u32 %h1, %r2; mul.lo.s16 %h2, %h1, 205; shr.u16 %h2, %h2, 10; mul.lo.s16 %h2, %h2, 5; sub.s16 %h2, %h1, %h2; cvt.u32.u16 %r9, %h2;", strided.Between(32, 0, 65535)},
		{"of the sum of a byte and one that is multiplied", ".reg .b16 %h<9>; and.b32 %r2, %r1, 255; cvt.u16.u32 %h1, %r2; mul.lo.s16 %h2, %h1, 205; add.u16 %h2, %h2, 7; shr.u16 %h2, %h2, 10; mul.lo.s16 %h2, %h2, 5; sub.s16 %h2, %h1, %h2; cvt.u32.u16 %r9, %h2;", strided.Between(32, 0, 65535)},
		{"words that bear the same name in other iterations", `mov.u32 %r5, 0; mov.u32 %r2, 0;
L: ld.global.u32 %r1, [%buf+4]; setp.lt.u32 %p1, %r1, 9; @%p1 bra S; and.b32 %r2, %r1, 31;
S: and.b32 %r3, %r1, 7; sub.s32 %r9, %r2, %r3; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 9; @%p1 bra L;`, strided.Between(32, ^uint64(6)&0xffffffff, 31)},
		{"a mask under a guard", `setp.lt.u32 %p1, %r1, 9; mov.u32 %r5, 0;
L: ld.global.u32 %r1, [%buf+4]; setp.lt.u32 %p1, %r1, 9; @%p1 and.b32 %r2, %r1, 31;
and.b32 %r3, %r1, 7; sub.s32 %r9, %r2, %r3; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 9; @%p1 bra L;`, any32},
		{"the word of the iteration before", `mov.u32 %r5, 0; mov.u32 %r2, 0;
L: and.b32 %r3, %r1, 7; sub.s32 %r9, %r2, %r3; ld.global.u32 %r1, [%buf+4]; and.b32 %r2, %r1, 31;
and.b32 %r4, %r1, 7; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 9; @%p1 bra L;`, strided.Between(32, ^uint64(6)&0xffffffff, 31)},
		{"the same in each iteration", `mov.u32 %r5, 0;
L: ld.global.u32 %r1, [%buf+4]; and.b32 %r2, %r1, 31; setp.lt.u32 %p1, %r1, 9; @%p1 bra S; add.u32 %r6, %r6, 1;
S: and.b32 %r3, %r1, 7; sub.s32 %r9, %r2, %r3; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 9; @%p1 bra L;`, strided.Steps(32, 0, 24, 8)},
		{"a word of which the low bits are compared", "and.b32 %r2, %r1, 31; mul.lo.u32 %r3, %r2, 205; shr.u32 %r3, %r3, 10; mul.lo.u32 %r3, %r3, 5; sub.u32 %r3, %r2, %r3; and.b32 %r4, %r3, 255; mov.u32 %r9, 1; setp.eq.u32 %p1, %r4, 0; @%p1 bra S; mov.u32 %r9, %r3; S:", strided.Between(32, 1, 4)},
		{"a word of which the low bits are one of some", "and.b32 %r2, %r1, 7; mov.u32 %r9, 0; setp.gt.u32 %p1, %r2, 2; @%p1 bra S; mov.u32 %r9, %r1; S:", any32},
		{"a word that has one more bit", "and.b32 %r3, %r1, 15; and.b32 %r2, %r3, 7; mov.u32 %r9, 0; setp.gt.u32 %p1, %r2, 2; @%p1 bra S; mov.u32 %r9, %r3; S:", strided.Between(32, 0, 15)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := setOf(t, "ld.global.u32 %r1, [%buf];"+c.body+"st.global.u32 [%buf], %r9;", "%r9")
			if !got.Leq(c.want) || !c.want.Leq(got) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// What is compared are the low bits of the iteration before, so that the word may be 0 in this one.
func TestLowBitsOfTheIterationBefore(t *testing.T) {
	got := setOf(t, `ld.global.u32 %r1, [%buf]; mov.u32 %r5, 0; mov.u32 %r4, 1; mov.u32 %r9, 4;
L: ld.global.u32 %r1, [%buf+4]; and.b32 %r2, %r1, 31; mul.lo.u32 %r3, %r2, 205; shr.u32 %r3, %r3, 10; mul.lo.u32 %r3, %r3, 5; sub.u32 %r3, %r2, %r3;
setp.eq.u32 %p1, %r4, 0; @%p1 bra S; mov.u32 %r9, %r3;
S: and.b32 %r4, %r3, 255; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 9; @%p1 bra L; st.global.u32 [%buf], %r9;`, "%r9")
	if want := strided.Between(32, 0, 4); !want.Leq(got) {
		t.Errorf("%v, which lacks some of %v", got, want)
	}
}

// What random kernels compute from parts of words is in the sets of their registers, also where a word, its parts and their sums
// are computed in different iterations, or not in all.
func TestPartsOfWordsInRandomKernels(t *testing.T) {
	exact := 0
	seeds := effort.Draw(t, 1500)
	for _, seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 7))
		of := func(n ...int) int { return n[rng.IntN(len(n))] }
		reg := func() string { return fmt.Sprintf("%%r%d", 6+rng.IntN(5)) }
		var b strings.Builder
		line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
		guard := func() string {
			if rng.IntN(8) == 0 {
				return []string{"@%p2 ", "@!%p2 "}[rng.IntN(2)]
			}
			return ""
		}
		for r := 6; r <= 10; r++ {
			line("ld.global.u32 %%r%d, [%%buf+%d];", r, 4*rng.IntN(64))
		}
		line("setp.lt.u32 %%p2, %%r7, %%r8; mov.u32 %%r15, 0;")
		statement := func() {
			switch a, c := reg(), reg(); rng.IntN(9) {
			case 0:
				line("and.b32 %%r11, %s, 63; mul.lo.u32 %%r11, %%r11, 4; cvt.u64.u32 %%d1, %%r11; add.u64 %%d1, %%d1, %%buf; %sld.global.u32 %s, [%%d1];", a, guard(), c)
			case 1, 2:
				line("%sand.b32 %s, %s, %d;", guard(), reg(), a, of(1, 7, 31, 63, 255, -8, -32, 12, 0x1001f))
			case 3:
				line("%sshr.u32 %s, %s, %d;", guard(), reg(), a, rng.IntN(6))
			case 4:
				line("%sbfe.u32 %s, %s, %d, %d;", guard(), reg(), a, rng.IntN(8), 1+rng.IntN(8))
			case 5, 6:
				line("%ssub.s32 %s, %s, %s;", guard(), reg(), a, c)
			case 7:
				code := remainderCode(int64(of(3, 5, 7, 10, 50, 100, 641)), 32, rng.IntN(2) == 0)
				line("%s", strings.NewReplacer("%r1,", a+",", "%r1;", a+";", "%r2,", c+",").Replace(code))
			case 8:
				line("%smov.u32 %s, %s;", guard(), a, c)
			}
		}
		for range 4 {
			statement()
		}
		line("L:")
		skip := rng.IntN(6)
		for i := range 10 {
			if i == skip {
				line("setp.lt.u32 %%p3, %s, %s; @%%p3 bra S;", reg(), reg())
			}
			statement()
			if i == skip+2 {
				line("S:")
			}
		}
		line("add.u32 %%r15, %%r15, 1; setp.lt.u32 %%p1, %%r15, 4; @%%p1 bra L;")
		for r := 6; r <= 10; r++ {
			line("st.global.u32 [%%buf+%d], %%r%d;", 4*r, r)
		}
		job := "module = \"k.ptx\"\nmachine = \"fermi-c2050\"\ngrid = [2]\nblock = [64]\nseed = 1\n[[param]]\nname = \"p\"\ntype = \"u32\"\ncount = 64\n" +
			"[[param]]\nname = \"n\"\ntype = \"u32\"\nvalue = 1\n[[param]]\nname = \"m\"\ntype = \"u32\"\nvalue = 1\n"
		l := flowtest.Job(t, job, flowtest.BodyModule(b.String()))
		r := flowtest.Must(Analyze(t.Context(), l.Graph, l.Known(rng.IntN(2) == 0)))
		checkValues(t, l, r, 2)
		before, behind := r.states()
		for pc := range l.Kernel.Instrs {
			in := &l.Kernel.Instrs[pc]
			if in.Op != isa.Sub || before[pc] == nil {
				continue
			}
			if v := behind[pc].Get(in.Dst[0].Reg); v != nil && v.Set.Span() < 2048 {
				exact++
			}
		}
	}
	if effort.Many() && exact < 2*len(seeds) {
		t.Errorf("of %d sums less than 2,048 words are known", exact)
	}
}
