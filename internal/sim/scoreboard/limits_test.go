package scoreboard

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/test/emutest"
)

// TestOccupancyLimitsResidence checks that no SM holds more CTAs at a time than
// fit, and that all SMs get their share.
func TestOccupancyLimitsResidence(t *testing.T) {
	code := compile(t, "ld.shared.u32 %r1, [sh]; div.u32 %r2, %r1, 3; ret;")
	const ctas = 100
	o := observe(t, newSim(t, fermi(t), code), ctas, 64)
	resident, maximum := map[int32]int{}, 0
	started := map[int32]int{}
	for _, r := range o.tr.Records {
		if r.Warp != 0 {
			continue
		}
		switch r.Ipoint {
		case -1:
			if int(r.CTA) < 14 && r.SM != r.CTA {
				t.Errorf("CTA %d begins on SM %d", r.CTA, r.SM)
			}
			started[r.SM]++
			resident[r.SM]++
			maximum = max(maximum, resident[r.SM])
		case -2:
			resident[r.SM]--
		}
	}
	if maximum != o.Occupancy.CTAs || o.Occupancy.CTAs != 3 {
		t.Errorf("%d CTAs are resident, occupancy %+v", maximum, o.Occupancy)
	}
	for sm, n := range started {
		if n < 6 || n > 9 {
			t.Errorf("SM %d got %d of %d CTAs", sm, n, ctas)
		}
	}
}

