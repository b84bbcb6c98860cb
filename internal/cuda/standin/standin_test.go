package standin_test

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warpbound/internal/cuda"
	"warpbound/internal/cuda/standin"
	"warpbound/internal/emu"
	"warpbound/internal/machine"
)

// source has kernels that count launches in a variable of the module and in one of their
// own, that access what they are given, that say what the SM is, and that do not end.
const source = `.version 6.3
.target sm_30
.address_size 64
.visible .global .align 4 .u32 launches = 40;
.global .align 8 .u64 where = launches;
.global .align 4 .u32 unused[4] = {1, 2, 3, 4};
.visible .entry count(.param .u64 p)
{
	.reg .b32 %r<4>; .reg .b64 %rd<4>;
	.global .align 4 .u32 launches2 = 7;
	ld.param.u64 %rd0, [p];
	ld.global.u64 %rd1, [where];
	ld.global.u32 %r0, [%rd1];
	add.u32 %r0, %r0, 1;
	st.global.u32 [%rd1], %r0;
	ld.global.u32 %r1, [launches2];
	add.u32 %r1, %r1, 1;
	st.global.u32 [launches2], %r1;
	st.global.u32 [%rd0], %r1;
	ret;
}
.visible .entry where_am_i(.param .u64 p)
{
	.reg .b32 %r<4>; .reg .b64 %rd<4>;
	ld.param.u64 %rd0, [p];
	mov.u32 %r0, %ctaid.x;
	mad.wide.u32 %rd1, %r0, 16, %rd0;
	mov.u64 %rd2, %clock64;
	mov.u32 %r1, %smid;
	st.global.u64 [%rd1], %rd2;
	st.global.u32 [%rd1+8], %r1;
	ret;
}
.visible .entry endless() .maxntid 128
{
	.shared .align 4 .b8 s[1024];
L:	st.shared.u32 [s], 1;
	bra L;
}
`

func open(t *testing.T) cuda.Device {
	t.Helper()
	m, err := machine.Builtin("fermi-c2050")
	if err != nil {
		t.Fatal(err)
	}
	d, err := standin.New(m)
	if err != nil {
		t.Fatal(err)
	}
	dev, err := d.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	return dev
}

func load(t *testing.T, dev cuda.Device, name string) (cuda.Module, cuda.Function) {
	t.Helper()
	m, err := dev.Load([]byte(source))
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Function(name)
	if err != nil {
		t.Fatal(err)
	}
	return m, f
}

