package warpbound

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFiles saves a test vector of every job of the suite and runs it from where it is: it takes
// as many cycles.
func TestFiles(t *testing.T) {
	jobs, err := filepath.Glob("kernels/*/job.toml")
	if err != nil || len(jobs) < 10 {
		t.Fatal(jobs, err)
	}
	for _, name := range jobs {
		if j, err := Load(name, LoadOptions{}); err != nil {
			t.Error(err)
		} else if j.bound.Job.Grid[0] < 30 { // the others take longer
			replay(t, j)
		}
	}
}

// replay saves test vector 2 of a job elsewhere and simulates it.
func replay(t *testing.T, j *Job) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	files, err := j.Files(link, "x", SavedInputs{in: j.bound.Inputs(2)})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	again, err := Load(filepath.Join(link, "x.toml"), LoadOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, files["x.toml"])
	}
	want, err := j.Simulate(context.Background(), SimulateOptions{Vector: 2})
	if err != nil {
		t.Fatal(err)
	}
	got, err := again.Simulate(context.Background(), SimulateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Cycles != want.Cycles || got.MachineHash != want.MachineHash || !cmp.Equal(got.buffers, want.buffers) {
		t.Errorf("%s: %d cycles on %s, not %d on %s", j.Name(), got.Cycles, got.Machine, want.Cycles, want.Machine)
	}
	if _, err := j.LoadInputs(dir); err != nil {
		t.Error(err)
	}
}

// Machines of files, and what was chosen since the job was read, are kept.
func TestFilesOfOthers(t *testing.T) {
	machine, err := os.ReadFile("internal/machine/predictable-rr.toml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"match.ptx": matchModule, "m.toml": strings.Replace(string(machine), `"predictable-rr"`, `"mine"`, 1),
		"p.stream": "for i < 300 { load v[4 * (i % 40)]; wait 3; }",
		"own.toml": matchJob + "\n", "job.toml": matchJob, "cpu.toml": matchJob + "[cpu]\nprogram = \"p.stream\"\n",
	} {
		if name == "own.toml" {
			text = "machine = \"./m.toml\"\n" + text
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	load := func(name, machine string) *Job {
		t.Helper()
		seed := int64(5)
		j, err := Load(filepath.Join(dir, name), LoadOptions{Machine: machine, Seed: &seed})
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	replay(t, load("own.toml", ""))
	replay(t, load("job.toml", filepath.Join(dir, "m.toml")))
	replay(t, load("job.toml", "gcn3-split"))
	simds := 1
	for _, opts := range []SplitOptions{
		{Mode: "pws", SIMDs: &simds, Branches: []string{"all"}}, {Mode: "dws"}, {Mode: "pws", Branches: []string{}},
		{Mode: "pws", Branches: []string{"entry"}},
	} {
		j, err := load("job.toml", "gcn3-split").Split(opts)
		if err != nil {
			t.Fatal(err)
		}
		replay(t, j)
	}
	quota, on := int64(3), true
	j, err := load("cpu.toml", "integrated-fermi").LLC(LLCOptions{Quota: &quota, Regulated: &on})
	if err != nil {
		t.Fatal(err)
	}
	replay(t, j)
	if _, err := loadText(t, matchJob, matchModule).Files(dir, "x", SavedInputs{}); err == nil {
		t.Error("a job of no directory has files")
	}
}
