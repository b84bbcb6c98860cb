//go:build linux && !nocuda && (amd64 || arm64)

package driver

import (
	"context"
	"encoding/binary"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warpbound/internal/cuda"
)

// build makes a shared library of testdata.
func build(t *testing.T, source string, flags ...string) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler to build a library with")
	}
	name := filepath.Join(t.TempDir(), source+".so")
	args := append(flags, "-shared", "-fPIC", "-o", name, filepath.Join("testdata", source))
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return name
}

// start opens a device of the library, which has two.
func start(t *testing.T, number int) cuda.Device {
	t.Helper()
	d, err := load(build(t, "cuda.c"), build(t, "nvml.c"))
	if err != nil {
		t.Fatal(err)
	}
	dev, err := d.Open(number)
	if err != nil {
		t.Fatal(err)
	}
	return dev
}

func find(t *testing.T, dev cuda.Device, name string) cuda.Function {
	t.Helper()
	m, err := dev.Load([]byte("describe fault endless nothing"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Function(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestNoDriver(t *testing.T) {
	_, err := load("libnone.so.1", "libnone.so.1")
	if !errors.Is(err, cuda.ErrNoDriver) || !strings.Contains(err.Error(), "libnone.so.1") || strings.Contains(err.Error(), "\n") {
		t.Errorf("without a driver: %v", err)
	}
	if _, err := load(build(t, "nvml.c"), ""); !errors.Is(err, cuda.ErrNoDriver) || !strings.Contains(err.Error(), "has no cuInit") {
		t.Errorf("with another library: %v", err)
	}
	for flag, want := range map[string]string{
		"-DVERSION=8000": "it supports CUDA 8.0, at least 9.0 is needed",
		"-DINIT=100":     "no such GPU: cuInit: error 100",
		"-DINIT=34":      "stub",
		"-DINIT=999":     "no usable CUDA driver: cuInit: error 999",
	} {
		if _, err := load(build(t, "cuda.c", flag), ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", flag, err, want)
		}
	}
}

func TestDevice(t *testing.T) {
	d, err := load(build(t, "cuda.c"), "libnone.so.1")
	if err != nil {
		t.Fatal(err)
	}
	if v := d.Version(); v != (cuda.Version{Major: 12, Minor: 4}) {
		t.Errorf("version %v", v)
	}
	for _, number := range []int{-1, 2} {
		if _, err := d.Open(number); !errors.Is(err, cuda.ErrNoDevice) {
			t.Errorf("device %d: %v", number, err)
		}
	}
	dev, err := d.Open(1)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	want := cuda.Attributes{
		Name: "fake 1", Capability: cuda.Capability{Major: 1075, Minor: 1076}, MemoryBytes: 5 << 30,
		SMs: 1016, WarpSize: 1010, ClockKHz: 1013, MemoryKHz: 1036, BusBits: 1037, L2Bytes: 1038,
		ECC: true, Integrated: true, Watchdog: true,
		CTAThreads: 1001, CTAShared: 99 << 10, CTARegisters: 1012,
		SMThreads: 1039, SMCTAs: 1106, SMShared: 1081, SMRegisters: 1082, ReservedShared: 1111,
		MaxBlock: [3]int{1002, 1003, 1004}, MaxGrid: [3]int{1005, 1006, 1007},
	}
	if diff := cmp.Diff(want, dev.Attributes()); diff != "" {
		t.Error(diff)
	}
	if c := dev.Conditions(); c.Others != -1 || len(c.Unknown) != 1 || !strings.Contains(c.Unknown[0], "libnone.so.1") {
		t.Errorf("conditions without a management library: %+v", c)
	}

	old, err := load(build(t, "cuda.c", "-DVERSION=10020"), "libnone.so.1")
	if err != nil {
		t.Fatal(err)
	}
	dev, err = old.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	if a := dev.Attributes(); a.Name != "fake 0" || a.SMCTAs != 0 || a.ReservedShared != 0 || a.SMRegisters != 1082 {
		t.Errorf("attributes from an old driver: %+v", a)
	}
}

func TestMemory(t *testing.T) {
	dev := start(t, 0)
	defer dev.Close()
	p, err := dev.Alloc(1000)
	if err != nil {
		t.Fatal(err)
	}
	data := []byte("over there and back again")
	if err := dev.Write(p+3, data); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(data))
	if err := dev.Read(p+3, got); err != nil || string(got) != string(data) {
		t.Errorf("%q, %v", got, err)
	}
	if err := errors.Join(dev.Write(p, nil), dev.Read(p, nil), dev.Free(p)); err != nil {
		t.Error(err)
	}
	if _, err := dev.Alloc(1 << 30); !errors.Is(err, cuda.ErrMemory) {
		t.Errorf("too much: %v", err)
	}
	if _, err := dev.Alloc(0); err == nil {
		t.Error("nothing was allocated")
	}
}

func TestModule(t *testing.T) {
	dev := start(t, 0)
	defer dev.Close()
	_, err := dev.Load([]byte("reject"))
	reject, ok := errors.AsType[*cuda.BuildError](err)
	if !ok || len(reject.Log) != 2 || reject.Log[0] != (cuda.Message{Severity: cuda.Error, Line: 3, Text: "no"}) || !strings.Contains(err.Error(), "CUDA_ERROR_INVALID_PTX") {
		t.Errorf("a module that is rejected: %v", err)
	}
	m, err := dev.Load([]byte("describe 12345")[:11]) // and nothing of what is behind it
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]cuda.Message{{Text: "11 bytes"}}, m.Log()); diff != "" {
		t.Error(diff)
	}
	if p, n, err := m.Global("scribe"); err != nil || p == 0 || n != 6 {
		t.Errorf("variable: %d bytes, %v", n, err)
	}
	if _, _, err := m.Global("12345"); !errors.Is(err, cuda.ErrNotFound) {
		t.Errorf("a variable that is not there: %v", err)
	}
	if _, err := m.Function("none"); !errors.Is(err, cuda.ErrNotFound) || !strings.Contains(err.Error(), "kernel none") {
		t.Errorf("a kernel that is not there: %v", err)
	}
	f, err := m.Function("describe")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := f.Attributes(), (cuda.FunctionAttributes{Registers: 104, SharedBytes: 101, LocalBytes: 103, MaxThreads: 100}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if n, err := f.Occupancy(7, 5); n != 7005 || err != nil {
		t.Errorf("occupancy %d, %v", n, err)
	}
	if err := m.Unload(); err != nil {
		t.Error(err)
	}
	m, err = dev.Load([]byte("warn"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]cuda.Message{{Text: "4 bytes"}, {Severity: cuda.Warning, Line: 1, Text: "old"}}, m.Log()); diff != "" {
		t.Error(diff)
	}
}

// TestLaunch checks every argument of a launch.
func TestLaunch(t *testing.T) {
	dev := start(t, 0)
	defer dev.Close()
	if _, err := find(t, dev, "nothing").Launch(context.Background(), cuda.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}}); err != nil {
		t.Errorf("a kernel without parameters: %v", err)
	}
	f := find(t, dev, "describe")
	p, err := dev.Alloc(40)
	if err != nil {
		t.Fatal(err)
	}
	l := cuda.Launch{Grid: [3]int{11, 12, 13}, Block: [3]int{14, 15, 16}, DynamicShared: 17, Params: binary.LittleEndian.AppendUint64(nil, uint64(p))}
	l.Params = append(l.Params, 1, 2, 99)
	for _, tt := range []struct{ shared, allowed int }{{17, 0}, {60 << 10, 60 << 10}} {
		l.DynamicShared = tt.shared
		took, err := f.Launch(context.Background(), l)
		if err != nil || took != 12500*time.Nanosecond {
			t.Fatalf("%v, %v", took, err)
		}
		raw := make([]byte, 40)
		if err := dev.Read(p, raw); err != nil {
			t.Fatal(err)
		}
		got := make([]int, 10)
		for i := range got {
			got[i] = int(binary.LittleEndian.Uint32(raw[4*i:]))
		}
		if diff := cmp.Diff([]int{11, 12, 13, 14, 15, 16, tt.shared, 11, tt.allowed, 99}, got); diff != "" {
			t.Error(diff)
		}
	}
	for name, change := range map[string]func(l *cuda.Launch){
		"threads":       func(l *cuda.Launch) { l.Block[0] = 2000 },
		"no CTA":        func(l *cuda.Launch) { l.Grid[2] = 0 },
		"many CTAs":     func(l *cuda.Launch) { l.Grid[0] = 1 << 32 },
		"shared memory": func(l *cuda.Launch) { l.DynamicShared = 100 << 10 },
		"parameters":    func(l *cuda.Launch) { l.Params = nil },
	} {
		wrong := l
		change(&wrong)
		if _, err := f.Launch(context.Background(), wrong); !errors.Is(err, cuda.ErrLaunch) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := f.Launch(ended, l); !errors.Is(err, context.Canceled) || errors.Is(err, cuda.ErrTimeout) {
		t.Errorf("a launch that was cancelled before it began: %v", err)
	}
	if _, err := f.Launch(context.Background(), l); err != nil {
		t.Errorf("a launch after all that: %v", err)
	}
}

// TestThreads uses a device from goroutines on other threads.
func TestThreads(t *testing.T) {
	dev := start(t, 0)
	defer dev.Close()
	for range 20 {
		failed := make(chan error)
		go func() {
			p, err := dev.Alloc(8)
			failed <- errors.Join(err, dev.Write(p, make([]byte, 8)), dev.Free(p))
		}()
		if err := <-failed; err != nil {
			t.Fatal(err)
		}
	}
}

func TestFault(t *testing.T) {
	dev := start(t, 0)
	one := cuda.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}}
	_, err := find(t, dev, "fault").Launch(context.Background(), one)
	fault, ok := errors.AsType[*cuda.Fault](err)
	if !ok || fault.Kernel != "fault" || !strings.Contains(err.Error(), "an illegal memory access") {
		t.Errorf("a fault: %v", err)
	}
	if _, err := dev.Alloc(4); !errors.Is(err, cuda.ErrLost) || !strings.Contains(err.Error(), "CUDA_ERROR_ILLEGAL_ADDRESS") {
		t.Errorf("after a fault: %v", err)
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}