func TestCycleLimit(t *testing.T) {
	code := compile(t, "forever: add.u32 %r1, %r1, 1; bra forever;")
	s, err := New(sim.Config{Code: code, Machine: fermi(t), MaxCycles: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var mem emu.Memory
	_, err = s.Run(context.Background(), launch(t, &mem, 3, 128), &mem, nil)
	var stuck *sim.StuckError
	if !errors.Is(err, sim.ErrCycleLimit) || !errors.As(err, &stuck) || stuck.Cycle != 1000 || len(stuck.Warps) != 12 {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{"kernel k, cycle 1000: cycle limit reached: 1000", "; 3 of 3 CTAs have started, 0 have ended", "SM 0 CTA 0 warps", "SM 2 CTA 2 warps", "active lanes 0xffffffff, 32 of 32 alive; stack depth 1"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
}

// TestLimitIsExact checks that a run of exactly as many cycles as allowed ends
// well, and one of a cycle more does not.
func TestLimitIsExact(t *testing.T) {
	code := compile(t, "st.global.u32 [%buf], %t; ret;")
	o := observe(t, newSim(t, fermi(t), code), 20, 96)
	for limit, want := range map[int64]bool{o.Cycles: true, o.Cycles - 1: false} {
		s, err := New(sim.Config{Code: code, Machine: fermi(t), RegsPerThread: 20, MaxCycles: limit})
		if err != nil {
			t.Fatal(err)
		}
		var mem emu.Memory
		r, err := s.Run(context.Background(), launch(t, &mem, 20, 96), &mem, nil)
		if (err == nil) != want {
			t.Errorf("with a limit of %d cycles: %v", limit, err)
		}
		if err == nil && r.Cycles != o.Cycles {
			t.Errorf("%d cycles without a trace, %d with one", r.Cycles, o.Cycles)
		}
	}
}

func TestStatesOfWaitingWarps(t *testing.T) {
	for body, want := range map[string]string{
		"ld.global.u32 %r1, [%buf]; add.u32 %r2, %r1, 1; ret;":           "add.u32 %r2, %r1, 0x1: waits for 1 access; active lanes 0xffffffff",
		"st.global.u32 [%buf], %t; membar.gl; ret;":                      "waits at a fence for 1 access; active",
		"st.global.u32 [%buf], %t; ret;":                                 ": has exited and waits for 1 access\n\t\tSM 0 CTA 0 warps 0-1",
		"setp.lt.u32 %p1, %t, 32; @%p1 bar.sync 0; l: @!%p1 bra l; ret;": "@%p1 bar.sync 0x0: waits at a barrier; active",
	} {
		s, err := New(sim.Config{Code: compile(t, body), Machine: fermi(t), MaxCycles: 100})
		if err != nil {
			t.Fatal(err)
		}
		var mem emu.Memory
		if _, err = s.Run(context.Background(), launch(t, &mem, 1, 64), &mem, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", body, err, want)
		}
	}
}

func TestCancellation(t *testing.T) {
	code := compile(t, "forever: add.u32 %r1, %r1, 1; bra forever;")
	s, err := New(sim.Config{Code: code, Machine: fermi(t)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var mem emu.Memory
	if _, err := s.Run(ctx, launch(t, &mem, 1, 32), &mem, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestFaults checks that errors of the program come through with their place,
// and that the simulator can be used again after one.
func TestFaults(t *testing.T) {
	code := compile(t, "setp.eq.u32 %p1, %c, 7; @%p1 ld.global.u32 %r1, [0]; ret;")
	s := newSim(t, fermi(t), code)
	var mem emu.Memory
	_, err := s.Run(context.Background(), launch(t, &mem, 9, 64), &mem, nil)
	if !errors.Is(err, emu.ErrOutOfBounds) || !strings.Contains(err.Error(), "CTA (7,0,0)") {
		t.Errorf("got %v", err)
	}
	same(t, "after a fault", observe(t, newSim(t, fermi(t), code), 7, 64), observe(t, s, 7, 64))
	deadlock := compile(t, "setp.lt.u32 %p1, %t, 32; @%p1 bar.sync 0; @!%p1 bar.sync 1; ret;")
	_, err = newSim(t, fermi(t), deadlock).Run(context.Background(), launch(t, &mem, 1, 64), &mem, nil)
	if !errors.Is(err, emu.ErrDeadlock) {
		t.Errorf("got %v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	code := compile(t, "ret;")
	barrel, err := machine.Builtin("predictable-rr")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(sim.Config{Code: code, Machine: barrel}); err == nil || err.Error() != "predictable-rr has a barrel core; this is a simulator of scoreboard cores" {
		t.Errorf("a barrel core gives %v", err)
	}
	if _, err := New(sim.Config{Code: code, Machine: fermi(t), Ipoints: emutest.EveryInstr(code)[1:]}); err == nil {
		t.Error("too few ipoints are accepted")
	}
	for _, limit := range []int64{-1, sim.MaxCycles + 1} {
		if _, err := New(sim.Config{Code: code, Machine: fermi(t), MaxCycles: limit}); err == nil {
			t.Errorf("a limit of %d cycles is accepted", limit)
		}
	}
}

// TestPolicies distinguishes the policies by the order in which two warps of one
// scheduler issue independent instructions.
func TestPolicies(t *testing.T) {
	code := compile(t, "mov.u32 %r1, 1; mov.u32 %r2, 1; mov.u32 %r3, 1; mov.u32 %r4, 1; ret;")
	for policy, want := range map[machine.Policy]string{
		machine.GTO: "00000", machine.GTY: "22222", machine.LRR: "02020", machine.RR: "02020",
		machine.Oldest: "00000", machine.Youngest: "22222",
	} {
		m, err := fermi(t).WithPolicy(policy)
		if err != nil {
			t.Fatal(err)
		}
		if order := issues(t, m, code); !strings.HasPrefix(order, want) {
			t.Errorf("%s: warps issue in the order %s, want %s", policy, order, want)
		}
	}
}

// issues returns the order in which the two warps of one scheduler issue the instructions of a body.
func issues(t *testing.T, m *machine.Machine, code *emu.Code) string {
	t.Helper()
	order := ""
	for _, r := range observe(t, newSim(t, m, code), 1, 128).tr.Records { // warps 0 and 2 share a scheduler
		if r.Ipoint >= prologue && r.Warp%2 == 0 {
			order += string('0' + rune(r.Warp))
		}
	}
	return order
}

// TestRandomPolicy: seeds give orders of their own, each of them the same every time, and each warp has its turns.
func TestRandomPolicy(t *testing.T) {
	code := compile(t, strings.Repeat("mov.u32 %r1, 1; mov.u32 %r2, 1; mov.u32 %r3, 1; mov.u32 %r4, 1;", 4)+"ret;")
	seen := map[string]bool{}
	for seed := range int64(8) {
		m, err := fermi(t).With(machine.Choices{Policy: machine.AnyWarp, Seed: &seed})
		if err != nil {
			t.Fatal(err)
		}
		order := issues(t, m, code)
		if again := issues(t, m, code); again != order {
			t.Errorf("seed %d gives %s, then %s", seed, order, again)
		}
		if !strings.Contains(order, "02") || !strings.Contains(order, "20") {
			t.Errorf("seed %d: a warp waits for the other: %s", seed, order)
		}
		seen[order] = true
	}
	if len(seen) < 5 {
		t.Errorf("8 seeds give %d orders", len(seen))
	}
}

// TestSubCores runs two warps of two schedulers that keep the only pipeline of their instructions busy, and two of one scheduler. With
// sub-cores the former do not wait for each other.
func TestSubCores(t *testing.T) {
	code := compile(t, strings.Repeat("mul.lo.u32 %r1, %t, 3; mul.lo.u32 %r2, %t, 5; mul.lo.u32 %r3, %t, 7; mul.lo.u32 %r4, %t, 9;\n", 10)+"ret;")
	cycles := func(subCores machine.Switch, policy machine.Policy, warps int) int64 {
		m, err := fermi(t).WithPolicy(policy)
		if err != nil {
			t.Fatal(err)
		}
		own := *m
		own.SM.SubCores.Value, own.SM.Schedulers.Value = subCores, 2
		own.Pipelines = map[string]machine.Number{"sp": {Value: 1}, "sfu": {Value: 1}, "ldst": {Value: 1}}
		own.Classes = maps.Clone(m.Classes)
		timing := m.Timing(isa.IntMul)
		timing.Initiation, timing.Latency = 4, 4
		own.Classes[isa.IntMul.String()] = timing
		return observe(t, newSim(t, &own, code), 1, 32*warps).Cycles
	}
	const instrs = 40 * 4 // cycles that those of a warp keep a pipeline
	for _, policy := range []machine.Policy{machine.GTO, machine.GTY, machine.LRR, machine.RR} {
		one, two := cycles(machine.Off, policy, 1), cycles(machine.Off, policy, 2)
		own, four := cycles(machine.On, policy, 2), cycles(machine.On, policy, 4)
		if two < one+instrs/2 || own > one+10 || four < own+instrs/2 {
			t.Errorf("%s: %d cycles of one warp, %d of two, %d of two and %d of four with sub-cores", policy, one, two, own, four)
		}
	}
}

// TestSameStorage runs launches of different shapes in the same storage and in fresh
// storage.
func TestSameStorage(t *testing.T) {
	code := compile(t, "ld.global.u32 %r1, [%buf]; bar.sync 0; red.global.add.u32 [%buf], %r1; ret;")
	s := newSim(t, fermi(t), code)
	for _, shape := range [][2]int{{1, 96}, {200, 96}, {40, 300}, {3, 32}} {
		same(t, "in used storage", observe(t, newSim(t, fermi(t), code), shape[0], shape[1]), observe(t, s, shape[0], shape[1]))
	}
}

// TestNoAllocationPerInstruction runs loops of different lengths in the same
// storage: what they allocate must not depend on the length.
func TestNoAllocationPerInstruction(t *testing.T) {
	allocs := func(trips string) float64 {
		code := compile(t, `
			mov.u32 %r1, 0;
			mul.wide.u32 %rd1, %t, 256;
			add.u64 %rd2, %buf, %rd1;
		loop:
			ld.global.u32 %r2, [%rd2];
			st.shared.u32 [sh], %r2;
			red.global.add.u32 [%rd2+4], %r2;
			st.global.u32 [%rd2+8], %r1;
			bar.sync 0;
			add.u32 %r1, %r1, 1;
			setp.lt.u32 %p1, %r1, `+trips+`;
			@%p1 bra loop;
			ret;`)
		s, err := New(sim.Config{Code: code, Machine: fermi(t), RegsPerThread: 20})
		if err != nil {
			t.Fatal(err)
		}
		var mem emu.Memory
		l := launch(t, &mem, 10, 128)
		return testing.AllocsPerRun(2, func() {
			if _, err := s.Run(context.Background(), l, &mem, nil); err != nil {
				t.Fatal(err)
			}
		})
	}
	if short, long := allocs("2"), allocs("20"); long > short {
		t.Errorf("%v allocations with 2 trips, %v with 20", short, long)
	}
}

// TestRegisterTimesOfWarpsThatRun checks that only slots in which a CTA was have room for
// the times of registers.
func TestRegisterTimesOfWarpsThatRun(t *testing.T) {
	s := newSim(t, fermi(t), compile(t, "mov.u32 %r1, 1; ret;"))
	var mem emu.Memory
	const ctas, warps = 20, 4
	if _, err := s.Run(context.Background(), launch(t, &mem, ctas, 32*warps), &mem, nil); err != nil {
		t.Fatal(err)
	}
	made := 0
	for i := range s.sms {
		for j := range s.sms[i].warps {
			if s.sms[i].warps[j].ready != nil {
				made++
			}
		}
	}
	if made > ctas*warps {
		t.Errorf("%d warps have times of registers; %d ran", made, ctas*warps)
	}
}
