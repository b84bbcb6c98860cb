package adversary

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"warpbound/internal/platform"
	"warpbound/internal/workload"
)

// text is a job with numbers, arrays and floats that vary, some of which depend on each other.
const text = `module = "k.ptx"
grid = [1]
block = [64]
seed = 7
[[param]]
name = "keys"
type = "u32"
count = 64
init = "uniform(10, 5000)"
[[param]]
name = "flags"
type = "u8"
count = 96
init = "uniform(0, 255)"
[[param]]
name = "weights"
type = "f32"
count = 64
init = "uniform(-1, 2.5)"
[[param]]
name = "fixed"
type = "u32"
count = 64
init = "iota"
[[param]]
name = "n"
type = "s32"
range = [-3, 64]
[[param]]
name = "m"
type = "s32"
range = [0, 64]
[[assume]]
sorted = "keys"
[[assume]]
expr = "m <= n"
`

const module = `.version 6.3
.target sm_70
.address_size 64
.visible .entry k(.param .u64 keys, .param .u64 flags, .param .u64 weights, .param .u64 fixed, .param .u32 n, .param .u32 m)
{
	.reg .pred %p<4>;
	.reg .b32 %r<4>;
	.reg .f32 %f<2>;
	.reg .b64 %d<4>;
	ld.param.u64 %d1, [keys];
	ld.global.u32 %r1, [%d1];
	setp.eq.u32 %p1, %r1, 4711;
	@%p1 bra DONE;
	ld.param.u64 %d2, [weights];
	ld.global.f32 %f1, [%d2];
	setp.gt.f32 %p2, %f1, 0f40100000;
	@%p2 bra DONE;
	setp.eq.u32 %p3, %r1, 5001;
	@%p3 bra DONE;
DONE:
	ret;
}
`

func load(t testing.TB) *workload.Workload {
	t.Helper()
	j, err := platform.LoadFS(fstest.MapFS{"job.toml": {Data: []byte(text)}, "k.ptx": {Data: []byte(module)}}, "job.toml", "")
	if err != nil {
		t.Fatal(err)
	}
	return j.Workload
}

// attack runs all inputs that an adversary makes, which take as many cycles as took says of the
// i-th.
func attack(t testing.TB, w *workload.Workload, runs int, took func(i int, in workload.SavedInputs) int64) (all []workload.SavedInputs, evolved int) {
	t.Helper()
	a, err := New(w, runs)
	if err != nil {
		t.Fatal(err)
	}
	a.Begin(3, 50)
	for {
		next, late := a.Next()
		if next == nil {
			return all, evolved
		}
		for _, in := range next {
			a.Took(len(all), took(len(all), in))
			if all = append(all, in); late {
				evolved++
			}
		}
	}
}

// TestStructured: the names of the structured inputs, of which those of constants are of such as
// elements can equal.
func TestStructured(t *testing.T) {
	m, err := NewMaker(load(t))
	if err != nil {
		t.Fatal(err)
	}
	want := "maximum minimum ascending alternating " +
		"equal:4711 among:4711 beside:4711 equal:2.25 among:2.25 beside:2.25 equal:4712 among:4712 beside:4712 " +
		"constant spread descending sparse gaps stride receding successive " +
		"equal:4710 among:4710 beside:4710 equal:5000 among:5000 beside:5000 " +
		"mixed:0 mixed:1 mixed:2 mixed:3 mixed:4 mixed:5 mixed:6 mixed:7"
	if diff := cmp.Diff(strings.Fields(want), m.listStructured()); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]string{
		"minimum": "[0 0 0 0] 0", "maximum": "[255 255 255 255] 64", "alternating": "[0 255 0 255] 64", "successive": "[0 1 2 3] 64",
		"receding": "[255 254 253 252] 64", "ascending": "[0 2 5 8] 64", "sparse": "[255 0 0 0] 64",
	} {
		in, err := m.Inputs(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(in.Buffers[1][:4], int32(uint32(in.Scalars[4][0])|uint32(in.Scalars[4][1])<<8|uint32(in.Scalars[4][2])<<16|uint32(in.Scalars[4][3])<<24)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestNames: inputs are within the contract, made again from their names, and no two are the same;
// a third of them at least is made of others; and no more are made than there are to be.
func TestNames(t *testing.T) {
	w := load(t)
	for seed := range int64(25) {
		runs := int(seed * 5)
		own := workload.Reseeded(w, seed)
		took := func(i int, _ workload.SavedInputs) int64 { return int64(i) * seed % 100 }
		all, evolved := attack(t, own, runs, took)
		if len(all) != runs || evolved < runs/3 {
			t.Fatalf("%d inputs of %d, %d made of others", len(all), runs, evolved)
		}
		again, _ := attack(t, own, runs, took)
		seen := map[string]bool{}
		for i, in := range all {
			hash := in.Inputs.Hash()
			named, err := Named(own, in.File)
			if err != nil || named.Hash() != hash || again[i].File != in.File {
				t.Fatalf("%s cannot be repeated: %v", in.File, err)
			}
			for p := range in.Inputs.Buffers {
				in.Inputs.Buffers[p] = in.Inputs.Contents(p, nil)
			}
			if err := own.First().Bound.Admit(in.Inputs); err != nil {
				t.Fatalf("%s: %v", in.File, err)
			}
			if seen[hash] {
				t.Fatalf("%s is run again", in.File)
			}
			seen[hash] = true
		}
	}
}

// TestEvolution: changes of what took longest take longer than that.
func TestEvolution(t *testing.T) {
	w := load(t)
	sum := func(_ int, in workload.SavedInputs) int64 { // greater for great flags at first and for small ones behind
		n := int64(0)
		for i, flag := range in.Inputs.Buffers[1] {
			if n += int64(flag); i >= 48 {
				n += 255 - 2*int64(flag)
			}
		}
		return n
	}
	var structured, best int64
	all, _ := attack(t, w, 400, func(i int, in workload.SavedInputs) int64 {
		n := sum(i, in)
		if best = max(best, n); !strings.Contains(in.File, "+") {
			structured = max(structured, n)
		}
		return n
	})
	if best < structured*21/20 {
		t.Errorf("%d of %d inputs are as good as the structured ones: %d, then %d", len(all), 400, structured, best)
	}
	if !slices.ContainsFunc(all, func(in workload.SavedInputs) bool { return strings.Count(in.File, "+") > 2 }) {
		t.Error("no input is made of several changes")
	}
}

// TestUnknownNames: what is no name is an error that says which are.
func TestUnknownNames(t *testing.T) {
	w := load(t)
	for name, want := range map[string]string{
		"upwards":     `there are no inputs "upwards"`,
		"equal:4":     `inputs "equal:4": the kernel compares nothing with 4`,
		"mixed:x":     `inputs "mixed:x": "x" is no number`,
		"vector:-1":   `inputs "vector:-1": "-1" is no number`,
		"maximum+3+y": `inputs "maximum+3+y": a change has a number, not "y"`,
	} {
		if _, err := Named(w, name); err == nil || err.Error() != want+"; names are those that analyze prints, such as maximum" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
