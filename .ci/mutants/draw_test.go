package main

import (
	"bytes"
	"go/format"
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
