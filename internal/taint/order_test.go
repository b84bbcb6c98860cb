package taint_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/abi"
	"warpbound/internal/emu"
	"warpbound/internal/taint"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/emutest"
)

// What kernels are executed with.
const (
	ctas, lanes = 2, 2
	words       = 4 // of shared memory, and of global memory
)

const orderModule = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 buf)
{
	.reg .b32 %r<8>, %cta, %warp, %lane;
	.reg .pred %w0, %w1, %w2, %l0, %c0;
	.reg .b64 %buf, %a, %z;
	.reg .pred %p;
	.shared .align 16 .b8 words[16];
	ld.param.u64 %buf, [buf];
	mov.u32 %cta, %ctaid.x;
	mov.u32 %warp, %tid.x;
	and.b32 %lane, %warp, 1;
	shr.u32 %warp, %warp, 1;
	setp.eq.u32 %w0, %warp, 0;
	setp.eq.u32 %w1, %warp, 1;
	setp.eq.u32 %w2, %warp, 2;
	setp.eq.u32 %l0, %lane, 0;
	setp.eq.u32 %c0, %cta, 0;
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, 1;
	mov.u32 %r3, 2;
`

// writer writes a random kernel.
type writer struct {
	*rand.Rand
	strings.Builder
	labels int
}

func (w *writer) reg() string { return fmt.Sprintf("%%r%d", w.IntN(4)) }

// value is a register or a number.
func (w *writer) value() string {
	if w.IntN(2) == 0 {
		return fmt.Sprint(w.IntN(2))
	}
	return w.reg()
}

// address puts an address of a word into a register, or names it; a thread's own one now and then.
// It depends on a register now and then.
func (w *writer) address() (space, at string) {
	word := 4 * w.IntN(words)
	space, at = "shared", fmt.Sprintf("words+%d", word)
	if w.IntN(2) == 0 {
		space, at = "global", fmt.Sprintf("%%buf+%d", word)
	}
	of := ""
	switch w.IntN(8) {
	case 0:
		of = w.reg()
		fmt.Fprintf(w, "\tand.b32 %%r7, %s, 1;\n", of)
	case 1, 2, 3:
		w.WriteString("\tmov.u32 %r7, %tid.x;\n")
	default:
		return space, at
	}
	w.WriteString("\tmul.wide.u32 %z, %r7, 4;\n")
	if space == "global" {
		w.WriteString("\tadd.u64 %a, %buf, %z;\n")
	} else {
		w.WriteString("\tmov.u64 %a, words;\n\tadd.u64 %a, %a, %z;\n")
	}
	return space, "%a"
}

func (w *writer) statement(inside bool) {
	switch w.IntN(12) {
	case 0, 1:
		space, at := w.address()
		width := w.pick("u32", "u32", "u8")
		fmt.Fprintf(w, "\tld.%s.%s %s, [%s];\n", space, width, w.reg(), at)
	case 2, 3:
		space, at := w.address()
		fmt.Fprintf(w, "\tst.%s.%s [%s], %s;\n", space, w.pick("u32", "u32", "u8"), at, w.value())
	case 4:
		space, at := w.address()
		fmt.Fprintf(w, "\tatom.%s.%s %s, [%s], %s;\n", space, w.pick("add.u32", "exch.b32", "max.u32", "inc.u32"), w.reg(), at, w.value())
	case 5, 6:
		space, at := w.address()
		fmt.Fprintf(w, "\tred.%s.%s [%s], %s;\n", space, w.pick("add.u32", "or.b32", "max.u32", "add.f32", "inc.u32"), at, w.reg())
	case 7:
		fmt.Fprintf(w, "\t%s %s, %s, %s;\n", w.pick("add.u32", "xor.b32", "min.u32"), w.reg(), w.reg(), w.value())
	case 8:
		fmt.Fprintf(w, "\tmov.u32 %s, %s;\n", w.reg(), w.pick("%tid.x", "%ctaid.x", "3", "%clock", "%smid"))
	case 9, 10:
		if !inside {
			w.WriteString("\t" + w.pick("bar.sync 0;", "bar.sync 0;", "barrier.sync 1, 4;", "bar.sync 0;\n\tbar.sync 2;") + "\n")
		}
	case 11:
		w.labels++
		label := fmt.Sprint("L", w.labels)
		fmt.Fprintf(w, "\tsetp.%s.u32 %%p, %s, %d;\n\t@%%p bra %s;\n", w.pick("lt", "eq", "gt"), w.reg(), w.IntN(3), label)
		for range 1 + w.IntN(2) {
			w.statement(true)
		}
		fmt.Fprintf(w, "%s:\n", label)
	}
}

func (w *writer) pick(of ...string) string { return of[w.IntN(len(of))] }

// random returns a random kernel.
func random(src *rand.Rand) string {
	w := &writer{Rand: src}
	w.WriteString(orderModule)
	for range 2 + src.IntN(12) {
		w.statement(false)
	}
	w.WriteString("\tret;\n}\n")
	return w.String()
}

// access is what a warp did in a step.
type access struct {
	pc   int
	mask uint64
	addr [lanes]uint64
}

// execute executes a kernel in a random order of warps, so many in a CTA, and returns what each
// did. A tracker, unless nil, follows inputs in global memory, too.
func execute(t *testing.T, code *emu.Code, warps int, src *rand.Rand, tracker *taint.Tracker, inputs ...taint.Range) [][]access {
	t.Helper()
	done := make([][]access, ctas*warps)
	mem := new(emu.Memory)
	launch := emutest.Launch(t, mem, 4*words, ctas, warps*lanes)
	g, err := emu.NewGrid(code, launch, mem, lanes)
	if err != nil {
		t.Fatal(err)
	}
	if tracker != nil {
		tracker.Begin(inputs)
		tracker.Launch(code.Kernel(), nil, warps)
	}
	var all [ctas]emu.CTA
	var eff emu.Effect
	for i := range all {
		g.StartCTA(&all[i], i)
	}
	now, sm := src.Uint64N(100), src.IntN(4)
	for {
		var runnable []int
		for i := range ctas * warps {
			if w := &all[i/warps].Warps[i%warps]; !w.Done() && !w.AtBarrier() {
				runnable = append(runnable, i)
			}
		}
		if len(runnable) == 0 {
			return done
		}
		i := runnable[src.IntN(len(runnable))]
		for range 1 + src.IntN(6) {
			w := &all[i/warps].Warps[i%warps]
			if w.Done() || w.AtBarrier() {
				break
			}
			now++
			step := taint.Step{CTA: i / warps, Warp: i % warps, PC: w.PC(), Active: w.Active(), Effect: &eff, After: w}
			if err := w.Step(&emu.Env{Cycle: now, SM: sm}, &eff); err != nil {
				t.Fatal(err)
			}
			a := access{pc: eff.PC, mask: eff.Mask}
			if eff.Access.Kind != emu.NoAccess {
				for lane := range lanes {
					if eff.Mask>>lane&1 != 0 {
						a.addr[lane] = eff.Access.Addr[lane]
					}
				}
			}
			done[i] = append(done[i], a)
			if tracker != nil {
				tracker.Step(&step)
			}
		}
	}
}

// follow executes a kernel in an order that a seed draws, again if it has to be, and returns where
// inputs or what the order decides come to.
func follow(t *testing.T, code *emu.Code, warps int, seed uint64, inputs ...taint.Range) (done [][]access, again bool, sink *taint.Sink) {
	t.Helper()
	tracker := taint.NewTracker(true)
	done = execute(t, code, warps, rand.New(rand.NewPCG(seed, 2)), tracker, inputs...)
	if again = tracker.Incomplete(); again {
		execute(t, code, warps, rand.New(rand.NewPCG(seed, 2)), tracker, inputs...)
		if tracker.Incomplete() {
			t.Error("a third run would be needed")
		}
	}
	return done, again, tracker.Sink()
}

// TestOrder executes random kernels in many orders. What warps execute, and where they access
// memory, is the same in all of them if a tracker says of one that their order decides nothing.
func TestOrder(t *testing.T) {
	const warps, orders = 2, 12
	kernels, same, repeated, differ := effort.Draw(t, 40_000), 0, 0, 0
	for _, seed := range kernels {
		src := rand.New(rand.NewPCG(seed, 1))
		text := random(src)
		code := emutest.Code(t, text)
		first, again, sink := follow(t, code, warps, seed)
		if again {
			repeated++
		}
		if sink == nil {
			same++
		}
		for range orders {
			other := execute(t, code, warps, src, nil)
			if slices.EqualFunc(first, other, slices.Equal[[]access]) {
				continue
			}
			if sink == nil {
				t.Fatalf("kernel %d does other things in another order, and nobody says so:\n%s", seed, text)
			}
			differ++
			break
		}
	}
	t.Logf("%d of %d kernels do the same in all orders, %d of the others do not; %d were executed again",
		same, len(kernels), differ, repeated)
	if n := len(kernels); same < n/10 || repeated == 0 || differ < (n-same)/4 {
		t.Errorf("of %d kernels %d do the same, %d are executed again, and %d differ", n, same, repeated, differ)
	}
}

// input is the last word of the buffer.
var input = taint.Range{Start: abi.GlobalBase + 4*(words-1), Bytes: 4}

// TestOrderDecides has the order of threads decide the number %r0, or not, whatever the order is.
// Inputs are in one word.
func TestOrderDecides(t *testing.T) {
	const barrier = "bar.sync 0;\n"
	const load, loadGlobal = "ld.shared.u32 %r0, [words];\n", "ld.global.u32 %r0, [%buf];\n"
	for _, c := range []struct {
		name, body string
		decides    bool
	}{
		{"data", "mov.u32 %r0, %tid.x;", false},
		{"a clock", "mov.u32 %r0, %clock;", true},
		{"a wide clock", "mov.u64 %z, %clock64;\ncvt.u32.u64 %r0, %z;", true},
		{"the time", "mov.u64 %z, %globaltimer;\ncvt.u32.u64 %r0, %z;", true},
		{"the SM", "mov.u32 %r0, %smid;", true},
		{"the SMs", "mov.u32 %r0, %nsmid;", false},

		{"what another warp stores", "@%w0 st.shared.u32 [words], 7;\n" + load, true},
		{"what another warp stores behind a barrier", load + barrier + "@%w0 st.shared.u32 [words], 7;", false},
		{"what another warp stores before a barrier", "@%w0 st.shared.u32 [words], 7;\n" + barrier + load, false},
		{"what a warp itself stores", "@%w0 st.shared.u32 [words], 7;\n@%w0 ld.shared.u32 %r0, [words];", false},
		{"what another lane stores", "@%l0 st.shared.u32 [words], 7;\n@!%l0 mov.u32 %r1, 1;\nmul.wide.u32 %z, %warp, 4;\nmov.u64 %a, words;\nadd.u64 %a, %a, %z;\n" +
			"@%l0 st.shared.u32 [%a], 7;\nld.shared.u32 %r0, [%a];", true}, // since all warps store the first word
		{"what a lane stores beside", "mul.wide.u32 %z, %warp, 4;\nmov.u64 %a, words;\nadd.u64 %a, %a, %z;\n@%l0 st.shared.u32 [%a], 7;\nld.shared.u32 %r0, [%a];", false},
		{"what another CTA stores", "@%c0 st.global.u32 [%buf], 7;\n" + barrier + loadGlobal, true},
		{"what another CTA reads", loadGlobal + "st.global.u32 [%buf+4], 7;", false},
		{"beside what another CTA stores", "@%c0 st.global.u8 [%buf], 7;\nld.global.u8 %r0, [%buf+1];", false},
		{"beside what others store", "mul.wide.u32 %z, %warp, 1;\nmov.u64 %a, words;\nadd.u64 %a, %a, %z;\nst.shared.u8 [%a], %warp;\nld.shared.u8 %r0, [%a];", false},
		{"a word with a byte that others store", "@%w0 st.shared.u8 [words+1], 7;\n" + load, true},
		{"a byte of a word that others store", "@%w0 st.shared.u32 [words], 7;\nld.shared.u8 %r0, [words+3];", true},
		{"overwritten behind a barrier", "st.shared.u32 [words], %warp;\n" + barrier + "@%w0 st.shared.u32 [words], 7;\n" + barrier + load, false},

		{"the last store", "st.shared.u32 [words], %warp;\n" + barrier + load, true},
		{"the last lane that stores", "@%w0 st.shared.u32 [words], %lane;\n" + barrier + load, true},
		{"lanes store the same", "@%w0 st.shared.u32 [words], 7;\n" + barrier + load, false},
		{"stores of the same", "st.shared.u32 [words], 7;\n" + barrier + load, false},
		{"stores of the same in registers", "mov.u32 %r1, 7;\nst.shared.u32 [words], %r1;\n" + barrier + load, false},
		{"a store of something else among those of the same", "mov.u32 %r1, 7;\n@%w1 mov.u32 %r1, 8;\nst.shared.u32 [words], %r1;\n" + barrier + load, true},
		{"two stores of something else", "mov.u32 %r1, 7;\n@%w1 mov.u32 %r1, 8;\nst.shared.u32 [words], %r1;\nst.shared.u32 [words], %r1;\n" + barrier + load, true},
		{"stores of times", "mov.u32 %r1, %clock;\nand.b32 %r1, %r1, 0;\n@%w0 st.shared.u32 [words], %r1;\n@!%w0 st.shared.u32 [words], 0;\n" + barrier + load, true},
		{"stores of the same to a byte of the same", "@%w0 st.shared.u32 [words], 0x01010101;\n@!%w0 st.shared.u8 [words+2], 1;\n" + barrier + load, false},
		{"stores of another byte", "@%w0 st.shared.u32 [words], 0x01020101;\n@!%w0 st.shared.u8 [words+2], 1;\n" + barrier + load, true},
		{"stores of wide words", "@%w0 st.shared.u64 [words], 7;\n@!%w0 st.shared.u32 [words+4], 7;\n" + barrier + "ld.shared.u32 %r0, [words+4];", true},

		{"a sum", "red.shared.add.u32 [words], %warp;\n" + barrier + load, false},
		{"a sum without a barrier", "red.shared.add.u32 [words], %warp;\n" + load, true},
		{"a sum of CTAs", "red.global.add.u32 [%buf], %warp;\n" + barrier + loadGlobal, true},
		{"a sum of CTAs of which one looks at it", "red.global.add.u32 [%buf], %warp;\n" + barrier + "@%c0 ld.global.u32 %r0, [%buf];", true},
		{"what CTAs read and one stores behind a barrier", loadGlobal + barrier + "@%c0 st.global.u32 [%buf], 7;", true},
		{"a sum of one CTA", "@%c0 red.global.add.u32 [%buf], %warp;\n" + barrier + "@%c0 ld.global.u32 %r0, [%buf];", false},
		{"a sum of all but one warp", "@!%w2 red.shared.add.u32 [words], 1;\n@%w0 bra FIRST;\nFIRST:\n" + barrier + load, false},
		{"the greatest", "red.shared.max.s32 [words], %warp;\n" + barrier + load, false},
		{"bits", "red.shared.xor.b32 [words], %warp;\n" + barrier + load, false},
		{"a sum of floats", "red.shared.add.f32 [words], 0f3F800000;\n" + barrier + load, true},
		{"a sum of floats of one thread", "@%w0 bra ADD;\nbra JOIN;\nADD:\n@%l0 red.shared.add.f32 [words], 0f3F800000;\nJOIN:\n" + barrier + load, false},
		{"a sum of floats of one warp", "@%w0 red.shared.add.f32 [words], 0f3F800000;\n" + barrier + load, true},
		{"a counter that wraps", "red.shared.inc.u32 [words], %warp;\n" + barrier + load, true},
		{"a sum and the greatest", "@%w0 red.shared.add.u32 [words], 3;\n@!%w0 red.shared.max.u32 [words], 2;\n" + barrier + load, true},
		{"a sum and a store", "@%w0 st.shared.u32 [words], 3;\n@!%w0 red.shared.add.u32 [words], 2;\n" + barrier + load, true},
		{"a number that threads draw", "atom.shared.add.u32 %r0, [words], 1;", true},
		{"a number that lanes draw", "@%w0 atom.shared.add.u32 %r0, [words], 1;", true},
		{"a number that one thread draws", "setp.eq.u32 %p, %tid.x, 0;\n@%p atom.shared.add.u32 %r0, [words], 1;", false},
		{"a number that one thread of each CTA draws", "setp.eq.u32 %p, %tid.x, 0;\n@%p atom.global.add.u32 %r0, [%buf], 1;", true},
		{"a number that each warp draws of its own", "mul.wide.u32 %z, %tid.x, 4;\nmov.u64 %a, words;\nadd.u64 %a, %a, %z;\n@%w0 atom.shared.add.u32 %r0, [%a], 1;", false},
		{"a number that nobody looks at", "atom.shared.add.u32 %r1, [words], 1;\n" + barrier + "mov.u32 %r0, 1;", false},

		{"a counted barrier of all", "@%w0 st.shared.u32 [words], 7;\nbarrier.sync 1, 6;\n" + load, false},
		{"a barrier of some", "@%w0 st.shared.u32 [words], 7;\n@!%w2 bar.sync 1, 4;\n@%w1 ld.shared.u32 %r0, [words];", true}, // as far as is known
		{"a barrier that one passes", "@%w0 st.shared.u32 [words], 7;\n@%w2 bar.arrive 1, 6;\n@!%w2 bar.sync 1, 6;\n@%w2 ld.shared.u32 %r0, [words];", true},
		{"a barrier behind one that has exited", "@%w2 st.shared.u32 [words], 7;\n@%w2 exit;\n" + barrier + load, false},
		{"a barrier of the others", "@%w2 st.shared.u32 [words], 7;\n@%w2 exit;\nbar.sync 0, 4;\n" + load, true},
		{"a reducing barrier", "@%w0 st.shared.u32 [words], 7;\nbar.red.popc.u32 %r1, 0, %c0;\n" + load, false},

		{"how often an mbarrier is asked", "setp.eq.u32 %p, %tid.x, 0;\n@%p mbarrier.init.shared.b64 [words], 6;\n" + barrier + "mbarrier.arrive.shared.b64 %z, [words];\nW: mbarrier.test_wait.parity.shared.b64 %p, [words], 0;\n@!%p bra W;", false},
		{"how often it is asked by two branches", "setp.eq.u32 %p, %tid.x, 0;\n@%p mbarrier.init.shared.b64 [words], 6;\n" + barrier + "mbarrier.arrive.shared.b64 %z, [words];\nW: mbarrier.test_wait.parity.shared.b64 %p, [words], 0;\n@%p bra D;\nbra W;\nD:", false},
		{"what an mbarrier answers", "setp.eq.u32 %p, %tid.x, 0;\n@%p mbarrier.init.shared.b64 [words], 6;\n" + barrier + "mbarrier.arrive.shared.b64 %z, [words];\nmbarrier.test_wait.parity.shared.b64 %p, [words], 0;\nselp.u32 %r0, 1, 2, %p;", true},
		{"what is done while one waits", "setp.eq.u32 %p, %tid.x, 0;\n@%p mbarrier.init.shared.b64 [words], 6;\n" + barrier + "mbarrier.arrive.shared.b64 %z, [words];\nW: mbarrier.test_wait.parity.shared.b64 %p, [words], 0;\n@%p bra D;\nadd.u32 %r0, %r0, 1;\nbra W;\nD:", true},
		{"an asynchronous copy of what others store", "@%c0 st.global.u32 [%buf], 7;\ncp.async.ca.shared.global [words], [%buf], 4;\ncp.async.wait_all;\n" + barrier + load, true},
		{"which CTA is the last, beside inputs", "setp.eq.u32 %p, %tid.x, 0;\nld.global.u32 %r1, [%buf+12];\n@%p st.shared.u32 [words+4], %r1;\n@%p atom.global.add.u32 %r2, [%buf], 1;\n" +
			"@%p st.shared.u32 [words], %r2;\n" + barrier + load, true},
		{"a byte beside an input", "setp.eq.u32 %p, %tid.x, 0;\nld.global.u32 %r1, [%buf+12];\n@%p st.shared.u8 [words+1], %r1;\n@%p atom.global.add.u32 %r2, [%buf], 1;\n" +
			"@%p st.shared.u8 [words], %r2;\n" + barrier + "ld.shared.u8 %r0, [words];\n", true},
		{"beside copied inputs", "setp.eq.u32 %p, %tid.x, 0;\n@%p cp.async.ca.shared.global [words+4], [%buf+12], 4;\n@%p cp.async.wait_all;\n@%p atom.global.add.u32 %r2, [%buf], 1;\n" +
			"@%p st.shared.u32 [words], %r2;\n" + barrier + load, true},
		{"beside a sum of inputs", "setp.eq.u32 %p, %tid.x, 0;\nld.global.u32 %r1, [%buf+12];\n@%p red.shared.add.u32 [words+4], %r1;\n@%p atom.global.add.u32 %r2, [%buf], 1;\n" +
			"@%p red.shared.add.u32 [words], %r2;\n" + barrier + load, true},
		{"the second of two words", "setp.eq.u32 %p, %tid.x, 0;\nld.global.u32 %r1, [%buf+12];\n@%p st.shared.u32 [words+8], %r1;\n@%p atom.global.add.u32 %r2, [%buf], 1;\n" +
			"@%p st.shared.v2.u32 [words], {1, %r2};\n" + barrier + "ld.shared.v2.u32 {%r1, %r0}, [words];\n", true},
		{"an asynchronous copy that others read", "@%w0 cp.async.ca.shared.global [words], [%buf], 4;\n@%w0 cp.async.wait_all;\n" + load, true},
	} {
		code := emutest.Code(t, orderModule+c.body+"\nand.b32 %r0, %r0, 1;\nsetp.eq.u32 %p, %r0, 0;\n@%p bra END;\nmov.u32 %r1, 2;\nEND:\nret;\n}\n")
		for seed := range uint64(8) {
			_, _, sink := follow(t, code, 3, seed, input)
			if (sink != nil) != c.decides {
				t.Errorf("%s: the order comes to %+v, want %v", c.name, sink, c.decides)
				break
			}
			if sink != nil && (!sink.Unordered || len(sink.Chain) == 0) {
				t.Errorf("%s: it is not said that the order decides: %+v", c.name, sink)
			}
		}
	}
}

// TestInputsBesideOrder has inputs come to the number, where the order of threads decides what lies beside them.
func TestInputsBesideOrder(t *testing.T) {
	const one = "setp.eq.u32 %p, %tid.x, 0;\n@%p atom.global.add.u32 %r2, [%buf], 1;\n@%p st.shared.u32 [words+4], %r2;\n"
	for name, body := range map[string]string{
		"a store":                      one + "ld.global.u32 %r1, [%buf+12];\n@%p st.shared.u32 [words], %r1;\nbar.sync 0;\nld.shared.u32 %r0, [words];\n",
		"a sum":                        one + "ld.global.u32 %r1, [%buf+12];\n@%p red.shared.add.u32 [words], %r1;\nbar.sync 0;\nld.shared.u32 %r0, [words];\n",
		"a copy":                       one + "@%p cp.async.ca.shared.global [words], [%buf+12], 4;\ncp.async.wait_all;\nbar.sync 0;\nld.shared.u32 %r0, [words];\n",
		"the second word":              "ld.global.v2.u32 {%r1, %r0}, [%buf+8];\n",
		"an atomic number with a byte": "setp.eq.u32 %p, %tid.x, 0;\nld.global.u32 %r1, [%buf+12];\n@%p st.shared.u8 [words+1], %r1;\n@%p atom.shared.add.u32 %r0, [words], 1;\n",
		"what an atomic operation has written": one + "ld.global.u32 %r1, [%buf+12];\nmov.u32 %r4, 0;\nAGAIN: @%p atom.shared.add.u32 %r0, [words], %r1;\n" +
			"add.u32 %r4, %r4, 1;\nsetp.lt.u32 %w2, %r4, 2;\n@%w2 bra AGAIN;\n",
		"an atomic number": one + "ld.global.u32 %r1, [%buf+12];\n@%p atom.shared.add.u32 %r3, [words], %r1;\n@%p atom.shared.add.u32 %r0, [words], 1;\n",
	} {
		code := emutest.Code(t, orderModule+body+"setp.eq.u32 %p, %r0, 0;\n@%p bra END;\nmov.u32 %r1, 2;\nEND:\nret;\n}\n")
		for seed := range uint64(8) {
			if _, _, sink := follow(t, code, 3, seed, input); sink == nil || sink.Unordered || sink.Mixed || sink.Origin != input.Start {
				t.Errorf("%s: %+v comes to the number", name, sink)
				break
			}
		}
	}
}
