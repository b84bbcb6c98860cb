package simtest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/kernelgen"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
)

// livelock is a kernel whose warps wait for each other, in the memory of Launch: a word holds its
// number.
type livelock struct {
	name, body    string
	ctas, threads int
	says          string // what is said of the livelock; none if it ends, or reaches the limit
	limit         int64  // in cycles, which it reaches
	lanes         bool   // it ends if threads are scheduled independently
}

// first is the begin of kernels in which thread 0 of each CTA alone waits.
const first = "setp.ne.u32 %p15, %t, 0; @%p15 bra done;\n"

var livelocks = []livelock{
	{name: "lock that a lane holds which waits for the others", ctas: 1, threads: 64, lanes: true, says: "waits for a change of offset 0 of buf", body: `
		setp.ne.u32 %p2, %t, 0; setp.ne.u32 %p3, %t, 1; and.pred %p2, %p2, %p3; @%p2 bra done;
		spin: atom.global.cas.b32 %r1, [%buf], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra spin;
		membar.gl; atom.global.exch.b32 %r2, [%buf], 0;
		done: ret;`},
	{name: "lock that is exchanged", ctas: 2, threads: 1, says: "waits for a change of offset 0 of buf", body: `
		spin: atom.global.exch.b32 %r1, [%buf], 1; setp.ne.u32 %p1, %r1, 7; @%p1 bra spin; ret;`},
	{name: "barrier of more CTAs than fit", ctas: 300, threads: 64, says: "start only where others end", body: first + `
		atom.global.add.u32 %r1, [%buf], 1;
		spin: ld.volatile.global.u32 %r2, [%buf]; setp.lt.u32 %p1, %r2, 300; @%p1 bra spin;
		done: bar.sync 0; ret;`},
	{name: "flag that nobody writes", ctas: 3, threads: 64, says: "waits for a change of offset 40 of buf", body: `
		spin: ld.volatile.global.u32 %r1, [%buf+40]; setp.eq.u32 %p1, %r1, 10; @%p1 bra spin; ret;`},
	{name: "ticket that nobody serves", ctas: 5, threads: 32, says: "waits for a change of offset 4 of buf", body: first + `
		atom.global.add.u32 %r1, [%buf], 1;
		setp.eq.u32 %p2, %r1, 2; @%p2 exit;
		spin: ld.volatile.global.u32 %r2, [%buf+4]; sub.u32 %r2, %r2, 1;
		setp.ne.u32 %p1, %r1, %r2; @%p1 bra spin;
		atom.global.add.u32 %r3, [%buf+4], 1;
		done: ret;`},
	{name: "two warps that wait for each other's flag", ctas: 1, threads: 128, says: "and of offset 8 of buf", body: `
		and.b32 %r9, %t, 63; setp.ne.u32 %p1, %r9, 0; @%p1 bra done;
		shr.u32 %r2, %t, 6; mul.wide.u32 %rd1, %r2, 4; add.u64 %rd2, %buf, %rd1;
		spin: ld.volatile.global.u32 %r3, [%rd2+4]; setp.ne.u32 %p1, %r3, 0; @%p1 bra spin;
		xor.b32 %r2, %r2, 1; mul.wide.u32 %rd1, %r2, 4; add.u64 %rd2, %buf, %rd1; st.volatile.global.u32 [%rd2+4], 0;
		done: ret;`},
	{name: "flag in shared memory, and others at a barrier", ctas: 2, threads: 128, says: "waits for a change of offset 12 of shared memory", body: `
		setp.lt.u32 %p1, %t, 64; @%p1 bra done;
		spin: ld.volatile.shared.u32 %r1, [sh+12]; setp.eq.u32 %p1, %r1, 0; @%p1 bra spin;
		done: bar.sync 0; ret;`},
	{name: "flag with a pause that grows up to a limit", ctas: 2, threads: 32, says: "waits for a change of offset 40 of buf", body: `
		mov.u32 %r5, 1;
		spin: mov.u32 %r6, 0; pause: add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r5; @%p1 bra pause;
		shl.b32 %r5, %r5, 1; min.u32 %r5, %r5, 16;
		ld.volatile.global.u32 %r1, [%buf+40]; setp.eq.u32 %p1, %r1, 10; @%p1 bra spin; ret;`},
	{name: "flag that is waited for in several steps", ctas: 1, threads: 32, says: "waits for a change of offset 40 of buf", body: `
		spin: add.u32 %r5, %r5, 1; rem.u32 %r5, %r5, 7;
		ld.volatile.global.u32 %r1, [%buf+40]; setp.eq.u32 %p1, %r1, 10; @%p1 bra spin; ret;`},
	{name: "flag, with a count that decides nothing", ctas: 1, threads: 32, says: "waits for a change of offset 40 of buf", body: `
		spin: add.u32 %r5, %r5, 1;
		ld.volatile.global.u32 %r1, [%buf+40]; setp.eq.u32 %p1, %r1, 10; @%p1 bra spin;
		st.global.u32 [%buf], %r5; ret;`},
	{name: "loop without end", ctas: 1, threads: 32, says: "never ends and reads no memory", body: "spin: bra spin;"},

	{name: "flag, until a clock says that it is enough", ctas: 2, threads: 32, body: `
		mov.u32 %r2, %clock;
		spin: ld.volatile.global.u32 %r1, [%buf+40]; mov.u32 %r3, %clock; sub.u32 %r3, %r3, %r2;
		setp.lt.u32 %p1, %r3, 200000; mov.u32 %r3, 0; @%p1 bra spin; ret;`},
	{name: "count in memory", ctas: 1, threads: 1, body: `
		spin: atom.global.inc.u32 %r1, [%buf], 30000; ld.volatile.global.u32 %r2, [%buf];
		setp.lt.u32 %p1, %r2, 2000; mov.u32 %r1, 0; mov.u32 %r2, 0; @%p1 bra spin; ret;`},
	{name: "flag, until it was looked at often enough", ctas: 2, threads: 32, body: `
		spin: ld.volatile.global.u32 %r1, [%buf+40]; add.u32 %r3, %r3, 1;
		setp.lt.u32 %p1, %r3, 20000; @%p1 bra spin; ret;`},
	{name: "flag, until the other warp has worked for long", ctas: 1, threads: 128, body: `
		setp.ge.u32 %p1, %t, 64; @%p1 bra spin;
		work: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 20000; @%p1 bra work;
		st.volatile.global.u32 [%buf+40], 0; ret;
		spin: ld.volatile.global.u32 %r1, [%buf+40]; setp.eq.u32 %p1, %r1, 10; @%p1 bra spin; ret;`},
	{name: "writes without end", ctas: 1, threads: 32, limit: 100_000, body: `
		spin: atom.global.add.u32 %r1, [%buf], 1; bra spin;`},
}

