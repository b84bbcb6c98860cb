package simulated_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/halt"
	"warpbound/internal/platform"
	"warpbound/internal/runner"
	"warpbound/internal/test/jobtest"
	"warpbound/internal/trace"
)

// ordered is a kernel with BODY in it: %t is the thread, %c its CTA, [%d] the data that threads
// share, [%f] a word by which they tell each other of it, [%own] a word of the thread in its CTA.
// %first holds in the first thread of each CTA, %c0 in the first CTA. Labels of the body are its
// own, but for END.
const ordered = `.version 8.0
.target sm_90
.address_size 64
.visible .entry ordered(.param .u64 data, .param .u64 flag)
{
	.shared .align 4 .b32 lock;
	.reg .pred %first, %c0, %p, %q;
	.reg .b32 %t, %c, %n, %x, %y, %i;
	.reg .b64 %d, %f, %own, %z;
	ld.param.u64 %d, [data];
	ld.param.u64 %f, [flag];
	mov.u32 %t, %tid.x;
	mov.u32 %c, %ctaid.x;
	mov.u32 %n, %ntid.x;
	mad.lo.u32 %x, %c, %n, %t;
	mul.wide.u32 %own, %x, 4;
	add.u64 %own, %own, %d;
	setp.eq.u32 %first, %t, 0;
	setp.eq.u32 %c0, %c, 0;
BODY
END:
	ret;
}
`

const orderedJob = `machine = %q
module = "match.ptx"
grid = [%d]
block = [128]
param = [{name = "data", type = "u32", count = 4096}, {name = "flag", type = "u32", count = 64}]
`

// Bodies that differ in what is between what they do to the data and to the flag.
const (
	increment = "ld.global.u32 %x, [%d];\nadd.u32 %x, %x, 1;\nst.global.u32 [%d], %x;\n"

	// One thread alone increments the data at a time, and others give up.
	byCompareAndSwap = "atom.global.cas.b32 %x, [%f], 0, 1;\nsetp.ne.u32 %p, %x, 0;\n@%p bra END;\nFENCE" + increment + "FENCEatom.global.exch.b32 %x, [%f], 0;\n"
	byExchange       = "@!%first bra END;\natom.global.exch.b32 %x, [%f], 1;\nsetp.ne.u32 %p, %x, 0;\n@%p bra END;\nFENCE" + increment + "FENCEst.volatile.global.u32 [%f], 0;\n"
	inShared         = "atom.shared.cas.b32 %x, [lock], 0, 1;\nsetp.ne.u32 %p, %x, 0;\n@%p bra END;\nFENCE" + increment + "FENCEatom.shared.exch.b32 %x, [lock], 0;\n"
	// Others come again.
	spinning = "@!%first bra END;\nAGAIN: atom.global.cas.b32 %x, [%f], 0, 1;\nsetp.ne.u32 %p, %x, 0;\n@%p bra AGAIN;\nFENCE" + increment + "FENCEatom.global.exch.b32 %x, [%f], 0;\n"

	// A CTA writes data and says so; the other reads them if it hears of it, now or never.
	fromFirst = "@!%first bra END;\n@!%c0 bra GET;\n" + later + "st.global.u32 [%d], 7;\nFENCEst.volatile.global.u32 [%f], 1;\nbra END;\n" +
		"GET: ld.volatile.global.u32 %x, [%f];\nsetp.eq.u32 %p, %x, 0;\n@%p bra END;\nFENCEld.global.u32 %y, [%d];\n"
	fromLast = "@!%first bra END;\n@%c0 bra GET;\nst.global.u32 [%d], 7;\nFENCEst.volatile.global.u32 [%f], 1;\nbra END;\n" +
		"GET: ld.volatile.global.u32 %x, [%f];\nsetp.eq.u32 %p, %x, 0;\n@%p bra END;\nFENCEld.global.u32 %y, [%d];\n"
	// The other waits until it hears of it.
	waitFor = "@!%first bra END;\n@%c0 bra GET;\nst.global.u32 [%d], 7;\nFENCEst.volatile.global.u32 [%f], 1;\nbra END;\n" +
		"GET: ld.volatile.global.u32 %x, [%f];\nWITHsetp.eq.u32 %p, %x, 0;\n@%p bra GET;\nFENCEld.global.u32 %y, [%d];\n"

	// The last CTA adds up what all have left.
	lastBlock = "@!%first bra END;\nst.global.u32 [%own], 3;\nFENCEatom.global.add.u32 %x, [%f], 1;\nmov.u32 %y, %nctaid.x;\nsub.u32 %y, %y, 1;\n" +
		"setp.ne.u32 %p, %x, %y;\n@%p bra END;\nFENCEmov.u32 %i, 0;\nADD: ld.global.u32 %x, [%d];\nadd.u64 %d, %d, 512;\nadd.u32 %i, %i, 1;\n" +
		"setp.le.u32 %p, %i, %y;\n@%p bra ADD;\n"

	later = "mov.u32 %i, 0;\nLATER: add.u32 %i, %i, 1;\nsetp.lt.u32 %p, %i, 4000;\n@%p bra LATER;\n"
)

