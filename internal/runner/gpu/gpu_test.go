package gpu_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"

	"warpbound/internal/cuda"
	"warpbound/internal/emu"
	"warpbound/internal/isa/ptx"
	"warpbound/internal/job"
	"warpbound/internal/runner/gpu"
)

const head = ".version 6.3\n.target sm_30\n.address_size 64\n"

// kernel is a module with one kernel of the body; its parameters are n, of 32 bits, and p.
func kernel(body string) string {
	return head + ".global .align 4 .u32 count = 5;\n.const .align 4 .u32 step = 1;\n.visible .entry k(.param .u32 n, .param .u64 p)\n{\n" +
		".reg .pred %q; .reg .b32 %r<9>; .reg .b64 %rd<9>;\nld.param.u32 %r0, [n]; ld.param.u64 %rd0, [p];\n" + body + "\n}\n"
}

// jobText is a job of that kernel on a buffer of two words.
const jobText = `module = "k.ptx"
kernel = "k"
machine = "fermi-c2050"
grid = [1, 1, 1]
block = [32, 1, 1]
[[param]]
name = "n"
type = "u32"
value = 3
[[param]]
name = "p"
type = "u32"
count = 2
init = "zeros"
`

func parse(t *testing.T, text string) *job.Job {
	t.Helper()
	j, err := job.Parse("job.toml", []byte(text), func(string) ([]byte, error) { return nil, errors.New("no file") })
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// counts adds to a variable as often as n says, and shows it.
const counts = `
mov.u32 %r1, %tid.x; setp.ne.u32 %q, %r1, 0; @%q ret;
L: ld.const.u32 %r3, [step]; ld.global.u32 %r2, [count]; add.u32 %r2, %r2, %r3; st.global.u32 [count], %r2;
sub.u32 %r0, %r0, 1; setp.ne.u32 %q, %r0, 0; @%q bra L;
st.global.u32 [%rd0], %r2; ret;`

// TestRestores makes runs that change a variable, which a run must not see of another.
func TestRestores(t *testing.T) {
	for _, tt := range []struct {
		name, symbols string
		want          uint32
	}{
		{"as in the module", "", 8},
		{"as in the job", "[[symbol]]\nname = \"count\"\ntype = \"u32\"\nvalues = [40]\n[[symbol]]\nname = \"step\"\ntype = \"u32\"\nvalues = [2]\n", 46},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := bind(t, parse(t, jobText+tt.symbols), []byte(kernel(counts)))
			r := b.start(t, open(t), nil)
			defer r.Close()
			for range 3 {
				run, err := r.Run(context.Background(), b.job.Inputs(0))
				if err != nil {
					t.Fatal(err)
				}
				if got := binary.LittleEndian.Uint32(run.Buffers[1]); got != tt.want {
					t.Errorf("%d, want %d", got, tt.want)
				}
				if run.Elapsed < 100*time.Nanosecond || run.Rounds != 1 || run.Launches[0] != (gpu.Launch{Kernel: "k", Executions: 1, Elapsed: run.Elapsed, Min: run.Elapsed, Max: run.Elapsed}) {
					t.Errorf("%+v", run)
				}
			}
			a, ctas, err := r.Attributes()
			if err != nil || a.Registers < 4 || ctas != 8 {
				t.Errorf("%+v, %d CTAs, %v", a, ctas, err)
			}
		})
	}
}

// TestManyRecords makes more records than there is room for at first.
func TestManyRecords(t *testing.T) {
	b := bind(t, parse(t, strings.Replace(jobText, "value = 3", "value = 1000", 1)), []byte(kernel(counts)))
	r := b.start(t, open(t), b.code(t))
	defer r.Close()
	for range 2 {
		run, err := r.Run(context.Background(), b.job.Inputs(0))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(run.Recording.Warps[0].Records); n < 1000 || n > 1010 {
			t.Errorf("%d records", n)
		}
		if got := binary.LittleEndian.Uint32(run.Buffers[1]); got != 1005 {
			t.Errorf("result %d, want 1005", got)
		}
	}
}

