// Package splits compares how the wavefronts of a job split: what its modes take, what each branch that
// splits gains, which branches are best to split, and what the published equations make of measured times
// (Klashtorny et al., TECS 2023).
//
// It must not import simulators or the command line.
package splits

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/campaign"
	"warpbound/internal/halt"
	"warpbound/internal/machine"
	"warpbound/internal/method/split"
	"warpbound/internal/provenance"
	"warpbound/internal/runner"
	"warpbound/internal/symbol"
	"warpbound/internal/workload"
)

// Options say what Compare does.
type Options struct {
	Vectors   int                   // random test vectors in each mode; 0 for the job's number
	MaxCycles int64                 // give up a run after so many cycles; 0 for 2^30
	Choose    bool                  // look for the branches that are best to split
	Measure   bool                  // compose measured times of blocks, too (Measure)
	Progress  func(done, total int) // called after each run or bound; may be nil
	Begin     func(atOnce int)      // as campaign.Spec has it, for each mode; may be nil
}

// Compare bounds and runs the job in all modes and tells what each branch that splits
// gains. Where Choose is set it finds the branches to split for which the bound is least. It
// is an error if the job's machine has no split cores. If ctx ends, the error is that of ctx, and the result, unless
// nil, is what was known until then.
func Compare(ctx context.Context, p runner.Platform, w *workload.Workload, opts Options) (*estimate.Splitting, error) {
	if _, err := w.Split(workload.SplitOptions{}); err != nil {
		return nil, err
	}
	if err := w.OneLaunch("branches are chosen for"); err != nil {
		return nil, err
	}
	c := &comparison{platform: p, Workload: w, opts: opts}
	return c.run(ctx)
}

// comparison is the state of Compare.
type comparison struct {
	platform runner.Platform
	*workload.Workload
	opts Options
	out  *estimate.Splitting

	pointed bool // all branches are in the result
}

func (c *comparison) run(ctx context.Context) (*estimate.Splitting, error) {
	spec := c.Spec
	c.out = &estimate.Splitting{
		Provenance: provenance.Of(),
		Job:        c.Name(), Kernel: c.Kernel(), KernelDemangled: symbol.Demangled(c.Kernel()), Machine: c.Machine.Name, MachineHash: c.Machine.Hash(),
		ModuleHash: c.Module.Hash, JobHash: workload.Hash(c.Workload),
		Launch: estimate.Launch{Grid: c.First().Bound.Job.Grid, Block: c.First().Bound.Job.Block}, Seed: spec.Seed,
		SplitSIMDs: int(c.Machine.Split.SIMDs.Value), Mode: string(c.Mode()),
		Warnings: estimate.Warnings(c.Warnings()),
	}
	err := c.all(ctx)
	if halt.Ended(ctx, err) && len(c.out.Modes) > 0 {
		c.interrupt(ctx)
		return c.out, err
	} else if err != nil {
		return nil, err
	}
	return c.out, nil
}

// all adds all parts of the result.
func (c *comparison) all(ctx context.Context) error {
	for i, mode := range splitModes {
		if err := c.addMode(ctx, i, mode); err != nil {
			return err
		}
	}
	if err := c.addPoints(ctx); err != nil {
		return err
	}
	if c.opts.Choose {
		return c.choose(ctx)
	}
	return nil
}

// interrupt leaves out what is not known entirely, and says so.
func (c *comparison) interrupt(ctx context.Context) {
	in := &estimate.Interruption{Reason: halt.Reason(ctx), Missing: []string{}}
	for _, mode := range splitModes[len(c.out.Modes):] {
		in.Missing = append(in.Missing, split.Method(mode).ID())
	}
	if !c.pointed {
		c.out.Points = []estimate.SplitPoint{}
		in.Missing = append(in.Missing, "points")
	}
	if c.opts.Choose {
		c.out.Choice = nil
		in.Missing = append(in.Missing, "choice")
	}
	c.out.Interrupted = in
}

// splitModes are the modes in the order in which they are compared.
var splitModes = [...]machine.SplitMode{machine.SplitNone, machine.DWS, machine.PWS}

