package analysis

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/campaign"
	"warpbound/internal/method"
	"warpbound/internal/platform"
)

// trips has a kernel that goes round a loop as often as a buffer says, one that writes to a buffer, and one that
// only reads.
const trips = `.version 6.0
.target sm_60
.address_size 64
.visible .entry around(.param .u64 count, .param .u64 out)
{
	.reg .pred %p<2>;
	.reg .b32 %r<4>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [count];
	ld.param.u64 %rd2, [out];
	ld.global.u32 %r1, [%rd1];
	mov.u32 %r2, 0;
$ROUND:
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p1, %r2, %r1;
	@%p1 bra $ROUND;
	st.global.u32 [%rd2], %r2;
	ret;
}
.visible .entry put(.param .u64 to, .param .u32 n)
{
	.reg .b32 %r<2>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [to];
	ld.param.u32 %r1, [n];
	st.global.u32 [%rd1], %r1;
	ret;
}
.visible .entry look(.param .u64 from)
{
	.reg .b32 %r<2>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [from];
	ld.global.u32 %r1, [%rd1];
	ret;
}
`

// tripsJob is a job of these launches of the module on a barrel machine; without any, of the kernel around. The
// buffer count holds 7.
func tripsJob(t *testing.T, launches string) *platform.Job {
	t.Helper()
	files := fstest.MapFS{"m.ptx": {Data: []byte(trips)}, "job.toml": {Data: []byte(`module = "m.ptx"
kernel = "around"
machine = "predictable-rr"
grid = [1]
block = [1]
[[param]]
name = "count"
type = "u32"
values = [7]
count = 1
[[param]]
name = "out"
type = "u32"
count = 1
` + launches)}}
	j, err := platform.LoadFS(files, "job.toml", "")
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// launch is an entry of [[launch]].
func launch(kernel, arguments, more string) string {
	return fmt.Sprintf("[[launch]]\nkernel = %q\narguments = [%s]\n%s\n", kernel, arguments, more)
}

// TestContentsBetweenLaunches bounds a loop by what a buffer holds, as far as no launch of the run may have written
// to it by then.
func TestContentsBetweenLaunches(t *testing.T) {
	around := launch("around", `"count", "out"`, "")
	for _, c := range []struct {
		name, launches string
		known          bool
	}{
		{"alone", around, true},
		{"again", around + around, true},
		{"repeated", launch("around", `"count", "out"`, "repeat = 3"), true},
		{"read before", launch("look", `"count"`, "") + around, true},
		{"others written before", launch("put", `"out", 9`, "") + around, true},
		{"written before", launch("put", `"count", 9`, "") + around, false},
		{"first, written after", around + launch("put", `"count", 9`, ""), true},
		{"second, written after", launch("look", `"count"`, "") + around + launch("put", `"count", 9`, ""), false},
		{"written by itself, once", launch("around", `"count", "count"`, ""), false},
		{"written by itself, repeated", launch("around", `"count", "count"`, "repeat = 2"), false},
		{"written in a later round", "[[launch]]\nrepeat = 2\n[[launch.launch]]\nkernel = \"around\"\n[[launch.launch]]\nkernel = \"put\"\narguments = [\"count\", 9]\n", false},
		{"set by the host", launch("around", `"count", "out"`, "while = \"count\"\nlimit = 2"), false},
		{"by [repeat]", "[repeat]\nthen = [\"around\"]\n", true},
		{"by [repeat], set by the host", "[repeat]\nwhile = \"count\"\nlimit = 2\n", false},
	} {
		j := tripsJob(t, c.launches)
		_, _, err := Static(t.Context(), j.Platform, j.Workload, Request{Methods: []string{"static/cta"}})
		if known := err == nil; known != c.known {
			t.Errorf("%s: bounded %t, %v", c.name, known, err)
		}
	}
}

// TestSums checks how often launches are counted in the bound of the whole, and what that rests on.
func TestSums(t *testing.T) {
	look := launch("look", `"count"`, "")
	for _, c := range []struct {
		launches string
		counts   []int64
		evidence estimate.Evidence
	}{
		{look + launch("put", `"out", 3`, "repeat = 5"), []int64{1, 5}, estimate.Proven},
		{"[[launch]]\nrepeat = 4\n[[launch.launch]]\nkernel = \"look\"\narguments = [\"count\"]\nrepeat = 3\n[[launch.launch]]\n" +
			"while = \"out\"\nlimit = 6\n[[launch.launch.launch]]\nkernel = \"look\"\narguments = [\"out\"]\n", []int64{12, 24}, estimate.Annotated},
		{"[repeat]\nwhile = \"out\"\nlimit = 3\n", []int64{3}, estimate.Annotated},
	} {
		j := tripsJob(t, c.launches)
		a, err := Analyze(t.Context(), j.Platform, j.Workload, Request{Methods: []string{"static/cta"}})
		if err != nil {
			t.Errorf("%s: %v", c.launches, err)
			continue
		}
		e, sum := &a.Estimates[0], int64(0)
		for i, part := range e.Detail.(*estimate.Sum).Launches {
			if part.Executed != c.counts[i] || part.Evidence != estimate.Proven || *a.Launches[i].Executions.Bound != c.counts[i] {
				t.Errorf("%s: launch %d is %+v, %+v", c.launches, i, part, a.Launches[i].Executions)
			}
			sum += part.Executed * part.Cycles
		}
		if e.Evidence != c.evidence || e.Cycles != sum || a.Runs != 0 || len(a.Launches) != len(c.counts) {
			t.Errorf("%s: %d cycles (%s), want %d (%s)", c.launches, e.Cycles, e.Evidence, sum, c.evidence)
		}
		if !slices.ContainsFunc(e.Assumptions, func(text string) bool { return strings.HasPrefix(text, "sum over ") }) {
			t.Errorf("assumptions %q", e.Assumptions)
		}
	}
	for _, c := range []struct{ launches, want string }{
		{"[repeat]\nwhile = \"out\"\n", "job.toml:16:1: the job does not state how many rounds a run makes while out is not 0: give limit"},
		{launch("around", `"out", "out"`, "") + look, "m.ptx:14:2: kernel around: no useful bound is known for the loop at $ROUND"},
	} {
		j := tripsJob(t, c.launches)
		_, _, err := Static(t.Context(), j.Platform, j.Workload, Request{Methods: []string{"static/cta"}})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.launches, err, c.want)
		}
	}
}

