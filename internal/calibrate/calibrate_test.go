package calibrate

import (
	"context"
	"errors"
	"strings"
	"testing"

	"warpbound/internal/cuda"
	"warpbound/internal/cuda/standin"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
)

func builtin(t testing.TB, name string) *machine.Machine {
	t.Helper()
	m, err := machine.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// simulate returns a device that simulates a machine.
func simulate(m *machine.Machine) (cuda.Device, error) {
	d, err := standin.New(m)
	if err != nil {
		return nil, err
	}
	return d.Open(0)
}

// stand returns a device that stands in for a machine.
func stand(t testing.TB, m *machine.Machine) cuda.Device {
	t.Helper()
	dev, err := simulate(m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

func calibrate(t testing.TB, dev cuda.Device, repeats int) *Result {
	t.Helper()
	r, err := Run(context.Background(), Config{Device: dev, Default: builtin(t, "fermi-c2050"), Simulate: simulate, Repeats: repeats})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// values returns what a machine says, by path. Pipelines are said by their number, since
// names mean nothing.
func values(m *machine.Machine) map[string]string {
	out := map[string]string{}
	for _, row := range m.Rows() {
		switch {
		case strings.HasPrefix(row.Path, "pipelines."):
		case strings.HasSuffix(row.Path, ".pipeline"):
			n := m.Pipelines[row.Value]
			out[row.Path] = string(rune('0' + n.Value))
		default:
			out[row.Path] = row.Value
		}
	}
	return out
}

// TestTheDefaultIsFoundAgain calibrates a stand-in for the machine that defaults are from.
func TestTheDefaultIsFoundAgain(t *testing.T) {
	m := builtin(t, "fermi-c2050")
	r := calibrate(t, stand(t, m), 1)
	want := values(m)
	for path, got := range values(r.Machine) {
		if got != want[path] {
			t.Errorf("%s = %s, want %s", path, got, want[path])
		}
	}
	if len(r.Notes) > 0 {
		t.Errorf("notes %q", r.Notes)
	}
	for i, ms := range r.Measurements {
		if len(ms.Samples) == 0 || ms.Name == "" || ms.What == "" || ms.Unit == "" {
			t.Errorf("measurement %d is not complete: %+v", i, ms)
		}
	}
	measured := 0
	for _, row := range r.Machine.Rows() {
		known := false
		for _, from := range []string{"measured by calibrate: ", "attribute of the device: ", "not measured; fermi-c2050: ", "choice: class ", "the bytes of dram.ccd; ", "the simulator has one"} {
			known = known || strings.HasPrefix(row.Source, from)
		}
		if !known {
			t.Errorf("%s is from %q", row.Path, row.Source)
		}
		if strings.Contains(row.Source, "measured by calibrate") {
			measured++
		}
	}
	if measured < 90 {
		t.Errorf("%d numbers are measured", measured)
	}
}

// described is a device with other attributes.
type described struct {
	cuda.Device
	attributes cuda.Attributes
}

func (d described) Attributes() cuda.Attributes { return d.attributes }

// TestGenerations checks what follows from the compute capability.
func TestGenerations(t *testing.T) {
	dev := stand(t, builtin(t, "fermi-c2050"))
	a := dev.Attributes()
	a.Name, a.Capability, a.ReservedShared = "NVIDIA H100 (PCIe)", cuda.Capability{Major: 9}, 1024
	r := calibrate(t, described{dev, a}, 1)
	m := r.Machine
	if m.Name != "nvidia-h100-pcie-calibrated" || m.Architecture != "sm_90" || m.SM.RegisterUnit.Value != 256 || m.SM.WarpUnit.Value != 4 || m.SM.SharedUnit.Value != 128 {
		t.Errorf("%s: %+v", m.Name, m.SM)
	}
	for _, f := range isa.Features() {
		if _, lacks := m.StandIns[f.Name]; lacks != (f.Since > 90) {
			t.Errorf("stand-in for %s, which came with sm_%d: %t", f.Name, f.Since, lacks)
		}
	}
	if len(r.Notes) == 0 || !strings.Contains(r.Notes[0], "1024 bytes") {
		t.Errorf("notes %q", r.Notes)
	}
	a.WarpSize = 64
	if _, err := Run(context.Background(), Config{Device: described{dev, a}, Default: builtin(t, "fermi-c2050"), Simulate: simulate}); err == nil || !strings.Contains(err.Error(), "warps of 64 threads") {
		t.Errorf("warps of 64 threads: %v", err)
	}
	if _, err := Run(context.Background(), Config{Device: dev, Default: builtin(t, "mini-simt"), Simulate: simulate}); err == nil || !strings.Contains(err.Error(), "scoreboard") {
		t.Errorf("defaults of a barrel core: %v", err)
	}
}

// other is a device that says other things of itself than what it does.
type other struct {
	cuda.Device
	after cuda.Conditions
}

func (d other) Attributes() cuda.Attributes {
	a := d.Device.Attributes()
	a.L2Bytes = 1 << 20
	return a
}

func (d other) Conditions() cuda.Conditions { return d.after }

// TestDoubts expects a note where the device contradicts what was measured.
func TestDoubts(t *testing.T) {
	dev := other{stand(t, builtin(t, "fermi-c2050")), cuda.Conditions{ClockKHz: 500000, Others: 2}}
	notes := strings.Join(calibrate(t, dev, 1).Notes, "\n")
	for _, want := range []string{
		"walks found 786432 bytes of L2, but the device says that it has 1048576",
		"the SMs ran at 500000 kHz at the end, and the machine has the highest clock, 575000 kHz",
		"2 other processes",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note %q in\n%s", want, notes)
		}
	}
}

// rejecting is a device whose compiler rejects everything from some module on.
type rejecting struct {
	cuda.Device
	left *int
}

func (d rejecting) Load(ptx []byte) (cuda.Module, error) {
	if *d.left--; *d.left < 0 {
		return nil, &cuda.BuildError{Err: errors.New("out of patience")}
	}
	return d.Device.Load(ptx)
}

// TestFailures lets one module after the other fail: an ordinary error with the name of the
// microbenchmark.
func TestFailures(t *testing.T) {
	for _, n := range []int{0, 20, 60} {
		left := n
		dev := rejecting{stand(t, builtin(t, "fermi-c2050")), &left}
		_, err := Run(context.Background(), Config{Device: dev, Default: builtin(t, "fermi-c2050"), Simulate: simulate})
		if b := (*cuda.BuildError)(nil); !errors.As(err, &b) || !strings.HasPrefix(err.Error(), "microbenchmark ") {
			t.Errorf("module %d: %v", n, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Run(ctx, Config{Device: stand(t, builtin(t, "fermi-c2050")), Default: builtin(t, "fermi-c2050"), Simulate: simulate})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a calibration that is interrupted: %v", err)
	}
}
