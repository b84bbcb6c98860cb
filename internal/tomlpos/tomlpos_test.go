package tomlpos

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2/unstable"

	"warpbound/diag"
)

const document = `name = "x"
size.x = 1
size . "y z" = 2

[a.b]
  c = { d = 1, e.f = [1, 2] }
[a]
list = [{p = 1}, {p = 2, q = {r = 3}}, 4]

[[t]]
u = 1
[t.v]
w = 1
[[t]]
u = 2
size.x = 3
[[t.deep]]
k = 1
[[t.deep]]
"é" = 1
`

// flatten lists the marks below one with their positions.
func flatten(m *Mark, path string) []string {
	list := []string{fmt.Sprintf("%s %d:%d", path, m.Pos.Line, m.Pos.Col)}
	for _, key := range slices.Sorted(maps.Keys(m.Keys)) {
		list = append(list, flatten(m.Keys[key], path+"/"+key)...)
	}
	for i, e := range m.Elems {
		list = append(list, flatten(e, fmt.Sprintf("%s/%d", path, i))...)
	}
	return list
}

func TestIndex(t *testing.T) {
	root, err := Index("f", []byte(document), len(document))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		" 1:1", "/a 5:2", "/a/b 5:4", "/a/b/c 6:3", "/a/b/c/d 6:9", "/a/b/c/e 6:16", "/a/b/c/e/f 6:18",
		"/a/list 8:1", "/a/list/0 8:1", "/a/list/0/p 8:10", "/a/list/1 8:1", "/a/list/1/p 8:19", "/a/list/1/q 8:26", "/a/list/1/q/r 8:31",
		"/name 1:1", "/size 2:1", "/size/x 2:6", "/size/y z 3:8",
		"/t 10:3", "/t/0 10:3", "/t/0/u 11:1", "/t/0/v 12:4", "/t/0/v/w 13:1",
		"/t/1 14:3", "/t/1/deep 17:5", "/t/1/deep/0 17:5", "/t/1/deep/0/k 18:1", "/t/1/deep/1 19:5", "/t/1/deep/1/é 20:1",
		"/t/1/size 16:1", "/t/1/size/x 16:6", "/t/1/u 15:1",
	}
	if got := flatten(root, ""); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestPaths compares the paths with the names of the keys as they are written, and with the indices of elements of arrays.