// TestLaunchesWithoutBound keeps what is known of single launches where the whole has no bound.
func TestLaunchesWithoutBound(t *testing.T) {
	j := tripsJob(t, launch("put", `"count", 3`, "")+launch("around", `"count", "out"`, ""))
	a, err := Analyze(t.Context(), j.Platform, j.Workload, Request{Campaign: campaign.Spec{Vectors: 1}})
	if err != nil {
		t.Fatal(err)
	}
	has := func(list []estimate.Estimate) bool {
		return slices.ContainsFunc(list, func(e estimate.Estimate) bool { return e.Method == "static/cta" })
	}
	if has(a.Estimates) || !has(a.Launches[0].Estimates) || has(a.Launches[1].Estimates) || !slices.ContainsFunc(a.Warnings, func(w estimate.Warning) bool { return w.ID == "no-static-bound" }) {
		t.Errorf("%+v", a)
	}
	if l := a.Launches[1]; l.Observed == nil || l.Executions.Max != 1 || l.Executions.Evidence != estimate.Proven || len(l.Estimates) != 7 { // six measured ones, and one that follows a run
		t.Errorf("%+v", l)
	}
}

// TestContradictedLimit refuses a limit of rounds that a run exceeds.
func TestContradictedLimit(t *testing.T) {
	j := tripsJob(t, launch("put", `"out", 3`, "while = \"out\"\nlimit = 2"))
	if _, err := Analyze(t.Context(), j.Platform, j.Workload, Request{}); err == nil || !strings.Contains(err.Error(), "after 2 rounds the kernels still leave out at other than 0") {
		t.Errorf("%v", err)
	}
}

