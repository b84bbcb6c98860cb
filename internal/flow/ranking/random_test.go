package ranking_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"warpbound/internal/smt"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/smttest"
)

// registers are the registers of random loops: %x, %y, %n, %m, %i, %j.
type registers [6]uint32

var names = [...]string{"%x", "%y", "%n", "%m", "%i", "%j"}

// operand is a register or, above these, a small constant.
type operand int

func (o operand) String() string {
	if int(o) < len(names) {
		return names[o]
	}
	return fmt.Sprint(int(o) - len(names))
}

func (o operand) of(r *registers) uint32 {
	if int(o) < len(names) {
		return r[o]
	}
	return uint32(int(o) - len(names))
}

var operations = []struct {
	text  string
	apply func(a, b uint32) uint32
}{
	{"add.u32", func(a, b uint32) uint32 { return a + b }},
	{"sub.u32", func(a, b uint32) uint32 { return a - b }},
	{"sub.u32", func(a, b uint32) uint32 { return a - b }},
	{"shr.u32", func(a, b uint32) uint32 { return a >> min(b, 32) }},
	{"shl.b32", func(a, b uint32) uint32 { return a << min(b, 32) }},
	{"and.b32", func(a, b uint32) uint32 { return a & b }},
	{"or.b32", func(a, b uint32) uint32 { return a | b }},
	{"xor.b32", func(a, b uint32) uint32 { return a ^ b }},
	{"min.u32", func(a, b uint32) uint32 { return min(a, b) }},
	{"max.s32", func(a, b uint32) uint32 { return uint32(max(int32(a), int32(b))) }},
	{"rem.u32", nil}, // by a number that is not 0
}

var comparisons = []struct {
	text  string
	holds func(a, b uint32) bool
}{
	{"eq.u32", func(a, b uint32) bool { return a == b }},
	{"ge.u32", func(a, b uint32) bool { return a >= b }},
	{"gt.s32", func(a, b uint32) bool { return int32(a) > int32(b) }},
	{"le.s32", func(a, b uint32) bool { return int32(a) <= int32(b) }},
	{"lt.u32", func(a, b uint32) bool { return a < b }},
}

// program is a random loop as text and as what it does.
type program struct {
	text  strings.Builder
	steps []func(*registers)
	leave func(*registers) bool
}

func draw(src *rand.Rand) *program {
	p := &program{}
	any := func() operand { return operand(src.IntN(len(names) + 4)) }
	own := func() operand { return []operand{0, 1, 4, 5}[src.IntN(4)] }
	c, a, b := comparisons[src.IntN(len(comparisons))], own(), any()
	fmt.Fprintf(&p.text, "mov.u32 %%i, 0; mov.u32 %%j, %%n;\nL: setp.%s %%p1, %v, %v; @%%p1 bra E;\n", c.text, a, b)
	p.leave = func(r *registers) bool { return c.holds(a.of(r), b.of(r)) }
	for range 1 + src.IntN(3) {
		op, d, a, b := operations[src.IntN(len(operations))], own(), own(), any()
		apply, prefix := op.apply, ""
		if apply == nil {
			fmt.Fprintf(&p.text, "or.b32 %%r9, %v, 1; ", b)
			apply = func(a, b uint32) uint32 { return a % (b | 1) }
		}
		guarded := src.IntN(3) == 0
		c, e, f := comparisons[src.IntN(len(comparisons))], own(), any()
		if guarded {
			fmt.Fprintf(&p.text, "setp.%s %%p2, %v, %v; ", c.text, e, f)
			prefix = "@%p2 "
		}
		if op.apply == nil {
			fmt.Fprintf(&p.text, "%s%s %v, %v, %%r9;\n", prefix, op.text, d, a)
		} else {
			fmt.Fprintf(&p.text, "%s%s %v, %v, %v;\n", prefix, op.text, d, a, b)
		}
		p.steps = append(p.steps, func(r *registers) {
			if !guarded || c.holds(e.of(r), f.of(r)) {
				r[d] = apply(a.of(r), b.of(r))
			}
		})
	}
	p.text.WriteString("bra L; E:")
	return p
}

// TestRandomLoops executes random loops that have bounds from random words.
func TestRandomLoops(t *testing.T) {
	found, attained := 0, 0
	seeds := effort.Draw(t, 1000)
	for _, seed := range seeds {
		src := rand.New(rand.NewPCG(seed, 1823))
		p := draw(src)
		n, function := int64(-1), ""
		t.Run(fmt.Sprint(seed), func(t *testing.T) { // at the end of which the solver ends
			n, function = rank(t, smttest.New(t, smt.LimitedZ3(), smt.LimitedZ3(), time.Hour), p.text.String())
		})
		if n < 0 {
			continue
		}
		found++
		word := func() uint32 {
			return []uint32{src.Uint32(), src.Uint32N(2000), src.Uint32N(9), 1 << src.IntN(32), ^src.Uint32N(9)}[src.IntN(5)]
		}
		longest := int64(0)
		for range 300 {
			r := registers{word(), word(), min(word(), 1000), min(word(), 1000)}
			r[5] = r[2]
			back := int64(0)
			for ; back <= n && !p.leave(&r); back++ {
				for _, step := range p.steps {
					step(&r)
				}
			}
			if longest = max(longest, back); back > n {
				t.Fatalf("seed %d: bound %d (%s), and more iterations\n%s", seed, n, function, p.text.String())
			}
		}
		if longest == n {
			attained++
		}
	}
	t.Logf("%d bounds, %d of which are attained", found, attained)
	if effort.Many() && (found < len(seeds)/20 || attained < found/4) {
		t.Errorf("%d bounds, %d of which are attained", found, attained)
	}
}
