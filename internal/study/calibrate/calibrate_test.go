package calibrate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warpbound/internal/cuda/standin"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/platform"
	"warpbound/internal/runner/device"
	"warpbound/internal/workload"
)

// standIn is the device that stands in for a GPU.
const standIn = "cuda:standin"

// otherMachine is a machine that differs from a C2050 throughout.
func otherMachine(t *testing.T) *machine.Machine {
	t.Helper()
	m, err := platform.Default()
	if err != nil {
		t.Fatal(err)
	}
	m.SM.Count.Value, m.SM.Schedulers.Value, m.SM.Policy.Value = 6, 4, machine.LRR
	m.SM.Barrier.Value, m.SM.Dispatch.Value = 12, 20
	sp := m.Pipelines["sp"]
	sp.Value = 4
	m.Pipelines["sp"] = sp
	for _, class := range isa.Classes() {
		timing := m.Classes[class.String()]
		timing.Latency += 9
		m.Classes[class.String()] = timing
	}
	for name, timing := range m.StandIns {
		timing.Latency += 9
		m.StandIns[name] = timing
	}
	m.L1.Index.Value, m.L1.Sets.Value, m.L1.Ways.Value, m.L1.MSHRs.Value = machine.Linear, 64, 6, 24
	m.L2.Partitions.Value, m.L2.Ways.Value, m.L2.Latency.Value, m.L2.Atomic.Value = 4, 12, 205, 14
	m.DRAM.Latency.Value, m.DRAM.CCD.Value, m.DRAM.RCD.Value = 160, 4, 15
	return m
}

// TestCalibratedMachineTakesAsLong calibrates a device that simulates another machine than the
// default: kernels of the suite must take as long on the calibrated one, but for the least
// that calibrations may be off (internal/calibrate) and the ends of nanoseconds.
func TestCalibratedMachineTakesAsLong(t *testing.T) {
	d, err := standin.New(otherMachine(t))
	if err != nil {
		t.Fatal(err)
	}
	on, err := device.New(device.Config{Name: standIn, Driver: d, Simulated: true})
	if err != nil {
		t.Fatal(err)
	}
	c, err := calibrated(context.Background(), on, Options{Repeats: QuickRepeats})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"vectorAdd", "matrixMul", "histogram64", "bfs", "sradUpdate", "ludPerimeter", "petri"} {
		if err := c.Compare(context.Background(), filepath.Join("../../../kernels", name, "job.toml")); err != nil {
			t.Fatal(err)
		}
	}
	for _, j := range c.Jobs {
		if j.Ratio < 0.99 || j.Ratio > 1.01 || len(j.Measured.Samples) != QuickRepeats {
			t.Errorf("%s: %d cycles simulated, %v measured", j.Job, j.Simulated, j.Measured)
		}
		t.Logf("%s: ratio %.4f", j.Job, j.Ratio)
	}

	file := filepath.Join(t.TempDir(), "machine.toml")
	if err := os.WriteFile(file, c.File(), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := platform.Machine(file, workload.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	if m.Hash() != c.MachineHash {
		t.Errorf("the file has hash %s, the calibration %s", m.Hash(), c.MachineHash)
	}
}

// TestCalibratedChipTakesAsLong calibrates a device that simulates a V100 with few SMs and a small
// L2 in the terms of a file whose latencies all differ: kernels of the suite must take as long on
// the calibrated machine.
func TestCalibratedChipTakesAsLong(t *testing.T) {
	m, err := machine.Builtin("v100")
	if err != nil {
		t.Fatal(err)
	}
	m.SM.Count.Value, m.L2.Partitions.Value = 8, 8 // so that simulators of it are made soon
	chip := filepath.Join(t.TempDir(), "v100.toml")
	if err := os.WriteFile(chip, m.WithoutBasis().Format(), 0o644); err != nil {
		t.Fatal(err)
	}
	base := m.WithoutBasis()
	for _, class := range isa.Classes() {
		if timing := base.Timing(class); class != isa.Tensor {
			timing.Latency += 3
			base.Classes[class.String()] = timing
		}
	}
	for name, timing := range base.StandIns { // no quicker than the ordinary way to memory
		timing.Latency += 3
		base.StandIns[name] = timing
	}
	base.L2.Latency.Value += 40
	base.SM.Barrier.Value += 9
	file := filepath.Join(t.TempDir(), "base.toml")
	if err := os.WriteFile(file, base.Format(), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := Run(t.Context(), Options{Device: standIn + ":" + chip, Base: file, Repeats: QuickRepeats})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"vectorAdd", "matrixMul", "bfs", "sradUpdate"} {
		if err := c.Compare(t.Context(), filepath.Join("../../../kernels", name, "job.toml")); err != nil {
			t.Fatal(err)
		}
	}
	for _, j := range c.Jobs {
		if j.Ratio < 0.98 || j.Ratio > 1.02 {
			t.Errorf("%s: %d cycles simulated, %v measured", j.Job, j.Simulated, j.Measured)
		}
		t.Logf("%s: ratio %.4f", j.Job, j.Ratio)
	}
}

func TestCalibrateErrors(t *testing.T) {
	for name, want := range map[string]string{
		"fermi-c2050":          "is not a device: want cuda: and the number of a GPU, or cuda:standin",
		"cuda:standin:nothing": "nothing",
		"cuda:x":               "want cuda: and the number of a GPU",
	} {
		if _, err := Run(context.Background(), Options{Device: name}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, Options{Device: standIn}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// TestInterrupted has what was measured before the context ended.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c, err := Run(ctx, Options{Device: standIn, Repeats: QuickRepeats, Progress: func(done, _ int) {
		if done == 2 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || c == nil || len(c.Measurements) == 0 || c.Machine != "" || c.Interrupted == nil {
		t.Errorf("%+v, %v", c, err)
	}
}
