package interp_test

import (
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/emu"
	"warpbound/internal/flow/gated"
	"warpbound/internal/isa"
	"warpbound/internal/kernelgen"
	"warpbound/internal/test/flowtest"
	"warpbound/internal/test/interp"
)

// follower lets the threads of CTAs execute a form beside the emulator.
type follower struct {
	t       testing.TB
	l       *flowtest.Launch
	form    *gated.Form
	cta     int
	threads map[[2]int]*interp.Thread // by warp and lane
	behind  map[[2]int]bool           // that have yet to execute what the emulator has
}

// follow runs the first CTAs of a launch. Before each instruction every thread must be
// at the place and read the values that the emulator does.
func follow(t testing.TB, l *flowtest.Launch, ctas int) {
	t.Helper()
	form, err := gated.New(t.Context(), l.Graph, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := &follower{t: t, l: l, form: form, cta: -1}
	l.Run(t, ctas, func(cta *emu.CTA, warp int) func(*emu.Effect) {
		if cta.Index != f.cta {
			f.end()
			f.cta = cta.Index
			f.threads, f.behind = make(map[[2]int]*interp.Thread), make(map[[2]int]bool)
		}
		w := &cta.Warps[warp]
		for m := w.Active(); m != 0; m &= m - 1 {
			f.check(w, [2]int{warp, bits.TrailingZeros64(m)})
		}
		return nil
	})
	f.end()
}

// check compares a thread with its lane before an instruction.
func (f *follower) check(w *emu.Warp, at [2]int) {
	f.t.Helper()
	thread := f.threads[at]
	if thread == nil {
		grid := f.l.Semantics.Grid()
		ctaid := [3]int{f.cta % grid[0], f.cta / grid[0] % grid[1], f.cta / grid[0] / grid[1]}
		thread = interp.New(f.form, f.l.Semantics, ctaid, at[0], at[1])
		f.threads[at] = thread
	}
	if f.behind[at] {
		dst := f.l.Kernel.Instrs[thread.PC()].Dst
		if err := thread.Step(func(i int) uint64 { return w.Register(dst[i].Reg, at[1]) }); err != nil {
			f.t.Fatalf("CTA %d, warp %d, lane %d: %v\n%s", f.cta, at[0], at[1], err, f.form)
		}
	}
	f.behind[at] = true
	if thread.Done() || thread.PC() != w.PC() {
		f.t.Fatalf("CTA %d, warp %d, lane %d is at %d, the form at %d\n%s", f.cta, at[0], at[1], w.PC(), thread.PC(), f.form)
	}
	got, err := thread.Reads()
	if err != nil {
		f.t.Fatalf("CTA %d, warp %d, lane %d: %v\n%s", f.cta, at[0], at[1], err, f.form)
	}
	var want []uint64
	f.l.Kernel.Instrs[w.PC()].Reads(func(r isa.Reg) { want = append(want, w.Register(r, at[1])) })
	if !slices.Equal(got, want) {
		f.t.Fatalf("CTA %d, warp %d, lane %d: instruction %d, %s, reads %#x; the form has %#x\n%s",
			f.cta, at[0], at[1], w.PC(), f.form.Instr(w.PC()), want, got, f.form)
	}
}

// end lets the threads of a CTA execute their last instructions.
func (f *follower) end() {
	for at, thread := range f.threads {
		if err := thread.Step(nil); err != nil || !thread.Done() {
			f.t.Fatalf("CTA %d, warp %d, lane %d does not end: %v\n%s", f.cta, at[0], at[1], err, f.form)
		}
	}
}

// TestRandomKernels executes random kernels in gated form beside the emulator.
func TestRandomKernels(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		l := flowtest.Random(t, seed, kernelgen.Options{
			Statements: rapid.IntRange(1, 40).Draw(rt, "statements"), Depth: 4, Trips: 4, Threads: 40, CTAs: 2,
		})
		follow(t, l, 2)
	})
}

// TestSuite executes some CTAs of the kernels of the suite in gated form.
func TestSuite(t *testing.T) {
	for _, name := range flowtest.Kernels() {
		t.Run(name, func(t *testing.T) { follow(t, flowtest.Suite(t, name), 1) })
	}
}
