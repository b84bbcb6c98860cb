package scaffold_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/isa"
	"warpbound/internal/isa/ptx"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/scaffold"
	"warpbound/internal/study/suit"
	"warpbound/internal/test/goldentest"
	"warpbound/kernels"
)

// drafted is a kernel with the job that was written for it.
type drafted struct {
	module, kernel string
	draft          *estimate.Draft
}

// enough reports whether the job needs no hand: no thread fails, and four blocks in five are executed.
func (d *drafted) enough() bool {
	return d.draft.Failed == "" && 5*d.draft.Executed >= 4*d.draft.Blocks
}

// TestCoverage writes jobs for the kernels of the suite, for more settings of the compiler where there are, and for
// everyday kernels that are here for this. At least nine in ten need no hand. testdata/coverage.txt says how many
// blocks of each are executed.
func TestCoverage(t *testing.T) {
	var all []drafted
	var wait sync.WaitGroup
	var lock sync.Mutex
	for _, m := range modules(t) {
		wait.Go(func() {
			for _, k := range entries(t, m.name, m.text) {
				d, err := scaffold.Write(context.Background(), scaffold.Request{
					File: m.name, Text: m.text, Options: scaffold.Options{Path: m.name, Kernel: k}, Suits: suit.Program,
				})
				if err != nil {
					t.Errorf("%s, kernel %s: %v", m.name, k, err)
					continue
				}
				lock.Lock()
				all = append(all, drafted{m.name, k, d})
				lock.Unlock()
			}
		})
	}
	wait.Wait()
	slices.SortFunc(all, func(a, b drafted) int { return strings.Compare(a.module+" "+a.kernel, b.module+" "+b.kernel) })

	var table bytes.Buffer
	enough := 0
	for _, d := range all {
		verdict := ""
		if d.enough() {
			enough++
		} else {
			verdict = " needs a hand"
		}
		fmt.Fprintf(&table, "%-28s %-50s %3d of %3d%s\n", path.Base(d.module), d.kernel, d.draft.Executed, d.draft.Blocks, verdict)
	}
	fmt.Fprintf(&table, "%d of %d need no hand\n", enough, len(all))
	if 10*enough < 9*len(all) {
		t.Errorf("%d of %d jobs need no hand; want nine in ten", enough, len(all))
	}
	const golden = "testdata/coverage.txt"
	goldentest.Check(t, golden, table.String())
}

// module is a module with its text.
type module struct {
	name string
	text []byte
}

// modules returns the modules of the suite and those of testdata.
func modules(t *testing.T) []module {
	t.Helper()
	var all []module
	add := func(files fs.FS, patterns ...string) {
		for _, pattern := range patterns {
			names, err := fs.Glob(files, pattern)
			if err != nil || len(names) == 0 {
				t.Fatalf("no modules %s: %v", pattern, err)
			}
			for _, name := range names {
				text, err := fs.ReadFile(files, name)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, module{name, text})
			}
		}
	}
	add(kernels.Suite(), "*/*.ptx")
	add(os.DirFS("../../kernels"), "*/ptx/*.O0.sm_70.ptx")
	add(os.DirFS("testdata"), "*.ptx")
	return all
}

// entries returns the names of a module's kernels.
func entries(t *testing.T, file string, text []byte) []string {
	m, err := ptx.Parse(file, text)
	if err != nil {
		t.Error(err)
		return nil
	}
	p, err := ptx.Lower(m)
	if err != nil {
		t.Error(err)
		return nil
	}
	var names []string
	for _, f := range p.Entries() {
		names = append(names, f.Name)
	}
	return names
}

// TestSameJobAgain writes a job twice: it is the same text.
func TestSameJobAgain(t *testing.T) {
	text, err := fs.ReadFile(kernels.Suite(), "bfs/bfs.ptx")
	if err != nil {
		t.Fatal(err)
	}
	write := func() string {
		d, err := scaffold.Write(context.Background(), scaffold.Request{
			File: "bfs.ptx", Text: text, Options: scaffold.Options{Path: "bfs.ptx"}, Suits: suit.Program,
		})
		if err != nil {
			t.Fatal(err)
		}
		return d.Text
	}
	if first, second := write(), write(); first != second {
		t.Errorf("two jobs:\n%s\n%s", first, second)
	}
}

// TestMachines writes a job for each built-in machine, which states it and loads there. What the
// best machine is says nothing of another one that is named.
func TestMachines(t *testing.T) {
	text := []byte(".version 7.0\n.target sm_87\n.address_size 64\n.entry k()\n.reqntid 8\n{ ret; }\n")
	for _, name := range machine.Names() {
		d, err := scaffold.Write(context.Background(), scaffold.Request{
			File: "k.ptx", Text: text, Options: scaffold.Options{Path: "k.ptx", Machine: name}, Suits: suit.Program,
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		spec, err := job.Parse("job.toml", []byte(d.Text), func(string) ([]byte, error) { return nil, fs.ErrNotExist })
		if err != nil || spec.Machine != name || d.Machine != name {
			t.Errorf("%s: %v, %v\n%s", name, d.Machine, err, d.Text)
		}
	}
}

// TestUnsuitable asks for machines that do not run a kernel, or are none.
func TestUnsuitable(t *testing.T) {
	all := []estimate.Suiting{
		{Machine: "v100", Reasons: []string{"too small", "too old"}}, {Machine: "t4", Reasons: []string{"too hot"}},
	}
	for name, want := range map[string]string{
		"":     "no machine runs kernel k of k.ptx: too small; too old",
		"v100": "v100 does not run kernel k of k.ptx: too small; too old",
		"t4":   "t4 does not run kernel k of k.ptx: too hot",
		"v10":  `no machine "v10"; did you mean "v100"?`,
	} {
		_, err := scaffold.Write(context.Background(), scaffold.Request{
			File: "k.ptx", Text: []byte(".version 7.0\n.target sm_70\n.address_size 64\n.entry k() { ret; }\n"),
			Options: scaffold.Options{Machine: name},
			Suits:   func(*isa.Program, string) ([]estimate.Suiting, []string, error) { return all, nil, nil },
		})
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", name, err, want)
		}
	}
}