func TestPaths(t *testing.T) {
	src := []byte("\"a.b\" = 1\na.c = 2\n[a]\nb = { d = 3 }\n[e]\nf = [{g = 1}]\n")
	root, err := Index("f", src, len(src))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for path, pos := range root.Paths() {
		got = append(got, fmt.Sprintf("%s %s", path, pos))
	}
	slices.Sort(got)
	want := []string{"a f:2:1", "a.b f:1:1", "a.b.d f:4:7", "a.c f:2:3", "e f:5:2", "e.f f:6:1", "e.f.0 f:6:1", "e.f.0.g f:6:7"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestIndexCountsValues(t *testing.T) {
	src := []byte("a = []\nb = [1,\n# two\n2]\nc = [[1, 2], {d = 3}]\ne = [{f = [4, 5, 6]}]\n")
	root, err := Index("f", src, len(src))
	if err != nil {
		t.Fatal(err)
	}
	for key, n := range map[string]int{"a": 0, "b": 2, "c": 2, "e": 0} {
		if got := root.Keys[key].Values; got != n {
			t.Errorf("%s has %d values, not %d", key, got, n)
		}
	}
	if f := root.Keys["e"].Elems[0].Keys["f"]; f.Values != 3 || len(root.Keys["c"].Elems) != 0 {
		t.Errorf("f has %d values, not 3; c has %d tables", f.Values, len(root.Keys["c"].Elems))
	}
}

func TestIndexLimits(t *testing.T) {
	src := []byte("a.b = 1\n[c]\nd = {e = 2}\n") // five keys
	if _, err := Index("f", src, 5); err != nil {
		t.Error(err)
	}
	if _, err := Index("f", src, 4); !errors.Is(err, ErrKeys) {
		t.Errorf("got %v", err)
	}
	if root, err := Index("f", []byte("a = \n"), 9); err == nil || root != nil {
		t.Errorf("got %v, %v", root, err)
	}
}

func TestDecode(t *testing.T) {
	type table struct {
		Name string
		N    int64
		In   struct {
			M    int64
			Kilo int64 `toml:"kilo,omitempty"`
		}
		Of   map[string]*struct{ Kilo int64 }
		List []struct{ Kilo int64 }
		Off  int64 `toml:"-"`
	}
	for _, c := range []struct{ src, want string }{
		{"name = 'x'\nn = 1\nin.m = 2\n", ""},
		{"name = 'x\n", "f:1:10: the text has no closing quote in its line"},
		{"name = \"x\n", "f:1:10: the text has no closing quote in its line"},
		{"name = \n", "f:1:8: the value is missing"},
		{"\x7fELF\x02\x00", "f:1:1: not TOML: the file is not text"},
		{"name = x\n", "f:1:8: unexpected character U+0078 'x' where a value begins; text needs quotes, such as \"text\""},
		{"[list]\nk = 1\n[[list]]\nk = 2\n", "f:3:3: [[list]] after a table [list]; write [[list]] for each of several"},
		{"n = 1\nn = 2\n", "f:2:1: key n is already defined"},
		{"name = 'x'\nn = 'y'\n", "f:2:5: n: a TOML string cannot stand here"},
		{"[in]\nm = 1.5\n", "f:2:5: in.m: a TOML float cannot stand here"},
		{"nom = 'x'\n[in]\nm = 1\nz = 2\n", "f:1:1: unknown key \"nom\"\nf:4:1: unknown key \"z\""},
		{"nmae = 'x'\n[in]\nkilos = 2\n", "f:1:1: unknown key \"nmae\"; did you mean \"name\"?\nf:3:1: unknown key \"kilos\"; did you mean \"kilo\"?"},
		{"[of.a]\nkili = 1\n", "f:2:1: unknown key \"kili\"; did you mean \"kilo\"?"},
		{"[[list]]\nkili = 1\n", "f:2:1: unknown key \"kili\"; did you mean \"kilo\"?"},
		{"[from]\nnot = 1\n[from.it]\nkili = 2\n", "f:1:2: unknown key \"from\"\nf:3:2: unknown key \"it\""},
	} {
		var v table
		err := Decode("f", []byte(c.src), &v)
		if got := fmt.Sprint(err); c.want != "" && got != c.want || c.want == "" && (err != nil || v.In.M != 2) {
			t.Errorf("%q: got %v, want %s", c.src, err, c.want)
		}
		if e := (*diag.Error)(nil); err != nil && !errors.As(err, &e) {
			t.Errorf("%q: %v has no position", c.src, err)
		}
	}
}

// FuzzIndex checks that positions are those that the parser gives, which counts lines anew for
// each key, and that no text makes Index panic.
func FuzzIndex(f *testing.F) {
	f.Add([]byte(document))
	f.Add([]byte("a = [[{b = 1}]]\r\n\"\" = {}\n[\"\".x]\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		root, err := Index("f", src, len(src))
		if err != nil {
			return
		}
		at := make(map[diag.Pos]bool)
		var p unstable.Parser
		p.Reset(src)
		var keys func(n *unstable.Node)
		keys = func(n *unstable.Node) {
			switch n.Kind {
			case unstable.Table, unstable.ArrayTable, unstable.KeyValue:
				for it := n.Key(); it.Next(); {
					start := p.Shape(it.Node().Raw).Start
					at[diag.Pos{File: "f", Line: int32(start.Line), Col: int32(start.Column)}] = true
				}
				if n.Kind == unstable.KeyValue {
					keys(n.Value())
				}
			case unstable.InlineTable, unstable.Array:
				for it := n.Children(); it.Next(); {
					keys(it.Node())
				}
			}
		}
		for p.NextExpression() {
			keys(p.Expression())
		}
		var check func(m *Mark)
		check = func(m *Mark) {
			for _, below := range m.Keys {
				if !at[below.Pos] {
					t.Fatalf("no key stands at %s", below.Pos)
				}
				check(below)
			}
			for _, e := range m.Elems {
				check(e)
			}
		}
		check(root)
	})
}
