package workload

import (
	"context"
	"fmt"
	"slices"

	"warpbound/internal/emu"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/splitting"
	"warpbound/internal/splitting/bsb"
)

// SplitOptions say how wavefronts split other than a job and its machine do.
type SplitOptions struct {
	Mode  machine.SplitMode // empty for the job's, or else the machine's
	SIMDs *int              // split SIMDs of each SIMD; nil for the job's number, or else the machine's
	// Branches are labels and lines of the branches that split in mode pws, or only EveryBranch for
	// every one that can; nil for those that module and job mark, empty for none.
	Branches []string
	// Blocks of the kernel without splits, whose branches split instead; nil for Branches.
	Blocks []int
}

// EveryBranch stands for every branch that can be split.
const EveryBranch = "all"

// HasSplits reports whether the workload's machine has split cores.
func (w *Workload) HasSplits() bool { return w.Machine.Core == machine.Splitting }

// Mode returns how wavefronts split; empty if the machine has no split cores.
func (w *Workload) Mode() machine.SplitMode {
	if !w.HasSplits() {
		return ""
	}
	return w.Machine.Split.Mode.Value
}

// Modes returns the modes of splitting that have bounds: none of them if the machine has no split cores.
func (w *Workload) Modes() []machine.SplitMode {
	if !w.HasSplits() {
		return nil
	}
	return []machine.SplitMode{machine.SplitNone, machine.DWS, machine.PWS}
}

// Split returns the workload with its wavefronts splitting in another way. It is an error if the
// machine has no split cores, if branches are chosen although a run has several launches, or if a branch that is
// marked cannot be split.
func (w *Workload) Split(opts SplitOptions) (*Workload, error) {
	if !w.HasSplits() {
		return nil, fmt.Errorf("%s: wavefronts of %s, which has a %s core, do not split", w.Name(), w.Machine.Name, w.Machine.Core)
	}
	if opts.Branches != nil || opts.Blocks != nil {
		if err := w.OneLaunch("branches are chosen for"); err != nil {
			return nil, err
		}
	}
	return w.Whole().split(opts)
}

// In returns the workload in another mode of splitting, otherwise as it is.
func (w *Workload) In(mode machine.SplitMode) (*Workload, error) {
	if mode == w.Mode() {
		return w, nil
	}
	opts := w.Choice
	opts.Mode = mode
	return w.Whole().split(opts)
}

