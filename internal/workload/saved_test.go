package workload_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound/internal/machine"
	"warpbound/internal/platform"
	"warpbound/internal/test/jobtest"
	"warpbound/internal/workload"
)

// TestFiles saves a test vector of every job of the suite and runs it from where it is: it takes
// as many cycles.
func TestFiles(t *testing.T) {
	jobs, err := filepath.Glob("../../kernels/*/job.toml")
	if err != nil || len(jobs) < 10 {
		t.Fatal(jobs, err)
	}
	for _, name := range jobs {
		if j, err := read(name, ""); err != nil {
			t.Error(err)
		} else if j.Spec.Grid[0] < 30 { // the others take longer
			replay(t, j)
		}
	}
}

// read reads a job for a machine, its own if that is empty.
func read(name, machine string) (*platform.Job, error) {
	src, err := workload.Read(name)
	if err != nil {
		return nil, err
	}
	return platform.Load(src, machine)
}

// replay saves test vector 2 of a job elsewhere and simulates it.
func replay(t *testing.T, j *platform.Job) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	vector := j.First().Bound.Inputs(2)
	files, err := j.Files(link, "x", workload.SavedInputs{Inputs: vector})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	again, err := read(filepath.Join(link, "x.toml"), "")
	if err != nil {
		t.Fatalf("%v\n%s", err, files["x.toml"])
	}
	want, err := jobtest.Run(context.Background(), j, vector)
	if err != nil {
		t.Fatal(err)
	}
	got, err := jobtest.Run(context.Background(), again, again.First().Bound.Inputs(0))
	if err != nil {
		t.Fatal(err)
	}
	if got.Cycles != want.Cycles || again.Machine.Hash() != j.Machine.Hash() || !cmp.Equal(got.Buffers, want.Buffers) {
		t.Errorf("%s: %d cycles on %s, not %d on %s", j.Name(), got.Cycles, again.Machine.Name, want.Cycles, j.Machine.Name)
	}
	if _, err := j.LoadInputs(dir); err != nil {
		t.Error(err)
	}
}

// Machines of files, and what was chosen since the job was read, are kept.
func TestFilesOfOthers(t *testing.T) {
	barrel, err := os.ReadFile("../machine/predictable-rr.toml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"match.ptx": jobtest.MatchModule, "m.toml": strings.Replace(string(barrel), `"predictable-rr"`, `"mine"`, 1),
		"p.stream": "for i < 300 { load v[4 * (i % 40)]; wait 3; }",
		"own.toml": jobtest.MatchJob + "\n", "job.toml": jobtest.MatchJob, "cpu.toml": jobtest.MatchJob + "[cpu]\nprogram = \"p.stream\"\n",
	} {
		if name == "own.toml" {
			text = "machine = \"./m.toml\"\n" + text
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	load := func(name, machine string) *platform.Job {
		t.Helper()
		src, err := workload.Read(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		j, err := platform.Load(src.WithSeed(5), machine)
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	replay(t, load("own.toml", ""))
	replay(t, load("job.toml", filepath.Join(dir, "m.toml")))
	replay(t, load("job.toml", "gcn3-split"))
	simds := 1
	for _, opts := range []workload.SplitOptions{
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
	cpu := load("cpu.toml", "integrated-fermi")
	w, err := cpu.WithLLC(machine.LLCOptions{Quota: &quota, Regulated: &on})
	if err != nil {
		t.Fatal(err)
	}
	replay(t, &platform.Job{Workload: w, Platform: cpu.Platform})
	if _, err := jobtest.Text(t, jobtest.MatchJob, jobtest.MatchModule).Files(dir, "x", workload.SavedInputs{}); err == nil {
		t.Error("a job of no directory has files")
	}
}
