package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"warpbound/.ci/mutants/chosen"
)

// program has functions of all kinds: with parameters that have no name, methods, generic ones, initialization.
const program = `package main

import "fmt"

var start = 10

func init() { start += 10 }

type number int

func (n number) plus(m int) int { return int(n) + m }

func (number) nothing(_ int, _ string) (n int) { return 1 + 2 }

func sum[T int | int64](all ...T) (total T) {
	for _, x := range all {
		total += x
	}
	return total
}

func unnamed(int, string) { start++ }

func main() {
	unnamed(start, "")
	fmt.Println(start, number(7).plus(3), number(start).nothing(start, ""), sum(1, 2, 3))
}
`

// allOf writes a file of a program and the files of all of its mutants.
func allOf(t *testing.T, code string) (file string, o *overlay, mutants int) {
	t.Helper()
	o = &overlay{folder: t.TempDir()}
	file = filepath.Join(o.folder, "program.go")
	if err := os.WriteFile(file, []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	_, mutants, err := change(file, []byte(code), none)
	if err != nil {
		t.Fatal(err)
	}
	var list []*drawnMutant
	for i := range mutants {
		list = append(list, &drawnMutant{place: place{file: file, number: i}})
	}
	if err := o.write(list); err != nil {
		t.Fatal(err)
	}
	return file, o, mutants
}

// TestMutants builds a program with all of its mutants, and runs each: without a choice it prints what the program prints, and
// every mutant prints something else.
func TestMutants(t *testing.T) {
	file, o, n := allOf(t, program)
	folder := o.folder
	// The folder has a module of its own, which has package chosen, too.
	text, err := os.ReadFile(filepath.Join(folder, "0.go"))
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile(filepath.Join("chosen", "chosen.go"))
	if err != nil {
		t.Fatal(err)
	}
	module := t.TempDir()
	for name, text := range map[string][]byte{"main.go": text, "go.mod": []byte("module warpbound\n\ngo 1.26\n"), ".ci/mutants/chosen/chosen.go": own} {
		path := filepath.Join(module, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	built := filepath.Join(module, "program")
	build := exec.Command("go", "build", "-o", built, ".")
	build.Dir = module
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s\n%s", out, text)
	}
	run := func(path string) string {
		c := exec.Command(built)
		c.Env = append(os.Environ(), "PATH="+path)
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	const want = "21 10 3 6\n"
	reached := filepath.Join(folder, "reached")
	if got := run(chosen.Recording(os.Getenv("PATH"), reached)); got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
	if got, err := readNumbers(reached); err != nil || len(got) != n {
		t.Errorf("%d of %d mutants reached, %v", len(got), n, err)
	}
	for i := range n {
		if got := run(chosen.Path(os.Getenv("PATH"), i)); got == want {
			c, _, _ := change(file, []byte(program), number(i))
			t.Errorf("%s prints the same", c.what())
		}
	}
}

// TestRefused: a mutant that does not compile is named by the lines of its function.
func TestRefused(t *testing.T) {
	const code = "package p\n\nfunc f(a uint) bool {\n\tconst c = 1 - 1\n\tvar x uint8 = 255\n\treturn a/(1-c) == 0 || x == 3\n}\n"
	file, o, _ := allOf(t, code)
	refused, err := o.build(t.Context(), []string{file})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range refused {
		c, _, err := change(file, []byte(code), number(m))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, c.what())
	}
	slices.Sort(names)
	if got := strings.Join(names, ", "); got != "4:12: 2 for 1, 4:14: + for -, 5:16: 256 for 255" {
		t.Errorf("refused %s", got)
	}
}

// TestReaching: the shortest tests come first, those that kill more before others, as long as the budget lasts; those of the mutant's
// package earlier and in any case.
func TestReaching(t *testing.T) {
	own, other := &golang{Dir: "own"}, &golang{Dir: "other"}
	slow := &test{of: other, name: "slow", took: 9 * time.Second, reaches: map[int]bool{1: true}}
	all := []*test{
		slow,
		{of: other, name: "quick", took: time.Second, reaches: map[int]bool{1: true, 2: true}},
		{of: other, name: "medium", took: 5 * time.Second, reaches: map[int]bool{1: true}},
		{of: other, name: "elsewhere", took: time.Millisecond, reaches: map[int]bool{2: true}},
	}
	check := func(budget time.Duration, want string) {
		t.Helper()
		list, left := reaching(all, 1, own.Dir, budget)
		var names []string
		for _, x := range list {
			names = append(names, x.name)
		}
		if got := strings.Join(append(names, strconv.Itoa(left)), " "); got != want {
			t.Errorf("%v: %s, want %s", budget, got, want)
		}
	}
	check(time.Minute, "quick medium slow 0")
	check(10*time.Second, "quick medium 1")
	check(time.Millisecond, "quick 2")
	near := &test{of: own, name: "near", took: 8 * time.Second, reaches: map[int]bool{1: true}}
	all = append(all, near)
	check(time.Minute, "quick near medium slow 0")
	check(time.Millisecond, "quick near 2")
	for range 8 {
		slow.count(true)
		all[1].count(false)
	}
	check(time.Minute, "near slow medium quick 0")
	near.reaches = nil
	check(time.Minute, "slow medium quick 0")
}
