package synthetic

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"warpbound"
)

// TestCounts checks that the shares are those asked for.
func TestCounts(t *testing.T) {
	base := Config{Instructions: 800, Nesting: 3, Iterations: 1, WorkItems: 64, Groups: 1, Marked: AllMarked}
	for _, test := range []struct {
		divergent, memory, marked int
		want                      Counts
	}{
		{100, 0, AllMarked, Counts{Uniform: 0, Divergent: 800, Memory: 0, Branches: 7, Marked: 7}},
		{75, 25, AllMarked, Counts{Uniform: 200, Divergent: 600, Memory: 200, Branches: 7, Marked: 7}},
		{0, 100, 0, Counts{Uniform: 800, Divergent: 0, Memory: 800, Branches: 7, Marked: 0}},
		{33, 10, 3, Counts{Uniform: 536, Divergent: 264, Memory: 53 + 26, Branches: 7, Marked: 3}},
	} {
		c := base
		c.Divergent, c.Memory, c.Marked = test.divergent, test.memory, test.marked
		b, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		if b.Counts != test.want {
			t.Errorf("%+v: %+v, want %+v", c, b.Counts, test.want)
		}
		if got := strings.Count(b.Module, ".pragma \"split\";"); got != test.want.Marked {
			t.Errorf("%+v: %d marks, want %d", c, got, test.want.Marked)
		}
	}
}

