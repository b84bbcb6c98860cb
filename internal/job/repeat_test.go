package job

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound/diag"
	"warpbound/internal/isa"
)

func TestRepeat(t *testing.T) {
	pos := func(line, col int32) diag.Pos { return diag.Pos{File: "j", Line: line, Col: col} }
	first := 0
	for _, c := range []struct {
		text string
		want Repeat
	}{
		{"[repeat]\nthen = ['a', 'b', 'a']\nwhile = 'x'\nlimit = 7\n", Repeat{
			Then: []string{"a", "b", "a"}, While: &first, Limit: 7,
			Pos: RepeatPositions{pos(8, 2), pos(9, 1), pos(10, 1), pos(11, 1)},
		}},
		{"[repeat]\nwhile = 'x'\n", Repeat{
			While: &first, Limit: DefaultRounds, Pos: RepeatPositions{pos(8, 2), pos(8, 2), pos(9, 1), pos(8, 2)},
		}},
		{"[repeat]\nthen = ['a']\n", Repeat{
			Then: []string{"a"}, Limit: DefaultRounds, Pos: RepeatPositions{pos(8, 2), pos(9, 1), pos(8, 2), pos(8, 2)},
		}},
		{"", Repeat{}},
	} {
		j, err := Parse("j", []byte(head+buffer+c.text), nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, j.Repeat); diff != "" {
			t.Errorf("%s(-want +got)\n%s", c.text, diff)
		}
		if several := c.text != ""; j.Repeat.Several() != several {
			t.Errorf("%s: several launches: %t", c.text, !several)
		}
	}
}

func TestRepeatErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"[repeat]\n", `j:8:2: the table repeats nothing; for example: then = ["update"], while = "changed" or both`},
		{"[repeat]\nlimit = 3\n", "j:8:2: the table repeats nothing"},
		{"[repeat]\nuntil = 'x'\nwhile = 'x'\n", `j:9:1: unknown key "until"; repeat has then, while, limit`},
		{"[repeat]\nthen = 'a'\n", `j:9:1: then must be an array, not the string "a"`},
		{"[repeat]\nthen = []\n", "j:9:1: then has 0 kernels; it must have 1 to 64"},
		{"[repeat]\nthen = ['a', 3]\n", "j:9:1: then holds 3; it must hold names of kernels"},
		{"[repeat]\nthen = ['']\n", `j:9:1: then holds the string ""; it must hold names of kernels`},
		{"[repeat]\nthen = ['a']\nlimit = 3\n", "j:10:1: limit is about rounds, of which there is only one without while"},
		{"[repeat]\nwhile = 'y'\n", `j:9:1: the job has no buffer "y"`},
		{"[repeat]\nwhile = 1\n", "j:9:1: while must be a string, not 1"},
		{"[repeat]\nwhile = 'x'\nlimit = 0\n", "j:10:1: limit is 0; it must be from 1 to 1048576"},
		{"[[param]]\nname = 'n'\ntype = 'u32'\nvalue = 1\n[repeat]\nwhile = 'n'\n", `j:13:1: the job has no buffer "n"`},
		{"[[param]]\nname = 'f'\ntype = 'f32'\ncount = 1\n[repeat]\nwhile = 'f'\n", `j:13:1: the buffer "f" has elements of type f32; rounds go on while an integer is not 0`},
	} {
		_, err := Parse("j", []byte(head+buffer+c.text), nil)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s\ngot  %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestLinkThen(t *testing.T) {
	p := &isa.Program{File: "m", AddressBits: 64, Funcs: []*isa.Func{{Name: "k", Entry: true}, {Name: "f"}, {Name: "l", Entry: true}}}
	for _, c := range []struct{ then, want string }{
		{"['l', 'k']", "l k"},
		{"['f']", `j:5:1: module m has no kernel "f"; it has k, l`},
		{"['l', 'm']", `j:5:1: module m has no kernel "m"; it has k, l`},
	} {
		j, err := Parse("j", []byte(head+"[repeat]\nthen = "+c.then+"\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		kernels, err := j.LinkThen(p)
		var names []string
		for _, k := range kernels {
			names = append(names, k.Name)
		}
		got := strings.Join(names, " ")
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.then, got, c.want)
		}
	}
}

// TestBindThen binds two kernels, of which each has a variable and a label of its own.
func TestBindThen(t *testing.T) {
	second := kernel()
	second.Name = "l"
	second.Vars = []isa.Var{{Name: "own", Space: isa.Global, Type: isa.U32, Bytes: 4, Pos: inModule(40)}, second.Vars[1]}
	second.Labels = []isa.Label{{Name: "$L9", Index: 1, Pos: inModule(41)}}
	bindBoth := func(text string) (*Bound, error) {
		j, err := Parse("j", []byte(fitting+text), nil)
		if err != nil {
			t.Fatal(err)
		}
		return j.Bind(kernel(), second)
	}
	b, err := bindBoth("[[symbol]]\nname = 'table'\ntype = 'f32'\nvalues = [1, 2]\n[[symbol]]\nname = 'own'\ntype = 'u32'\nvalues = [3]\n" +
		"[loop]\n'$L1' = 5\n'$L9' = 6\n[[fact]]\nsum = {'$L9' = 1}\nmax = 7\n[split]\nbranches = ['$L1', '$L9']\n[repeat]\nthen = ['l']\n")
	if err != nil {
		t.Fatal(err)
	}
	table, own := b.Job.Symbols[0].Data, b.Job.Symbols[1].Data
	if diff := cmp.Diff([]BoundSymbol{{1, table}}, b.Symbols); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]BoundBranch{{Place{Label: "$L1"}, []int{2}}}, b.Branches); diff != "" {
		t.Error(diff)
	}
	want := &Bound{
		Job: b.Job, Kernel: second, ParamBytes: 32, Symbols: []BoundSymbol{{1, table}, {0, own}},
		Loops:    []BoundLoop{{Instrs: []int{1}, Bound: 6, Pos: b.Job.Loops[1].Pos}},
		Facts:    []BoundFact{{Sum: []BoundTerm{{Instr: 1, Coef: 1}}, Max: b.Job.Facts[0].Max, Pos: b.Job.Facts[0].Pos}},
		Branches: []BoundBranch{{Place{Label: "$L9"}, []int{1}}},
	}
	if len(b.Loops) != 1 || b.Loops[0].Bound != 5 || b.Facts != nil {
		t.Errorf("annotations of the first kernel are %v, %v", b.Loops, b.Facts)
	}
	if diff := cmp.Diff([]*Bound{want}, b.Then); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}

	second.Params = second.Params[:4]
	for _, c := range []struct{ text, want string }{
		{"", `j:21:3: param "l" is one too many: kernel l (dir/m.ptx:1:2) has 4 parameters`},
		{"[[symbol]]\nname = 'tile'\ntype = 'u8'\nhex = '00'\n", `j:25:3: kernel k uses no .const or .global variable "tile"; it uses table, blob; kernel l uses own, table`},
		{"[split]\nbranches = ['$L7']\n", `kernel k has no label "$L7"`},
		{"[loop]\n'$L7' = 1\n", `kernel k has no label "$L7"`},
		{"[[fact]]\nsum = {'$L1' = 1, '$L9' = 1}\nmax = 1\n", `kernel k has no label "$L9"`},
	} {
		_, err := bindBoth(c.text + "[repeat]\nthen = ['l']\n")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\ngot  %v\nwant %s", c.text, err, c.want)
		}
	}
}
