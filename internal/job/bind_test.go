package job

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound/diag"
	"warpbound/internal/isa"
)

func inModule(line int32) diag.Pos { return diag.Pos{File: "dir/m.ptx", Line: line, Col: 2} }

// kernel has parameters of all kinds and a function expanded twice.
func kernel() *isa.Kernel {
	k := &isa.Kernel{
		Name: "k", File: "dir/m.ptx", AddressBits: 64, Pos: inModule(1),
		Params: []isa.Var{
			{Name: "k_0", Type: isa.U64, Bytes: 8, Offset: 0, Pos: inModule(2)},
			{Name: "k_1", Type: isa.U32, Bytes: 4, Offset: 8, Pos: inModule(3)},
			{Name: "k_2", Type: isa.B8, Bytes: 6, Offset: 12, Pos: inModule(4)},
			{Name: "k_3", Type: isa.B16, Bytes: 2, Offset: 20, Pos: inModule(5)},
			{Name: "k_4", Type: isa.U64, Bytes: 8, Offset: 24, Pos: inModule(6)},
		},
		Vars: []isa.Var{
			{Name: "tile", Space: isa.Shared, Type: isa.B8, Bytes: 4, Pos: inModule(7)},
			{Name: "table", Space: isa.Const, Type: isa.F32, Bytes: 8, Pos: inModule(8)},
			{Name: "blob", Space: isa.Global, Type: isa.B8, Bytes: 4, Pos: inModule(9)},
		},
		Labels: []isa.Label{
			{Name: "$L1", Index: 2, Pos: inModule(22)},
			{Name: "f@1.$F", Index: 3, Pos: inModule(31)},
			{Name: "f@2.$F", Index: 5, Pos: inModule(31)},
			{Name: "$END", Index: 8, Pos: inModule(29)},
		},
	}
	for _, line := range []int32{20, 21, 23, 32, 33, 32, 33, 28} {
		k.Instrs = append(k.Instrs, isa.Instr{Op: isa.Nop, Pos: inModule(line)})
	}
	return k
}

const fitting = head + `[[param]]
name = "x"
type = "f32"
count = 2
[[param]]
name = "n"
type = "s32"
value = -2
[[param]]
name = "s"
type = "u8"
bytes = 6
hex = "010203040506"
[[param]]
name = "h"
type = "f16"
value = 1
[[param]]
name = "l"
type = "shared"
count = 16
`

func bind(t *testing.T, src string, k *isa.Kernel) (*Bound, error) {
	t.Helper()
	j, err := Parse("j", []byte(src), nil)
	if err != nil {
		t.Fatal(err)
	}
	return j.Bind(k)
}

