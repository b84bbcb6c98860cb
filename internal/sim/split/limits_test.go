package split

import (
	"context"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/splitting"
	"warpbound/internal/test/simtest"
)

// diverging is a loop of each thread in a path of an if-else that splits.
const diverging = `setp.lt.u32 %p1, %t, 32; .pragma "split"; @%p1 bra taken;
	add.u32 %r1, %t, 1;
	bra done;
taken:
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p2, %r2, 1000000000;
	@%p2 bra taken;
done:
	ret;`

// unmarked is the same without a mark.
var unmarked = strings.Replace(diverging, `.pragma "split";`, "", 1)

// TestLimitIsExact checks that a run of exactly as many cycles as allowed ends well, and one of a
// cycle more does not.
func TestLimitIsExact(t *testing.T) {
	m, code := gcn3(t, machine.PWS, 2), compile(t, "st.global.u32 [%buf], %t; ret;")
	simtest.LimitIsExact(t, create, simtest.Config(m, code), launch(t, 50, 96))
}

// TestStuck gives a run up in several states of its wavefronts.
func TestStuck(t *testing.T) {
	for _, c := range []struct {
		body  string
		end   int64
		wants []string
		mode  machine.SplitMode
	}{
		{"ret;", 7, []string{"waits for its first instruction"}, machine.SplitNone},
		{"ld.global.u32 %r1, [%buf]; add.u32 %r2, %r1, 1; ret;", 100, []string{"add.u32 %r2, %r1, 0x1: waits for a result"}, machine.SplitNone},
		{"st.global.u32 [%buf], %t; membar.gl; ret;", 100, []string{"waits at a fence for its accesses"}, machine.SplitNone},
		{"st.global.u32 [%buf], %t; ret;", 100, []string{"has exited and waits for its accesses\n\t\tSM 0 CTA 0 warps 0-1"}, machine.SplitNone},
		{"setp.lt.u32 %p1, %t, 64; @%p1 bar.sync 0; l: @!%p1 bra l; ret;", 100, []string{"@%p1 bar.sync 0x0: waits at a barrier"}, machine.SplitNone},
		{diverging, 100, []string{"waits to merge; active lanes 0xffffffff00000000", "warp 0 on split SIMD 1", "active lanes 0xffffffff, 32 of 64 alive"}, machine.PWS},
		{diverging, 46, []string{"bra taken: splits or merges"}, machine.PWS},
		{unmarked, 46, []string{"add.u32 %r1, %t, 0x1: waits for the split; active lanes 0xffffffff00000000"}, machine.DWS},
	} {
		cfg := simtest.Config(gcn3(t, c.mode, 1), compile(t, c.body))
		cfg.MaxCycles = c.end
		text := simtest.Stuck(t, create, cfg, launch(t, 1, 128)).Error()
		for _, want := range append(c.wants, "1 of 1 CTAs have started, 0 have ended") {
			if !strings.Contains(text, want) {
				t.Errorf("%s: got %s, want %q", c.body, text, want)
			}
		}
	}
}

// TestFaults checks that errors of the program come through with their place, also from a part
// on a split SIMD, and that the simulator can be used again after one.
func TestFaults(t *testing.T) {
	code := compile(t, `setp.lt.u32 %p1, %t, 32; .pragma "split"; @%p1 bra done;
		setp.eq.u32 %p2, %c, 7;
		@%p2 ld.global.u32 %r1, [0];
	done:
		ret;`)
	m := gcn3(t, machine.PWS, 1)
	s := newSim(t, m, code)
	err := simtest.Fails(t, s, launch(t, 9, 64), emu.ErrOutOfBounds)
	if !strings.Contains(err.Error(), "k.ptx:") || !strings.Contains(err.Error(), "CTA (7,0,0)") {
		t.Errorf("got %v", err)
	}
	prepare := launch(t, 7, 64)
	simtest.Same(t, "after a fault", simtest.Observe(t, newSim(t, m, code), prepare), simtest.Observe(t, s, prepare))
	deadlock := compile(t, "setp.lt.u32 %p1, %t, 64; @%p1 bar.sync 0; @!%p1 bar.sync 1; ret;")
	simtest.Fails(t, newSim(t, m, deadlock), launch(t, 1, 128), emu.ErrDeadlock)
}

func TestCancellation(t *testing.T) {
	s := newSim(t, gcn3(t, machine.PWS, 1), compile(t, "l: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 1000000000; @%p1 bra l; ret;"))
	simtest.Cancelled(t, s, launch(t, 1, 64))
}

