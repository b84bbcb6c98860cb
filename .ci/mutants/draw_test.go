package main

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const code = `package p

// f is documented.
func f(a, b int) int {
	if a < b && b != 0 {
		print(a)
	}
	n := max(a, b+1)
	n += 2
	for range a {
		n++
	}
	return n
}
`

// none chooses no change.
func none(*changed) bool { return false }

// TestChange makes every change of a small file, each once.
func TestChange(t *testing.T) {
	_, n, err := change("p.go", []byte(code), none)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for i := range n {
		c, _, err := change("p.go", []byte(code), number(i))
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := format.Node(&text, c.set, c.function); err != nil {
			t.Fatal(err)
		}
		if text.Len() == 0 || strings.Contains(code, text.String()) {
			t.Errorf("%s: nothing is changed", c.what())
		}
		if slices.Contains(all, c.what()) {
			t.Errorf("%s: twice", c.what())
		}
		all = append(all, c.what())
	}
	want := strings.Split(`5:5: the condition does not hold
5:5: the condition holds
5:11: || for &&
5:7: <= for <
5:7: >= for <
5:16: == for !=
5:19: 1 for 0
6:3: the call is left out
8:7: min for max
8:15: - for +
8:16: 2 for 1
9:4: -= for +=
9:7: 3 for 2
11:4: -- for ++`, "\n")
	slices.Sort(all)
	slices.Sort(want)
	if !slices.Equal(all, want) {
		t.Errorf("changes\n%s\nwant\n%s", strings.Join(all, "\n"), strings.Join(want, "\n"))
	}
}

// TestDraw draws all mutants of a file, each once, in an order that depends on the seed. If lines are added, those of the other lines keep it.
func TestDraw(t *testing.T) {
	folder := t.TempDir()
	drawn := func(seed uint64, code string) []identity {
		if err := os.WriteFile(filepath.Join(folder, "p.go"), []byte(code), 0o666); err != nil {
			t.Fatal(err)
		}
		d, err := newDrawer([]golang{{Dir: folder, GoFiles: []string{"p.go", "q.go"}}, {Dir: "/", GoFiles: []string{"q.go"}}}, regexp.MustCompile("p.go$"), seed)
		if err != nil {
			t.Fatal(err)
		}
		var all []identity
		for {
			m, err := d.draw()
			if err != nil {
				return all
			}
			if slices.Contains(all, m.identity) || m.seed != seed || !strings.HasSuffix(m.name, ": "+m.Change) {
				t.Errorf("%+v", m)
			}
			all = append(all, m.identity)
		}
	}
	_, n, err := change("p.go", []byte(code), none)
	if err != nil {
		t.Fatal(err)
	}
	first, second := drawn(1, code), drawn(2, code)
	if len(first) != n || len(second) != n || slices.Equal(first, second) {
		t.Errorf("%d and %d of %d mutants are drawn", len(first), len(second), n)
	}
	longer := drawn(1, strings.Replace(code, "\tn := ", "\tb = a * 77\n\tn := ", 1))
	others := slices.DeleteFunc(slices.Clone(longer), func(id identity) bool { return strings.Contains(id.Line, "77") })
	if len(longer) != n+2 || !slices.Equal(others, first) {
		t.Errorf("the order changes from\n%v to\n%v", first, others)
	}
}