func alloc(t *testing.T, dev cuda.Device, bytes int) cuda.Pointer {
	t.Helper()
	p, err := dev.Alloc(bytes)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// on is a launch whose parameter is an address.
func on(p cuda.Pointer, ctas int) cuda.Launch {
	return cuda.Launch{Grid: [3]int{ctas, 1, 1}, Block: [3]int{1, 1, 1}, Params: binary.LittleEndian.AppendUint64(nil, uint64(p))}
}

func launch(t *testing.T, f cuda.Function, l cuda.Launch) time.Duration {
	t.Helper()
	took, err := f.Launch(context.Background(), l)
	if err != nil {
		t.Fatal(err)
	}
	return took
}

func word(t *testing.T, dev cuda.Device, p cuda.Pointer) uint32 {
	t.Helper()
	var b [4]byte
	if err := dev.Read(p, b[:]); err != nil {
		t.Fatal(err)
	}
	return binary.LittleEndian.Uint32(b[:])
}

// TestMemoryPersists launches twice and looks at what the launches leave behind.
func TestMemoryPersists(t *testing.T) {
	dev := open(t)
	defer dev.Close()
	m, f := load(t, dev, "count")
	p := alloc(t, dev, 4)
	for i := range 3 {
		if took := launch(t, f, on(p, 1)); took < 100*time.Nanosecond || took > time.Millisecond {
			t.Errorf("a launch of %v", took)
		}
		if got, want := word(t, dev, p), uint32(8+i); got != want {
			t.Errorf("variable of the function: %d, want %d", got, want)
		}
	}
	at, bytes, err := m.Global("launches")
	if err != nil || bytes != 4 || word(t, dev, at) != 43 {
		t.Errorf("launches: %d bytes, %v, contents %d, want 43", bytes, err, word(t, dev, at))
	}
	at, bytes, err = m.Global("unused")
	if err != nil || bytes != 16 || word(t, dev, at+8) != 3 {
		t.Errorf("unused: %d bytes, %v", bytes, err)
	}
	if err := dev.Write(at+8, []byte{9}); err != nil || word(t, dev, at+8) != 9 {
		t.Errorf("write into a variable: %v", err)
	}
	other, g := load(t, dev, "count")
	launch(t, g, on(p, 1))
	if word(t, dev, p) != 8 {
		t.Error("two modules share variables")
	}
	if err := other.Unload(); err != nil {
		t.Error(err)
	}
	launch(t, f, on(p, 1))
	if word(t, dev, p) != 11 {
		t.Error("unloading a module changed another one")
	}
}

// TestClocksDiffer reads the clocks of all SMs at about the same time.
func TestClocksDiffer(t *testing.T) {
	dev := open(t)
	defer dev.Close()
	_, f := load(t, dev, "where_am_i")
	sms := dev.Attributes().SMs
	p := alloc(t, dev, 16*sms)
	launch(t, f, on(p, sms))
	clocks := make(map[uint32]uint64)
	data := make([]byte, 16*sms)
	if err := dev.Read(p, data); err != nil {
		t.Fatal(err)
	}
	for ; len(data) > 0; data = data[16:] {
		sm, clock := binary.LittleEndian.Uint32(data[8:]), binary.LittleEndian.Uint64(data)
		for other, theirs := range clocks {
			if far := max(clock, theirs) - min(clock, theirs); far < 1<<32 {
				t.Errorf("clocks of SMs %d and %d differ by %d", sm, other, far)
			}
		}
		clocks[sm] = clock
	}
	if len(clocks) != sms {
		t.Errorf("%d SMs, want %d", len(clocks), sms)
	}
}

func TestFaults(t *testing.T) {
	dev := open(t)
	_, f := load(t, dev, "count")
	p := alloc(t, dev, 4)
	if err := dev.Free(p); err != nil {
		t.Fatal(err)
	}
	_, err := f.Launch(context.Background(), on(p, 1))
	fault, ok := errors.AsType[*cuda.Fault](err)
	if !ok || fault.Kernel != "count" || !errors.Is(err, emu.ErrOutOfBounds) || !strings.Contains(err.Error(), "a buffer that was freed") {
		t.Errorf("access to freed memory: %v", err)
	}
	if _, err := dev.Alloc(4); !errors.Is(err, cuda.ErrLost) {
		t.Errorf("the device still works: %v", err)
	}
	if _, err := f.Launch(context.Background(), on(p, 1)); !errors.Is(err, cuda.ErrLost) {
		t.Errorf("kernels still run: %v", err)
	}
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
}

func TestTimeout(t *testing.T) {
	dev := open(t)
	_, f := load(t, dev, "endless")
	err := context.DeadlineExceeded
	for limit := 20 * time.Millisecond; err == context.DeadlineExceeded; limit *= 2 { // until it is not over before the launch
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		_, err = f.Launch(ctx, cuda.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}})
		cancel()
	}
	if !errors.Is(err, cuda.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("an endless kernel: %v", err)
	}
	if err := dev.Write(0, nil); !errors.Is(err, cuda.ErrLost) {
		t.Errorf("the device still works: %v", err)
	}
}

func TestLimit(t *testing.T) {
	m, err := machine.Builtin("fermi-c2050")
	if err != nil {
		t.Fatal(err)
	}
	d, err := standin.New(m)
	if err != nil {
		t.Fatal(err)
	}
	dev, err := d.WithLimit(5000).Open(0)
	if err != nil {
		t.Fatal(err)
	}
	_, f := load(t, dev, "count")
	launch(t, f, on(alloc(t, dev, 4), 1))
	_, f = load(t, dev, "endless")
	_, err = f.Launch(context.Background(), cuda.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}})
	if !errors.Is(err, cuda.ErrTimeout) || !strings.Contains(err.Error(), "cycle limit reached: 5000") {
		t.Errorf("an endless kernel: %v", err)
	}
}

