package scoreboard

import (
	"context"
	"encoding/binary"
	"slices"
	"testing"

	"warpbound/internal/abi"
	"warpbound/internal/emu"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/test/emutest"
	"warpbound/internal/trace"
)

// compile makes code of the body of a kernel. The kernel has one parameter, buf,
// whose address the body finds in %buf, and registers %r, %rd, %f, %fd and %p to
// use; %t is the thread's index in its CTA and %c that of the CTA. The five
// instructions before the body are the prologue.
func compile(t testing.TB, body string) *emu.Code {
	t.Helper()
	return emutest.Code(t, `.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
.reg .pred %p<16>; .reg .b32 %r<256>; .reg .b64 %rd<64>; .reg .f32 %f<64>; .reg .f64 %fd<64>;
.reg .u32 %t, %c; .reg .u64 %buf, %g;
.shared .align 8 .b8 sh[16384];
mov.u32 %t, %tid.x;
mov.u32 %c, %ctaid.x;
ld.param.u64 %g, [p];
cvta.to.global.u64 %buf, %g;
mov.u32 %r0, 0;
`+body+"\n}\n")
}

// prologue is the number of instructions before the body that compile is given.
const prologue = 5

// fermi returns a machine that the caller may change.
func fermi(t testing.TB) *machine.Machine {
	t.Helper()
	m, err := machine.Builtin("fermi-c2050")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// bufBytes is the size of the buffer of a kernel in a test.
const bufBytes = 1 << 20

// newSim makes a simulation with an Ipoint at every instruction.
func newSim(t testing.TB, m *machine.Machine, code *emu.Code) *Sim {
	t.Helper()
	s, err := New(sim.Config{Code: code, Machine: m, RegsPerThread: 20, Ipoints: emutest.EveryInstr(code), MaxCycles: 50_000_000})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// slowly makes a new simulation visit every cycle, look at every warp of a scheduler there, and execute every
// instruction when it issues.
func slowly(s *Sim) *Sim {
	s.everyCycle = true
	for _, steps := range s.plan.steps {
		for pc := range steps {
			steps[pc].run = 0
		}
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
	o.run(t, s, launch(t, &o.mem, ctas, threads))
	o.check(t, ctas)
	return o
}

// run runs a launch over o.mem and keeps what it shows beyond the next run of s.
func (o *observation) run(t testing.TB, s *Sim, l emu.Launch) {
	t.Helper()
	r, err := s.Run(context.Background(), l, &o.mem, &o.tr)
	if err != nil {
		t.Fatal(err)
	}
	kept := *r
	kept.Schedulers = slices.Clone(r.Schedulers)
	for i := range kept.Schedulers {
		kept.Schedulers[i] = slices.Clone(r.Schedulers[i])
	}
	o.Result = &kept
}

func (o *observation) check(t testing.TB, ctas int) {
	t.Helper()
	for i, sm := range o.Schedulers {
		for j, c := range sm {
			sum := c.Issued
			for _, n := range c.Stalls {
				sum += n
			}
			if sum != o.Cycles {
				t.Errorf("SM %d, scheduler %d: %d cycles issued and stalls %v are not %d cycles", i, j, c.Issued, c.Stalls, o.Cycles)
			}
		}
	}
	if o.tr.End != o.Cycles {
		t.Errorf("the trace ends in cycle %d, the run in %d", o.tr.End, o.Cycles)
	}
	recs := o.tr.Records
	if !slices.IsSortedFunc(recs, trace.Compare) {
		t.Error("the trace is not in order")
	}
	frames := map[trace.Ipoint]int{}
	for _, r := range recs {
		frames[r.Ipoint]++
	}
	warps := ctas * o.Occupancy.Warps
	if frames[trace.Start] != warps || frames[trace.Exit] != warps {
		t.Errorf("%d starts and %d exits of %d warps", frames[trace.Start], frames[trace.Exit], warps)
	}
	if last := recs[len(recs)-1]; last.Ipoint != trace.Exit || last.Cycle != o.Cycles {
		t.Errorf("the last record is %+v, the run has %d cycles", last, o.Cycles)
	}
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

// exit returns the cycle in which a warp retired.
func (o *observation) exit(cta, warp int) int64 {
	for _, r := range o.tr.Records {
		if int(r.CTA) == cta && int(r.Warp) == warp && r.Ipoint == trace.Exit {
			return r.Cycle
		}
	}
	return -1
}

// solo runs the body with one warp on the machine and returns when each of its
// instructions issued, counted from the first.
func solo(t testing.TB, m *machine.Machine, body string) ([]int64, *observation) {
	t.Helper()
	o := observe(t, newSim(t, m, compile(t, body)), 1, 32)
	at := o.issues(0, 0)
	first := at[0]
	for i := range at {
		at[i] -= first
	}
	return at, o
}

// word returns a word of the buffer after a run.
func (o *observation) word(i int) uint32 {
	return binary.LittleEndian.Uint32(o.mem.Bytes(abi.GlobalBase)[4*i:])
}
