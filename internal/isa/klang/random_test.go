package klang

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/isa/minisimt"
	"warpbound/internal/test/isatest"
)

const (
	inputs  = 8 // words of in
	outputs = 4 // words of out for each thread
)

// writer makes the text of random kernels that end.
type writer struct {
	t     *rapid.T
	b     strings.Builder
	names []string // of variables in scope, ints
	count int
}

func (w *writer) int(low, high int) int { return rapid.IntRange(low, high).Draw(w.t, "n") }

func (w *writer) pick(of ...string) string { return of[w.int(0, len(of)-1)] }

// expr returns an expression of integers, or of floats in places.
func (w *writer) expr(depth int) string {
	if depth == 0 || w.int(0, 4) == 0 {
		return w.pick(append([]string{"Tid", "n", fmt.Sprint(w.int(-5, 20)), "x", fmt.Sprintf("in[%s & %d]", w.pick(w.names...), inputs-1)}, w.names...)...)
	}
	a, b := w.expr(depth-1), w.expr(depth-1)
	switch w.int(0, 6) {
	case 0:
		return fmt.Sprintf("((int)(%s) %s %d)", a, w.pick("/", "%", "<<", ">>"), w.int(1, 9))
	case 1:
		return fmt.Sprintf("(%s %s %s)", a, w.pick("<", "<=", ">", ">=", "==", "!="), b)
	case 2:
		return fmt.Sprintf("(%s %s %s)", a, w.pick("&&", "||"), b)
	case 3:
		return fmt.Sprintf("((int)(%s) %s (%s < %s))", a, w.pick("&", "|", "^"), a, b)
	case 4:
		return w.pick("-", "!", "~(int)") + "(" + a + ")"
	}
	return fmt.Sprintf("(%s %s %s)", a, w.pick("+", "-"), b)
}

func (w *writer) block(depth int) {
	names := w.names
	w.b.WriteString("{ ")
	for range w.int(0, 3) {
		w.statement(depth)
	}
	w.b.WriteString("} ")
	w.names = names
}

func (w *writer) statement(depth int) {
	variable := w.pick(w.names...)
	switch kind := w.int(0, 7); {
	case kind < 2 && depth > 0:
		fmt.Fprintf(&w.b, "if (%s) ", w.expr(2))
		w.block(depth - 1)
		if w.int(0, 1) == 0 {
			w.b.WriteString("else ")
			w.block(depth - 1)
		}
	case kind == 2 && depth > 0:
		w.count++
		i := fmt.Sprint("i", w.count)
		fmt.Fprintf(&w.b, "for (int %s = 0; %s < ((int)(%s) & 3); %s++) ", i, i, w.expr(1), i)
		w.block(depth - 1)
	case kind == 3 && depth > 0:
		w.count++
		i := fmt.Sprint("i", w.count)
		fmt.Fprintf(&w.b, "{ int %s = 3; while (%s > 0 && %s) { %s -= 1; ", i, i, w.expr(1), i)
		w.block(depth - 1)
		w.b.WriteString("} } ")
	case kind == 4:
		w.count++
		name := fmt.Sprint(w.pick("a", "b", "load"), w.count)
		fmt.Fprintf(&w.b, "int %s = %s; ", name, w.expr(2))
		w.names = append(w.names[:len(w.names):len(w.names)], name)
	case kind == 5:
		fmt.Fprintf(&w.b, "out[Tid * %d + %d] %s (%s) & 0xffff; ", outputs, w.int(0, outputs-1), w.pick("=", "+=", "^="), "(int)"+w.expr(1))
	case kind == 6:
		fmt.Fprintf(&w.b, "x %s (%s) & 255; ", w.pick("=", "+=", "-="), "(int)"+w.expr(1))
	default:
		fmt.Fprintf(&w.b, "%s %s %s; ", variable, w.pick("=", "+=", "-=", "="), w.expr(2))
	}
}

// TestRandomKernels compiles and executes random kernels, and compares what they leave
// with what the interpreter does.
func TestRandomKernels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &writer{t: t, names: []string{"a", "b"}}
		w.b.WriteString("__kernel k(int* in, int* out, int n) { int a = Tid; int b = n; float x = 0.5; ")
		for range w.int(1, 6) {
			w.statement(3)
		}
		for i, name := range w.names[:2] {
			fmt.Fprintf(&w.b, "out[Tid * %d + %d] = %s; ", outputs, i, name)
		}
		w.b.WriteString("}")
		src := w.b.String()
		m, err := Parse("k.kernel", []byte(src))
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		threads := w.int(1, 8)
		in := make([]int32, inputs)
		for i := range in {
			in[i] = int32(w.int(-9, 9))
		}
		want := make([]int32, threads*outputs)
		for i := range threads {
			p := &interpreter{tid: int32(i), scopes: []map[string]*cell{{"in": {words: in}, "out": {words: want}, "n": {i: int32(threads)}}}}
			p.block(m.Kernels[0].Body)
		}
		got := execute(t, m, src, in, threads)
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("thread %d leaves %d in word %d, want %d\n%s", i/outputs, got[i], i%outputs, want[i], src)
			}
		}
	})
}

// execute compiles a kernel and runs it in warps of four lanes.
func execute(t *rapid.T, m *Module, src string, in []int32, threads int) []int32 {
	must := func(err error) {
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
	}
	code, err := Compile(m)
	must(err)
	p, err := minisimt.Lower(code)
	must(err)
	k, err := isatest.Link(p, "k")
	must(err)
	g, err := cfg.Build(k)
	must(err)
	must(g.CheckSyncs())
	decoded, err := emu.Decode(k, g)
	must(err)
	mem := new(emu.Memory)
	from, err := mem.Alloc("in", 4*len(in))
	must(err)
	to, err := mem.Alloc("out", 4*threads*outputs)
	must(err)
	for i, n := range in {
		binary.LittleEndian.PutUint32(mem.Bytes(from)[4*i:], uint32(n))
	}
	var params []byte
	for _, n := range []int{int(from), int(to), threads} {
		params = binary.LittleEndian.AppendUint32(params, uint32(n))
	}
	grid, err := emu.NewGrid(decoded, emu.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{threads, 1, 1}, Params: params}, mem, 4)
	must(err)
	_, err = emu.Run(context.Background(), grid)
	must(err)
	out := make([]int32, threads*outputs)
	for i := range out {
		out[i] = int32(binary.LittleEndian.Uint32(mem.Bytes(to)[4*i:]))
	}
	return out
}
