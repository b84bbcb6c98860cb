package minisimt

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound/diag"
	"warpbound/internal/isa"
	"warpbound/internal/test/isatest"
)

const triangleSum = "../../../kernels/triangleSum/triangleSum.simt"

// body is a kernel with some variables and the given instructions.
func body(code string) string {
	return "kernel k(float* v, int n)\nint a, b\nfloat x, y\nbool p, q\nint* s\nfloat* t\n" + code
}

// everything has an instruction of each kind on each of its types.
const everything = `const a = -5
const x = 1.5
const x = 2
const x = a
const a = x
const p = 1
const t = v
const q = p
binop a = Tid + 1
binop a = a - Ntid
binop a = a * b
binop a = a / Ctaid
binop a = a % Nctaid
binop a = a & 0xff
binop a = a | b
binop a = a ^ b
binop a = a << 2
binop a = a >> 1
binop p = a < n
binop p = a <= b
binop p = x > y
binop p = 1 >= y
binop p = x == 0.1
binop p = a != b
binop q = p & q
binop q = p | 0
binop q = 1 ^ q
binop x = x + y
binop x = 1 - y
binop x = x * 1e-20
binop x = x / y
binop a = p * 7
binop x = p * y
binop t = v + a
binop s = s + 3
load x = t
store t = 3
store s = a
barrier 0, Ntid
bz p, 43
bnz a, 42
jump 42
sync
sync
`