// TestClassesDiffer checks that no class executes what another does if all instructions are
// divergent, and that it executes as many.
func TestClassesDiffer(t *testing.T) {
	c := Config{Instructions: 640, Divergent: 100, Memory: 50, Nesting: MaxNesting, Iterations: 1, WorkItems: 64, Groups: 1}
	k := c.kernel()
	if len(k.uniform) != 0 {
		t.Errorf("%d instructions are not divergent", len(k.uniform))
	}
	for i, class := range k.classes {
		if len(class) != 10 {
			t.Errorf("class %d has %d instructions", i, len(class))
		}
		if slices.ContainsFunc(k.classes[:i], func(other []instruction) bool { return slices.Equal(other, class) }) {
			t.Errorf("class %d executes what another does", i)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.Instructions = 0 }, "instructions 0: want 1 to 1000000"},
		{func(c *Config) { c.Divergent = 101 }, "divergent 101: want 0 to 100"},
		{func(c *Config) { c.Memory = -1 }, "memory -1: want 0 to 100"},
		{func(c *Config) { c.Nesting = 7 }, "nesting 7: want 0 to 6"},
		{func(c *Config) { c.Nesting = 0 }, "nesting 0: divergent instructions need an if-else around them"},
		{func(c *Config) { c.Iterations = 0 }, "iterations 0: want 1 to 1048576"},
		{func(c *Config) { c.WorkItems = 7 }, "items 7: a nesting of 3 makes 8 classes of work-items, so a group needs 8"},
		{func(c *Config) { c.WorkItems = 0 }, "items 0: want 1 to 16777216"},
		{func(c *Config) { c.Groups = 1 << 20 }, "groups 1048576: want 1 to 262144"},
		{func(c *Config) { c.Marked = 8 }, "marked 8: a nesting of 3 has 7 if-else"},
		{func(c *Config) { c.Marked = -2 }, "marked -2: a nesting of 3 has 7 if-else"},
	} {
		c := Config{Instructions: 10, Divergent: 50, Nesting: 3, Iterations: 1, WorkItems: 64, Groups: 1}
		test.change(&c)
		if _, err := New(c); err == nil || err.Error() != test.want {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}

// reference is what a work-item leaves in its elements of out, given those of in.
func (k *kernel) reference(item, global uint32, in []uint32, iterations int) []uint32 {
	var w [registers]uint32
	for r := range w {
		w[r] = global ^ mask(r)
	}
	out := make([]uint32, slots+1)
	class := k.classes[int(item)%len(k.classes)]
	for range iterations {
		for _, i := range slices.Concat(k.uniform, class) {
			other := i.value
			if i.other >= 0 {
				other = w[i.other]
			}
			switch i.op {
			case load:
				w[i.to] = in[i.slot]
			case store:
				out[i.slot] = w[i.to]
			case add:
				w[i.to] += other
			case sub:
				w[i.to] -= other
			case xor:
				w[i.to] ^= other
			case maximum:
				w[i.to] = max(w[i.to], other)
			}
		}
	}
	for _, v := range w {
		out[slots] += v
	}
	return out
}

// draw draws a configuration of a small benchmark on a machine.
func draw(t *rapid.T, machine string) Config {
	return Config{
		Instructions: rapid.IntRange(1, 60).Draw(t, "instructions"),
		Divergent:    rapid.IntRange(0, 100).Draw(t, "divergent"),
		Memory:       rapid.IntRange(0, 100).Draw(t, "memory"),
		Nesting:      rapid.IntRange(1, 4).Draw(t, "nesting"),
		Iterations:   rapid.IntRange(1, 3).Draw(t, "iterations"),
		WorkItems:    rapid.IntRange(16, 100).Draw(t, "items"),
		Groups:       rapid.IntRange(1, 4).Draw(t, "groups"),
		Marked:       AllMarked,
		Seed:         rapid.Uint64().Draw(t, "seed"),
		Machine:      machine,
	}
}

// loadJob makes the job of a configuration.
func loadJob(t *rapid.T, c Config) *warpbound.Job {
	b, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	again, err := New(c)
	if err != nil || *again != *b {
		t.Fatalf("made twice the benchmark is another: %v", err)
	}
	job, err := warpbound.LoadFS(fstest.MapFS{
		ModuleFile: {Data: []byte(b.Module)}, JobFile: {Data: []byte(b.Job)},
	}, JobFile, warpbound.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return job
}

// check runs a job, compares memory with the reference, and returns the cycles.
func check(t *rapid.T, c Config, job *warpbound.Job) int64 {
	run, err := job.Simulate(context.Background(), warpbound.SimulateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	k, all := c.kernel(), c.WorkItems*c.Groups
	in, out := job.Inputs(0)["in"], run.Buffer("out")
	for global := range all {
		mine := make([]uint32, slots)
		for s := range mine {
			mine[s] = binary.LittleEndian.Uint32(in[4*(s*all+global):])
		}
		want := k.reference(uint32(global%c.WorkItems), uint32(global), mine, c.Iterations)
		for s, v := range want {
			if got := binary.LittleEndian.Uint32(out[4*(s*all+global):]); got != v {
				t.Fatalf("work-item %d, element %d is %#x, want %#x", global, s, got, v)
			}
		}
	}
	return run.Cycles
}

// TestResults runs benchmarks and compares memory with the reference.
func TestResults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := draw(t, "fermi-c2050")
		check(t, c, loadJob(t, c))
	})
}

// TestSplit runs benchmarks in all modes of wavefront splitting with any number of split
// SIMDs: memory is as the reference has it, and no run takes longer than its bound.
func TestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := draw(t, "gcn3-split")
		c.Marked = rapid.IntRange(AllMarked, 1<<c.Nesting-1).Draw(t, "marked")
		simds := rapid.IntRange(0, 7).Draw(t, "simds")
		job := loadJob(t, c)
		for _, mode := range job.Modes() {
			split, err := job.Split(warpbound.SplitOptions{Mode: mode, SIMDs: &simds})
			if err != nil {
				t.Fatal(err)
			}
			a, err := split.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{"split/" + mode}})
			if err != nil {
				t.Fatal(err)
			}
			if cycles := check(t, c, split); cycles > a.Estimates[0].Cycles {
				t.Errorf("mode %s: %d cycles, bound by %d", mode, cycles, a.Estimates[0].Cycles)
			}
		}
	})
}