// Livelocks runs kernels that wait in vain, which must be found before the limit of cycles, and
// others that seem to.
func Livelocks(t *testing.T, n New, m *machine.Machine) {
	for _, l := range livelocks {
		t.Run(l.name, func(t *testing.T) {
			cfg := Config(m, Compile(t, l.body))
			if l.limit > 0 {
				cfg.MaxCycles = l.limit
			}
			_, err := run(Make(t, n, cfg), Launch(t, 1<<16, l.ctas, l.threads))
			switch {
			case l.limit > 0:
				if !errors.Is(err, sim.ErrCycleLimit) {
					t.Errorf("got %v, want the limit of cycles", err)
				}
			case l.says == "" || l.lanes && m.IndependentThreads():
				if err != nil {
					t.Error(err)
				}
			case !errors.Is(err, sim.ErrLivelock) || !strings.Contains(err.Error(), l.says):
				t.Errorf("got %v, want a livelock with %q", err, l.says)
			}
		})
	}
}

// Waiting makes the code of a random kernel of up to 12 CTAs of up to 190 threads, which has locks,
// flags, barriers, pauses and limits of time and always ends where the lanes of a warp are in
// lock-step.
func Waiting(t testing.TB, src kernelgen.Source) *emu.Code {
	t.Helper()
	var body strings.Builder
	for k := range 2 + src.IntN(4) {
		part := waits[src.IntN(len(waits))]
		body.WriteString(strings.NewReplacer(
			"#", fmt.Sprint(k),
			"WORK", fmt.Sprint(1+src.IntN(1<<(1+src.IntN(12)))),
			"PAUSE", fmt.Sprint(1<<src.IntN(7)),
			"FLAG", fmt.Sprintf("[%%buf+%d]", 4*(256+16*k)),
			"COUNT", fmt.Sprintf("[%%buf+%d]", 4*(257+16*k)),
			"FREE", fmt.Sprint(256+16*k),
			"NEAR", fmt.Sprintf("[sh+%d]", 4*k),
			"BEFORE", fmt.Sprint(4*(4095+64*k)),
			"ROW", fmt.Sprint(4*(4096+64*k)),
		).Replace(part))
		if src.IntN(3) == 0 {
			body.WriteString("bar.sync 0;\n")
		}
	}
	return Compile(t, body.String()+"ret;")
}

