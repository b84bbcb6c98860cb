package scaffold

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"warpbound/estimate"
	"warpbound/internal/flow"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/workload"
)

// Request says what a job is to be written for.
type Request struct {
	File string // the module's name, which tells its language
	Text []byte // its text
	Options

	// Suits says how each built-in machine suits a kernel of a program, the best first, and what
	// kernels there are.
	Suits func(p *isa.Program, kernel string) ([]estimate.Suiting, []string, error)
}

// Options are what of a request is asked for by its user.
type Options struct {
	Kernel  string // its name; empty for the only one of the module
	Path    string // of the module from the job file
	Machine string // name of a built-in one; empty for the one that suits the kernel best
}

// Write writes a job for a kernel of a module. It is an error if the module cannot be read, if it
// has no such kernel or several to choose from, if there is no such machine, or if it does not run
// the kernel or none does.
func Write(ctx context.Context, req Request) (*estimate.Draft, error) {
	parsed, err := workload.ParseModule(req.File, req.Text)
	if err != nil {
		return nil, err
	}
	program, err := parsed.Lower()
	if err != nil {
		return nil, err
	}
	entry, err := choose(program, req)
	if err != nil {
		return nil, err
	}
	kernel, err := isa.Link(program, entry.Name)
	if err != nil {
		return nil, err
	}
	suits, on, err := suiting(program, entry.Name, req)
	if err != nil {
		return nil, err
	}
	f, err := find(ctx, kernel, on)
	if err != nil {
		return nil, err
	}
	f.suits, f.path, f.name = suits, req.Path, plainest(program, entry.Name)
	if err := f.verify(ctx, req.Text); err != nil {
		return nil, err
	}
	d := &estimate.Draft{
		Module: req.Path, Kernel: f.name, Stem: stem(program, req.File, entry.Name), Machine: suits.Machine,
		Launch: estimate.Launch{Grid: f.guess.grid, Block: f.guess.block},
		Text:   f.render(), Guesses: f.guesses(), Blocks: f.reachable(), Executed: f.executed(), Failed: f.failed(),
		Missing: f.missing(),
	}
	return d, nil
}

// suiting returns the machine for which a job is to be written, and how it suits a kernel.
func suiting(p *isa.Program, kernel string, req Request) (*estimate.Suiting, *machine.Machine, error) {
	all, _, err := req.Suits(p, kernel)
	if err != nil {
		return nil, nil, err
	}
	m, err := machine.Builtin(cmp.Or(req.Machine, all[0].Machine))
	if err != nil {
		return nil, nil, err
	}
	of := slices.IndexFunc(all, func(s estimate.Suiting) bool { return s.Machine == m.Name })
	if s := &all[of]; s.Runs {
		return s, m, nil
	}
	who := "no machine runs"
	if req.Machine != "" {
		who = req.Machine + " does not run"
	}
	return nil, nil, fmt.Errorf("%s kernel %s of %s: %s", who, kernel, req.File, strings.Join(all[of].Reasons, "; "))
}

// found is what the search has found for a kernel.
type found struct {
	*trials
	guess   *guess
	reached map[int]*reached // by word that is an address, whatever is sampled
	covered []bool           // by block
	err     error            // why a run of the guess failed, nil if none did
	at      origin           // on what the access depends that failed
	pc      int              // the instruction at which it ended
	shared  uint64           // dynamic shared memory in bytes

	suits *estimate.Suiting // how the machine suits the kernel
	path  string            // of the module from the job
	name  string            // of the kernel in the job
}

// find searches for arguments, and then for what the threads reach of the buffers whatever is sampled.
func find(ctx context.Context, k *isa.Kernel, m *machine.Machine) (*found, error) {
	w, err := newWatcher(k)
	if err != nil {
		return nil, err
	}
	t := &trials{watcher: w, machine: m, registers: flow.Allocated(w.graph)}
	g, v, err := search(ctx, t)
	if err != nil {
		return nil, err
	}
	f := &found{trials: t, guess: g, reached: make(map[int]*reached), covered: v.covered}
	draws := []draw{atRandom(0), atRandom(1), atRandom(2), {extreme: lowest, of: everywhere}, {extreme: highest, of: everywhere}}
	for i := range g.words {
		if s := t.evidence.of(-1, g.words[i].offset); g.words[i].holds.how == "uniform" && s != nil && s.indexes {
			draws = append(draws, draw{extreme: lowest, of: i}, draw{extreme: highest, of: i})
		}
	}
	for _, d := range draws {
		got, err := t.try(ctx, g, d)
		if err != nil {
			return nil, err
		}
		f.add(got.outcome)
	}
	return f, nil
}

// add notes what an execution of the guess has reached.
func (f *found) add(out *outcome) {
	f.shared = max(f.shared, out.shared)
	n := 0
	for i := range f.guess.words {
		if f.guess.words[i].kind != isPointer {
			continue
		}
		r := &out.reached[n]
		n++
		if f.reached[i] == nil {
			f.reached[i] = r
			continue
		}
		f.reached[i].join(r)
	}
}

// count returns the elements of the buffer of a word, and how many of them lie before the address.
func (f *found) count(i int) (all, ahead int64) {
	size := int64(f.guess.words[i].elem.Bytes())
	r := f.reached[i]
	if !r.any() {
		return f.guess.all(), 0
	}
	if r.min < 0 {
		const align = 16 // of the widest accesses
		ahead = (-r.min + align - 1) / align * align / size
	}
	all = max(1, (r.max+size-1)/size)
	if f.sampled(r.from) { // the address may be another with other samples
		n := int64(1)
		for n < all {
			n *= 2
		}
		all = n
	}
	return all + ahead, ahead
}

// sampled reports whether something in a set is sampled anew for every vector.
func (f *found) sampled(from set) bool {
	any := false
	from.each(func(s int) {
		at := f.guess.at(f.evidence.sources[s].buffer)
		any = any || at >= 0 && f.guess.words[at].holds.how == "uniform"
	})
	return any
}

// reachable returns how many blocks can be executed at all.
func (f *found) reachable() int {
	n := 0
	for _, b := range f.graph.Blocks {
		if b.Reachable {
			n++
		}
	}
	return n
}

// executed returns how many blocks were.
func (f *found) executed() int {
	n := 0
	for i, b := range f.graph.Blocks {
		if b.Reachable && f.covered[i] {
			n++
		}
	}
	return n
}