func TestRefusals(t *testing.T) {
	plain, splits := compile(t, "ret;"), compile(t, diverging)
	predictable, err := machine.Builtin("predictable-rr")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		m    *machine.Machine
		code *emu.Code
		want string
	}{
		{predictable, plain, "predictable-rr has a barrel core; this is a simulator of split cores"},
		{gcn3(t, machine.DWS, 1), splits, `k.ptx:13:43: split is an instruction of mode "pws"; the machine's is "dws"`},
		{gcn3(t, machine.SplitNone, 1), splits, `k.ptx:13:43: split is an instruction of mode "pws"; the machine's is "none"`},
	} {
		if _, err := New(sim.Config{Code: c.code, Machine: c.m}); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	var mem emu.Memory
	if _, err := newSim(t, gcn3(t, machine.PWS, 1), plain).Run(context.Background(), launch(t, 1, 1025)(&mem), &mem, nil); err == nil {
		t.Error("a CTA of 1025 threads is accepted")
	}
	_, err = newSim(t, gcn3(t, machine.PWS, 0), splits).Run(context.Background(), launch(t, 1, 64)(&mem), &mem, nil)
	if err == nil || err.Error() != "k.ptx:13:43: a wavefront splits into more parts than the 1 that gcn3-split has contexts for" {
		t.Errorf("without a context for the split: %v", err)
	}
}

// TestMisplaced checks kernels with splits and merges that the pass does not make.
func TestMisplaced(t *testing.T) {
	for _, c := range []struct {
		at   int // the split is 4, its branch 5
		want string
	}{
		{4, "merge without a part to merge with"},
		{5, "split is not followed by a branch that can split"},
	} {
		k := *compile(t, `setp.lt.u32 %p1, %t, 32; .pragma "split"; @%p1 bra taken;`+ifElse).Kernel()
		k.Instrs = slices.Clone(k.Instrs)
		k.Instrs[c.at] = k.Instrs[c.at-1]
		g, err := cfg.Build(&k)
		if err != nil {
			t.Fatal(err)
		}
		s, err := New(sim.Config{Code: simtest.Decode(t, g), Machine: gcn3(t, machine.PWS, 1), RegsPerThread: 16, MaxCycles: 1000})
		if err == nil {
			var mem emu.Memory
			_, err = s.Run(context.Background(), launch(t, 1, 64)(&mem), &mem, nil)
		}
		if err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestSameStorage runs launches of different shapes in the same storage and in
// fresh storage.
func TestSameStorage(t *testing.T) {
	code := compile(t, `setp.lt.u32 %p1, %t, 5; .pragma "split"; @%p1 bra done;
		ld.global.u32 %r1, [%buf];
	done:
		bar.sync 0; red.global.add.u32 [%buf], %r1; ret;`)
	cfg := simtest.Config(gcn3(t, machine.PWS, 1), code)
	simtest.SameStorage(t, create, cfg, func(ctas, threads int) simtest.Prepare { return launch(t, ctas, threads) })
}

// TestNoAllocationPerInstruction runs loops of different lengths in the same
// storage: what they allocate must not depend on the length.
func TestNoAllocationPerInstruction(t *testing.T) {
	allocs := func(mode machine.SplitMode, trips string) float64 {
		code := compile(t, `
			mov.u32 %r1, 0;
			mul.wide.u32 %rd1, %t, 256;
			add.u64 %rd2, %buf, %rd1;
			and.b32 %r3, %t, 1;
			setp.eq.u32 %p2, %r3, 0;
		loop:
			ld.global.u32 %r2, [%rd2];
			.pragma "split";
			@%p2 bra even;
			st.shared.u32 [sh], %r2;
			bra done;
		even:
			red.global.add.u32 [%rd2+4], %r2;
		done:
			bar.sync 0;
			add.u32 %r1, %r1, 1;
			setp.lt.u32 %p1, %r1, `+trips+`;
			@%p1 bra loop;
			ret;`)
		if mode != machine.PWS {
			g, err := cfg.Build(code.Kernel())
			if err != nil {
				t.Fatal(err)
			}
			r, err := splitting.Remove(g)
			if err != nil {
				t.Fatal(err)
			}
			code = simtest.Decode(t, r.Graph)
		}
		s := newSim(t, gcn3(t, mode, 2), code)
		return simtest.Allocations(t, s, launch(t, 30, 128))
	}
	for _, mode := range machine.Modes() {
		if short, long := allocs(mode, "2"), allocs(mode, "20"); long > short || long > 0 {
			t.Errorf("%s: %v allocations with 2 trips, %v with 20", mode, short, long)
		}
	}
}
