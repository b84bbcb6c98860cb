package klang

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"warpbound/internal/isa/minisimt"
	"warpbound/internal/test/goldentest"
	"warpbound/internal/test/isatest"
)

const suite = "../../../kernels/triangleSum/triangleSum"

func compile(t testing.TB, src string) *minisimt.Module {
	t.Helper()
	m, err := Parse("k.kernel", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	code, err := Compile(m)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// TestTriangleSum compiles Listing 1. The machine code has the addresses and branches that
// the paper states: minisimt has a test for that.
func TestTriangleSum(t *testing.T) {
	src, err := os.ReadFile(suite + ".kernel")
	if err != nil {
		t.Fatal(err)
	}
	got := minisimt.Print(compile(t, string(src)))
	goldentest.Check(t, suite+".simt", string(got))
}

// TestCompile checks the code of single statements.
func TestCompile(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"operators", "int a = n + 2 * -3; a -= 1; a++; a = a;",
			"binop t1 = 2 * -3; binop t2 = n + t1; const a = t2; binop a = a - 1; binop a = a + 1; const a = a"},
		{"unary", "int a = -n; a = ~a; a = !a; a = +n;",
			"binop t1 = 0 - n; const a = t1; binop t2 = a ^ -1; const a = t2; binop t3 = a != 0; binop t4 = t3 ^ 1; binop t5 = t4 * 1; const a = t5; const a = n"},
		{"types", "float x = n; int a = x; x = x * n; x = n < 2; a += 1.5; x += n; a = (int)x + (float)n; x = -x;",
			"const x = n; const a = x; const t1 = n; binop t2 = x * t1; const x = t2; binop t3 = n < 2; binop t4 = t3 * 1.0; const x = t4; const t5 = a; binop t6 = t5 + 1.5; const a = t6; const t7 = n; binop x = x + t7; const t8 = x; const t9 = t8; const t10 = n; binop t11 = t9 + t10; const a = t11; binop t12 = x * -1.0; const x = t12"},
		{"elements", "v[n] = 1; v[Tid] += v[n + 1]; w[0]++;", "binop t1 = v + n; store t1 = 1.0; binop t2 = v + Tid; load t3 = t2; binop t4 = n + 1; binop t5 = v + t4; load t6 = t5; binop t7 = t3 + t6; store t2 = t7; binop t8 = w + 0; load t9 = t8; binop t10 = t9 + 1; store t8 = t10"},
		{"if", "if (n) ; else w[0] = 1;", "const t1 = n; bz t1, 103; jump 105; binop t2 = w + 0; store t2 = 1; sync"},
		{"conditions", "int a = 1; if (a != 0) { } if (!(a == 0)) { } if (!a) { } if (v[0]) { }",
			"const a = 1; bz a, 102; sync; bz a, 104; sync; bnz a, 106; sync; binop t1 = v + 0; load t2 = t1; binop t3 = t2 != 0.0; bz t3, 111; sync"},
		{"logic", "int a = n > 1 && n; a = n || w[n] < 3;",
			"binop t1 = n > 1; binop t2 = n != 0; binop t3 = t1 & t2; binop t4 = t3 * 1; const a = t4; binop t5 = n != 0; const t6 = t5; bnz t6, 112; binop t7 = w + n; load t8 = t7; binop t9 = t8 < 3; const t6 = t9; sync; binop t10 = t6 * 1; const a = t10"},
		{"scopes", "int a = 1; { int a = 2; w[a] = a; } for (int a = 3; a < 4; a++) w[a] = 0; w[a] = a;",
			"const a = 1; const a_2 = 2; const a_3 = 3; binop t1 = w + a_2; store t1 = a_2; binop t2 = a_3 < 4; bz t2, 111; binop t3 = w + a_3; store t3 = 0; binop a_3 = a_3 + 1; jump 105; sync; binop t4 = w + a; store t4 = a"},
		{"invariants", "int a = 0; while (a < n * 2) { int b = n * 2 + Tid; for (int i = 0; i < a * 2; i++) b += a * 2; a += b; }",
			"const a = 0; binop t1 = n * 2; binop t2 = n * 2; binop t3 = t2 + Tid; binop t4 = a < t1; bz t4, 117; const i = 0; const b = t3; binop t5 = a * 2; binop t6 = i < t5; bz t6, 114; binop b = b + t5; binop i = i + 1; jump 109; sync; binop a = a + b; jump 104; sync"},
		{"parameters", "n = n + 1; __syncthreads(); float* p = v + 1; p[n] = 0; p = p - n;",
			"const n_2 = n; binop t1 = n_2 + 1; const n_2 = t1; barrier 0, Ntid; binop t2 = v + 1; const p = t2; binop t3 = p + n_2; store t3 = 0.0; binop t4 = 0 - n_2; binop t5 = p + t4; const p = t5"},
		{"order", "int a = n + 1; int b = 3; b = a; b = 4;", "const b = 3; binop t1 = n + 1; const a = t1; const b = a; const b = 4"},
		{"names", "int load = 1; int t1 = load + 2;", "const load_2 = 1; binop t1_2 = load_2 + 2; const t1 = t1_2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := compile(t, "__kernel k(float* v, int* w, int n) { "+c.src+" }")
			if _, err := minisimt.Lower(m); err != nil {
				t.Fatalf("%v\n%s", err, minisimt.Print(m))
			}
			var got []string
			for i := range m.Kernels[0].Code {
				got = append(got, m.Kernels[0].Code[i].String())
			}
			if text := strings.Join(got, "; "); text != c.want {
				t.Errorf("got\n%s\nwant\n%s", text, c.want)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"", "k.kernel:1:1: the module has no kernel; one begins with: __kernel NAME(int n) {"},
		{"kernel k() { }", "k.kernel:1:1: want '__kernel', not 'kernel'"},
		{"__kernel k(int) { }", "k.kernel:1:15: want the name of a parameter, not ')'"},
		{"__kernel k(double x) { }", "k.kernel:1:12: want a type (int, float, int*, float*), not 'double'"},
		{"__kernel k() {", "k.kernel:1:15: want the name of a variable, not the end of the file"},
		{"__kernel k() { if ((1 == 0) ; }", "k.kernel:1:29: want ')', not ';'"},
		{"__kernel k() { int Tid; }", "k.kernel:1:20: 'Tid' cannot be the name of a variable: the word is reserved"},
		{"__kernel k() { return; }", "k.kernel:1:16: the language has no return: loops are while and for, and lanes leave them by their conditions"},
		{"__kernel k() { for (;;) ; }", "k.kernel:1:22: a loop needs a condition by which lanes leave it"},
		{"__kernel k() { for (int i = 0, j = 0; i < 1; ) ; }", "k.kernel:1:32: a loop declares one variable; declare others before it"},
		{"__kernel k() { for (; 1; int i) ; }", "k.kernel:1:26: want an assignment, not 'int'"},
		{"__kernel k() { int a = f(1); }", "k.kernel:1:24: there are no functions to call but _syncthreads()"},
		{"__kernel k() { int a; a <= 1; }", "k.kernel:1:25: want an assignment, not '<='"},
		{"__kernel k() { int a = ; }", "k.kernel:1:24: want an expression, not ';'"},
		{"__kernel k() { int a = 99999999999; }", "k.kernel:1:24: 99999999999 is no integer of 32 bits, decimal or 0x and hexadecimal"},
		{"__kernel k() { a = 1; }", "k.kernel:1:16: a is not declared"},
		{"__kernel k() { { int a; } int b = a; }", "k.kernel:1:35: a is not declared"},
		{"__kernel k() { int a, a; }", "k.kernel:1:23: a is declared twice"},
		{"__kernel k(float x) { int a = x % 2; }", "k.kernel:1:33: float % int has no meaning"},
		{"__kernel k(float x) { int a = ~x; }", "k.kernel:1:31: ~ cannot be applied to float"},
		{"__kernel k(int* v) { int a = v; }", "k.kernel:1:30: the value is int*; want int"},
		{"__kernel k(int* v) { if (v) ; }", "k.kernel:1:26: the condition is int*; want a number"},
		{"__kernel k(int* v) { v[1.5] = 1; }", "k.kernel:1:24: the index is float; want int"},
		{"__kernel k(int n) { n[0] = 1; }", "k.kernel:1:22: what the index is applied to is int, no pointer"},
		{"__kernel k(int* v) { v[0] = v * 2; }", "k.kernel:1:31: int* * int has no meaning"},
		{"__kernel k() { } __kernel k() { }", "k.kernel:1:18: there are two kernels k"},
		{"__kernel sync() { }", "k.kernel:1:1: sync cannot be the name of a kernel: the word is reserved in machine code"},
		{"__kernel k() { int a = " + strings.Repeat("(", 501) + "1; }", "k.kernel:1:523: statements or expressions are nested more than 500 deep"},
		{"__kernel k() { int a = 1" + strings.Repeat("+1", 501) + "; }", "k.kernel:1:1022: statements or expressions are nested more than 500 deep"},
	} {
		m, err := Parse("k.kernel", []byte(c.src))
		if err == nil {
			_, err = Compile(m)
		}
		if err == nil || err.Error() != c.want {
			t.Errorf("%.80s: %v\nwant %s", c.src, err, c.want)
		}
	}
}

// FuzzCompile checks that any input gives machine code or an error, and that machine code
// lowers and survives being printed.
func FuzzCompile(f *testing.F) {
	src, err := os.ReadFile(suite + ".kernel")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(src)
	f.Add([]byte("__kernel void k(float* v, int n) { int a = n++; while (a < 3 && v[a] || !n) { v[a] *= -1.5f; --a; } __syncthreads(); }"))
	f.Fuzz(func(t *testing.T, src []byte) {
		m, err := Parse("k.kernel", src)
		if (m == nil) != (err != nil) {
			t.Fatalf("module %v with error %v", m, err)
		}
		if err != nil {
			return
		}
		code, err := Compile(m)
		if (code == nil) != (err != nil) {
			t.Fatalf("code %v with error %v", code, err)
		}
		if err != nil {
			return
		}
		text := minisimt.Print(code)
		again, err := minisimt.Parse("k.simt", text)
		if err != nil || !bytes.Equal(text, minisimt.Print(again)) {
			t.Fatalf("error %v in\n%s", err, text)
		}
		p, err := minisimt.Lower(code)
		if err != nil {
			t.Fatalf("error %v in\n%s", err, text)
		}
		for _, e := range p.Entries() {
			if _, err := isatest.Link(p, e.Name); err != nil {
				t.Fatal(err)
			}
		}
	})
}
