package integrated

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/abi"
	"warpbound/internal/emu"
	"warpbound/internal/sim"
	"warpbound/internal/test/simtest"
)

// lookedUp returns when the accesses of a core were looked up in the shared cache.
func (o *observation) lookedUp(core int) []int64 {
	var at []int64
	for _, a := range o.accesses {
		if a.Core == core {
			at = append(at, a.Cycle)
		}
	}
	return at
}

// TestCPU follows three accesses of the CPU, which has slot 15 of 16 and turn 60 of 64.
func TestCPU(t *testing.T) {
	// The load begins at 10, leaves at 14, is sent at 15 and looked up at 23; turn at 60 (47),
	// read at 164, slot at 175, there at 183. The next begins at 188 and hits; the store begins
	// at 192, leaves at 196 and is sent at 207.
	cfg := simtest.Config(fermi(t), simtest.Compile(t, "ld.global.u32 %r1, [%buf]; ret;"))
	cfg.CPU = &list{accesses: []sim.CPUAccess{
		{Gap: 10, Address: abi.CPUBase}, {Gap: 5, Address: abi.CPUBase + 127}, {Address: abi.CPUBase, Store: true},
	}}
	o := observe(t, cfg, launch(t, 1, 32))
	if got := o.lookedUp(15); !slices.Equal(got, []int64{23, 215}) {
		t.Errorf("the CPU's accesses are looked up at %v", got)
	}
	if c := o.Cores[15]; c.L1Hits != 1 || c.L1Misses != 1 || c.Misses != 1 || c.Hits != 1 {
		t.Errorf("counted %+v", c)
	}
	if o.Counters.L1Misses != 1 || o.Counters.L2Misses != 2 {
		t.Errorf("counted %+v", o.Counters)
	}
}

// TestWait: an interval waits for a CPU that has not sent its quota, but not for long.
func TestWait(t *testing.T) {
	const late = 10_000
	body := "setp.lt.u32 %p1, %t, 3;" + stride + "@%p1 ld.global.u32 %r1, [%rd1]; ret;"
	for _, c := range []struct {
		wait     int64
		accesses []sim.CPUAccess
		want     []int64
	}{
		// The load issues at 54, its accesses leave at 89 to 91. The first is sent at 96, and
		// answered at 248: the next interval begins at 252. The second is sent at 256, and
		// answered at 376: interval 2 begins at 380, and the third is sent at 384.
		{500, nil, []int64{104, 264, 392}},
		// The CPU has sent its quota in interval 0, and has nothing to send in interval 1: this
		// ends at 256 + 500 + 4, and the third access is sent at 768.
		{500, []sim.CPUAccess{{}, {Gap: late}}, []int64{104, 264, 776}},
		// It does not hold up what takes longer.
		{64, []sim.CPUAccess{{}, {Gap: late}}, []int64{104, 264, 392}},
		{0, []sim.CPUAccess{{Gap: late}}, []int64{104, 264, 392}},
		// It has ended after interval 0.
		{500, []sim.CPUAccess{{}}, []int64{104, 264, 392}},
	} {
		m := regulated(t, true, 1)
		m.Regulator.Wait.Value = c.wait
		cfg := simtest.Config(m, simtest.Compile(t, body))
		cfg.CPU = &list{accesses: c.accesses}
		o := observe(t, cfg, launch(t, 1, 32))
		if got := o.lookedUp(0); !slices.Equal(got, c.want) {
			t.Errorf("%+v: looked up at %v", c, got)
		}
		o.checkIntervals(t, m)
	}
}

// broken is a stream that fails after its first access.
type broken struct{ list }

func (b *broken) Next() (sim.CPUAccess, bool, error) {
	a, ok, err := b.list.Next()
	if !ok {
		err = errors.New("p.stream:1:1: an access at byte 7 of x, which has 4 bytes")
	}
	return a, ok, err
}

