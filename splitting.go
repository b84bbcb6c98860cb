package warpbound

import (
	"context"
	"fmt"
	"slices"

	"warpbound/internal/emu"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/method/split"
	"warpbound/internal/splitting"
	"warpbound/internal/splitting/bsb"
)

// SplitOptions say how wavefronts split other than the job and its machine do.
type SplitOptions struct {
	Mode  string // none, dws or pws; empty for the job's, or else the machine's
	SIMDs *int   // split SIMDs of each SIMD; nil for the job's number, or else the machine's
	// Branches are labels and lines of the branches that split in mode pws, or only "all" for
	// every one that can; nil for those that module and job mark, empty for none.
	Branches []string

	blocks []int // of the kernel without splits, whose branches split instead; nil for Branches
}

// division is how the wavefronts of a job split, on a machine with split cores.
type division struct {
	whole    *Job             // before instructions that split were inserted, on the machine of the file
	hardware *machine.Machine // as the kernel finds it, idle split SIMDs used otherwise (Eq. 2)
	splits   []int            // blocks whose branch splits, or may in mode dws
	opts     SplitOptions     // that differ from what job and machine say
}

// Split returns the job with its wavefronts splitting in another way. It is an error if the
// job's machine has no split cores, if it has several launches in a run, or if a branch that is
// marked cannot be split.
func (j *Job) Split(opts SplitOptions) (*Job, error) {
	if j.division == nil {
		return nil, fmt.Errorf("%s: wavefronts of %s, which has a %s core, do not split", j.Name(), j.machine.Name, j.machine.Core)
	}
	if err := j.oneLaunch("branches are chosen for"); err != nil {
		return nil, err
	}
	return j.division.whole.split(opts)
}

// in returns the job in another mode, otherwise as it is.
func (j *Job) in(mode machine.SplitMode) (*Job, error) {
	if mode == j.machine.Split.Mode.Value {
		return j, nil
	}
	opts := j.division.opts
	opts.Mode = string(mode)
	return j.division.whole.split(opts)
}

// Mode returns how the job's wavefronts split: none, dws or pws; empty if its machine has no
// split cores.
func (j *Job) Mode() string {
	if j.division == nil {
		return ""
	}
	return string(j.machine.Split.Mode.Value)
}

// Modes returns the modes in which the job's wavefronts can split: none of them if its
// machine has no split cores.
func (j *Job) Modes() []string {
	if j.division == nil {
		return nil
	}
	return []string{string(machine.SplitNone), string(machine.DWS), string(machine.PWS)}
}

// hardware returns the machine as the kernel finds it.
func (j *Job) hardware() *machine.Machine {
	if j.division == nil {
		return j.machine
	}
	return j.division.hardware
}