func TestTimeout(t *testing.T) {
	dev := start(t, 0)
	one := cuda.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}}
	endless := find(t, dev, "endless")
	err := context.DeadlineExceeded
	for limit := 50 * time.Millisecond; err == context.DeadlineExceeded; limit *= 2 { // until it is not over before the launch
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		_, err = endless.Launch(ctx, one)
		cancel()
	}
	if !errors.Is(err, cuda.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("an endless kernel: %v", err)
	}
	if _, err := dev.Alloc(4); !errors.Is(err, cuda.ErrLost) {
		t.Errorf("after a timeout: %v", err)
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}

func TestConditions(t *testing.T) {
	dev := start(t, 1)
	want := cuda.Conditions{
		DriverVersion: "550.54.14", ClockKHz: 1410000, MemoryKHz: 1215000, Celsius: 41,
		Slowed: []string{"power limit", "temperature"}, Others: 2,
		Unknown: []string{"nvmlDeviceGetPowerUsage: error 3 (Not Supported)"},
	}
	if diff := cmp.Diff(want, dev.Conditions()); diff != "" {
		t.Error(diff)
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
	if c := dev.Conditions(); len(c.Unknown) != 1 {
		t.Errorf("conditions of a closed device: %+v", c)
	}
	other := start(t, 0) // which the management library does not know
	defer other.Close()
	if c := other.Conditions(); len(c.Unknown) != 1 || !strings.Contains(c.Unknown[0], "nvmlDeviceGetHandleByPciBusId: error 6") {
		t.Errorf("conditions of an unknown device: %+v", c)
	}
}

// TestHold measures a kernel that takes 12,500 ns: how long the host takes to queue it must not be
// in the time, however long that is.
func TestHold(t *testing.T) {
	one := cuda.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}, Params: make([]byte, 4)}
	const kernel = 12500 * time.Nanosecond
	for _, test := range []struct {
		host     string // nanoseconds
		wants    []time.Duration
		holdsFor uint32 // at last
	}{
		{"20000", []time.Duration{kernel, kernel}, 50_000},
		{"300000", []time.Duration{kernel + 300*time.Microsecond, kernel + 300*time.Microsecond, kernel + 300*time.Microsecond, kernel, kernel}, 400_000},
		{"9000000", []time.Duration{7: kernel + 9*time.Millisecond}, 1_600_000},
	} {
		d, err := load(build(t, "cuda.c", "-DHOST_NANOSECONDS="+test.host), build(t, "nvml.c"))
		if err != nil {
			t.Fatal(err)
		}
		dev, err := d.Open(0)
		if err != nil {
			t.Fatal(err)
		}
		f := find(t, dev, "nothing")
		for i, want := range test.wants {
			took, err := f.Launch(context.Background(), one)
			if err != nil || want > 0 && took != want {
				t.Errorf("a host that takes %s ns: launch %d took %v, %v; want %v", test.host, i, took, err, want)
			}
		}
		if got := dev.(*device).holdFor; got != test.holdsFor {
			t.Errorf("a host that takes %s ns: held for %d ns, want %d", test.host, got, test.holdsFor)
		}
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
}