func TestBind(t *testing.T) {
	b, err := bind(t, fitting+`
[[symbol]]
name = "table"
type = "f32"
values = [1, 2]
[[symbol]]
name = "blob"
type = "u32"
values = [7]
[loop]
"$L1" = 5
"$F" = 6
"m.ptx:22" = 7
[[fact]]
sum = {"$F" = 2, "entry+1" = -1}
min = 3
[split]
branches = ["$F", "$L1"]
`, kernel())
	if err != nil {
		t.Fatal(err)
	}
	block := b.ParamBlock(nil, b.Inputs(0), func(p int) uint64 { return 0x1122334455667700 + uint64(p) })
	if got, want := hex.EncodeToString(block), "0077665544332211"+"feffffff"+"010203040506"+"0000"+"003c"+"0000"+"0477665544332211"; got != want {
		t.Errorf("parameter block\n got %s\nwant %s", got, want)
	}
	three := int64(3)
	pos := func(line, col int32) diag.Pos { return diag.Pos{File: "j", Line: line, Col: col} }
	want := &Bound{
		Job: b.Job, Kernel: b.Kernel, ParamBytes: 32,
		Symbols: []BoundSymbol{{1, b.Job.Symbols[0].Data}, {2, b.Job.Symbols[1].Data}},
		Loops:   []BoundLoop{{Instrs: []int{2}, Bound: 5, Pos: pos(35, 1)}, {Instrs: []int{3, 5}, Bound: 6, Pos: pos(36, 1)}, {Instrs: []int{2}, Bound: 7, Pos: pos(37, 1)}},
		Facts:   []BoundFact{{Sum: []BoundTerm{{Instr: 3, Coef: 2}, {Instr: 5, Coef: 2}, {Instr: 1, Coef: -1}}, Min: &three, Pos: pos(38, 3)}},
		Branches: []BoundBranch{
			{Place: Place{Label: "$F"}, Instrs: []int{3, 5}},
			{Place: Place{Label: "$L1"}, Instrs: []int{2}},
		},
	}
	if diff := cmp.Diff(want, b); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestMoved moves every instruction by its own distance.
func TestMoved(t *testing.T) {
	const notes = "[loop]\n'$F' = 6\n[[fact]]\nsum = {'$L1' = 2, 'entry+1' = -1}\nmin = 3\n[split]\nbranches = ['$F']\n"
	b, err := bind(t, fitting+notes, kernel())
	if err != nil {
		t.Fatal(err)
	}
	k := kernel()
	m := b.Moved(k, []int{0, 2, 4, 6, 8, 10, 12, 14})
	var sum []int
	for _, term := range m.Facts[0].Sum {
		sum = append(sum, term.Instr)
	}
	if m.Kernel != k || !slices.Equal(m.Loops[0].Instrs, []int{6, 10}) || !slices.Equal(sum, []int{4, 2}) || !slices.Equal(m.Branches[0].Instrs, []int{6, 10}) {
		t.Errorf("got %+v", m)
	}
	if again, err := bind(t, fitting+notes, b.Kernel); err != nil || cmp.Diff(again, b) != "" {
		t.Errorf("moving changes what it is given, error %v\n%s", err, cmp.Diff(again, b))
	}
}

func TestBindErrors(t *testing.T) {
	replace := func(old, text string) string {
		if !strings.Contains(fitting, old) {
			t.Fatalf("the job has no %q", old)
		}
		return strings.Replace(fitting, old, text, 1)
	}
	const number = "name = \"n\"\ntype = \"s32\"\nvalue = -2\n"
	for _, c := range []struct{ name, src, want string }{
		{"none", head, "j:1:1: parameter k_0 (dir/m.ptx:2:2) of kernel k has no [[param]]: the job has 0, the kernel 5; it needs a number of 64 bits (.u64) or a buffer"},
		{"one more", fitting + "[[param]]\nname = 'z'\ntype = 'u8'\nvalue = 0\n", `j:25:3: param "z" is one too many: kernel k (dir/m.ptx:1:2) has 5 parameters`},
		{"wide", replace("s32", "s64"), `j:8:3: param "n" is a number of type s64, but parameter k_1 (dir/m.ptx:3:2) of kernel k needs a number of 32 bits (.u32)`},
		{"float", replace("s32", "f32"), `param "n" is a number of type f32`},
		{"buffer", replace(number, "name = 'n'\ntype = 'u32'\ncount = 1\n"), `param "n" is a buffer of u32, but parameter k_1`},
		{"number for struct", replace("bytes = 6\nhex = \"010203040506\"", "value = 1"), `param "s" is a number of type u8, but parameter k_2 (dir/m.ptx:4:2) of kernel k needs a struct: type = "u8", bytes = 6`},
		{"struct size", replace("bytes = 6\nhex = \"01", "bytes = 5\nhex = \""), `param "s" is a struct of 5 bytes`},
		{"symbol", fitting + "[[symbol]]\nname = 'tile'\ntype = 'u8'\nhex = '00'\n", `j:25:3: kernel k uses no .const or .global variable "tile"; it uses table, blob`},
		{"symbol size", fitting + "[[symbol]]\nname = 'table'\ntype = 'f32'\nvalues = [1]\n", `j:25:3: symbol "table" has 4 bytes; the variable table (dir/m.ptx:8:2) has 8`},
		{"symbol type", fitting + "[[symbol]]\nname = 'table'\ntype = 'u32'\nvalues = [1, 2]\n", `symbol "table" has elements of type u32; the variable table (dir/m.ptx:8:2) has .f32`},
		{"label", fitting + "[loop]\nL1 = 1\n", `j:26:1: kernel k has no label "L1"; did you mean "$L1"? (it has no loop)`},
		{"offset", fitting + "[loop]\n'$L1+6' = 1\n", `kernel k has no label "$L1+6"`},
		{"end", fitting + "[loop]\n'$END' = 1\n", `kernel k has no label "$END"`},
		{"line", fitting + "[loop]\n99 = 1\n", `j:26:1: no instruction of kernel k stands at "99"; give a line of dir/m.ptx that holds one`},
		{"file", fitting + "[loop]\n'n.ptx:20' = 1\n", `no instruction of kernel k stands at "n.ptx:20"`},
		{"branch", fitting + "[split]\nbranches = ['$L1', 'L2']\n", `j:26:1: kernel k has no label "L2"; it has $L1, f@1.$F`},
		{"fact", fitting + "[[fact]]\nsum = {L1 = 1}\nmax = 1\n", `j:26:8: kernel k has no label "L1"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, err := bind(t, c.src, kernel())
			if err == nil || b != nil {
				t.Fatalf("no error: %+v", b)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %s\nwant %s", err, c.want)
			}
		})
	}
}

// TestClasses checks which numbers stand for which parameters.
func TestClasses(t *testing.T) {
	for _, c := range []struct {
		job  string
		fits []isa.Type
	}{
		{"u32", []isa.Type{isa.B32, isa.U32, isa.S32}},
		{"s32", []isa.Type{isa.B32, isa.U32, isa.S32}},
		{"f32", []isa.Type{isa.B32, isa.F32}},
		{"b32", []isa.Type{isa.B32, isa.U32, isa.S32, isa.F32}},
		{"f16", []isa.Type{isa.B16, isa.F16}},
		{"bf16", []isa.Type{isa.B16, isa.BF16}},
		{"u8", []isa.Type{isa.B8, isa.U8, isa.S8}},
	} {
		for _, typ := range valueTypes {
			k := &isa.Kernel{Name: "k", AddressBits: 64, Params: []isa.Var{{Name: "p", Type: typ, Bytes: typ.Bytes()}}}
			_, err := bind(t, head+"[[param]]\nname = 'p'\ntype = '"+c.job+"'\nvalue = 1\n", k)
			if want := slices.Contains(c.fits, typ); (err == nil) != want {
				t.Errorf("%s for .%s: %v", c.job, typ, err)
			}
		}
	}
}

func TestAddressWidth(t *testing.T) {
	const buffer, shared = "type = 'u8'\ncount = 1\n", "type = 'shared'\ncount = 1\n"
	for _, c := range []struct {
		bits int
		arg  string
		typ  isa.Type
		fits bool
	}{
		{64, buffer, isa.U64, true}, {64, buffer, isa.B64, true}, {64, buffer, isa.U32, false}, {64, buffer, isa.F64, false},
		{32, buffer, isa.U32, true}, {32, buffer, isa.U64, false},
		{64, shared, isa.U64, true}, {64, shared, isa.U32, true}, {64, shared, isa.U16, false},
		{32, shared, isa.U32, true}, {32, shared, isa.U64, false},
	} {
		k := &isa.Kernel{Name: "k", AddressBits: c.bits, Params: []isa.Var{{Name: "p", Type: c.typ, Bytes: c.typ.Bytes()}}}
		if _, err := bind(t, head+"[[param]]\nname = 'p'\n"+c.arg, k); (err == nil) != c.fits {
			t.Errorf("%d bits, .%s, %q: %v", c.bits, c.typ, c.arg, err)
		}
	}
}

func TestLaunchBounds(t *testing.T) {
	for _, c := range []struct {
		block  string
		bounds isa.LaunchBounds
		want   string
	}{
		{"[64]", isa.LaunchBounds{ReqNtid: [3]int{64}}, ""},
		{"[64]", isa.LaunchBounds{ReqNtid: [3]int{64, 1, 1}}, ""},
		{"[64, 2]", isa.LaunchBounds{ReqNtid: [3]int{64, 1, 1}}, "j:3:1: kernel k requires block = [64, 1, 1]"},
		{"[8, 8]", isa.LaunchBounds{MaxNtid: [3]int{64}}, ""},
		{"[65]", isa.LaunchBounds{MaxNtid: [3]int{64}}, "j:3:1: block has 65 threads; kernel k allows 64"},
		{"[65]", isa.LaunchBounds{MaxNtid: [3]int{1 << 40, 1 << 40, 1}}, ""},
		{"[64]", isa.LaunchBounds{Cluster: [3]int{1, 1, 1}, ExplicitCluster: true}, ""},
		{"[64]", isa.LaunchBounds{Cluster: [3]int{1, 2, 1}, ExplicitCluster: true}, "j:2:1: kernel k requires clusters of [1, 2, 1] CTAs"},
	} {
		k := &isa.Kernel{Name: "k", Bounds: c.bounds}
		_, err := bind(t, "module = 'm'\ngrid = [1]\nblock = "+c.block+"\n", k)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.block, err, c.want)
		}
	}
}

func TestLink(t *testing.T) {
	entry := func(name string) *isa.Func { return &isa.Func{Name: name, Entry: true} }
	two := []*isa.Func{entry("a"), {Name: "f"}, entry("b")}
	for _, c := range []struct {
		kernel string
		funcs  []*isa.Func
		want   string // a kernel, or an error
	}{
		{"", two[:2], "a"},
		{"b", two, "b"},
		{"", two, "j:1:1: kernel is missing; module m has a, b"},
		{"f", two, `j:4:1: module m has no kernel "f"; it has a, b`},
		{"", two[1:2], "j:1:1: module m has no kernel"},
	} {
		src := head
		if c.kernel != "" {
			src += "kernel = '" + c.kernel + "'\n"
		}
		j, err := Parse("j", []byte(src), nil)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if k, err := j.Link(&isa.Program{File: "m", AddressBits: 64, Funcs: c.funcs}); err != nil {
			got = err.Error()
		} else {
			got = k.Name
		}
		if got != c.want {
			t.Errorf("%q of %d functions: got %q, want %q", c.kernel, len(c.funcs), got, c.want)
		}
	}
}
