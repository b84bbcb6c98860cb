package scoreboard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/abi"
	"warpbound/internal/emu"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/kernels"
)

// withCrew makes a simulation that so many workers share, however few CTAs there are.
func withCrew(t testing.TB, m *machine.Machine, code *emu.Code, workers int) *Sim {
	t.Helper()
	s := newSim(t, m, code)
	s.crew, s.enough = newCrew(s.sms, workers), 1
	return s
}

// processors lets so many goroutines run at a time until the test is over.
func processors(t testing.TB, n int) {
	before := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// TestCrewOnSuite runs every kernel of the suite with crews: in every bit it shows what one worker shows, and
// leaves the same in memory. Some kernels are not for crews.
func TestCrewOnSuite(t *testing.T) {
	alone := map[string]string{
		"artificial":  "uses atomics",
		"bfs":         "shares data between SMs that one of them writes",
		"bfsExpand":   "shares data between SMs that one of them writes",
		"histogram64": "uses atomics",
	}
	for _, name := range kernels.Names() {
		e := loadExample(t, name)
		first := e.run(t, e.sim(t, fermi(t)), 0)
		for _, workers := range []int{2, 8} {
			for _, n := range []int{1, 2, 8} {
				processors(t, n)
				s := e.sim(t, fermi(t))
				s.crew, s.enough = newCrew(s.sms, workers), 1
				how := fmt.Sprintf("%s with %d workers on %d processors", name, workers, n)
				for range 2 {
					o := e.run(t, s, 0)
					same(t, how, first, o)
					want := ""
					if why := alone[name]; why != "" {
						want = "kernel " + e.code.Kernel().Name + " " + why
					}
					if o.Alone != want {
						t.Errorf("%s: simulated alone because %q, want %q", how, o.Alone, want)
					}
					if !equal(e.snapshot(&first.mem), e.snapshot(&o.mem)) {
						t.Errorf("%s: the memory differs", how)
					}
				}
			}
		}
	}
}

func equal(a, b [][]byte) bool {
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

// TestCrewOnRandom runs random kernels on random machines with crews. Besides kernels whose CTAs exchange
// nothing, there are some that write and read what others write and read: of these too every
// run shows what that of one worker does.
func TestCrewOnRandom(t *testing.T) {
	processors(t, 4)
	kernels, together, shares := 0, 0, 0
	rapid.Check(t, func(r *rapid.T) {
		body := randomKernel(r)
		const store, exchange = "st.global.u32 [%rd2], %r4;", "ld.global.u32 %r11, [%rd2]; st.global.u32 [%rd2], %r11;"
		instead := rapid.SampledFrom([]string{"", store, exchange, exchange, exchange}).Draw(r, "instead of atomics")
		body = strings.NewReplacer("red.global.add.u32 [%rd2], 3;", instead,
			"atom.global.add.u32 %r15, [%rd2], 5; add.u32 %r16, %r15, 1;", instead).Replace(body)
		code := compile(t, body)
		m := randomMachine(r, fermi(t))
		m.SM.Count.Value = max(m.SM.Count.Value, 2) // of one SM there is no crew
		ctas, threads := rapid.IntRange(1, 20).Draw(r, "CTAs"), rapid.IntRange(1, min(200, 48*int(m.SM.WarpSize.Value))).Draw(r, "threads")
		first := observe(t, newSim(t, m, code), ctas, threads)
		o := observe(t, withCrew(t, m, code, rapid.IntRange(2, 5).Draw(r, "workers")), ctas, threads)
		same(t, "with a crew", first, o)
		if !bytes.Equal(first.mem.Bytes(abi.GlobalBase), o.mem.Bytes(abi.GlobalBase)) {
			r.Error("the memory differs")
		}
		kernels++
		switch o.Alone {
		case "":
			together++
		case "kernel k " + emu.SharesData.Error():
			shares++
		default:
			r.Errorf("not together: %s", o.Alone)
		}
		if t.Failed() {
			r.FailNow()
		}
	})
	if few := kernels / 10; together < few || shares < few {
		t.Errorf("of %d kernels %d were simulated together, %d share data", kernels, together, shares)
	}
}

// TestConcurrentCrewOfKernels tells kernels that can be simulated by a crew from others. CTAs of 32 threads are
// on SMs of their own, one after the other.
func TestConcurrentCrewOfKernels(t *testing.T) {
	const shares = "kernel k shares data between SMs that one of them writes"
	address := func(scale int) string { // of a word for each thread, or one for several
		return fmt.Sprintf("mad.lo.u32 %%r1, %%c, 32, %%t; shr.u32 %%r1, %%r1, %d; mul.wide.u32 %%rd1, %%r1, 4; add.u64 %%rd2, %%buf, %%rd1; ", scale)
	}
	cta := "mul.wide.u32 %rd1, %c, 4; add.u64 %rd2, %buf, %rd1; "
	for _, c := range []struct{ name, body, want string }{
		{"words of its own", address(0) + "ld.global.u32 %r2, [%rd2]; st.global.u32 [%rd2], %t;", ""},
		{"one word of each CTA", cta + "st.global.u32 [%rd2], %t;", ""},
		{"the same, read before", cta + "ld.global.u32 %r2, [%rd2]; st.global.u32 [%rd2], %r2;", ""},
		{"one word of two CTAs", address(6) + "st.global.u32 [%rd2], %t;", shares},
		{"a byte of each CTA", "cvt.u64.u32 %rd1, %c; add.u64 %rd2, %buf, %rd1; st.global.u8 [%rd2], %t;", shares},
		{"the word of the CTA before", cta + "st.global.u32 [%rd2+4], %t; ld.global.u32 %r1, [%rd2];", shares},
		{"its own words before a barrier, all after it", address(0) + "st.global.u32 [%rd2], %t; bar.sync 0; ld.global.u32 %r1, [%buf];", shares},
		{"counts in its own words, then one word of all", address(0) + "ld.global.u32 %r2, [%rd2+128]; add.u32 %r2, %r2, 1; st.global.u32 [%rd2+128], %r2; st.global.u32 [%buf], %r2;", shares},
		{"a flag", "setp.eq.u32 %p1, %c, 0; @%p1 st.global.u32 [%buf], 7; wait: ld.volatile.global.u32 %r1, [%buf]; setp.ne.u32 %p2, %r1, 7; @%p2 bra wait;", shares},
		{"generic addresses", address(0) + "ld.u32 %r2, [%rd2]; st.u32 [%rd2+128], %r2;", shares},
		{"vectors", "mad.lo.u32 %r1, %c, 32, %t; mul.wide.u32 %rd1, %r1, 16; add.u64 %rd2, %buf, %rd1; ld.global.v4.u32 {%r2,%r3,%r4,%r5}, [%rd2]; st.global.v4.u32 [%rd2], {%r2,%r3,%r4,%r5};", ""},
		{"vectors that overlap", "mad.lo.u32 %r1, %c, 31, %t; mul.wide.u32 %rd1, %r1, 16; add.u64 %rd2, %buf, %rd1; st.global.v4.u32 [%rd2], {%t,%t,%t,%t};", shares},
		{"what a copy reads", address(0) + "st.global.u32 [%rd2+128], %t; cp.async.ca.shared.global [sh], [%rd2], 4;", shares},
		{"shared memory", "mov.u32 %r1, sh; st.shared.u32 [%r1], %t; atom.shared.add.u32 %r2, [%r1], 1;", ""},
		{"local memory", ".local .align 4 .b8 f[4]; st.local.u32 [f], %t; ld.local.u32 %r1, [f];", ""},
		{"an atomic operation", "red.global.add.u32 [%buf], 1;", "kernel k uses atomics"},
		{"a generic one", "atom.add.u32 %r1, [%g], 1;", "kernel k uses atomics"},
		{"a clock", "mov.u32 %r1, %clock;", "kernel k reads a clock"},
		{"the time", "mov.u64 %rd1, %globaltimer;", "kernel k reads a clock"},
		{"the number of the SM", "mov.u32 %r1, %smid; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd2, %buf, %rd1; st.global.u32 [%rd2], %r1;", ""},
	} {
		code := compile(t, c.body+"\nret;")
		first := observe(t, newSim(t, fermi(t), code), 120, 32)
		o := observe(t, withCrew(t, fermi(t), code, 2), 120, 32)
		same(t, c.name, first, o)
		if first.Alone != "" || o.Alone != c.want {
			t.Errorf("%s: alone because %q, want %q", c.name, o.Alone, c.want)
		}
		if !bytes.Equal(first.mem.Bytes(abi.GlobalBase), o.mem.Bytes(abi.GlobalBase)) {
			t.Errorf("%s: the memory differs", c.name)
		}
	}
}

// TestConcurrentCrewFails compares the errors of runs with a crew with those of one worker.
func TestConcurrentCrewFails(t *testing.T) {
	for _, c := range []struct{ name, body string }{
		{"every CTA from 20 on", "setp.ge.u32 %p1, %c, 20; @%p1 trap; st.global.u32 [%buf], %t;"},
		{"an address", "mul.wide.u32 %rd1, %c, 65536; add.u64 %rd2, %buf, %rd1; ld.global.u32 %r1, [%rd2];"},
		{"an odd address", "cvt.u64.u32 %rd1, %c; add.u64 %rd2, %buf, %rd1; ld.global.u32 %r1, [%rd2];"},
		{"a barrier that nobody else comes to", "bar.sync 0, 64;"},
		{"no end", "forever: add.u32 %r1, %r1, 1; bra forever;"},
	} {
		code := compile(t, c.body+"\nret;")
		run := func(s *Sim) error {
			s.maxTime = 20_000
			var mem emu.Memory
			_, err := s.Run(context.Background(), launch(t, &mem, 120, 32), &mem, nil)
			return err
		}
		want := run(newSim(t, fermi(t), code))
		if got := run(withCrew(t, fermi(t), code, 2)); want == nil || got == nil || got.Error() != want.Error() {
			t.Errorf("%s: %v, want %v", c.name, got, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var mem emu.Memory
	s := withCrew(t, fermi(t), compile(t, "forever: bra forever;"), 2)
	if _, err := s.Run(ctx, launch(t, &mem, 120, 32), &mem, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestCrewFindsUninitialisedReads lets CTAs read shared memory that nothing has written: the list is that of
// one worker.
func TestCrewFindsUninitialisedReads(t *testing.T) {
	code := compile(t, "ld.shared.u32 %r1, [sh+4]; ret;").Checked()
	first := observe(t, newSim(t, fermi(t), code), 120, 32)
	o := observe(t, withCrew(t, fermi(t), code, 2), 120, 32)
	if o.Alone != "kernel k reads memory that nothing has written" {
		t.Errorf("alone because %q", o.Alone)
	}
	if len(first.Uninitialised) != 1 || fmt.Sprint(first.Uninitialised) != fmt.Sprint(o.Uninitialised) {
		t.Errorf("%v, with a crew %v", first.Uninitialised, o.Uninitialised)
	}
}

// TestEnoughCTAs checks which runs take a crew at all: those of many CTAs that nobody observes.
func TestEnoughCTAs(t *testing.T) {
	code := compile(t, "red.global.add.u32 [%buf], 1; ret;")
	for _, c := range []struct {
		workers, ctas int
		observe       func(*sim.Step)
		tried         bool
	}{
		{0, 200, nil, false},
		{1, 200, nil, false},
		{2, enoughCTAs - 1, nil, false},
		{2, enoughCTAs, nil, true},
		{100, 200, nil, true},
		{2, 200, func(*sim.Step) {}, false},
	} {
		s, err := New(sim.Config{Code: code, Machine: fermi(t), RegsPerThread: 20, Workers: c.workers, Observe: c.observe})
		if err != nil {
			t.Fatal(err)
		}
		var mem emu.Memory
		r, err := s.Run(context.Background(), launch(t, &mem, c.ctas, 32), &mem, nil)
		if err != nil || (r.Alone != "") != c.tried {
			t.Errorf("%d workers, %d CTAs: alone because %q, %v", c.workers, c.ctas, r.Alone, err)
		}
	}
}

// large are kernels of the suite with launches of some hundred CTAs.
var large = []struct {
	name string
	edit []string // of the job: pairs of what is there and what takes its place
}{
	{"matrixMul", []string{"[8, 4, 1]", "[16, 16, 1]", "6144", "24576", "12288", "24576", "8192", "65536", "128\n", "256\n"}},
	{"vectorAdd", []string{"254", "1016", "65000", "260000"}},
	{"reduction", []string{"64", "256", "60007", "240028"}},
	{"bitonicSort", []string{"[16,", "[256,", "8192", "131072"}},
	{"lbm", nil},
}

// BenchmarkLarge measures the time of launches of some hundred CTAs by the number of workers.
func BenchmarkLarge(b *testing.B) {
	for _, l := range large {
		e := loadExample(b, l.name, l.edit...)
		for _, workers := range []int{1, 2, 4} {
			b.Run(fmt.Sprintf("%s/%d", l.name, workers), func(b *testing.B) {
				s, err := New(sim.Config{Code: e.code, Machine: fermi(b), RegsPerThread: 20, Workers: workers})
				if err != nil {
					b.Fatal(err)
				}
				var mem emu.Memory
				for b.Loop() {
					b.StopTimer()
					launch := e.prepare(b, &mem, 0)
					b.StartTimer()
					r, err := s.Run(context.Background(), launch, &mem, nil)
					if err != nil {
						b.Fatal(err)
					}
					if r.Alone != "" {
						b.Fatal(r.Alone)
					}
				}
			})
		}
	}
}