func parse(t testing.TB, src string) *Module {
	t.Helper()
	m, err := Parse("k.simt", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestTriangleSum checks the layout that the paper states for its example.
func TestTriangleSum(t *testing.T) {
	src, err := os.ReadFile(triangleSum)
	if err != nil {
		t.Fatal(err)
	}
	m := parse(t, string(src))
	if !bytes.Contains(src, Print(m)) {
		t.Errorf("the kernel prints as\n%s", Print(m))
	}
	k := m.Kernels[0]
	want := map[int]Opcode{108: Bz, 110: Bnz, 112: Sync, 114: Bz, 116: Load, 118: Sync, 119: Barrier, 122: Jump}
	targets := map[int]int{110: 112, 114: 118, 122: 107}
	for at := k.Start; at < 123; at++ {
		in := k.Code[at-k.Start]
		if special := in.Op != Binop && in.Op != Const; special && want[at] != in.Op || targets[at] > 0 && targets[at] != in.Target {
			t.Errorf("%d: %s", at, &in)
		}
	}
	if exit := k.Code[108-k.Start].Target; k.Start != 100 || exit != 123 {
		t.Errorf("the code starts at %d, the loop leaves to %d", k.Start, exit)
	}
}

// checkRoundTrip checks that what is printed parses to the same.
func checkRoundTrip(t *testing.T, m *Module) {
	t.Helper()
	text := Print(m)
	again, err := Parse(m.File, text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if !bytes.Equal(text, Print(again)) || len(m.Kernels) != len(again.Kernels) {
		t.Fatalf("printed again\n%s\nis\n%s", text, Print(again))
	}
	for i, k := range m.Kernels {
		l := again.Kernels[i]
		if k.Name != l.Name || k.Start != l.Start || len(k.Params) != len(l.Params) || len(k.Vars) != len(l.Vars) || len(k.Code) != len(l.Code) {
			t.Fatalf("kernel %d differs in\n%s", i, text)
		}
		for j, in := range k.Code {
			other := l.Code[j]
			for _, p := range []*diag.Pos{&in.Pos, &in.A.Pos, &in.B.Pos, &other.Pos, &other.A.Pos, &other.B.Pos} {
				*p = diag.Pos{}
			}
			if in != other {
				t.Fatalf("%s reads back as %s", &in, &other)
			}
		}
	}
}

func TestRoundTrip(t *testing.T) {
	m := parse(t, body(everything)+"kernel l()\n")
	checkRoundTrip(t, m)
	if _, err := Lower(m); err != nil {
		t.Error(err)
	}
}

// TestLower checks one instruction for each of the machine's and an exit behind them.
func TestLower(t *testing.T) {
	m := parse(t, "kernel k(int* v, int n)\nint a\nint* t\nbool p\n"+
		"7: binop a = Tid + n\nbinop t = v + a\nstore t = 1\nbinop p = a < 3\nbz p, 13\nbnz a, 7\nsync\n")
	p, err := Lower(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := isatest.Link(p, "k")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range k.Instrs {
		k.Instrs[i].Text = ""
		got = append(got, k.Labels[i].Name+" "+k.Format(&k.Instrs[i]))
	}
	want := []string{
		"7 add.s32 a, %tid.x, n", "8 mad.s32 t, a, 0x4, v", "9 st.global.s32 [t], 0x1", "10 setp.lt.s32 p, a, 0x3",
		"11 @!p bra 13", "12 @a bra 7", "13 sync", "14 exit",
	}
	if d := cmp.Diff(want, got); d != "" || k.Reconvergence != isa.AtSyncs {
		t.Error(d)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"", "k.simt:1:1: the module has no kernel; one begins with: kernel NAME(int n)"},
		{"kernel 3()", "k.simt:1:8: want the name of a kernel, not '3'"},
		{"kernel k(int n", "k.simt:1:15: want ',', not the end of the file"},
		{"kernel k(long n)", "k.simt:1:10: want a type (int, float, bool, int*, float*), not 'long'"},
		{"kernel k(bool* n)", "k.simt:1:14: there are no pointers to bool: memory holds int and float"},
		{"kernel k()\nint sync", "k.simt:2:5: 'sync' cannot be the name of a variable: the word is reserved"},
		{"kernel k()\nint a b", "k.simt:2:7: want the end of the line, not 'b'"},
		{body("add a"), "k.simt:7:1: want an instruction (bz, bnz, jump, store, load, binop, const, sync, barrier), not 'add'"},
		{body("binop a = a ? b"), "k.simt:7:13: want an operator such as + or <=, not '?'"},
		{body("binop a = a +"), "k.simt:7:14: want a variable or a number, not the end of the file"},
		{body("const a = 4294967296"), "k.simt:7:11: 4294967296 is no integer of 32 bits, decimal or 0x and hexadecimal"},
		{body("const a = 010"), "k.simt:7:11: 010 is no integer of 32 bits, decimal or 0x and hexadecimal"},
		{body("const x = -1e99"), "k.simt:7:12: -1e99 is beyond the range of float"},
		{body("100: sync\n102: sync"), "k.simt:8:1: address 102 where 101 follows"},
		{body("99999999: sync"), "k.simt:7:1: want an address from 0 to 16777216, not '99999999'"},
		{body("jump top"), "k.simt:7:6: want an address from 0 to 16777216, not 'top'"},
		{body("sync sync"), "k.simt:7:6: want the end of the line, not 'sync'"},
		{body("7: sync\njump 10"), "k.simt:8:1: there is no address 10: kernel k has 7 to 8, and 9 is its end"},
		{body("const z = 1"), "k.simt:7:1: z is not declared"},
		{body("const a = z"), "k.simt:7:11: z is not declared"},
		{body("const n = 1"), "k.simt:7:1: parameter n cannot be assigned to; copy it into a variable"},
		{body("const a = 1.5"), "k.simt:7:11: the number 1.5 is no int"},
		{body("const p = 2"), "k.simt:7:11: the number 2 is no bool"},
		{body("const a = p"), "k.simt:7:11: p is bool; want int"},
		{body("binop a = a + x"), "k.simt:7:1: int + float has no meaning; const converts between int and float"},
		{body("binop a = a < b"), "k.simt:7:1: a is int; a < b is bool"},
		{body("binop x = x % y"), "k.simt:7:1: float % float has no meaning; const converts between int and float"},
		{body("bz x, 0"), "k.simt:7:4: x is float; a branch tests int or bool"},
		{body("bz 1, 0"), "k.simt:7:4: want a variable, not the number 1"},
		{body("bz n, 0"), "k.simt:7:4: n does not change; a branch tests a variable that the kernel declares"},
		{body("load a = t"), "k.simt:7:1: a is int; t points to float"},
		{body("load a = b"), "k.simt:7:10: b is int, no pointer"},
		{body("load x = v"), "k.simt:7:10: parameter v is in no variable; copy it into one first, as in: const a = v"},
		{body("store t = a"), "k.simt:7:11: a is int; want float"},
		{"kernel k(int a)\nint a", "k.simt:2:5: a is declared twice"},
		{"kernel k(bool a)", "k.simt:1:15: parameter a is a truth value; pass an int"},
		{"kernel k()\nkernel k()", "k.simt:2:1: there are two kernels k"},
	} {
		m, err := Parse("k.simt", []byte(c.src))
		if err == nil {
			_, err = Lower(m)
		}
		if err == nil || err.Error() != c.want {
			t.Errorf("%q: %v\nwant %s", c.src, err, c.want)
		}
	}
}

// TestTables checks that every operator of the language has a rule and is read.
func TestTables(t *testing.T) {
	for _, o := range Operators() {
		if !slices.ContainsFunc(rules, func(r rule) bool { return r.operator == o }) {
			t.Errorf("there is no rule for %s", o)
		}
	}
	for op := Bz; op < numOpcodes; op++ {
		if !Reserved(op.String()) || !strings.Contains(everything, op.String()) {
			t.Errorf("%s is not reserved or not tested", op)
		}
	}
	for _, name := range Specials() {
		if _, ok := specials[name]; !ok {
			t.Errorf("%s is not lowered", name)
		}
	}
}

// FuzzParse checks that any input gives a module or an error, that a module survives
// being printed, and that it lowers to a program whose kernels link, or gives an error.
func FuzzParse(f *testing.F) {
	src, err := os.ReadFile(triangleSum)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(src)
	f.Add([]byte(body(everything)))
	f.Fuzz(func(t *testing.T, src []byte) {
		m, err := Parse("k.simt", src)
		if (m == nil) != (err != nil) {
			t.Fatalf("module %v with error %v", m, err)
		}
		if err != nil {
			return
		}
		checkRoundTrip(t, m)
		p, err := Lower(m)
		if (p == nil) != (err != nil) {
			t.Fatalf("program %v with error %v", p, err)
		}
		if err != nil {
			return
		}
		for _, e := range p.Entries() {
			if _, err := isatest.Link(p, e.Name); err != nil {
				t.Fatal(err)
			}
		}
	})
}