func TestLaunchErrors(t *testing.T) {
	dev := open(t)
	defer dev.Close()
	_, count := load(t, dev, "count")
	_, endless := load(t, dev, "endless")
	p := alloc(t, dev, 4)
	tests := []struct {
		name   string
		f      cuda.Function
		change func(l *cuda.Launch)
		want   string
	}{
		{"no threads", count, func(l *cuda.Launch) { l.Block[1] = 0 }, "both must be at least 1"},
		{"threads", count, func(l *cuda.Launch) { l.Block[0] = 2000 }, "has more than the 1024"},
		{"shared memory", count, func(l *cuda.Launch) { l.DynamicShared = 50000 }, "bytes of shared memory"},
		{"parameters", count, func(l *cuda.Launch) { l.Params = nil }, "a parameter block of 0 bytes; the kernel has one of 8"},
		{"the kernel's limit", endless, func(l *cuda.Launch) { l.Block[0] = 160; l.Params = nil }, "the kernel allows 128"},
	}
	for _, tt := range tests {
		l := on(p, 1)
		tt.change(&l)
		if _, err := tt.f.Launch(context.Background(), l); !errors.Is(err, cuda.ErrLaunch) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	launch(t, count, on(p, 1)) // the device still works
}

func TestMemoryErrors(t *testing.T) {
	dev := open(t)
	defer dev.Close()
	if _, err := dev.Alloc(standin.MemoryBytes + 1); !errors.Is(err, cuda.ErrMemory) {
		t.Errorf("too much: %v", err)
	}
	if _, err := dev.Alloc(0); err == nil {
		t.Error("nothing was allocated")
	}
	p, q := alloc(t, dev, 100), alloc(t, dev, 100)
	if p%256 != 0 || q%256 != 0 {
		t.Errorf("addresses 0x%x and 0x%x", p, q)
	}
	for _, at := range []cuda.Pointer{p + 97, p - 1, 0, 1 << 60} {
		if dev.Write(at, make([]byte, 4)) == nil || dev.Read(at, make([]byte, 4)) == nil {
			t.Errorf("4 bytes at 0x%x were copied", at)
		}
	}
	if dev.Free(p+1) == nil || dev.Free(0) == nil {
		t.Error("what is no allocation was freed")
	}
	if err := dev.Free(p); err != nil || dev.Free(p) == nil {
		t.Errorf("free: %v, and a second time", err)
	}
	if _, err := dev.Alloc(standin.MemoryBytes); !errors.Is(err, cuda.ErrMemory) || !strings.Contains(err.Error(), ", 100 of") {
		t.Errorf("too much after memory was freed: %v", err)
	}
}

func TestBuildErrors(t *testing.T) {
	dev := open(t)
	defer dev.Close()
	const head = ".version 6.3\n.target sm_30\n.address_size 64\n"
	tests := []struct {
		name, src string
		want      []cuda.Message
	}{
		{"syntax", head + ".visible .entry k() {\n)\n}", []cuda.Message{{Severity: cuda.Error, Line: 5}}},
		{"two names", head + ".visible .entry k() {\nmov.u32 %a, 1;\nmov.u32 %b, 1;\n}", []cuda.Message{{Severity: cuda.Error, Line: 5}, {Severity: cuda.Error, Line: 6}}},
		{"instruction", head + ".visible .entry fine() { ret; }\n.visible .entry k() {\nfrobnicate.u32;\n}", []cuda.Message{{Severity: cuda.Error, Line: 6}}},
		{"extern", head + ".extern .global .u32 x;\n.visible .entry k() {\n.reg .b32 %r;\nld.global.u32 %r, [x];\n}", []cuda.Message{{Severity: cuda.Error, Line: 4}}},
	}
	for _, tt := range tests {
		_, err := dev.Load([]byte(tt.src))
		build, ok := errors.AsType[*cuda.BuildError](err)
		if !ok {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		for i := range build.Log {
			if build.Log[i].Text == "" {
				t.Errorf("%s: no text", tt.name)
			}
			build.Log[i].Text = ""
		}
		if diff := cmp.Diff(tt.want, build.Log); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestAttributes(t *testing.T) {
	dev := open(t)
	defer dev.Close()
	m, f := load(t, dev, "endless")
	if got, want := f.Attributes(), (cuda.FunctionAttributes{SharedBytes: 1024, MaxThreads: 1024}); got != want {
		t.Errorf("attributes %+v, want %+v", got, want)
	}
	for _, tt := range []struct{ threads, shared, want int }{{32, 0, 8}, {512, 0, 3}, {32, 15 << 10, 3}, {32, 47 << 10, 1}, {32, 48 << 10, 0}, {4096, 0, 0}} {
		if got, err := f.Occupancy(tt.threads, tt.shared); got != tt.want || err != nil {
			t.Errorf("occupancy of %d threads and %d bytes: %d, %v, want %d", tt.threads, tt.shared, got, err, tt.want)
		}
	}
	if _, err := f.Occupancy(0, 0); err == nil {
		t.Error("an occupancy of no threads")
	}
	if _, err := m.Function("none"); !errors.Is(err, cuda.ErrNotFound) {
		t.Errorf("a kernel that is not there: %v", err)
	}
	if _, _, err := m.Global("launches2"); !errors.Is(err, cuda.ErrNotFound) {
		t.Errorf("a variable that is not of the module: %v", err)
	}
	a := dev.Attributes()
	if a.Name != "fermi-c2050" || a.SMs != 14 || a.WarpSize != 32 || a.ClockKHz != 575000 || a.L2Bytes != 768<<10 || a.SMThreads != 1536 {
		t.Errorf("%+v", a)
	}
}

func TestNew(t *testing.T) {
	for _, name := range machine.Names() {
		m, err := machine.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		d, err := standin.New(m)
		if (err == nil) != (m.Core == machine.Scoreboard) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil {
			continue
		}
		if _, err := d.Open(1); !errors.Is(err, cuda.ErrNoDevice) {
			t.Errorf("%s: a second device: %v", name, err)
		}
	}
}
