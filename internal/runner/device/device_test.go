package device

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warpbound/internal/analysis"
	"warpbound/internal/campaign"
	"warpbound/internal/cuda"
	"warpbound/internal/cuda/standin"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/runner"
	"warpbound/internal/workload"
)

// fakeDriver makes what stands in for a GPU look like one: conditions change, and launches
// take as long as a test says.
type fakeDriver struct {
	cuda.Driver
	opened   int
	launches int
	times    func(launch int) time.Duration // nil for those of the simulation
	endless  bool                           // launches do not end
	broken   bool                           // no device can be opened
	timeless bool                           // devices do not say their clock

	measuring bool            // conditions have been asked for
	before    cuda.Conditions // and after the first time that they are asked for
	after     cuda.Conditions
}

func (d *fakeDriver) Version() cuda.Version { return cuda.Version{Major: 12, Minor: 4} }

func (d *fakeDriver) Open(n int) (cuda.Device, error) {
	if d.broken {
		return nil, cuda.ErrNoDevice
	}
	dev, err := d.Driver.Open(n)
	d.opened++
	return &fakeDevice{Device: dev, driver: d}, err
}

type fakeDevice struct {
	cuda.Device
	driver *fakeDriver
	asked  bool
}

func (d *fakeDevice) Attributes() cuda.Attributes {
	a := d.Device.Attributes()
	a.Capability = cuda.Capability{Major: 8, Minor: 6}
	if d.driver.timeless {
		a.ClockKHz = 0
	}
	return a
}

func (d *fakeDevice) Conditions() cuda.Conditions {
	d.driver.measuring = true
	if !d.asked {
		d.asked = true
		return d.driver.before
	}
	return d.driver.after
}

func (d *fakeDevice) Load(text []byte) (cuda.Module, error) {
	m, err := d.Device.Load(text)
	return &fakeModule{m, d.driver}, err
}

type fakeModule struct {
	cuda.Module
	driver *fakeDriver
}

func (m *fakeModule) Function(name string) (cuda.Function, error) {
	f, err := m.Module.Function(name)
	return &fakeFunction{f, m.driver}, err
}

type fakeFunction struct {
	cuda.Function
	driver *fakeDriver
}

func (f *fakeFunction) Launch(ctx context.Context, l cuda.Launch) (time.Duration, error) {
	if f.driver.endless {
		<-ctx.Done()
		return 0, fmt.Errorf("%w: %w", cuda.ErrTimeout, ctx.Err())
	}
	took, err := f.Function.Launch(ctx, l)
	if f.driver.times != nil {
		took = f.driver.times(f.driver.launches)
	}
	f.driver.launches++
	return took, err
}

