package emu

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/isa/ptx"
	"warpbound/internal/test/isatest"
)

// compiled runs a kernel of one of the compiled modules on 64 threads with a
// buffer of 128 words as its first argument.
func compiled(t *testing.T, file, kernel string, width int, out *bytes.Buffer, more ...byte) ([]int32, error) {
	t.Helper()
	k := linked(t, "testdata/"+file, kernel)
	code := decode(t, k)
	mem := new(Memory)
	buffer, err := mem.Alloc("out", 512)
	if err != nil {
		t.Fatal(err)
	}
	launch := Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{64, 1, 1}, Params: append(binary.LittleEndian.AppendUint64(nil, buffer), more...)}
	if out != nil {
		launch.Out = out
	}
	g, err := NewGrid(code, launch, mem, width)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Run(context.Background(), g)
	words := make([]int32, 128)
	for i := range words {
		words[i] = int32(binary.LittleEndian.Uint32(mem.Bytes(buffer)[4*i:]))
	}
	if mem.heap != 0 {
		t.Errorf("%d bytes of the heap are left", mem.heap)
	}
	return words, err
}

// linked reads a kernel of a module.
func linked(t *testing.T, file, kernel string) *isa.Kernel {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ptx.Parse(file, src)
	if err != nil {
		t.Fatal(err)
	}
	p, err := ptx.Lower(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := isatest.Link(p, kernel)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestCalls runs calls by address and recursive functions against the same in Go.
func TestCalls(t *testing.T) {
	var fib, even, down func(int) int
	fib = func(n int) int {
		if n < 2 {
			return n
		}
		return fib(n-1) + fib(n-2)
	}
	even = func(n int) int { return 1 - n%2 }
	down = func(n int) int {
		if n <= 0 {
			return 100
		}
		return down(n-3) + 1
	}
	var ackermann func(m, n int) int
	ackermann = func(m, n int) int {
		switch {
		case m == 0:
			return n + 1
		case n == 0:
			return ackermann(m-1, 1)
		}
		return ackermann(m-1, ackermann(m, n-1))
	}
	var weave func(a, b int, sum *int) int
	weave = func(a, b int, sum *int) int {
		mine := [4]int{a, b, a - b, 0}
		if a > 0 {
			x := weave(b, a-1, &mine[a&3])
			mine[3] = x
		}
		*sum += mine[a&3] + mine[3]
		return mine[0]*3 + mine[1] - mine[2]
	}
	for _, file := range []string{"calls.O0.ptx", "calls.O2.ptx"} {
		for _, width := range []int{1, 7, 32} {
			t.Run(fmt.Sprint(file, width), func(t *testing.T) {
				got, err := compiled(t, file, "_Z8pointersPi", width, nil)
				if err != nil {
					t.Fatal(err)
				}
				for i := range 64 {
					op := [3]int{i + 10, i * 10, i - 10}[i%3] + 1000*[2]int{i - 5, i + 5}[i%2] + 100000*[2]int{2 * i, i * i}[i%2]
					if int(got[i]) != op {
						t.Fatalf("pointers: thread %d gives %d, want %d", i, got[i], op)
					}
				}
				if got, err = compiled(t, file, "_Z9recursionPi", width, nil); err != nil {
					t.Fatal(err)
				}
				for i := range 64 {
					if want := fib(i%11) + 100*even(i) + 1000*ackermann(i%3, i%4); int(got[i]) != want {
						t.Fatalf("recursion: thread %d gives %d, want %d", i, got[i], want)
					}
					sum := 0
					woven := weave(i%7, i%4, &sum)
					if want := woven + 1000*sum + 1000000*down(i%20); int(got[64+i]) != want {
						t.Fatalf("recursion: thread %d gives %d then, want %d", i, got[64+i], want)
					}
				}
				_, err = compiled(t, file, "_Z10bottomlessPi", width, nil)
				if err == nil || !strings.Contains(err.Error(), "needs more than the 8192 bytes of a thread's call stack") {
					t.Errorf("endless recursion: %v", err)
				}
			})
		}
	}
}

func TestPrintedText(t *testing.T) {
	var out bytes.Buffer
	words, err := compiled(t, "system.ptx", "_Z5printPif", 32, &out, 0, 0, 0xa0, 0x3f) // 1.25
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for warp := range 2 {
		for i := warp*32 + 1; i < warp*32+32; i += 2 {
			fmt.Fprintf(&want, "thread %d says \"hello\": %6.2f %s 10000000000 %%\n", i, 1.25*float64(i), string([]byte{byte('a' + i)}))
		}
		if warp == 0 {
			want.WriteString("plain\n")
		}
	}
	if out.String() != want.String() {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want.String())
	}
	if words[0] != 0 || words[1] != 5 || words[63] != 5 {
		t.Errorf("printf returned %d", words[:64])
	}
}

func TestHeap(t *testing.T) {
	words, err := compiled(t, "system.ptx", "_Z4heapPi", 32, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 64 {
		n := i%5 + 1
		if want := n*i + n*(n-1)/2; int(words[i]) != want {
			t.Fatalf("thread %d gives %d, want %d", i, words[i], want)
		}
	}
	var m Memory
	var all []uint64
	for range 4 {
		all = append(all, m.malloc(HeapBytes/4))
	}
	if m.malloc(1) != 0 || m.malloc(0) != 0 || all[3] == 0 {
		t.Error("the heap has not the bytes that it should have")
	}
	for _, c := range []struct {
		addr uint64
		want string
	}{
		{all[1], ""}, {0, ""}, {all[1], "a second time"}, {all[2] + 16, "none that malloc returned"}, {5, "none that malloc"}, {1 << 40, "none that malloc"},
	} {
		if err := m.free(c.addr); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("free(0x%x): %v, want %q", c.addr, err, c.want)
		}
	}
	if at := m.malloc(HeapBytes / 4); at == 0 || at == all[1] {
		t.Errorf("malloc after free gives 0x%x", at)
	}
	s := scenario{vars: ".extern .func (.param .b64 r) malloc(.param .b64 n); .extern .func free(.param .b64 p);", body: `
{ .param .b64 n; .param .b64 p; st.param.b64 [n], 8; call (p), malloc, (n); ld.param.b64 %rd2, [p];
st.global.u32 [%rd2+4], %r0; call free, (p); ld.global.u32 %r1, [%rd2]; ret; }`}
	s.expectError(t, ErrOutOfBounds, "an object of the heap that was freed")
}

func TestAssertion(t *testing.T) {
	_, err := compiled(t, "system.ptx", "_Z5checkPi", 32, nil)
	var fault *Fault
	if !errors.As(err, &fault) || !errors.Is(err, ErrAssert) {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{"system.ptx:248:2: ", "thread (4,0,0): call __assertfail, (", "i < out[0], at system.cu:43 in check"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	// One that holds does not keep lanes from reconverging in front of a barrier.
	s := scenario{vars: ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);", body: `
setp.lt.u32 %p0, %r0, 4; @%p0 bra join;
setp.lt.u32 %p1, %r0, 100; @%p1 bra fine;
call __assertfail, (0, 0, 0, 0, 0); exit;
fine: st.global.u32 [%rd1], %r0;
join: bar.sync 0; ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, 100; st.global.u32 [%rd1], %r1; ret;`}
	s.expect(t, func(tid int) uint32 {
		if tid < 4 {
			return 100
		}
		return uint32(tid + 100)
	})
}

// TestPrintf compares conversions with what C prints.
func TestPrintf(t *testing.T) {
	for _, c := range []struct {
		format string
		args   []any
		want   string
	}{
		{"%d|%5d|%-5d|%05d|%+d|% d", []any{int32(-7), int32(42), int32(42), int32(-42), int32(42), int32(42)}, "-7|   42|42   |-0042|+42| 42"},
		{"%.3d|%8.3d|%.0d|%i", []any{int32(7), int32(-7), int32(0), int32(-2147483648)}, "007|    -007||-2147483648"},
		{"%u|%x|%X|%#x|%#X|%#x|%o|%#o", []any{int32(-1), int32(-1), int32(255), int32(255), int32(255), int32(0), int32(8), int32(8)},
			"4294967295|ffffffff|FF|0xff|0XFF|0|10|010"},
		{"%+u|%+x|%08x|%-8x|", []any{int32(7), int32(7), int32(7), int32(7)}, "7|7|00000007|7       |"},
		{"%lld|%llu|%ld|%lu|%hd|%hhu|%zu", []any{int64(-1), int64(-1), int64(-2), int64(3), int32(65537), int32(257), int64(9)},
			"-1|18446744073709551615|-2|3|1|1|9"},
		{"%*d|%-*d|%.*f|%*d", []any{int32(4), int32(1), int32(4), int32(2), int32(1), 2.55, int32(-3), int32(5)}, "   1|2   |2.5|5  "},
		{"%f|%.2f|%8.1f|%-8.1f|%08.2f|%+.0f|%#.0f", []any{1.5, -2.345, 3.25, 3.25, -3.14159, 2.0, 2.0}, "1.500000|-2.35|     3.2|3.2     |-0003.14|+2|2."},
		{"%e|%.0e|%E|%.3e", []any{12345.678, 5.0, 1e-10, 0.0}, "1.234568e+04|5e+00|1.000000E-10|0.000e+00"},
		{"%g|%g|%g|%g|%G|%.3g|%#g|%g", []any{100000.0, 1e6, 0.0001, 0.00001, 1e-10, 1234.5, 1.5, 0.1}, "100000|1e+06|0.0001|1e-05|1E-10|1.23e+03|1.50000|0.1"},
		{"%a|%.1a|%A|%a", []any{1.5, 1.0, 10.0, 0.5}, "0x1.8p+0|0x1.0p+0|0X1.4P+3|0x1p-1"},
		{"%c%c|%3c|%-3c|", []any{int32('a'), int32(0x141), int32('b'), int32('c')}, "aA|  b|c  |"},
		{"%s|%6s|%-6s|%.2s", []any{"text", "text", "text", "text"}, "text|  text|text  |te"},
		{"%p|%p", []any{int64(0x1234), int64(0)}, "0x1234|(nil)"},
		{"100%%|%q|%", []any{int32(1)}, "100%|%q|%"},
		{"no arguments\n", nil, "no arguments\n"},
	} {
		if got, n := printed(t, c.format, c.args); got != c.want {
			t.Errorf("%q on %v gives %q, want %q", c.format, c.args, got, c.want)
		} else if c.args == nil && n != 0 {
			t.Errorf("%q has %d arguments", c.format, n)
		}
	}
}

// printed prints with arguments laid out as a compiler does.
func printed(t *testing.T, format string, args []any) (string, int) {
	t.Helper()
	mem := new(Memory)
	str := func(s string) uint64 {
		at, err := mem.Alloc("string", len(s)+1)
		if err != nil {
			t.Fatal(err)
		}
		copy(mem.Bytes(at), s)
		return at
	}
	var data []byte
	for _, a := range args {
		if text, ok := a.(string); ok {
			a = str(text)
		}
		if n := binary.Size(a); len(data)%n != 0 {
			data = append(data, make([]byte, n-len(data)%n)...)
		}
		data, _ = binary.Append(data, binary.LittleEndian, a)
	}
	list := str(string(data))
	s := scenario{body: "ret;"}
	var out bytes.Buffer
	g, err := NewGrid(decode(t, s.kernel(t)), Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}, Params: make([]byte, 8), Out: &out}, mem, 32)
	if err != nil {
		t.Fatal(err)
	}
	var cta CTA
	g.StartCTA(&cta, 0)
	n, err := cta.Warps[0].print(0, str(format), list)
	if err != nil {
		t.Errorf("%q: %v", format, err)
	}
	return out.String(), n
}