// waits are the parts of random kernels. They have the number #, a loop that works for long, and
// memory that no other part has.
var waits = []string{
	// A lock, with a pause that grows.
	`setp.ne.u32 %p1, %t, 0; @%p1 bra end#; mov.u32 %r5, 1;
	spin#: mov.u32 %r6, 0; pause#: add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, %r5; @%p2 bra pause#;
	shl.b32 %r5, %r5, 1; min.u32 %r5, %r5, PAUSE;
	atom.global.cas.b32 %r1, FLAG, FREE, 1; setp.ne.u32 %p2, %r1, FREE; @%p2 bra spin#;
	mov.u32 %r4, 0; work#: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, WORK; @%p2 bra work#;
	ld.volatile.global.u32 %r2, COUNT; add.u32 %r2, %r2, 1; st.volatile.global.u32 COUNT, %r2;
	membar.gl; atom.global.exch.b32 %r3, FLAG, FREE; end#:
	`,
	// A ticket lock.
	`setp.ne.u32 %p1, %t, 0; @%p1 bra end#;
	atom.global.add.u32 %r1, FLAG, 1; add.u32 %r1, %r1, 1;
	spin#: ld.volatile.global.u32 %r2, COUNT; setp.ne.u32 %p2, %r1, %r2; @%p2 bra spin#;
	mov.u32 %r4, 0; work#: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, WORK; @%p2 bra work#;
	membar.gl; atom.global.add.u32 %r3, COUNT, 1; end#:
	`,
	// Every CTA waits for the one before.
	`setp.ne.u32 %p1, %t, 0; @%p1 bra end#;
	mul.wide.u32 %rd1, %c, 4; add.u64 %rd2, %buf, %rd1; setp.eq.u32 %p1, %c, 0; @%p1 bra work#;
	spin#: ld.volatile.global.u32 %r1, [%rd2+BEFORE]; setp.ne.u32 %p2, %r1, 0; @%p2 bra spin#;
	mov.u32 %r4, 0; work#: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, WORK; @%p2 bra work#;
	st.volatile.global.u32 [%rd2+ROW], 0; end#:
	`,
	// The first thread is waited for by one of another warp.
	`mov.u32 %r4, 0; setp.eq.u32 %p1, %t, 64; @%p1 bra spin#; setp.ne.u32 %p1, %t, 0; @%p1 bra end#;
	work#: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, WORK; @%p2 bra work#;
	st.volatile.shared.u32 NEAR, 1; bra end#;
	spin#: ld.volatile.shared.u32 %r1, NEAR; setp.eq.u32 %p2, %r1, 0; @%p2 bra spin#; end#:
	`,
	// A clock says when to give up.
	`mov.u32 %r2, %clock;
	spin#: ld.volatile.global.u32 %r1, FLAG; mov.u32 %r3, %clock; sub.u32 %r3, %r3, %r2;
	setp.lt.u32 %p1, %r3, WORK; @%p1 bra spin#;
	`,
	// Lanes give up after several looks, which differ.
	`mov.u32 %r3, 0; and.b32 %r4, %t, 7; add.u32 %r4, %r4, WORK;
	spin#: atom.global.exch.b32 %r1, COUNT, 5; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r4; @%p1 bra spin#;
	`,
	// Most looks see the same loop in the same state, and a second count ends it.
	`mov.u32 %r3, 0;
	spin#: mov.u32 %r4, 0; pause#: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 64; @%p2 bra pause#;
	ld.volatile.global.u32 %r1, FLAG; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, PAUSE; @%p1 bra spin#;
	`,
	// A thread that gives up lets the others of its CTA go on from a barrier.
	`mov.u32 %r3, 0; setp.ge.u32 %p1, %t, 64; @%p1 bra end#;
	spin#: ld.volatile.shared.u32 %r1, NEAR; xor.b32 %r3, %r3, %r4; add.u32 %r4, %r4, 1; and.b32 %r5, %r4, WORK;
	setp.ne.u32 %p1, %r5, WORK; @%p1 bra spin#; end#: bar.sync 0;
	`,
}

// WaitingEnds checks that a random kernel that waits ends.
func WaitingEnds(t testing.TB, n New, m *machine.Machine, src kernelgen.Source) {
	t.Helper()
	cfg := Config(m, Waiting(t, src))
	cfg.MaxCycles = sim.DefaultCycles
	if _, err := run(Make(t, n, cfg), Launch(t, 1<<16, 1+src.IntN(12), 1+src.IntN(190))); err != nil {
		t.Error(err)
	}
}
