package inspect_test

import (
	"fmt"
	"strings"
	"testing"

	"warpbound"
	"warpbound/internal/test/effort"
)

// TestLargeModules inspects kernels of many blocks and registers in shapes that are
// expensive for one analysis or another. Some of them take the square of the size, none a higher power.
func TestLargeModules(t *testing.T) {
	const few = 1 << 6
	large, small := modules(1<<10), modules(few)
	slow := map[string]int{"nested loops": 1 << 8, "live registers": 1 << 9, "jumps": 1 << 9}
	for name := range large {
		t.Run(name, func(t *testing.T) {
			n := 1 << 10
			if less := slow[name]; less > 0 && !effort.Many() {
				n = less
				large[name] = modules(n)[name]
			}
			work := func(src string) func() {
				return func() {
					if _, err := warpbound.Inspect(t.Context(), "large.ptx", []byte(src), warpbound.InspectOptions{}); err != nil {
						t.Error(err)
					}
				}
			}
			effort.Grows(t, float64(4*n/few*n/few), work(small[name]), work(large[name]))
		})
	}
}

// modules returns modules of size n by their shapes.
func modules(n int) map[string]string {
	each := func(format string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.NewReplacer("#+", fmt.Sprint(i+1), "#~", fmt.Sprint(i*7919%n), "#", fmt.Sprint(i)).Replace(format))
		}
		return b.String()
	}
	backward := func(format string) string {
		var b strings.Builder
		for i := n - 1; i >= 0; i-- {
			b.WriteString(strings.ReplaceAll(format, "#", fmt.Sprint(i)))
		}
		return b.String()
	}
	const test = "setp.eq.u32 %p, %r0, #;\n"
	all := map[string]string{
		"conditionals":        each(test + "@%p bra L#; add.u32 %r1, %r1, 1; L#:\n"),
		"nested conditionals": each(test+"@%p bra L#;\n") + backward("L#: add.u32 %r1, %r1, 1;\n"),
		"exits":               each(test + "@%p ret;\n"),
		"to one end":          each(test+"@%p bra E;\n") + "E:\n",
		"switch":              each(test+"@%p bra L#;\n") + each("L#: add.u32 %r1, %r1, 1; bra E;\n") + "E:\n",
		"loops":               each("L#: " + test + "@%p bra L#;\n"),
		"nested loops":        each("L#: add.u32 %r1, %r1, 1;\n") + backward(test+"@%p bra L#;\n"),
		"loops of one header": "H:\n" + each(test+"@%p bra H;\n"),
		"jumps":               each("L#: " + test + "@%p bra L#~;\n"),
		"endless loops":       each(test + "@%p bra L#; X#: bra X#; L#:\n"),
		"traps":               fmt.Sprintf("@%%p bra L%d; bra E;\nL0: trap;\n", n) + each("L#+: bra L#;\n") + "E:\n",
		"registers":           each("add.u32 %r#, %r0, 1;\n") + each("xor.b32 %r1, %r1, %r#;\n"),
		"live registers":      each("add.u32 %r#, %r0, 1;\n") + each(test+"@%p bra L#; xor.b32 %r1, %r1, %r#; L#:\n"),
		"guarded registers":   each("@%p add.u32 %r#, %r0, 1;\n") + each("@%p xor.b32 %r1, %r1, %r#;\n"),
		"guarded in blocks":   each("@%p add.u32 %r#, %r0, 1;\n") + each("setp.eq.u32 %q, %r0, #; @%q bra L#; @%p xor.b32 %r1, %r1, %r#; L#:\n"),
		"straight":            each(strings.Repeat("mad.lo.u32 %r#, %r1, %r0, #;\n", 8)),
	}
	for name, body := range all {
		all[name] = fmt.Sprintf(".version 8.0\n.target sm_80\n.address_size 64\n.entry k() {\n"+
			".reg .pred %%p, %%q; .reg .b32 %%r<%d>; mov.u32 %%r0, %%tid.x; mov.u32 %%r1, 0; setp.eq.u32 %%p, %%r0, 5;\n%sret; }\n", n, body)
	}
	return all
}