// serialMachines are machines of all cores, and one whose threads are scheduled independently.
var serialMachines = append(slices.Clone(onFirst), "h100")

// TestSerialRaces looks for races in kernels of which the order of warps decides what they do.
func TestSerialRaces(t *testing.T) {
	const fence = "fence.acq_rel.gpu;\n"
	with := func(body string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(body) }
	for _, c := range []struct {
		name, body string
		ctas       int
		want       string // the orders in which there are races
	}{
		{"lock by compare-and-swap", with(byCompareAndSwap, "FENCE", ""), 1, "ascending"},
		{"of CTAs", with(byCompareAndSwap, "FENCE", ""), 2, "ascending"},
		{"with fences", with(byCompareAndSwap, "FENCE", fence), 2, ""},
		{"lock by exchange", with(byExchange, "FENCE", ""), 2, "ascending"},
		{"by exchange with fences", with(byExchange, "FENCE", fence), 2, ""},
		{"lock in shared memory", with(inShared, "FENCE", ""), 1, "ascending"},
		{"in shared memory with fences", with(inShared, "FENCE", fence), 1, ""},
		{"spin lock", with(spinning, "FENCE", ""), 2, "run"},
		{"spin lock with fences", with(spinning, "FENCE", fence), 2, ""},
		{"flag of the first CTA", with(fromFirst, "FENCE", ""), 2, "ascending"},
		{"of the first with fences", with(fromFirst, "FENCE", fence), 2, ""},
		{"flag of the last CTA", with(fromLast, "FENCE", ""), 2, "descending"},
		{"of the last with fences", with(fromLast, "FENCE", fence), 2, ""},
		{"flag that is waited for", with(waitFor, "FENCE", "", "WITH", ""), 2, "run"},
		{"waited for with fences", with(waitFor, "FENCE", fence, "WITH", ""), 2, ""},
		{"waited for with an eye on the clock", with(waitFor, "FENCE", fence, "WITH", "mov.u32 %y, %clock;\n"), 2, ""},
		{"last block", with(lastBlock, "FENCE", ""), 3, "run"},
		{"last block with fences", with(lastBlock, "FENCE", fence), 3, ""},
		{"race before a CTA that waits in vain", "@!%c0 st.volatile.global.u32 [%f+4], 1;\n" + with(byCompareAndSwap, "FENCE", "") +
			"@!%c0 bra END;\nWAIT: ld.volatile.global.u32 %x, [%f+4];\nsetp.eq.u32 %p, %x, 0;\n@%p bra WAIT;\n", 2, "ascending"},
		{"fault where the other has not come", "@!%first bra END;\n@%c0 bra PUT;\n" + later + "ld.volatile.global.u32 %x, [%f];\nsetp.ne.u32 %p, %x, 0;\n@%p bra END;\ntrap;\n" +
			"PUT: st.volatile.global.u32 [%f], 1;\n", 2, ""},
		{"a word of each multiprocessor", "@!%first bra END;\nmov.u32 %x, %smid;\nmul.wide.u32 %z, %x, 4;\nadd.u64 %d, %d, %z;\nst.global.u32 [%d], %c;\n" +
			"atom.global.add.u32 %x, [%f], 1;\n", 2, ""},
		{"a race that order does not change", "@%first st.global.u32 [%d], %c;\natom.global.add.u32 %x, [%f], 1;\n", 2, "run"},
		{"a race that the other order swaps", "@!%first bra END;\natom.global.add.u32 %x, [%f], 1;\n@%c0 ld.global.u32 %x, [%d];\n@!%c0 st.global.u32 [%d], 7;\n", 2, "run"},
		{"equal writes in each order", "@%first st.global.u32 [%d], 7;\natom.global.add.u32 %x, [%f], 1;\n", 2, "run"},
		{"equal writes that are not with the flag", "@!%first bra END;\nld.volatile.global.u32 %x, [%f];\nst.global.u32 [%d], %x;\n" + later + "st.volatile.global.u32 [%f], 1;\n", 2, "run, ascending"},
		{"data of threads", "st.global.u32 [%own], 7;\natom.global.add.u32 %x, [%f], 1;\n", 2, ""},
	} {
		for _, machine := range serialMachines {
			if got := raceOrders(t, orderedOn(t, machine, c.ctas, "", c.body)); got != c.want {
				t.Errorf("%s on %s: races in the order %q, want %q", c.name, machine, got, c.want)
			}
		}
	}
}