// split makes the workload whose wavefronts split of one whose do not.
func (w *Workload) split(opts SplitOptions) (*Workload, error) {
	m, err := w.inMode(opts)
	if err != nil {
		return nil, err
	}
	out := *w
	out.Machine, out.whole, out.Choice = m, w, opts
	out.Kernels = make([]*Kernel, len(w.Kernels))
	for i, k := range w.Kernels {
		if out.Kernels[i], err = k.split(w, m, opts); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// inMode returns the machine in the mode that opts, or else the job, ask for.
func (w *Workload) inMode(opts SplitOptions) (*machine.Machine, error) {
	m, spec := w.Machine, &w.Spec.Split
	mode, simds := m.Split.Mode.Value, int(m.Split.SIMDs.Value)
	if spec.Mode != "" {
		mode = machine.SplitMode(spec.Mode)
	}
	if opts.Mode != "" {
		mode = opts.Mode
	}
	if spec.SIMDs != nil {
		simds = *spec.SIMDs
	}
	if opts.SIMDs != nil {
		simds = *opts.SIMDs
	}
	if mode == m.Split.Mode.Value && int64(simds) == m.Split.SIMDs.Value {
		return m, nil
	}
	return m.WithSplit(mode, simds)
}

// split returns the kernel of a workload without splits as it is on a machine in its mode.
func (k *Kernel) split(w *Workload, m *machine.Machine, opts SplitOptions) (*Kernel, error) {
	out := *k
	out.Machine = m
	switch m.Split.Mode.Value {
	case machine.DWS, machine.DWSIdle:
		out.Splits = k.Splittable()
	case machine.PWS:
		if err := out.insert(w, m, opts); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// insert puts instructions that split before the branches that are marked, as far as there are split
// SIMDs for them.
func (k *Kernel) insert(w *Workload, m *machine.Machine, opts SplitOptions) error {
	marked, err := k.Marked(w.Spec, opts)
	if err != nil {
		return err
	}
	if len(marked) == 0 {
		k.Machine, err = m.Reuse(0)
		return err
	}
	selected, contexts, err := k.Select(marked, int(m.Split.SIMDs.Value))
	if err != nil {
		return err
	}
	r, err := splitting.Insert(k.Graph, selected)
	if err != nil {
		return err
	}
	if k.Code, err = emu.Decode(r.Graph.Kernel, r.Graph); err != nil {
		return err
	}
	k.Bound, k.Graph = k.Bound.Moved(r.Graph.Kernel, r.Index), r.Graph
	k.Splits = splitting.Splits(r.Graph)
	k.Machine, err = m.Reuse(contexts)
	return err
}

// Select returns those of the marked blocks of a kernel without splits whose branches split, and how many
// contexts of split wavefronts they use at a time, at most: all of them if simds contexts are enough.
func (k *Kernel) Select(marked []int, simds int) (blocks []int, contexts int, err error) {
	form, err := k.form()
	if err != nil {
		return nil, 0, err
	}
	blocks = slices.DeleteFunc(slices.Clone(marked), func(b int) bool { return !form.Splittable(b) })
	if form.Contexts(blocks) > simds {
		blocks = form.Select(blocks, simds)
	}
	return blocks, form.Contexts(blocks), nil
}

// form returns the branch serialisation form of a kernel. It is part of what makes a job ready, which is not cut short.
func (k *Kernel) form() (*bsb.Form, error) {
	opts := bsb.Options{Lanes: k.width()}
	if d, err := k.Divergence(context.Background()); err == nil {
		opts.Uniform = d.Uniform
	}
	return bsb.New(k.Graph, opts)
}

// Splittable returns the blocks whose branches can be split.
func (k *Kernel) Splittable() []int {
	var blocks []int
	for b := range k.Graph.Blocks {
		if k.Graph.Reachable(b) && splitting.Splittable(k.Graph, b) == nil {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// Marked returns the blocks whose branches are marked for splitting: those that opts give, or else by
// module and job. It is an error if one of them cannot be split.
func (k *Kernel) Marked(spec *job.Job, opts SplitOptions) ([]int, error) {
	if opts.Blocks != nil {
		return opts.Blocks, nil
	}
	branches := opts.Branches
	if slices.Equal(branches, []string{EveryBranch}) || branches == nil && spec.Split.All {
		return k.Splittable(), nil
	}
	var blocks []int
	if branches == nil && spec.Split.Branches == nil {
		blocks = splitting.Marked(k.Graph)
	}
	if branches == nil {
		for _, b := range k.Bound.Branches {
			blocks = append(blocks, k.blocksOf(b.Instrs)...)
		}
	}
	for _, text := range branches {
		at, err := k.At(text)
		if err != nil {
			return nil, err
		}
		if at == nil {
			return nil, fmt.Errorf("kernel %s has no branch at %q: give a label, or a line of %s", k.Graph.Kernel.Readable(), text, k.Graph.Kernel.File)
		}
		blocks = append(blocks, at...)
	}
	slices.Sort(blocks)
	blocks = slices.Compact(blocks)
	_, err := splitting.Insert(k.Graph, blocks) // lists those that cannot be split
	return blocks, err
}

// At returns the blocks at a place, a label or a line of the source.
func (k *Kernel) At(place string) ([]int, error) {
	p, err := job.ParsePlace(place)
	if err != nil {
		return nil, err
	}
	return k.blocksOf(p.Instrs(k.Graph.Kernel)), nil
}

// blocksOf returns the blocks of instructions.
func (k *Kernel) blocksOf(instrs []int) []int {
	var blocks []int
	for _, at := range instrs {
		blocks = append(blocks, k.Graph.BlockOf(at))
	}
	return blocks
}
