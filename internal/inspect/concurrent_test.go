package inspect_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"warpbound"
)

// TestConcurrentKernels inspects a module of several kernels on four processors: they are in the
// order of the module, each with what it is alone.
func TestConcurrentKernels(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	const head, n = ".version 8.0\n.target sm_80\n.address_size 64\n", 12
	kernel := func(i int) string {
		adds := strings.Repeat("add.u32 %r1, %r0, 1;\n", i)
		return fmt.Sprintf(".entry k%d() {\n.reg .b32 %%r<2>; mov.u32 %%r0, %%tid.x;\n%sret; }\n", i, adds)
	}
	var all strings.Builder
	for i := range n {
		all.WriteString(kernel(i))
	}
	m, err := warpbound.Inspect(t.Context(), "m.ptx", []byte(head+all.String()), warpbound.InspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Kernels) != n {
		t.Fatalf("%d kernels, want %d", len(m.Kernels), n)
	}
	for i, k := range m.Kernels {
		alone, err := warpbound.Inspect(t.Context(), "m.ptx", []byte(head+kernel(i)), warpbound.InspectOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if k.Name != fmt.Sprint("k", i) || k.Instructions != alone.Kernels[0].Instructions {
			t.Errorf("kernel %d is %s of %d instructions, want %d", i, k.Name, k.Instructions, alone.Kernels[0].Instructions)
		}
	}
}
