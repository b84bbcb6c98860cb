package workload_test

import (
	"slices"
	"strings"
	"testing"

	"warpbound/internal/abi"
	"warpbound/internal/absexec"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/value"
	"warpbound/internal/job"
	"warpbound/internal/test/flowtest"
	"warpbound/internal/test/jobtest"
	"warpbound/internal/workload"
)

const rangedModule = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 buf, .param .s32 n, .param .u8 small, .param .s64 wide, .param .u32 count, .param .f32 x)
{
	ret;
}
`

// Restricting an argument to one number passes it, and to several samples these alone; what is sampled differs in nothing else.
func TestRangedArguments(t *testing.T) {
	w := jobtest.Text(t, `module = "`+jobtest.MatchFile+`"
kernel = "k"
machine = "fermi-c2050"
grid = [1, 1, 1]
block = [32, 1, 1]
[[param]]
name = "buf"
type = "u8"
count = 4
init = "uniform(0, 9)"
[[param]]
name = "n"
type = "s32"
range = [-3, 4]
[[param]]
name = "small"
type = "u8"
range = [200, 255]
[[param]]
name = "wide"
type = "s64"
range = [-5, -5]
[[param]]
name = "count"
type = "u32"
range = [1, 9]
[[param]]
name = "x"
type = "f32"
range = [0.0, 1.0]
[[assume]]
expr = "count % 2 == 1"
`, rangedModule).Workload
	all := workload.RangedArguments(w)
	var names []string
	for _, r := range all {
		names = append(names, r.Name())
	}
	if !slices.Equal(names, []string{"n", "small"}) { // wide is one number, count is in a relation, x is a float
		t.Fatalf("ranged arguments %q", names)
	}
	n, small := all[0], all[1]
	for _, c := range []struct {
		of          workload.Ranged
		first, last uint64
		text        string
		low, high   uint64
	}{
		{n, 0, 7, "n in [-3, 4]", 0xfffffffd, 4},
		{n, 2, 2, "n = -1", 0xffffffff, 0xffffffff},
		{n, 3, 5, "n in [0, 2]", 0, 2},
		{small, 55, 55, "small = 255", 255, 255},
		{small, 1, 2, "small in [201, 202]", 201, 202},
	} {
		if text := c.of.Text(c.first, c.last); text != c.text {
			t.Errorf("text %q, want %q", text, c.text)
		}
		one := c.of.Restrict(w, c.first, c.last)
		k := one.First()
		param := slices.IndexFunc(w.Spec.Params, func(p job.Param) bool { return p.Name == c.of.Name() })
		offset, bytes, _ := k.Bound.Slot(param)
		launch := k.Launch()
		at := slices.IndexFunc(launch.Params, func(p launchfacts.Word) bool { return p.Offset == offset })
		if at < 0 {
			t.Fatalf("%s: nothing is known", c.text)
		}
		set := launch.Params[at]
		for _, x := range []uint64{c.low, c.high} {
			if !set.Contains(x) {
				t.Errorf("%s: %#x is not in %v", c.text, x, set)
			}
		}
		sampled := slices.ContainsFunc(k.Sampled(), func(r absexec.Range) bool { return r.Addr == abi.ParamAddress(offset) && r.Bytes == bytes })
		if sampled != (c.first < c.last) {
			t.Errorf("%s: sampled %t", c.text, sampled)
		}
		for vector := range 20 {
			own, whole := k.Bound.Inputs(vector), w.First().Bound.Inputs(vector)
			p := one.Spec.Params[param]
			if one.Spec.Params[param].Content.Kind == job.Fixed && !slices.Equal(own.Scalars[param], p.Content.Data) {
				t.Errorf("%s: passes %v", c.text, own.Scalars[param])
			}
			own.Scalars[param] = whole.Scalars[param]
			if !slices.EqualFunc(own.Scalars, whole.Scalars, slices.Equal) || !slices.EqualFunc(own.Buffers, whole.Buffers, slices.Equal) {
				t.Errorf("%s: other inputs", c.text)
			}
		}
	}
	if w.Spec.Params[1].Content.Span != 7 || !strings.HasPrefix(n.Text(0, 7), "n in") {
		t.Error("the workload has changed")
	}
}

// What is found of a part of the inputs is found once, and in the other modes of splitting too.
func TestFactsAreKept(t *testing.T) {
	w := jobtest.Text(t, `module = "`+jobtest.MatchFile+`"
kernel = "k"
machine = "gcn3-split"
grid = [1, 1, 1]
block = [64, 1, 1]
[[param]]
name = "buf"
type = "u8"
count = 4
[[param]]
name = "n"
type = "s32"
range = [0, 7]
[[param]]
name = "small"
type = "u8"
value = 1
[[param]]
name = "wide"
type = "s64"
value = 1
[[param]]
name = "count"
type = "u32"
value = 1
[[param]]
name = "x"
type = "f32"
value = 1.0
`, rangedModule).Workload
	values := func(w *workload.Workload, first, last uint64) *value.Result {
		if last-first < 7 {
			w = workload.RangedArguments(w)[0].Restrict(w, first, last)
		}
		return flowtest.Must(w.First().Values(t.Context()))
	}
	if first := values(w, 0, 7); values(w, 0, 7) == first {
		t.Error("the workload itself keeps facts")
	}
	w = workload.KeepFacts(w)
	other, err := w.In("dws")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range [][2]uint64{{0, 7}, {0, 3}, {5, 5}} {
		first := values(w, p[0], p[1])
		if values(w, p[0], p[1]) != first || values(other, p[0], p[1]) != first {
			t.Errorf("numbers %d to %d: found anew", p[0], p[1])
		}
	}
	if values(w, 0, 3) == values(w, 0, 7) || values(w, 0, 3) == values(w, 4, 7) || values(w, 5, 5) == values(w, 5, 6) {
		t.Error("different parts have the same values")
	}
}
