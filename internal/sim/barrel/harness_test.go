package barrel

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/emu/emutest"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/trace"
)

// compile makes code of the body of a kernel. The kernel has one parameter, the
// address of a buffer, which the body finds in %buf, and registers %r, %rd, %f, %fd
// and %p to use; %t is the thread's index in its CTA and %c that of the CTA. The
// instructions before the body are the prologue.
func compile(t testing.TB, body string) *emu.Code {
	t.Helper()
	return emutest.Code(t, `.version 6.3
.target sm_70
.address_size 64
.const .align 4 .b8 table[1024];
.visible .entry k(.param .u64 p)
{
.reg .pred %p<16>; .reg .b32 %r<64>; .reg .b64 %rd<64>; .reg .f32 %f<64>; .reg .f64 %fd<64>;
.reg .u32 %t, %c; .reg .u64 %buf;
.shared .align 16 .b8 sh[16384];
.local .align 16 .b8 frame[64];
mov.u32 %t, %tid.x;
mov.u32 %c, %ctaid.x;
ld.param.u64 %buf, [p];
`+body+"\n}\n")
}

const (
	prologue      = 3       // instructions
	prologueTime  = 4       // cycles on predictable-rr: two moves and the parameter
	bufBytes      = 1 << 18 // of the buffer
	dispatch      = 8       // cycles on predictable-rr
	loadLatency   = 100
	sharedLatency = 8
)

// predictable returns a machine that the caller may change.
func predictable(t testing.TB) *machine.Machine {
	t.Helper()
	m, err := machine.Builtin("predictable-rr")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func config(m *machine.Machine, code *emu.Code) sim.Config {
	return sim.Config{Code: code, Machine: m, RegsPerThread: 16, Ipoints: emutest.EveryInstr(code), MaxCycles: 1_000_000}
}

func newSim(t testing.TB, m *machine.Machine, code *emu.Code) *Sim {
	t.Helper()
	s, err := New(config(m, code))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// launch is a launch of so many CTAs of so many threads over mem (see emutest.Launch).
func launch(t testing.TB, mem *emu.Memory, ctas, threads int) emu.Launch {
	t.Helper()
	return emutest.Launch(t, mem, bufBytes, ctas, threads)
}

// observation is all that a run shows.
type observation struct {
	*sim.Result
	tr  trace.Run
	mem emu.Memory
}

// observe runs a launch and checks what holds of every run.
func observe(t testing.TB, s *Sim, ctas, threads int) *observation {
	t.Helper()
	o := &observation{}
	l := launch(t, &o.mem, ctas, threads)
	result, err := s.Run(context.Background(), l, &o.mem, &o.tr)
	if err != nil {
		t.Fatal(err)
	}
	o.Result = keep(result)
	o.check(t, ctas)
	return o
}

// keep copies a result, which the next run overwrites.
func keep(r *sim.Result) *sim.Result {
	c := *r
	c.Schedulers = nil
	for _, s := range r.Schedulers {
		c.Schedulers = append(c.Schedulers, slices.Clone(s))
	}
	return &c
}

func (o *observation) check(t testing.TB, ctas int) {
	t.Helper()
	issued := int64(0)
	for i, sm := range o.Schedulers {
		sum := sm[0].Issued
		for _, n := range sm[0].Stalls {
			sum += n
		}
		if len(sm) != 1 || sum != o.Cycles {
			t.Errorf("SM %d: %d cycles issued and stalls %v are not %d cycles", i, sm[0].Issued, sm[0].Stalls, o.Cycles)
		}
		issued += sm[0].Issued
	}
	if issued != o.Counters.WarpInstrs {
		t.Errorf("%d cycles issued, but %d instructions", issued, o.Counters.WarpInstrs)
	}
	if o.tr.End != o.Cycles {
		t.Errorf("the trace ends in cycle %d, the run in %d", o.tr.End, o.Cycles)
	}
	if !slices.IsSortedFunc(o.tr.Records, trace.Compare) {
		t.Error("the trace is not in order")
	}
	frames := map[trace.Ipoint]int{}
	for _, r := range o.tr.Records {
		frames[r.Ipoint]++
	}
	warps := ctas * o.Occupancy.Warps
	if frames[trace.Start] != warps || frames[trace.Exit] != warps {
		t.Errorf("%d starts and %d exits of %d warps", frames[trace.Start], frames[trace.Exit], warps)
	}
}

// same checks that two runs show the same.
func same(t testing.TB, how string, a, b *observation) {
	t.Helper()
	if a.Cycles != b.Cycles {
		t.Errorf("%s: %d cycles, first %d", how, b.Cycles, a.Cycles)
	}
	if a.Counters != b.Counters {
		t.Errorf("%s: counters %+v, first %+v", how, b.Counters, a.Counters)
	}
	if !reflect.DeepEqual(a.Schedulers, b.Schedulers) {
		t.Errorf("%s: the schedulers' cycles differ: %v, first %v", how, b.Stalled(), a.Stalled())
	}
	if !slices.Equal(a.tr.Records, b.tr.Records) {
		t.Errorf("%s: the traces differ", how)
	}
}

// at returns when a warp reached an Ipoint for the first time, -1 if never.
func (o *observation) at(cta, warp int, ip trace.Ipoint) int64 {
	for _, r := range o.tr.Records {
		if int(r.CTA) == cta && int(r.Warp) == warp && r.Ipoint == ip {
			return r.Cycle
		}
	}
	return -1
}

// issues returns the cycles in which a warp issued the instructions of the body,
// in the order of issue.
func (o *observation) issues(cta, warp int) []int64 {
	var at []int64
	for _, r := range o.tr.Records {
		if int(r.CTA) == cta && int(r.Warp) == warp && r.Ipoint >= prologue {
			at = append(at, r.Cycle)
		}
	}
	return at
}

// checkSolo runs the body with one warp and compares when its instructions issue,
// counted from the first, and last when the warp retires.
func checkSolo(t *testing.T, m *machine.Machine, body string, want ...int64) *observation {
	t.Helper()
	o := observe(t, newSim(t, m, compile(t, body)), 1, int(m.SM.WarpSize.Value))
	at := append(o.issues(0, 0), o.at(0, 0, trace.Exit))
	first := at[0]
	for i := range at {
		at[i] -= first
	}
	if !slices.Equal(at, want) {
		t.Errorf("%s\nissues and retires at %v, want %v", body, at, want)
	}
	return o
}
