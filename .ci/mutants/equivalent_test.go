package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEquivalent reads the equivalent mutants of the project: each is a change of a line that the code has.
func TestEquivalent(t *testing.T) {
	if _, err := readEquivalent(filepath.Join("..", ".."), "equivalent.toml"); err != nil {
		t.Error(err)
	}
}

// TestReadEquivalent identifies a change by its line and its number among the same ones.
func TestReadEquivalent(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const line = "a, b = 0, 0"
	code := "package p\n\nfunc f() (a, b int) {\n\t" + line + "\n\t" + line + "\n\treturn\n}\n"
	path := write("p.go", code)
	for _, c := range []struct{ entry, fails string }{
		{`change = "1 for 0"` + "\nwhy = \"is never read\"", ""},
		{`change = "1 for 0"` + "\nnth = 4\nwhy = \"is never read\"", ""},
		{`change = "1 for 0"` + "\nnth = 5\nwhy = \"is never read\"", "is change 5"},
		{`change = "2 for 0"` + "\nwhy = \"is never read\"", "is change 1"},
		{`change = "1 for 0"`, "why is this the same"},
	} {
		e, err := readEquivalent(folder, write("equivalent.toml", "[[mutant]]\nfile = \"p.go\"\nline = \""+line+"\"\n"+c.entry+"\n"))
		switch {
		case c.fails != "":
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: %v, want %s", c.entry, err, c.fails)
			}
		case err != nil || len(e) != 1:
			t.Errorf("%s: %v, %v", c.entry, e, err)
		}
	}
	// The fourth is the second of the second line.
	e, err := readEquivalent(folder, write("equivalent.toml", "[[mutant]]\nfile = \"p.go\"\nline = \""+line+"\"\nchange = \"1 for 0\"\nnth = 4\nwhy = \"why\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", "", "", "why"} {
		c, _, err := change(path, []byte(code), number(i))
		if err != nil {
			t.Fatal(err)
		}
		if got := e[c.in("p.go")]; got != want {
			t.Errorf("%s: %q, want %q", c.what(), got, want)
		}
	}
}
