package inspect_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"warpbound"
)

const moduleHead = ".version 8.0\n.target sm_80\n.address_size 64\n"

// growing returns modules of any size by their shapes.
func growing() map[string]func(n int) string {
	entry := func(name string, registers int, body string) string {
		return fmt.Sprintf(".entry %s() {\n.reg .pred %%p; .reg .b32 %%r<%d>; .reg .b64 %%a;\nmov.u32 %%r0, %%tid.x; setp.eq.u32 %%p, %%r0, 5;\n%sret; }\n",
			name, registers+1, body)
	}
	const address = "mul.wide.u32 %a, %r0, 4;\n"
	each := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(format, "#", fmt.Sprint(i+1)))
		}
		return b.String()
	}
	return map[string]func(n int) string{
		"kernels": func(n int) string {
			var b strings.Builder
			for i := range n {
				b.WriteString(entry(fmt.Sprint("k", i), 1, "@%p bra L; add.u32 %r1, %r0, 1; L:\n"))
			}
			return b.String()
		},
		"instructions": func(n int) string { return entry("k", 1, each(n, "add.u32 %r1, %r0, #;\n")) },
		"live registers": func(n int) string {
			return entry("k", n, each(n, "add.u32 %r#, %r0, 1;\n")+each(n, "xor.b32 %r0, %r0, %r#;\n"))
		},
		"guarded registers": func(n int) string {
			return entry("k", n, each(n, "@%p add.u32 %r#, %r0, 1;\n")+each(n, "@%p xor.b32 %r0, %r0, %r#;\n"))
		},
		"registers live in all blocks": func(n int) string {
			return entry("k", 64, each(64, "add.u32 %r#, %r0, 1;\n")+each(n, "@%p bra L#; add.u32 %r1, %r1, 1; L#:\n")+each(64, "xor.b32 %r0, %r0, %r#;\n"))
		},
		"accesses on ways that join": func(n int) string {
			return entry("k", 1, address+each(n, "ld.global.u32 %r1, [%a]; setp.lt.u32 %p, %r1, #; @%p bra L#; st.global.u32 [%a], %r1; L#:\n"))
		},
		"accesses of fewer and fewer threads": func(n int) string {
			return entry("k", 1, address+each(n, "setp.eq.u32 %p, %r0, #; @%p bra END; st.global.u32 [%a], %r0;\n")+"END:\n")
		},
		"accesses side by side": func(n int) string {
			return entry("k", 1, address+each(n, "ld.global.u32 %r1, [%a]; st.global.u32 [%a+65536], %r1; add.u64 %a, %a, 16384;\n"))
		},
		"loops in a row": func(n int) string {
			return entry("k", 1, address+each(n, "mov.u32 %r1, 0; L#: st.global.u32 [%a], %r1; add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 9; @%p bra L#;\n"))
		},
		"accesses in a loop": func(n int) string {
			return entry("k", 2, address+"mov.u32 %r2, 0; LOOP:\n"+
				each(n, "ld.global.u32 %r1, [%a]; setp.lt.u32 %p, %r1, #; @%p bra L#; st.global.u32 [%a], %r1; L#:\n")+
				"add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, 9; @%p bra LOOP;\n")
		},
	}
}

// TestMemoryGrowsLinearly inspects modules of four times the size, for which no more than
// about four times the memory may be allocated. Unlike time, that does not depend on what
// else a computer does.
func TestMemoryGrowsLinearly(t *testing.T) {
	for name, module := range growing() {
		t.Run(name, func(t *testing.T) {
			allocated := func(n int) uint64 {
				src := []byte(moduleHead + module(n))
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				if _, err := warpbound.Inspect(t.Context(), "large.ptx", src, warpbound.InspectOptions{}); err != nil {
					t.Error(err)
				}
				runtime.ReadMemStats(&after)
				return after.TotalAlloc - before.TotalAlloc
			}
			const n = 250
			small, large := allocated(n), allocated(4*n)
			if large > 6*small {
				t.Errorf("%d take %d bytes, %d take %d: more than six times as many", n, small, 4*n, large)
			}
		})
	}
}

// BenchmarkGrowing inspects modules of a thousand and of four thousand times the same.
func BenchmarkGrowing(b *testing.B) {
	for name, module := range growing() {
		for _, n := range []int{1000, 4000} {
			src := []byte(moduleHead + module(n))
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					if _, err := warpbound.Inspect(b.Context(), "large.ptx", src, warpbound.InspectOptions{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
