package job

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound/diag"
	"warpbound/internal/isa"
)

// files opens what a test provides by name.
func files(contents map[string]string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		data, ok := contents[name]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(data), nil
	}
}

const whole = `module    = "m.ptx"
kernel    = "k"
machine   = "mine.toml"
grid      = [3, 2]
block     = [ 64 ]
vectors   = 7
seed      = -2
registers = 20
shared    = 512

[[param]]
name  = "n"
type  = "s16"
value = -2

[[param]]
name  = "r"
type  = "f32"
range = [0, 2.5]

[[param]]
name  = "x"
type  = "u8"
count = 4
init  = "uniform( 3, 5 )"

[[param]]
name   = "y"
type   = "f16"
count  = 3
values = [1, -inf, 0.1]

[[param]]
name  = "z"
type  = "u16"
count = 2
file  = "z.bin"

[[param]]
name  = "l"
type  = "shared"
count = 40

[[param]]
name  = "s"
type  = "u8"
bytes = 3
hex   = "00 ff 0A"

[[param]]
name  = "o"
type  = "f64"
count = 2

[[symbol]]
name   = "table"
type   = "b32"
values = [-1, 4294967295]

[loop]
"$L2" = 64
12    = 1
"m.ptx:9" = 0

[[fact]]
sum = {"$L1" = 2, "entry+3" = -1}
max = 64

[split]
branches = ["$L1", "12"]
simds    = 3
mode     = "dws"

[llc]
size_kb   = 256
quota     = 16
regulated = false
`

func TestParse(t *testing.T) {
	j, err := Parse("dir/j.toml", []byte(whole), files(map[string]string{"z.bin": "abcd"}))
	if err != nil {
		t.Fatal(err)
	}
	pos := func(line, col int32) diag.Pos { return diag.Pos{File: "dir/j.toml", Line: line, Col: col} }
	fixed := func(digits string) Content {
		data, err := hex.DecodeString(digits)
		if err != nil {
			t.Fatal(err)
		}
		return Content{Kind: Fixed, Data: data}
	}
	maximum, simds, kib, quota, off := int64(64), 3, int64(256), int64(16), false
	want := &Job{
		File: "dir/j.toml", Module: "m.ptx", Kernel: "k", Machine: "mine.toml",
		Grid: [3]int{3, 2, 1}, Block: [3]int{64, 1, 1}, Vectors: 7, Seed: -2, Registers: 20, Shared: 512,
		Params: []Param{
			{Name: "n", Kind: Scalar, Type: isa.S16, Bytes: 2, Content: fixed("feff"), Pos: pos(11, 3)},
			{Name: "r", Kind: Scalar, Type: isa.F32, Bytes: 4, Content: Content{Kind: Uniform, Low: 0, High: 2.5}, Pos: pos(16, 3)},
			{Name: "x", Kind: Buffer, Type: isa.U8, Bytes: 4, Content: Content{Kind: Uniform, Base: 3, Span: 2}, Pos: pos(21, 3)},
			{Name: "y", Kind: Buffer, Type: isa.F16, Bytes: 6, Content: fixed("003c00fc662e"), Pos: pos(27, 3)},
			{Name: "z", Kind: Buffer, Type: isa.U16, Bytes: 4, Content: fixed("61626364"), Pos: pos(33, 3)},
			{Name: "l", Kind: SharedPtr, Type: isa.B8, Bytes: 40, Content: Content{}, Pos: pos(39, 3)},
			{Name: "s", Kind: Struct, Type: isa.U8, Bytes: 3, Content: fixed("00ff0a"), Pos: pos(44, 3)},
			{Name: "o", Kind: Buffer, Type: isa.F64, Bytes: 16, Content: Content{}, Pos: pos(50, 3)},
		},
		Symbols: []Symbol{{"table", isa.B32, fixed("ffffffffffffffff").Data, pos(55, 3)}},
		Loops: []Loop{
			{Place{Label: "$L2"}, 64, pos(61, 1)},
			{Place{Line: 12}, 1, pos(62, 1)},
			{Place{File: "m.ptx", Line: 9}, 0, pos(63, 1)},
		},
		Facts: []Fact{{
			Sum: []Term{{Place{Label: "$L1"}, 2, pos(66, 8)}, {Place{Label: "entry+3"}, -1, pos(66, 19)}},
			Max: &maximum, Pos: pos(65, 3),
		}},
		Split: Split{
			Branches: []Place{{Label: "$L1"}, {Line: 12}}, SIMDs: &simds, Mode: "dws",
			Pos: SplitPositions{pos(70, 1), pos(71, 1), pos(72, 1)},
		},
		LLC:  LLC{&kib, &quota, &off, pos(74, 2)},
		Pos:  Positions{pos(1, 1), pos(2, 1), pos(3, 1), pos(4, 1), pos(5, 1), pos(8, 1), pos(9, 1), pos(1, 1)},
		Hash: "36cfb05eb913324f0c29010f75c52d57852dd488a263112302a497974ffb35a7",
	}
	plain(want)
	if diff := cmp.Diff(want, j); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := j.Resolve(j.Module); got != "dir/m.ptx" {
		t.Errorf("module at %s", got)
	}
}