// TestProduct multiplies at the limits of 64 bits.
func TestProduct(t *testing.T) {
	for _, c := range []struct {
		a, b int64
		ok   bool
	}{{3, 4, true}, {1 << 40, 1 << 22, true}, {1 << 40, 1 << 23, false}, {1 << 62, 1 << 62, false}} {
		if n, ok := product(c.a, c.b); ok != c.ok || ok && n != c.a*c.b {
			t.Errorf("%d * %d is %d, %t", c.a, c.b, n, ok)
		}
	}
}

// TestWarmCaches refuses static bounds of launches that may find something in a cache by methods that do not know what,
// and only these.
func TestWarmCaches(t *testing.T) {
	for _, c := range []struct {
		machine, method string
		launches        string
		refused         bool
	}{
		{"predictable-rr", "static/cta", "launch = [{}, {}]", false},
		{"gcn3-split", "split/none", "launch = [{}, {}]", false},
		{"integrated-fermi", "static/llc-simple", "launch = [{}, {}]", false},
		{"fermi-c2050", "static/greedy", "launch = [{}, {}]", true},
		{"fermi-c2050", "static/greedy", "launch = [{}]", false},
	} {
		files := fstest.MapFS{"m.ptx": {Data: []byte(trips)}, "job.toml": {Data: []byte("module = \"m.ptx\"\nkernel = \"look\"\ngrid = [1]\nblock = [1]\ncaches = \"warm\"\n" +
			"param = [{name = \"from\", type = \"u32\", count = 1}]\n" + c.launches + "\n")}}
		j, err := platform.LoadFS(files, "job.toml", c.machine)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Analyze(t.Context(), j.Platform, j.Workload, Request{Methods: []string{c.method}})
		if _, refused := errors.AsType[*diag.UnsupportedError](err); refused != c.refused || err != nil && !strings.Contains(err.Error(), "job.toml:5:1: the method bounds launches that find empty caches") {
			t.Errorf("%+v: %v", c, err)
		}
		a, err := Analyze(t.Context(), j.Platform, j.Workload, Request{Campaign: campaign.Spec{Vectors: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if warned := slices.ContainsFunc(a.Warnings, func(w estimate.Warning) bool { return w.ID == "no-static-bound" }); warned != c.refused {
			t.Errorf("%+v: warnings %v", c, a.Warnings)
		}
	}
}

// TestAfter: a launch that a run begins with finds nothing, unless it is repeated, and others what is before them.
func TestAfter(t *testing.T) {
	all := &method.Warm{All: make([]method.Touched, 2)}
	for _, c := range []struct {
		launches string
		nothing  bool
	}{
		{launch("look", `"count"`, "") + launch("look", `"count"`, ""), true},
		{launch("look", `"count"`, "repeat = 2") + launch("look", `"count"`, ""), false},
	} {
		w := tripsJob(t, c.launches).Workload
		if got := after(w, all, 0); (got == nil) != c.nothing || got != nil && got.Before != 0 {
			t.Errorf("%s: %+v is before the first launch", c.launches, got)
		}
		if got := after(w, all, 1); got == nil || got.Before != 1 || len(got.All) != 2 {
			t.Errorf("%s: %+v is before the second launch", c.launches, got)
		}
		if got := after(w, nil, 1); got != nil {
			t.Errorf("%s: %+v is before the second launch in cold caches", c.launches, got)
		}
	}
}

// TestInspectLaunches says of a kernel only what holds in all of its launches.
func TestInspectLaunches(t *testing.T) {
	look, other := launch("look", `"count"`, ""), launch("look", `"count"`, "grid = [2]")
	for _, c := range []struct {
		launches string
		known    bool
	}{{look + look, true}, {look + other, false}, {look + other + look, false}} {
		if _, known := sameLaunches(tripsJob(t, c.launches).Workload)["look"]; known != c.known {
			t.Errorf("%s: the launch is known: %t", c.launches, known)
		}
	}
}