// addMode runs and bounds the job in a mode, which is number i.
func (c *comparison) addMode(ctx context.Context, i int, mode machine.SplitMode) error {
	in, err := c.In(mode)
	if err != nil {
		return err
	}
	req := analysis.Request{
		Methods: []string{split.Method(mode).ID()}, Observe: true, MaxCycles: c.opts.MaxCycles, Campaign: campaign.Spec{Vectors: c.opts.Vectors, Begin: c.opts.Begin},
	}
	if c.opts.Progress != nil {
		req.Campaign.Progress = func(done, total int) { c.opts.Progress(i*total+done, len(splitModes)*total) }
	}
	a, err := analysis.Analyze(ctx, c.platform, in, req)
	if err != nil {
		return err
	}
	e := a.Estimates[0]
	m := estimate.SplitMode{Mode: string(mode), Estimate: e, Parts: splitParts(e.Detail.(*estimate.Split)), Observed: a.Observed}
	if c.opts.Measure {
		var d *estimate.SplitMeasured
		if m.Measured, d, err = Measure(ctx, c.platform, in, req.Campaign, req.MaxCycles); err != nil {
			return err
		}
		m.Published = d.Published
	}
	c.out.Runs, c.out.Convergence = a.Runs, a.Convergence
	c.out.Modes = append(c.out.Modes, m)
	return nil
}

// splitParts are the numbers from which a bound is made, as the table of modes shows them.
func splitParts(d *estimate.Split) []estimate.SplitPart {
	g := d.Last
	if d.Full != nil {
		g = d.Full
	}
	return []estimate.SplitPart{
		{Name: "split points", Value: int64(len(d.Splits))},
		{Name: "split SIMDs of each SIMD in use", Value: d.SplitSIMDs},
		{Name: "SIMDs of a compute unit (N_SIMD)", Value: d.SIMDs},
		{Name: "wavefronts of a workgroup", Value: d.Wavefronts},
		{Name: "workgroups of a compute unit", Value: d.Groups},
		{Name: "workgroups that it holds at a time", Value: d.Slots},
		{Name: "wavefronts that share a SIMD", Value: g.Contexts},
		{Name: "rounds (DS)", Value: d.Rounds},
		{Name: "cycles to dispatch a round (d)", Value: d.Dispatch},
		{Name: "cycles of a wavefront in a round (E_WF)", Value: g.Wavefront},
		{Name: "of them: its instructions", Value: g.Own},
		{Name: "of them: others on its SIMD", Value: g.Issue},
		{Name: "of them: others in memory", Value: g.Memory},
		{Name: "of them: split and merge", Value: g.Splitting},
		{Name: "cycles of the memory, counted separately", Value: d.Service},
		{Name: "cycles of all ports, counted separately", Value: d.Passes},
	}
}

// pws bounds mode pws with the branches of some blocks split, those of the kernel without
// splits.
func (c *comparison) pws(ctx context.Context, blocks []int) (*estimate.Estimate, error) {
	simds := c.out.SplitSIMDs
	in, err := c.Split(workload.SplitOptions{Mode: machine.PWS, SIMDs: &simds, Blocks: append([]int{}, blocks...)})
	if err != nil {
		return nil, err
	}
	return analysis.Bound(ctx, in, split.Method(machine.PWS))
}

// addPoints tells of each branch that can be split whether it does and its gain.
func (c *comparison) addPoints(ctx context.Context) error {
	k := c.Whole().First()
	marked, err := k.Marked(c.Spec, c.Choice)
	if err != nil {
		return err
	}
	selected, _, err := k.Select(marked, c.out.SplitSIMDs)
	if err != nil {
		return err
	}
	c.out.Points = []estimate.SplitPoint{}
	for _, b := range k.Splittable() {
		p := c.point(b)
		p.Marked, p.Selected = slices.Contains(marked, b), slices.Contains(selected, b)
		if p.Selected {
			if p.Without, err = c.without(ctx, selected, b); err != nil {
				return err
			}
		}
		c.out.Points = append(c.out.Points, p)
	}
	c.pointed = true
	return nil
}

// point names a branch: by its block, or else by its line. A name that means other branches
// too, or another, is left out.
func (c *comparison) point(block int) estimate.SplitPoint {
	k := c.Whole().First()
	branch := k.Graph.Last(block).Pos
	p := estimate.SplitPoint{Pos: branch.String()}
	for _, name := range []string{k.Graph.Name(block), fmt.Sprintf("%s:%d", filepath.Base(branch.File), branch.Line)} {
		if at, err := k.At(name); err == nil && slices.Equal(at, []int{block}) {
			p.Place = name
			break
		}
	}
	return p
}

// without bounds mode pws with all branches of a set split but one.
func (c *comparison) without(ctx context.Context, set []int, but int) (int64, error) {
	e, err := c.pws(ctx, slices.DeleteFunc(slices.Clone(set), func(b int) bool { return b == but }))
	if err != nil {
		return 0, fmt.Errorf("without splitting at %s: %w", c.Whole().First().Graph.Name(but), err)
	}
	return e.Cycles, nil
}
