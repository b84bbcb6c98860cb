package main

import (
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

// TestChange makes every change of a small file, each once.
func TestChange(t *testing.T) {
	_, n, err := change("p.go", []byte(code), -1)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for i := range n {
		c, _, err := change("p.go", []byte(code), i)
		if err != nil {
			t.Fatal(err)
		}
		if again, _, err := change("p.go", c.text, -1); err != nil || again != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		if slices.Contains(all, c.what) {
			t.Errorf("%s: twice", c.what)
		}
		all = append(all, c.what)
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

// TestTests: the tests of a package come first, then those of packages that import it.
func TestTests(t *testing.T) {
	packages := []golang{
		{ImportPath: "a", TestGoFiles: []string{"a_test.go"}, Imports: []string{"b", "c"}},
		{ImportPath: "b", XTestGoFiles: []string{"b_test.go"}},
		{ImportPath: "c", Imports: []string{"b"}},
		{ImportPath: "d", TestGoFiles: []string{"d_test.go"}, TestImports: []string{"b"}},
	}
	d := newDrawer(packages, 1)
	var names []string
	for _, tests := range d.tests(&packages[1]) {
		names = append(names, strings.Join(tests, " "))
	}
	if got := strings.Join(names, ", "); got != "b, d, a" {
		t.Errorf("tests %s", got)
	}
}