func TestFaults(t *testing.T) {
	tests := []struct {
		name, body string
		timeout    time.Duration
		want       error
	}{
		{"illegal access", "st.global.u32 [%rd0+4096], %r0; ret;", 0, emu.ErrOutOfBounds},
		{"trap", "trap; ret;", 0, emu.ErrTrap},
		{"endless", "L: bra L;", 30 * time.Millisecond, cuda.ErrTimeout},
	}
	for _, tt := range tests {
		b, dev := bind(t, parse(t, jobText), []byte(kernel(tt.body))), open(t)
		p, err := gpu.Plain(b.module)
		if err != nil {
			t.Fatal(err)
		}
		var r *gpu.Runner
		for limit := tt.timeout; ; limit *= 2 { // until it is not over before the launch
			if r, err = gpu.New(gpu.Config{Device: dev, Job: b.job, Program: p, Timeout: limit}); err != nil {
				t.Fatal(err)
			}
			_, err = r.Run(context.Background(), b.job.Inputs(0))
			if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, cuda.ErrTimeout) {
				break
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if _, fault := errors.AsType[*cuda.Fault](err); fault && !strings.HasPrefix(err.Error(), "k.ptx:10:1: kernel k: CTA (0,0,0), thread (0,0,0): ") {
			t.Errorf("%s: %v", tt.name, err)
		}
		if _, err := r.Run(context.Background(), b.job.Inputs(0)); !errors.Is(err, cuda.ErrLost) {
			t.Errorf("%s, again: %v", tt.name, err)
		}
		if err := r.Close(); err != nil {
			t.Errorf("%s, close: %v", tt.name, err)
		}
	}
}

// rejecting is a device whose compiler finds something in the lines of a text that hold a word.
type rejecting struct {
	cuda.Device
	word string
}

func (d rejecting) Load(text []byte) (cuda.Module, error) {
	log := []cuda.Message{{Severity: cuda.Info, Text: "remark"}}
	for i, line := range strings.Split(string(text), "\n") {
		if strings.Contains(line, d.word) {
			log = append(log, cuda.Message{Severity: cuda.Error, Line: i + 1, Text: "no " + d.word})
		}
	}
	log = append(log, cuda.Message{Severity: cuda.Error, Text: "aborted"})
	return nil, &cuda.BuildError{Err: &cuda.CallError{Call: "cuModuleLoadDataEx", Code: 218}, Log: log}
}

// TestRejected checks that messages of the compiler name the places of the user's module.
func TestRejected(t *testing.T) {
	b := bind(t, parse(t, jobText), []byte(kernel(counts)))
	for _, record := range []bool{false, true} {
		p, err := gpu.Plain(b.module)
		if record {
			p, err = gpu.NewProgram(b.code(t))
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = gpu.New(gpu.Config{Device: rejecting{open(t), "ld.const"}, Job: b.job, Program: p, Records: record})
		const want = "the GPU's compiler rejects the module: cuModuleLoadDataEx: error 218\nk.ptx: aborted\nk.ptx:12:4: no ld.const"
		if err == nil || err.Error() != want {
			t.Errorf("recording %v: %v, want %s", record, err, want)
		}
	}
}

// odd is a device whose compiler does not say what is an error.
type odd struct{ cuda.Device }

func (odd) Load([]byte) (cuda.Module, error) {
	return nil, &cuda.BuildError{Err: cuda.ErrNotFound, Log: cuda.ParseLog("it does not work")}
}

func TestRejectedOtherwise(t *testing.T) {
	b := bind(t, parse(t, jobText), []byte(kernel(counts)))
	p, err := gpu.Plain(b.module)
	if err != nil {
		t.Fatal(err)
	}
	_, err = gpu.New(gpu.Config{Device: odd{open(t)}, Job: b.job, Program: p})
	const want = "the GPU's compiler rejects the module: not in the module\nk.ptx: it does not work"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// full is a device without memory.
type full struct{ cuda.Device }

func (full) Alloc(int) (cuda.Pointer, error) { return 0, cuda.ErrMemory }

func TestNewErrors(t *testing.T) {
	tests := []struct {
		name, body string
		device     cuda.Device
		want       string
	}{
		{"variable of a function", ".global .u32 own; st.global.u32 [own], 1; ret;", open(t), "k.ptx:10:14: variable own cannot be restored between runs on a device"},
		{"memory", "ret;", full{open(t)}, "job.toml:10:3: p: out of GPU memory"},
	}
	for _, tt := range tests {
		b := bind(t, parse(t, jobText), []byte(kernel(tt.body)))
		p, err := gpu.Plain(b.module)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := gpu.New(gpu.Config{Device: tt.device, Job: b.job, Program: p}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// pointers is a job with two pointers to shared memory behind memory without a name.
const pointers = `module = "k.ptx"
kernel = "k"
machine = "fermi-c2050"
grid = [2, 1, 1]
block = [32, 1, 1]
shared = 20
[[param]]
name = "out"
type = "u32"
count = 64
init = "zeros"
[[param]]
name = "a"
type = "shared"
count = 128
[[param]]
name = "b"
type = "shared"
count = 128
`

func pointerKernel(load string) string {
	return head + `.visible .entry k(.param .u64 out, .param .u64 a, .param .u64 b)
{
.reg .b32 %r<9>; .reg .b64 %rd<9>;
.shared .align 4 .b8 own[12];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r5, 31;
` + load + `
st.shared.u32 [own], %r5;
ld.param.u64 %rd3, [b];
mad.wide.u32 %rd4, %r0, 4, %rd2;
mad.wide.u32 %rd5, %r0, 4, %rd3;
st.shared.u32 [%rd4], %r0;
shl.b32 %r2, %r0, 8;
st.shared.u32 [%rd5], %r2;
bar.sync 0;
ld.shared.u32 %r3, [%rd4]; ld.shared.u32 %r4, [%rd5]; add.u32 %r3, %r3, %r4;
ld.param.u64 %rd0, [out];
mad.lo.u32 %r1, %r1, 32, %r0; mad.wide.u32 %rd0, %r1, 4, %rd0;
st.global.u32 [%rd0], %r3;
ret;
}
`
}

// TestSharedPointers runs a kernel whose shared pointers are parameters.
func TestSharedPointers(t *testing.T) {
	b := bind(t, parse(t, pointers), []byte(pointerKernel("ld.param.u64 %rd2, [a];")))
	var text strings.Builder
	if err := ptx.Print(&text, b.module); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"mov.u64 %rd2, __warpbound_dynamic+32;", "mov.u64 %rd3, __warpbound_dynamic+160;", "ld.param.u64 %rd0, [out];"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %s in\n%s", want, text.String())
		}
	}
	r := b.start(t, open(t), nil)
	defer r.Close()
	run := mustRun(t, r, b.job.Inputs(0))
	var want []byte
	for i := range uint32(64) {
		want = binary.LittleEndian.AppendUint32(want, i%32*257)
	}
	if !bytes.Equal(run.Buffers[0], want) {
		t.Errorf("% x", run.Buffers[0])
	}
}

func TestPrepareErrors(t *testing.T) {
	for _, load := range []string{"ld.param.u64 %rd2, [a+0];", "mov.u64 %rd2, a;", "ld.param.v2.u32 {%r7, %r8}, [a];"} {
		m, err := ptx.Parse("k.ptx", []byte(pointerKernel(load)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := gpu.Prepare(m, parse(t, pointers)); err == nil || !strings.HasPrefix(err.Error(), "k.ptx:9:1: ") || !strings.Contains(err.Error(), "parameter a") {
			t.Errorf("%s: %v", load, err)
		}
	}
}

// TestRounds compares the runs of a job with several launches with those of the simulator.
func TestRounds(t *testing.T) {
	const text = jobText + "[repeat]\nthen = [\"k\"]\nwhile = \"p\"\n"
	const body = `
mov.u32 %r1, %tid.x; setp.ne.u32 %q, %r1, 0; @%q ret;
ld.global.u32 %r2, [count]; add.u32 %r2, %r2, 1; st.global.u32 [count], %r2; st.global.u32 [%rd0+4], %r2;
setp.ge.u32 %q, %r2, 12; @%q ret;
st.global.u32 [%rd0], 1; ret;`
	b := bind(t, parse(t, text), []byte(kernel(body)))
	r := b.start(t, open(t), nil)
	defer r.Close()
	want := b.rounds(t, b.job.Inputs(0))
	for range 2 {
		run := mustRun(t, r, b.job.Inputs(0))
		if run.Rounds != want.Rounds || run.Rounds < 3 || !bytes.Equal(run.Buffers[1], want.Buffers[1]) || len(run.Launches) != 2 {
			t.Errorf("%d rounds and % x, want %d and % x", run.Rounds, run.Buffers[1], want.Rounds, want.Buffers[1])
		}
	}
	endless := bind(t, parse(t, text+"limit = 2\n"), []byte(kernel(body)))
	r = endless.start(t, open(t), nil)
	defer r.Close()
	if _, err := r.Run(context.Background(), b.job.Inputs(0)); err == nil || !strings.Contains(err.Error(), "after 2 rounds") {
		t.Errorf("more rounds than the limit: %v", err)
	}
}