// split makes the job whose wavefronts split as opts say of one whose do not.
func (j *Job) split(opts SplitOptions) (*Job, error) {
	spec := &j.bound.Job.Split
	mode, simds := j.machine.Split.Mode.Value, int(j.machine.Split.SIMDs.Value)
	if spec.Mode != "" {
		mode = machine.SplitMode(spec.Mode)
	}
	if opts.Mode != "" {
		mode = machine.SplitMode(opts.Mode)
	}
	if spec.SIMDs != nil {
		simds = *spec.SIMDs
	}
	if opts.SIMDs != nil {
		simds = *opts.SIMDs
	}
	m := j.machine
	if mode != m.Split.Mode.Value || int64(simds) != m.Split.SIMDs.Value {
		var err error
		if m, err = m.WithSplit(mode, simds); err != nil {
			return nil, err
		}
	}
	out := *j
	out.machine, out.division = m, &division{whole: j, hardware: m, opts: opts}
	switch mode {
	case machine.DWS:
		out.division.splits = j.splittable()
	case machine.PWS:
		if err := out.insert(&opts, simds); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// insert puts instructions that split before the branches that are marked, as far as there
// are split SIMDs for them.
func (j *Job) insert(opts *SplitOptions, simds int) error {
	marked, err := j.marked(opts)
	if err != nil {
		return err
	}
	if len(marked) == 0 {
		j.division.hardware, err = j.machine.Reuse(0)
		return err
	}
	selected, contexts, err := j.selected(marked, simds)
	if err != nil {
		return err
	}
	r, err := splitting.Insert(j.graph, selected)
	if err != nil {
		return err
	}
	if j.code, err = emu.Decode(r.Graph.Kernel, r.Graph); err != nil {
		return err
	}
	j.bound, j.graph = j.bound.Moved(r.Graph.Kernel, r.Index), r.Graph
	j.division.splits = splitting.Splits(r.Graph)
	j.division.hardware, err = j.machine.Reuse(contexts)
	return err
}

// selected returns those of the marked blocks whose branches split, and how many contexts of
// split wavefronts they use at a time, at most: all of them if simds contexts are enough.
func (j *Job) selected(marked []int, simds int) (blocks []int, contexts int, err error) {
	form, err := j.form()
	if err != nil {
		return nil, 0, err
	}
	blocks = slices.DeleteFunc(slices.Clone(marked), func(b int) bool { return !form.Splittable(b) })
	if form.Contexts(blocks) > simds {
		blocks = form.Select(blocks, simds)
	}
	return blocks, form.Contexts(blocks), nil
}

// splitPrices returns what the blocks of the job's kernel cost before it splits, if it will
// use so many split contexts at the same time (mode pws).
func (j *Job) splitPrices(ctx context.Context, used int) (*split.Prices, error) {
	whole := *j.division.whole
	whole.machine = j.machine
	hardware, err := j.machine.Reuse(used)
	if err != nil {
		return nil, err
	}
	whole.division = &division{whole: j.division.whole, hardware: hardware}
	p, err := whole.problem()
	if err != nil {
		return nil, err
	}
	return split.PricesOf(ctx, p)
}

// form returns the branch serialisation form of the job's kernel.
func (j *Job) form() (*bsb.Form, error) {
	opts := bsb.Options{Lanes: j.width()}
	if d, err := j.divergence(); err == nil {
		opts.Uniform = d.Uniform
	}
	return bsb.New(j.graph, opts)
}

// splittable returns the blocks whose branches can be split.
func (j *Job) splittable() []int {
	var blocks []int
	for b := range j.graph.Blocks {
		if j.graph.Reachable(b) && splitting.Splittable(j.graph, b) == nil {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// marked returns the blocks whose branches are marked for splitting: at the given places,
// or by module and job if that is nil.
func (j *Job) marked(opts *SplitOptions) ([]int, error) {
	if opts.blocks != nil {
		return opts.blocks, nil
	}
	spec, branches := &j.bound.Job.Split, opts.Branches
	if slices.Equal(branches, []string{everyBranch}) || branches == nil && spec.All {
		return j.splittable(), nil
	}
	var blocks []int
	if branches == nil && spec.Branches == nil {
		blocks = splitting.Marked(j.graph)
	}
	if branches == nil {
		for _, b := range j.bound.Branches {
			blocks = append(blocks, j.blocksOf(b.Instrs)...)
		}
	}
	for _, text := range branches {
		at, err := j.at(text)
		if err != nil {
			return nil, err
		}
		if at == nil {
			return nil, fmt.Errorf("kernel %s has no branch at %q: give a label, or a line of %s", j.graph.Kernel.Name, text, j.graph.Kernel.File)
		}
		blocks = append(blocks, at...)
	}
	slices.Sort(blocks)
	blocks = slices.Compact(blocks)
	_, err := splitting.Insert(j.graph, blocks) // lists those that cannot be split
	return blocks, err
}

// at returns the blocks at a place.
func (j *Job) at(place string) ([]int, error) {
	p, err := job.ParsePlace(place)
	if err != nil {
		return nil, err
	}
	return j.blocksOf(p.Instrs(j.graph.Kernel)), nil
}

// everyBranch stands for every branch that can be split.
const everyBranch = "all"

// blocksOf returns the blocks of instructions.
func (j *Job) blocksOf(instrs []int) []int {
	var blocks []int
	for _, at := range instrs {
		blocks = append(blocks, j.graph.BlockOf(at))
	}
	return blocks
}

// width returns the lanes of a warp.
func (j *Job) width() int { return int(j.machine.SM.WarpSize.Value) }