// onDevice loads a job for a device that is not one that stands in for a GPU.
func onDevice(t *testing.T, name string) (*Platform, *workload.Workload, *fakeDriver) {
	t.Helper()
	src, err := workload.Read(filepath.Join("../../../kernels", name, "job.toml"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := machine.Builtin(src.Spec.Machine)
	if err != nil {
		t.Fatal(err)
	}
	simulation, err := standin.New(m)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(Config{Name: "cuda:fake", Driver: simulation, Simulated: true})
	if err != nil {
		t.Fatal(err)
	}
	w, err := workload.Prepare(src, p, "")
	if err != nil {
		t.Fatal(err)
	}
	d := &fakeDriver{Driver: simulation}
	p.driver, p.simulated = d, false
	return p, w, d
}

// toAverage says what a search asks of a device.
func toAverage() runner.Options { return runner.Options{MaxCycles: 1 << 40, Averaged: true} }

// TestNoClock refuses a device whose times cannot be stated in cycles.
func TestNoClock(t *testing.T) {
	_, _, d := onDevice(t, "vectorAdd")
	if _, err := New(Config{Driver: d}); err != nil {
		t.Error(err)
	}
	d.timeless = true
	if _, err := New(Config{Driver: d}); err == nil || !strings.Contains(err.Error(), "does not report the maximum SM clock") {
		t.Errorf("error %v", err)
	}
}

func TestMeasurementDiscipline(t *testing.T) {
	p, w, d := onDevice(t, "vectorAdd")
	d.before = cuda.Conditions{ClockKHz: 500000, Others: 2, DriverVersion: "550"}
	d.after = cuda.Conditions{ClockKHz: 400000, Others: -1, Unknown: []string{"no answer"}}
	a, err := analysis.Analyze(context.Background(), p, w, analysis.Request{Campaign: campaign.Spec{Vectors: 2}, MaxCycles: 1 << 40})
	if err != nil {
		t.Fatal(err)
	}
	g := a.Device
	if g.WarmUps < 3 || g.Repeats != 3 || g.Plain.Events.Runs != 6 || g.Recorded.Events.Runs != 6 || a.Runs != 6 || d.launches != 2*(g.WarmUps+6) {
		t.Errorf("%d launches: %+v", d.launches, g)
	}
	if g.Capability != "8.6" || g.CUDA != "12.4" || *g.Before.Others != 2 || g.After.Others != nil || g.After.Unknown[0] != "no answer" {
		t.Errorf("%+v", g)
	}
	if g.SlowestHz() != 400e6 || a.Hz(1) != 400e6 {
		t.Errorf("slowest clock %v", g.SlowestHz())
	}
	var ids []string
	for _, w := range a.Warnings {
		ids = append(ids, w.ID)
	}
	for _, id := range []string{"device-shared", "device-clock"} {
		if !slices.Contains(ids, id) {
			t.Errorf("no warning %s among %v", id, ids)
		}
	}
	if g.Recorded.Registers <= g.Plain.Registers || g.Overhead.Records < 3 || g.Overhead.Percent <= 0 || g.Overhead.PerRecord <= 0 {
		t.Errorf("%+v", g.Overhead)
	}
}

// TestOutliersCount checks that no time is left out.
func TestOutliersCount(t *testing.T) {
	p, w, d := onDevice(t, "vectorAdd")
	late := false
	d.times = func(launch int) time.Duration {
		if d.measuring && !late {
			late = true
			return time.Millisecond
		}
		return 10 * time.Microsecond
	}
	a, err := analysis.Analyze(context.Background(), p, w, analysis.Request{Campaign: campaign.Spec{Vectors: 1, Repeats: 5}, EndToEnd: true})
	if err != nil {
		t.Fatal(err)
	}
	e := a.Device.Plain.Events
	if e.Runs != 5 || e.Min != 10000 || e.Max != 1000000 || e.Median != 10000 || e.Mean != 208000 {
		t.Errorf("%+v", e)
	}
	if a.Observed.Min != 5750 || a.Observed.Max != 575000 {
		t.Errorf("%+v", a.Observed)
	}
}

// TestDeviceTarget checks that a search gets the mean of ten runs.
func TestDeviceTarget(t *testing.T) {
	p, w, d := onDevice(t, "vectorAdd")
	d.times = func(launch int) time.Duration { return time.Duration(launch%10) * 2 * time.Microsecond }
	to, err := p.Open(w, toAverage())
	if err != nil {
		t.Fatal(err)
	}
	in := w.First().Bound.Inputs(0)
	for range 2 {
		out, err := to.Run(context.Background(), in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := int64(9 * 575); out.Cycles != want || out.Statistics != nil || out.Rounds != 1 || len(out.Launches) != 1 || out.Launches[0].Cycles != want {
			t.Errorf("%+v, want %d cycles", out, want)
		}
	}
	if d.launches < 3+20 || d.opened != 1 {
		t.Errorf("%d launches on %d devices", d.launches, d.opened)
	}
	if _, err := to.Run(context.Background(), in, new(runner.Recorder)); err == nil {
		t.Error("a trace without recording code")
	}
	if err := to.Close(); err != nil {
		t.Error(err)
	}
}

// TestDeviceIsOpenedAnew runs inputs after others with which the kernel faults.
func TestDeviceIsOpenedAnew(t *testing.T) {
	p, w, d := onDevice(t, "vectorAdd")
	to, err := p.Open(w, toAverage())
	if err != nil {
		t.Fatal(err)
	}
	wild := w.First().Bound.Inputs(0)
	n := slices.IndexFunc(w.Spec.Params, func(p job.Param) bool { return p.Kind == job.Scalar })
	wild.Scalars[n] = []byte{0xff, 0xff, 0xff, 0x7f} // more elements than the buffers have
	run := func(in *job.Inputs) (*runner.Outcome, error) { return to.Run(context.Background(), in, nil) }
	if _, err := run(w.First().Bound.Inputs(0)); err != nil {
		t.Fatal(err)
	}
	_, err = run(wild)
	if _, fault := errors.AsType[*cuda.Fault](err); !fault {
		t.Fatalf("no fault: %v", err)
	}
	if _, err := run(w.First().Bound.Inputs(0)); err != nil || d.opened != 2 {
		t.Errorf("after a fault, with %d devices: %v", d.opened, err)
	}
	d.broken = true
	_, err = run(wild)
	if _, fault := errors.AsType[*cuda.Fault](err); !fault {
		t.Errorf("no fault: %v", err)
	}
	_, err = run(w.First().Bound.Inputs(0))
	if closed, ok := errors.AsType[*runner.UnusableError](err); !ok || !errors.Is(closed, cuda.ErrNoDevice) {
		t.Errorf("the GPU cannot be opened any more: %v", err)
	}
	if err := to.Close(); err != nil {
		t.Error(err)
	}
}

// TestDeviceTimeout checks that the limit in cycles is one of time.
func TestDeviceTimeout(t *testing.T) {
	p, w, d := onDevice(t, "reduction")
	d.endless = true
	begun := time.Now()
	_, err := analysis.Simulate(context.Background(), p, w, analysis.SimulateRequest{MaxCycles: 575000 * 20})
	if !errors.Is(err, cuda.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "warming up") {
		t.Errorf("%v", err)
	}
	if took := time.Since(begun); took < 20*time.Millisecond {
		t.Errorf("given up after %v", took)
	}
}

func TestDeviceCycles(t *testing.T) {
	d := &Platform{attributes: cuda.Attributes{ClockKHz: 575000}}
	for _, tt := range []struct {
		ns   int64
		want int64
	}{{0, 0}, {1, 1}, {1000, 575}, {1001, 576}, {1e9, 575e6}, {1e9 + 1, 575e6 + 1}, {1e15, 575e12}} {
		if got := d.cycles(time.Duration(tt.ns)); got != tt.want {
			t.Errorf("%d ns are %d cycles, want %d", tt.ns, got, tt.want)
		}
	}
	if got := d.timeout(575); got != time.Microsecond {
		t.Errorf("timeout %v", got)
	}
}