// head is the least that a job needs; parameters follow from line 4.
const head = "module = 'm'\ngrid = [1]\nblock = [1]\n"

func TestDefaults(t *testing.T) {
	j, err := Parse("j", []byte(head), nil)
	if err != nil {
		t.Fatal(err)
	}
	if j.Kernel != "" || j.Machine != "fermi-c2050" || j.Vectors != 100 || j.Seed != 1 || j.Registers != 0 || j.Shared != 0 {
		t.Errorf("%+v", j)
	}
	if s := j.Split; s.All || s.Branches != nil || s.SIMDs != nil || s.Mode != "" {
		t.Errorf("%+v", s)
	}
	if l := j.LLC; l.KiB != nil || l.Quota != nil || l.Regulated != nil || j.CPU.Stream != nil || j.Cursor() != nil {
		t.Errorf("%+v, %+v", l, j.CPU)
	}
	if j.Varies() {
		t.Error("a job without parameters varies")
	}
}

func TestSplitAll(t *testing.T) {
	j, err := Parse("j", []byte(head+"[split]\nbranches = 'all'\nsimds = 0\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := j.Split; !s.All || s.Branches != nil || s.SIMDs == nil || *s.SIMDs != 0 {
		t.Errorf("%+v", s)
	}
	j, err = Parse("j", []byte(head+"[split]\nbranches = []\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := j.Split; s.All || s.Branches == nil || len(s.Branches) != 0 {
		t.Errorf("no branches: %+v", s)
	}
}

// TestParseErrors checks for each mistake the position and what the message
// must say.
func TestParseErrors(t *testing.T) {
	param := func(text string) string { return head + "[[param]]\nname = 'p'\n" + text }
	compiled := head + "[source]\nfile = 'k.cu'\n"
	hashed := compiled + "sha256 = '" + SourceHash(nil) + "'\n"
	for _, c := range []struct{ name, src, want string }{
		{"syntax", "module = ", "j:1:"},
		{"duplicate", head + "grid = [2]\n", "j:4:"},
		{"no utf-8", head + "kernel = \"\xff\"\n", "j:4:"},
		{"empty", "", "j:1:1: module is missing; for example: module"},
		{"no grid", "module = 'm'\nblock = [1]\n", "grid is missing; for example: grid = [64, 1, 1]"},
		{"machine file", "core = 'barrel'\n[sm]\ncount = 1\n", "j:1:1: this is a machine, not a job"},
		{"misspelt key", head + "gird = 1\n", `j:4:1: unknown key "gird"; did you mean "grid"?`},
		{"unknown key", head + "colour = 1\n", `j:4:1: unknown key "colour"; a job has module, kernel,`},
		{"misspelt key that is needed", "modul = 'm'\ngird = [1]\nblock = [1]\n", `j:1:1: unknown key "modul"; did you mean "module"?` + "\n" + `j:2:1: unknown key "gird"; did you mean "grid"?`},
		{"unknown table", head + "[a.b]\nc = 1\n", `j:4:2: unknown key "a"`},
		{"module type", "module = 3\ngrid = [1]\nblock = [1]\n", "j:1:1: module must be a string, not 3"},
		{"module empty", "module = ''\ngrid = [1]\nblock = [1]\n", "j:1:1: module is empty"},
		{"grid type", "module = 'm'\ngrid = 4\nblock = [1]\n", "j:2:1: grid must be an array, not 4"},
		{"grid of text", "module = 'm'\ngrid = ['4']\nblock = [1]\n", `j:2:1: grid holds the string "4"; it must hold integers`},
		{"grid zero", "module = 'm'\ngrid = [1, 0, 1]\nblock = [1]\n", "j:2:1: grid has 0 in y"},
		{"grid negative", "module = 'm'\ngrid = [-1]\nblock = [1]\n", "j:2:1: grid has -1 in x"},
		{"grid of four", "module = 'm'\ngrid = [1, 1, 1, 1]\nblock = [1]\n", "j:2:1: grid has 4 numbers"},
		{"grid of none", "module = 'm'\ngrid = []\nblock = [1]\n", "j:2:1: grid has 0 numbers"},
		{"grid product", "module = 'm'\ngrid = [2147483647, 2147483647, 2147483647]\nblock = [1]\n", "j:2:1: grid is too large"},
		{"budget", head + "budget = 0\n", "j:4:1: budget is 0; it must be at least 1 cycle"},
		{"budget of time", head + "budget = '2'\nvectors = 0", "vectors is 0"},
		{"no time", head + "budget = '2 parsecs'\n", `j:4:1: budget is "2 parsecs"; want a time such as 2ms, or a number of cycles such as 120000`},
		{"fraction", head + "budget = 2.5\n", `j:4:1: budget must be a time such as "2ms" or a number of cycles, not 2.5`},
		{"vectors", head + "vectors = 0\n", "j:4:1: vectors is 0; it must be from 1"},
		{"seed", head + "seed = 1.5\n", "j:4:1: seed must be an integer, not 1.5"},
		{"seed too large", head + "seed = 9223372036854775808\n", "j:4:8: "},
		{"shared negative", head + "shared = -1\n", "j:4:1: shared is -1"},
		{"date", head + "vectors = 2020-01-01\n", "must be an integer, not a date or time"},
		{"param no array", head + "[param]\nname = 'p'\n", "j:4:2: param must be an array of tables, each begun with [[param]]"},
		{"param of numbers", head + "param = [{name='p', type='u32', value=1}, 2]\n", "j:4:1: element 2 of param must be a table, not 2"},
		{"no name", head + "[[param]]\ntype = 'u32'\nvalue = 1\n", "j:4:3: name is missing"},
		{"name with =", head + "[[param]]\nname = 'a=b'\ntype = 'u32'\nvalue = 1\n", "j:5:1: the name \"a=b\""},
		{"same name", param("type = 'u32'\nvalue = 1\n") + "[[param]]\nname = 'p'\ntype = 'u32'\nvalue = 1\n", `j:9:1: there is another param "p" at j:4:3`},
		{"no type", param("value = 1\n"), "j:4:3: type is missing"},
		{"type", param("type = 'int'\nvalue = 1\n"), `j:6:1: unknown type "int"; the types are u8, u16,`},
		{"misspelt type", param("type = 'f23'\nvalue = 1\n"), `j:6:1: unknown type "f23"; did you mean "f32"?`},
		{"type pred", param("type = 'pred'\nvalue = 1\n"), `j:6:1: unknown type "pred"`},
		{"nothing", param("type = 'u32'\n"), "j:4:3: the param has no value; give value or range"},
		{"value and range", param("type = 'u32'\nvalue = 1\nrange = [1, 2]\n"), "j:8:1: value and range exclude each other"},
		{"too large", param("type = 'u8'\nvalue = 256\n"), "j:7:1: value is 256; u8 holds 0 to 255"},
		{"negative", param("type = 'u32'\nvalue = -1\n"), "j:7:1: value is -1; u32 holds 0 to 4294967295"},
		{"too small", param("type = 's8'\nvalue = -129\n"), "j:7:1: value is -129; s8 holds -128 to 127"},
		{"float as integer", param("type = 'u32'\nvalue = 1.0\n"), "j:7:1: value is 1; u32 needs an integer"},
		{"bool", param("type = 'u8'\nvalue = true\n"), "j:7:1: value must be a number, not true"},
		{"float too large", param("type = 'f32'\nvalue = 1e39\n"), "j:7:1: value is 1e+39, too large for f32"},
		{"half too large", param("type = 'f16'\nvalue = 65520\n"), "j:7:1: value is 65520, too large for f16"},
		{"range of three", param("type = 'u8'\nrange = [1, 2, 3]\n"), "j:7:1: range has 3 numbers"},
		{"range empty", param("type = 'u8'\nrange = [2, 1]\n"), "j:7:1: range from 2 to 1 is empty"},
		{"range out of type", param("type = 'u8'\nrange = [0, 256]\n"), "j:7:1: range is 256; u8 holds 0 to 255"},
		{"range of text", param("type = 'u8'\nrange = ['0', 1]\n"), "j:7:1: range must hold numbers"},
		{"range infinite", param("type = 'f32'\nrange = [0, inf]\n"), "j:7:1: range must have finite ends"},
		{"range nan", param("type = 'f32'\nrange = [nan, 1]\n"), "j:7:1: range must have finite ends"},
		{"range too wide", param("type = 'f64'\nrange = [-1e308, 1e308]\n"), "j:7:1: range must have finite ends"},
		{"range of bits", param("type = 'b32'\nrange = [-1, 4294967295]\n"), "j:7:1: range from -1 to 4294967295 has more values than b32"},
		{"count zero", param("type = 'u32'\ncount = 0\n"), "j:7:1: count is 0; it must be from 1 to 268435456"},
		{"count huge", param("type = 'u32'\ncount = 9223372036854775807\n"), "j:7:1: count is 9223372036854775807"},
		{"memory", param("type = 'u8'\ncount = 1073741824\n") + "[[param]]\nname = 'q'\ntype = 'u8'\ncount = 1\n", "j:11:1: the job asks for more than 1073741824 bytes"},
		{"init without count", param("type = 'u32'\ninit = 'zeros'\n"), "j:7:1: init needs a buffer"},
		{"value with count", param("type = 'u32'\ncount = 1\nvalue = 1\n"), `j:8:1: unknown key "value"; did you mean "values"? (a buffer has name, type, count, init, values, hex, file, pointers, access)`},
		{"init and values", param("type = 'u32'\ncount = 1\nvalues = [1]\ninit = 'zeros'\n"), "j:9:1: values and init exclude each other"},
		{"misspelt init", param("type = 'u32'\ncount = 1\ninit = 'unifrom(0, 9)'\n"), `j:8:1: init is "unifrom(0, 9)"; did you mean "uniform(0, 9)"?`},
		{"misspelt zeros", param("type = 'u32'\ncount = 1\ninit = 'zeroes'\n"), `j:8:1: init is "zeroes"; did you mean "zeros"?`},
		{"uniform without bounds", param("type = 'u32'\ncount = 1\ninit = 'uniform'\n"), `j:8:1: init is "uniform"; it must be`},
		{"uniform with one bound", param("type = 'u32'\ncount = 1\ninit = 'uniform(1)'\n"), `j:8:1: init is "uniform(1)"; it must have two bounds: uniform(lo, hi)`},
		{"init", param("type = 'u32'\ncount = 1\ninit = 'ones'\n"), `j:8:1: init is "ones"; it must be "zeros", "iota", "unset" or`},
		{"init type", param("type = 'u32'\ncount = 1\ninit = 0\n"), "j:8:1: init must be a string"},
		{"uniform of one", param("type = 'u32'\ncount = 1\ninit = 'uniform(1)'\n"), "j:8:1: init is"},
		{"uniform text", param("type = 'u32'\ncount = 1\ninit = 'uniform(a, 1)'\n"), `j:8:1: init has "a" where`},
		{"uniform fraction", param("type = 'u32'\ncount = 1\ninit = 'uniform(0, 0.5)'\n"), "j:8:1: init is 0.5; u32 needs an integer"},
		{"uniform range", param("type = 'u64'\ncount = 1\ninit = 'uniform(0, 18446744073709551616)'\n"), "u64 holds 0 to 18446744073709551615"},
		{"iota", param("type = 'f16'\ncount = 65521\ninit = 'iota'\n"), "j:8:1: iota counts up to 65519 in f16, not to 65520"},
		{"values short", param("type = 'u32'\ncount = 2\nvalues = [1]\n"), "j:8:1: values has 1 elements; it must have 2"},
		{"values wrong", param("type = 'u32'\ncount = 2\nvalues = [1, -1]\n"), "j:8:1: values element 2 is -1; u32 holds"},
		{"values text", param("type = 'u32'\ncount = 1\nvalues = ['1']\n"), "j:8:1: values element 1 must be a number"},
		{"values type", param("type = 'u32'\ncount = 1\nvalues = 1\n"), "j:8:1: values must be an array"},
		{"hex odd", param("type = 'u8'\ncount = 1\nhex = '0'\n"), "j:8:1: hex is not a sequence of two"},
		{"hex left over", param("type = 'u8'\ncount = 1\nhex = '0'\n"), "two hexadecimal digits for each byte: one digit is left over"},
		{"hex other letter", param("type = 'u8'\ncount = 1\nhex = '0ü'\n"), "two hexadecimal digits for each byte: 'ü' is none"},
		{"hex digit", param("type = 'u8'\ncount = 1\nhex = '0g'\n"), "j:8:1: hex is not a sequence of two"},
		{"hex short", param("type = 'u16'\ncount = 2\nhex = '0000'\n"), "j:8:1: hex has 2 bytes; 2 of u16 need 4"},
		{"file missing", param("type = 'u8'\ncount = 1\nfile = 'no.bin'\n"), "j:8:1: file cannot be read: file does not exist"},
		{"file long", param("type = 'u16'\ncount = 2\nfile = 'six.bin'\n"), "j:8:1: file six.bin has 6 bytes; 2 of u16 need 4"},
		{"npy", param("type = 'u16'\ncount = 3\nfile = 'six.npy'\n"), "j:8:1: file six.npy: is not in NumPy's format"},
		{"shared with init", param("type = 'shared'\ncount = 4\ninit = 'zeros'\n"), `j:8:1: unknown key "init"; a param of type shared has`},
		{"shared without count", param("type = 'shared'\n"), "j:4:3: count is missing"},
		{"struct type", param("type = 'f32'\nbytes = 4\nhex = '00000000'\n"), `j:6:1: a struct by value has type = "u8", not "f32"`},
		{"struct empty", param("type = 'u8'\nbytes = 4\n"), "j:4:3: the struct has no contents"},
		{"struct large", param("type = 'u8'\nbytes = 40000\nhex = '00'\n"), "j:7:1: bytes is 40000; it must be from 1 to 32764"},
		{"symbol empty", head + "[[symbol]]\nname = 's'\ntype = 'u32'\n", "j:4:3: the symbol has no contents"},
		{"symbol of none", head + "[[symbol]]\nname = 's'\ntype = 'u32'\nvalues = []\n", "j:7:1: values is empty"},
		{"symbol size", head + "[[symbol]]\nname = 's'\ntype = 'u32'\nhex = '0000'\n", "j:7:1: hex has 2 bytes; u32 needs a multiple of 4"},
		{"symbol twice", head + strings.Repeat("[[symbol]]\nname = 's'\ntype = 'u8'\nhex = '00'\n", 2), `j:9:1: there is another symbol "s" at j:4:3`},
		{"loop type", head + "loop = 3\n", "j:4:1: loop must be a table"},
		{"loop bound", head + "[loop]\na = -1\n", "j:5:1: a is -1; it must be from 0"},
		{"loop line", head + "[loop]\n0 = 1\n", `j:5:1: "0" names no line`},
		{"loop far line", head + "[loop]\n\"m:99999999999\" = 1\n", `names no line`},
		{"loop table", head + "[loop.x]\na = 1\n", "j:4:7: x must be an integer, not a table"},
		{"split type", head + "split = 'all'\n", "j:4:1: split must be a table, not the string \"all\""},
		{"source key", head + "[source]\nsource = 'k.cu'\n", `j:5:1: unknown key "source"; [source] has file, command, sha256`},
		{"source without file", head + "[source]\n", "j:4:2: file is missing; for example: file = \"saxpy.cu\"\nj:4:2: sha256 is missing"},
		{"short hash", compiled + "sha256 = '12ef'\n", "j:6:1: sha256 must be 64 hexadecimal digits"},
		{"no hash", compiled + "sha256 = '" + strings.Repeat("x", 64) + "'\n", "j:6:1: sha256 must be 64 hexadecimal digits"},
		{"command", hashed + "command = 'make'\n", `j:7:1: command must be an array, not the string "make"`},
		{"number in a command", hashed + "command = ['cc', 2]\n", "j:7:1: command holds 2; it must hold strings: a program and its arguments"},
		{"empty command", hashed + "command = []\n", "j:7:1: command does not say where the module goes"},
		{"command without module", hashed + "command = ['{module}', 'k.cu']\n", "j:7:1: command does not say where the module goes"},
		{"source that is none", head + "source = 'k.cu'\n", "j:4:1: source must be a table"},
		{"split key", head + "[split]\nlanes = 3\n", `j:5:1: unknown key "lanes"; split has branches, simds, mode`},
		{"split word", head + "[split]\nbranches = 'some'\n", `j:5:1: branches is "some"; it must be "all" or an array of labels and lines`},
		{"split numbers", head + "[split]\nbranches = ['a', 12]\n", "j:5:1: branches holds 12; it must hold labels and lines as strings"},
		{"split number", head + "[split]\nbranches = 12\n", "j:5:1: branches must be an array, not 12"},
		{"split line", head + "[split]\nbranches = ['m.ptx:0']\n", `j:5:1: "m.ptx:0" names no line`},
		{"split units", head + "[split]\nmode = 'pws'\nsimds = 8\n", "j:6:1: simds is 8; it must be from 0 to 7"},
		{"split mode", head + "[split]\nmode = 'static'\n", `j:5:1: mode is "static"; it must be none, dws, dws-idle or pws`},
		{"fact empty", head + "[[fact]]\nmax = 1\n", "j:4:3: the fact sums up nothing"},
		{"fact sum empty", head + "[[fact]]\nsum = {}\nmax = 1\n", "j:5:1: the fact sums up nothing"},
		{"fact unlimited", head + "[[fact]]\nsum = {a = 1}\n", "j:4:3: the fact states nothing"},
		{"fact impossible", head + "[[fact]]\nsum = {a = 1}\nmax = 1\nmin = 2\n", "j:7:1: min is 2 and max is 1"},
		{"fact coefficient", head + "[[fact]]\nsum = {a = 0.5}\nmax = 1\n", "j:5:8: a must be an integer, not 0.5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			open := files(map[string]string{"six.bin": "abcdef", "six.npy": "abcdef"})
			j, err := Parse("j", []byte(c.src), open)
			if err == nil || j != nil {
				t.Fatalf("no error, job %+v", j)
			}
			if !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "j:") {
				t.Errorf("got  %q\nwant %q", err, c.want)
			}
		})
	}
}

