package machine

import (
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"testing"
)

// readAll reads a machine file of a map from names to texts.
func readAll(files map[string]string, name string) (*Machine, error) {
	return Read(name, func(name string) ([]byte, error) {
		src, ok := files[name]
		if !ok {
			return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
		}
		return []byte(src), nil
	})
}

// fewer is a machine that differs in two numbers, a class and an abbreviation.
const fewer = `name = "fewer"
about = "a smaller one"
base = "fermi-c2050"
[sources]
"OWN" = "this test"
[sm]
count = { value = 3, unit = "SMs", source = "OWN: three" }
[l2]
ways = { value = 2, unit = "lines per set", source = "OWN: two" }
[classes]
int-add = { pipeline = "sp", latency = 5, initiation = 2, unit = "core cycles", source = "OWN: five" }
`

// TestBase holds a machine with a base, and one with that as base, against the base with the same changes made by hand.
func TestBase(t *testing.T) {
	m, err := readAll(map[string]string{
		"dir/top.toml": `name = "top"
base = "sub/fewer.toml"
[sm]
count = { value = 4, unit = "SMs", source = "four" }
`,
		"dir/sub/fewer.toml": fewer,
	}, "dir/top.toml")
	if err != nil {
		t.Fatal(err)
	}
	want := fermi(t)
	want.Name, want.About = "top", ""
	want.Sources["OWN"] = "this test"
	want.SM.Count = Number{Value: 4, Unit: "SMs", Source: "four"}
	want.L2.Ways = Number{Value: 2, Unit: "lines per set", Source: "OWN: two"}
	want.Classes["int-add"] = Timing{Pipeline: "sp", Latency: 5, Initiation: 2, Unit: "core cycles", Source: "OWN: five"}
	for path, file := range map[string]string{
		"sm.count": "", "l2.ways": "dir/sub/fewer.toml", "classes.int-add.latency": "dir/sub/fewer.toml", "l2.sets": "fermi-c2050", "classes.int-mul.latency": "fermi-c2050",
	} {
		if got := m.Origin(path); got != file {
			t.Errorf("%s comes from %q, not %q", path, got, file)
		}
	}
	m.Origins = nil
	if !reflect.DeepEqual(m, want) || m.Hash() != want.Hash() {
		t.Errorf("got %s\nwant %s", m.Format(), want.Format())
	}
	again, err := Parse("m.toml", m.Format())
	if err != nil || !reflect.DeepEqual(again, want) {
		t.Errorf("the text of the merged machine gives another one: %v", err)
	}
}

func TestBaseErrors(t *testing.T) {
	chain := map[string]string{"deep.toml": "name = \"m\"\nbase = \"d0.toml\"\n"}
	for i := range maxBases {
		chain[fmt.Sprintf("d%d.toml", i)] = fmt.Sprintf("base = \"d%d.toml\"\n", i+1)
	}
	circle := map[string]string{"m.toml": "name = \"m\"\nbase = \"a/b.toml\"\n", "a/b.toml": "\nbase = \"../c.toml\"\n", "c.toml": "base = \"a/b.toml\"\n"}
	for _, c := range []struct {
		name  string
		files map[string]string
		file  string
		want  string
	}{
		{"itself", map[string]string{"m.toml": `base = "./m.toml"`}, "m.toml", `m.toml:1:1: the bases go in a circle: m.toml stands on itself; remove base = "./m.toml", or name another machine`},
		{"circle", circle, "m.toml", `c.toml:1:1: the bases go in a circle: a/b.toml stands on itself; remove base = "a/b.toml", or name another machine`},
		{"too deep", chain, "deep.toml", `d7.toml:1:1: more than 8 machines stand on each other; state the numbers in fewer files`},
		{"no machine", map[string]string{"m.toml": `base = "fermi-c2051"`}, "m.toml", `m.toml:1:1: base = "fermi-c2051": no machine "fermi-c2051"; did you mean "fermi-c2050"?`},
		{"no file", map[string]string{"m.toml": `base = "x.toml"`}, "m.toml", `m.toml:1:1: base = "x.toml": x.toml: file does not exist`},
		{"no name", map[string]string{"m.toml": `base = "fermi-c2050"`}, "m.toml", `m.toml:1:1: missing key name`},
		{"core", map[string]string{"m.toml": "base = \"fermi-c2050\"\ncore = \"barrel\""}, "m.toml", `m.toml:2:1: core = "barrel", but the base fermi-c2050 has core "scoreboard"; a file has the core of its base`},
		{"half a number", map[string]string{"m.toml": "name = \"m\"\nbase = \"fermi-c2050\"\nsm.count = { value = 3 }"}, "m.toml", `m.toml:3:4: the unit of sm.count must be "SMs", not ""`},
		{"case", map[string]string{"m.toml": "name = \"m\"\nbase = \"fermi-c2050\"\nsm.Count = { value = 3, unit = \"SMs\", source = \"s\" }"}, "m.toml", `m.toml:3:4: unknown key "Count"; did you mean "count"?`},
		{"case of a section", map[string]string{"m.toml": "name = \"m\"\nbase = \"fermi-c2050\"\nSM.count = { value = 3, unit = \"SMs\", source = \"s\" }"}, "m.toml", `m.toml:3:1: unknown key "SM"; did you mean "sm"?`},
		{"case of the base", map[string]string{"m.toml": "name = \"m\"\nbase = \"b.toml\"\nsm.count = { value = 3, unit = \"SMs\", source = \"s\" }", "b.toml": "SM.count = { value = 2, unit = \"SMs\", source = \"s\" }"}, "m.toml", `b.toml:1:1: unknown key "SM"; did you mean "sm"?`},
		{"abbreviation", map[string]string{"m.toml": "name = \"m\"\nbase = \"fermi-c2050\"\nsources.OCC = \"mine\""}, "m.toml", `m.toml:3:9: "OCC" stands for something else in the base fermi-c2050; take another abbreviation`},
		{"in the base", map[string]string{"m.toml": "name = \"m\"\nbase = \"b.toml\"", "b.toml": "base = \"fermi-c2050\"\nsm.count = { value = 0, unit = \"SMs\", source = \"s\" }"}, "m.toml", `b.toml:2:14: sm.count = 0 is not between 1 and 256 SMs`},
		{"together", map[string]string{"m.toml": "name = \"m\"\nbase = \"fermi-c2050\"\nsm.threads = { value = 3200, unit = \"threads per SM\", source = \"s\" }"}, "m.toml", `m.toml:3:4: 3200 threads do not fit into 48 warps of 32`},
		{"of the base", map[string]string{"m.toml": "name = \"m\"\nbase = \"fermi-c2050\"\nicache.sets = { value = 4, unit = \"sets per SM\", source = \"s\" }"}, "m.toml", `m.toml:3:1: missing key icache.ways`},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := readAll(c.files, c.file)
			if err == nil || !strings.Contains(err.Error(), c.want) || m != nil {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
	if _, err := Parse("m.toml", []byte("name = \"m\"\nbase = \"x.toml\"")); err == nil || err.Error() != `m.toml:2:1: base = "x.toml": only a built-in machine can be the base here; it has no path` {
		t.Error(err)
	}
}
