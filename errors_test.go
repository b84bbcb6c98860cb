package warpbound_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/diag"
)

// kernelOf is a module with one kernel, whose parameter is an address.
func kernelOf(body string) string {
	return `.version 6.3
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .pred %q;
	.reg .b32 %r<4>;
	.reg .b64 %a;
	ld.param.u64 %a, [p];
` + body + `
	ret;
}
`
}

const dataLoop = `	mov.u32 %r1, 0;
loop:
	add.u32 %r1, %r1, 1;
	ld.global.u32 %r2, [%a];
	setp.lt.u32 %q, %r1, %r2;
	@%q bra loop;`

const plainJob = `module = "k.ptx"
grid = [1]
block = [32]
[[param]]
name = "p"
type = "u32"
count = 32
init = "uniform(3, 5)"
`

// anyJob says nothing of what its buffer holds.
var anyJob = strings.Replace(plainJob, "uniform(3, 5)", "uniform(0, 4294967295)", 1)

// loadText loads a job of texts.
func loadText(kernel, job, machine string) (*warpbound.Job, error) {
	files := fstest.MapFS{"job.toml": {Data: []byte(job)}, "k.ptx": {Data: []byte(kernelOf(kernel))}}
	return warpbound.LoadFS(files, "job.toml", warpbound.LoadOptions{Machine: machine})
}

// simulated and analyzed return what goes wrong.
func simulated(opts warpbound.SimulateOptions) func(*warpbound.Job) error {
	return func(j *warpbound.Job) error {
		_, err := j.Simulate(context.Background(), opts)
		return err
	}
}

func analyzed(opts warpbound.AnalyzeOptions) func(*warpbound.Job) error {
	return func(j *warpbound.Job) error {
		_, err := j.Analyze(context.Background(), opts)
		return err
	}
}

// kind matches an error as one of a type.
func kind[E error](err error) error {
	if of, ok := errors.AsType[E](err); ok {
		return of
	}
	return nil
}

// TestErrorKinds provokes each kind of error that callers can tell apart.
func TestErrorKinds(t *testing.T) {
	static := analyzed(warpbound.AnalyzeOptions{Methods: []string{"static/cta"}})
	for _, c := range []struct {
		name, kernel, job, machine string
		do                         func(*warpbound.Job) error
		is                         func(error) error
	}{
		{"position", "", strings.Replace(plainJob, "grid", "gird", 1), "", nil, kind[*diag.Error]},
		{"position", "", strings.Replace(plainJob, "k.ptx", "none.ptx", 1), "", nil, kind[*diag.Error]},
		{"position", "bogus", plainJob, "", nil, kind[*diag.Error]},
		{"launch", "", strings.Replace(plainJob, "[32]", "[1024, 4]", 1), "", simulated(warpbound.SimulateOptions{}), kind[*diag.LaunchError]},
		{"fault", "st.global.u32 [%a+1000], 1;", plainJob, "", simulated(warpbound.SimulateOptions{}), kind[*diag.FaultError]},
		{"limit", "", plainJob, "", simulated(warpbound.SimulateOptions{MaxCycles: 3}), kind[*diag.LimitError]},
		{"limit on barrel cores", "", plainJob, "predictable-rr", simulated(warpbound.SimulateOptions{MaxCycles: 3}), kind[*diag.LimitError]},
		{"deadlock", "barrier.sync 1, 64;", plainJob, "", simulated(warpbound.SimulateOptions{}), kind[*diag.DeadlockError]},
		{"unbounded", dataLoop, anyJob, "predictable-rr", static, kind[*diag.UnboundedLoopError]},
		{"endless", "loop: bra loop;", plainJob, "", analyzed(warpbound.AnalyzeOptions{}), kind[*diag.UnboundedLoopError]},
		{"unsupported", "", plainJob, "fermi-c2050", static, kind[*diag.UnsupportedError]},
		{"unsupported", "", plainJob, "fermi-c2050", analyzed(warpbound.AnalyzeOptions{Methods: []string{"split/pws"}}), kind[*diag.UnsupportedError]},
		{"unsupported", "", plainJob, "fermi-c2050", analyzed(warpbound.AnalyzeOptions{Methods: []string{"static/llc-simple"}}), kind[*diag.UnsupportedError]},
		{"contradiction", dataLoop, plainJob + "[loop]\nloop = 1\n", "", analyzed(warpbound.AnalyzeOptions{}), kind[*diag.ContradictionError]},
		{"trace", "", plainJob, "", analyzed(warpbound.AnalyzeOptions{Runs: warpbound.Runs{Traces: strings.NewReader("no trace"), TracesName: "x"}}), kind[*diag.TraceError]},
		{"solver", dataLoop, plainJob, "", func(j *warpbound.Job) error {
			explore := warpbound.DefaultExploreOptions()
			explore.Solver = "no-such-solver"
			_, err := j.Search(context.Background(), warpbound.SearchOptions{Strategies: []string{"gdivan"}, Settings: warpbound.DefaultSearchSettings(), Explore: explore})
			return err
		}, kind[*diag.MissingSolverError]},
		{"device", "", plainJob, "cuda:99", nil, kind[*diag.MissingDeviceError]},
	} {
		j, err := loadText(c.kernel, c.job, c.machine)
		if err == nil && c.do != nil {
			err = c.do(j)
		}
		if of := c.is(err); of == nil || of.Error() == "" {
			t.Errorf("%s: %T %v", c.name, err, err)
		}
	}
}

// TestErrorFields reads what errors say beside their text.
func TestErrorFields(t *testing.T) {
	j, err := loadText("st.global.u32 [%a+1000], 1;", plainJob, "")
	if err != nil {
		t.Fatal(err)
	}
	fault, ok := errors.AsType[*diag.FaultError](simulated(warpbound.SimulateOptions{})(j))
	if !ok || fault.Kernel != "k" || fault.Pos.File != "k.ptx" || fault.Pos.Line != 10 || fault.Thread != [3]int{} {
		t.Errorf("%+v", fault)
	}
	if j, err = loadText(dataLoop, anyJob, "predictable-rr"); err != nil {
		t.Fatal(err)
	}
	loop, ok := errors.AsType[*diag.UnboundedLoopError](analyzed(warpbound.AnalyzeOptions{Methods: []string{"static/cta"}})(j))
	if !ok || loop.Kernel != "k" || loop.Loop != "loop" || loop.Pos.Line != 12 || loop.Branch.Line != 15 {
		t.Errorf("%+v", loop)
	}
	limit, ok := errors.AsType[*diag.LimitError](simulated(warpbound.SimulateOptions{MaxCycles: 3})(j))
	if !ok || limit.Kernel != "k" || limit.Cycle != 3 {
		t.Errorf("%+v", limit)
	}
	if _, stuck := errors.AsType[*diag.DeadlockError](limit); stuck {
		t.Error("a run that takes too long is taken for a deadlock")
	}
}
