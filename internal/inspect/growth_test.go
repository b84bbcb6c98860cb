package inspect_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"warpbound"
)

// TestMemoryGrowsLinearly inspects modules of four times the size, for which no more than
// about four times the memory may be allocated. Unlike time, that does not depend on what
// else a computer does.
func TestMemoryGrowsLinearly(t *testing.T) {
	const head = ".version 8.0\n.target sm_80\n.address_size 64\n"
	entry := func(name string, registers int, body string) string {
		return fmt.Sprintf(".entry %s() {\n.reg .pred %%p; .reg .b32 %%r<%d>;\nmov.u32 %%r0, %%tid.x; setp.eq.u32 %%p, %%r0, 5;\n%sret; }\n",
			name, registers+1, body)
	}
	each := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(format, "#", fmt.Sprint(i+1)))
		}
		return b.String()
	}
	for name, module := range map[string]func(n int) string{
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
	} {
		t.Run(name, func(t *testing.T) {
			allocated := func(n int) uint64 {
				src := []byte(head + module(n))
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				if _, err := warpbound.Inspect("large.ptx", src, warpbound.InspectOptions{}); err != nil {
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