func TestParseListsErrors(t *testing.T) {
	_, err := Parse("j", []byte("module = 'm'\nblock = [0]\nvectors = 0\n"), nil)
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 3 {
		t.Errorf("got %q, want three errors", lines)
	}
	_, err = Parse("j", []byte(head+strings.Repeat("[[param]]\n", 1000)), nil)
	if got := strings.Count(err.Error(), "\n") + 1; got != maxErrors {
		t.Errorf("%d errors are shown, want %d", got, maxErrors)
	}
}

func TestLoadRefusesWhatIsNoFile(t *testing.T) {
	if _, err := Load(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("a directory: %v", err)
	}
	if _, err := Load("testdata/none.toml"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestParseLimitsKeys(t *testing.T) {
	var text strings.Builder
	for i := range maxKeys + 1 {
		fmt.Fprintf(&text, "key%d = 1\n", i)
	}
	_, err := Parse("job.toml", []byte(text.String()), files(nil))
	if err == nil || err.Error() != "job.toml:1:1: job has more than 20000 keys" {
		t.Errorf("got %v", err)
	}
}

func TestUnknownKeyIsCutShort(t *testing.T) {
	_, err := Parse("job.toml", []byte(strings.Repeat("k", 1<<20)+" = 1\n"), files(nil))
	if err == nil || len(err.Error()) > 1000 {
		t.Errorf("a message of %d bytes", len(err.Error()))
	}
}