// orderedOn loads a job of the kernel.
func orderedOn(t *testing.T, machine string, ctas int, more, body string) *platform.Job {
	t.Helper()
	return jobtest.Text(t, fmt.Sprintf(orderedJob, machine, ctas)+more, strings.Replace(ordered, "BODY", body, 1))
}

// raceOrders returns the orders in which races are found, "run" for that of the run.
func raceOrders(t *testing.T, j *platform.Job) string {
	t.Helper()
	races, err := racesOf(context.Background(), j, runner.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return ordersOf(races)
}

// ordersOf returns the orders in which there are races.
func ordersOf(races []estimate.Race) string {
	var orders []string
	for _, r := range races {
		if r.Order == "" {
			r.Order = "run"
		}
		orders = append(orders, r.Order)
	}
	return strings.Join(slices.Compact(orders), ", ")
}

// racesOf looks for races in a run of the first vector.
func racesOf(ctx context.Context, j *platform.Job, opts runner.Options, rec *runner.Recorder) (list []estimate.Race, err error) {
	found, err := statisticsOf(ctx, j, opts, rec)
	if err != nil {
		return nil, err
	}
	return found.Races(), nil
}

// statisticsOf returns what a run that looks for races tells.
func statisticsOf(ctx context.Context, j *platform.Job, opts runner.Options, rec *runner.Recorder) (found runner.Statistics, err error) {
	opts.Races = true
	r, err := j.Platform.Open(j.Workload, opts)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	out, err := r.Run(ctx, j.First().Bound.Vector(0), rec)
	if err != nil {
		return nil, err
	}
	return out.Statistics, nil
}

// TestSerialFaults: a fault that threads have if others come first is told, and waiting for a warp that comes later is none.
func TestSerialFaults(t *testing.T) {
	const ticket = "@!%first bra END;\natom.global.add.u32 %x, [%f], 1;\nsetp.eq.u32 %p, %x, 1;\n"
	for name, c := range map[string]struct{ body, want string }{
		"the first CTA comes last": {ticket + "and.pred %p, %p, %c0;\n@%p trap;\n",
			"thread (0,0,0) of CTA (0,0,0) faults if warps run one after the other, descending: trap. "},
		"outside of all buffers": {ticket + "and.pred %p, %p, %c0;\n@%p st.global.u32 [%d+1000000], %x;\n",
			"thread (0,0,0) of CTA (0,0,0) faults if warps run one after the other, descending: "},
		"who comes last does no harm": {ticket + "@%p st.global.u32 [%own], 1;\n", ""},
		"waiting for a later CTA":     {waitFor, ""},
	} {
		found, err := statisticsOf(context.Background(), orderedOn(t, "h100", 2, "", strings.NewReplacer("FENCE", "", "WITH", "").Replace(c.body)), runner.Options{}, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := ""
		for _, w := range found.Warnings() {
			if w.ID == "fault-in-another-order" {
				got += w.Text
			}
		}
		if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) || strings.Count(got, "faults if") > 1 {
			t.Errorf("%s: warns %q, want %q", name, got, c.want)
		}
	}
}

// TestSerialRacesOnce: what is known from the run is not told again, and counts are those of one run.
func TestSerialRacesOnce(t *testing.T) {
	races, err := racesOf(context.Background(), orderedOn(t, "h100", 2, "", "@%first st.global.u32 [%d], %c;\natom.global.add.u32 %x, [%f], 1;\n"), runner.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(races) != 1 || races[0].Order != "" || races[0].Count != 1 {
		t.Errorf("got %+v", races)
	}
}

// TestSerialRacesLaunches has the second launch take a lock, as the first one has left word to do.
func TestSerialRacesLaunches(t *testing.T) {
	const body = "ld.global.u32 %x, [%f+4];\nsetp.eq.u32 %p, %x, 1;\nbar.sync 0;\n@%p bra TAKE;\n@%first st.global.u32 [%f+4], 1;\nbra END;\nTAKE: "
	for launches, want := range map[string]string{"": "", "[[launch]]\n[[launch]]\n": "ascending"} {
		if got := raceOrders(t, orderedOn(t, "h100", 1, launches, body+strings.ReplaceAll(byCompareAndSwap, "FENCE", ""))); got != want {
			t.Errorf("with launches %q: races in the order %q, want %q", launches, got, want)
		}
	}
}

// TestSerialRacesLockStep has lanes of a warp exchange words in one order of CTAs: a race unless they are in lock-step.
func TestSerialRacesLockStep(t *testing.T) {
	const body = "@%c0 bra PUT;\nld.volatile.global.u32 %x, [%f];\nsetp.eq.u32 %p, %x, 0;\n@%p bra END;\n" +
		"st.global.u32 [%own], %t;\nxor.b64 %own, %own, 4;\nld.global.u32 %x, [%own];\nbra END;\nPUT: " + later + "st.volatile.global.u32 [%f], 1;\n"
	for _, c := range []struct {
		machine   string
		unordered bool
		want      string
	}{{"fermi-c2050", false, ""}, {"fermi-c2050", true, "ascending"}, {"h100", false, "ascending"}} {
		races, err := racesOf(context.Background(), orderedOn(t, c.machine, 2, "", body), runner.Options{Unordered: c.unordered}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := ordersOf(races); got != c.want {
			t.Errorf("on %s, unordered %t: races in the order %q, want %q", c.machine, c.unordered, got, c.want)
		}
	}
}

// TestSerialRacesLong: serial runs are as long as the simulated one, and somewhat longer.
func TestSerialRacesLong(t *testing.T) {
	late := strings.ReplaceAll(later, "4000", "30000")
	held := strings.ReplaceAll(byExchange, "FENCE", "")
	for name, body := range map[string]string{
		"taken late":    "@!%first bra END;\n" + late + held,
		"held for long": strings.Replace(held, "ld.global", later+"ld.global", 1),
	} {
		if got := raceOrders(t, orderedOn(t, "h100", 2, "", body)); got != "ascending" {
			t.Errorf("a lock that is %s: races in the order %q", name, got)
		}
	}
}

// TestSerialRacesCancelled: a context that ends between the run and the serial ones ends all of it.
func TestSerialRacesCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	rec := &runner.Recorder{Take: func(int, *trace.Run) error { cancel(); return nil }}
	_, err := racesOf(ctx, orderedOn(t, "h100", 1, "", "atom.global.add.u32 %x, [%f], 1;\n"), runner.Options{}, rec)
	if ended, ok := errors.AsType[*halt.RunError](err); !ok || !errors.Is(err, context.Canceled) || ended.Cycles == 0 {
		t.Errorf("got %v", err)
	}
}