// TestBrokenStream: an error of the stream is one of the run, at its beginning and later.
func TestBrokenStream(t *testing.T) {
	for n := range 2 {
		cfg := simtest.Config(fermi(t), simtest.Compile(t, "ld.global.u32 %r1, [%buf]; ret;"))
		cfg.CPU = &broken{list{accesses: make([]sim.CPUAccess, n)}}
		s, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		var mem emu.Memory
		if _, err := s.Run(t.Context(), launch(t, 1, 32)(&mem), &mem, nil); err == nil || !strings.HasPrefix(err.Error(), "p.stream:1:1: ") {
			t.Errorf("got %v", err)
		}
	}
}

// TestNoDeadlock runs kernels with barriers, with warps and CTAs that exit early, and with SMs
// that have no CTA, at small quotas, beside all kinds of CPUs.
func TestNoDeadlock(t *testing.T) {
	bodies := []string{
		"ret;",
		stride + "ld.global.u32 %r1, [%rd1]; bar.sync 0; st.global.u32 [%rd1], %r1; ret;",
		// Warp 0 accesses nothing before the barrier, the others nothing after it.
		"setp.lt.u32 %p1, %t, 32;" + stride + "@%p1 bra wait; ld.global.u32 %r1, [%rd1]; wait: bar.sync 0; @!%p1 ret; st.global.u32 [%buf], %t; ret;",
		// Odd CTAs exit at once, of the others all but one warp.
		"and.b32 %r1, %c, 1; setp.ne.u32 %p1, %r1, 0; @%p1 ret; setp.ge.u32 %p2, %t, 32; @%p2 ret;" + stride + "ld.global.u32 %r1, [%rd1]; membar.gl; ret;",
		// CTA 0 computes for long and then accesses memory; the others do it the other way round.
		`mov.u32 %r2, 0; setp.ne.u32 %p1, %c, 0; @!%p1 bra loop; red.global.add.u32 [%buf], 1;
		loop: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 300; @%p2 bra loop; @%p1 ret; red.global.add.u32 [%buf], 1; ret;`,
	}
	streams := map[string][]sim.CPUAccess{
		"absent": nil,
		"idle":   {{Gap: 1 << 39}},
		"ended":  {{}, {}},
		"busy":   slices.Repeat([]sim.CPUAccess{{Address: abi.CPUBase, Store: true}}, 2000),
		"late":   {{Gap: 700}, {Gap: 700}, {Gap: 700}},
	}
	for _, body := range bodies {
		code := simtest.Compile(t, body)
		for _, accesses := range streams {
			for _, quota := range []int64{1, 2, 5} {
				for _, ctas := range []int{1, 14, 40} {
					m := regulated(t, true, quota)
					cfg := simtest.Config(m, code)
					if accesses != nil {
						cfg.CPU = &list{accesses: accesses}
					}
					observe(t, cfg, launch(t, ctas, 96)).checkIntervals(t, m)
				}
			}
		}
	}
}

// TestOrderBesideCPU: without a regulator a CPU in memory of its own changes what the SMs find in
// the shared cache, but never the order of their accesses.
func TestOrderBesideCPU(t *testing.T) {
	m := regulated(t, false, 1)
	m.LLC.Sets.Value = 1
	code := simtest.Compile(t, stride+"ld.global.u32 %r1, [%rd1]; bar.sync 0; ld.global.u32 %r2, [%rd1+4096]; st.global.u32 [%rd1], %r1; ret;")
	alone := observe(t, simtest.Config(m, code), launch(t, 60, 64))
	src := rand.New(rand.NewPCG(1, 2))
	l := &list{}
	for range 2000 {
		l.accesses = append(l.accesses, sim.CPUAccess{Address: abi.CPUBase + uint64(src.IntN(1<<16)), Store: src.IntN(2) == 0})
	}
	cfg := simtest.Config(m, code)
	cfg.CPU = l
	o := observe(t, cfg, launch(t, 60, 64))
	if o.order(m) != alone.order(m) {
		t.Error("the order of accesses depends on the CPU")
	}
	if fmt.Sprint(o.Cores[:15]) == fmt.Sprint(alone.Cores[:15]) {
		t.Error("the CPU changes nothing; the test needs another stream")
	}
}
