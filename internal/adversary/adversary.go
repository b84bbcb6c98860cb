package adversary

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"warpbound/internal/method/search"
	"warpbound/internal/workload"
)

const (
	elites   = 6  // inputs that are changed
	children = 8  // that are run together
	attempts = 16 // to make new inputs, until they are given up
)

// Adversary looks for inputs that take long: structured ones, and then changes of those that took
// longest.
type Adversary struct {
	maker      *Maker
	runs       int      // to be made at the most
	structured []string // names of those that are not tried yet
	begun      []member // handed out, by number
	elites     []member // longest times first
	seen       map[string]bool
	changes    uint64 // tried so far
}

// member is inputs that were run.
type member struct {
	name   string
	varied search.Inputs
	cycles int64
}

// New returns what makes no more than so many inputs of a workload. It is an error if none of them
// varies, or if a search cannot draw them.
func New(w *workload.Workload, runs int) (*Adversary, error) {
	m, err := NewMaker(w)
	if err != nil {
		return nil, err
	}
	return &Adversary{maker: m, runs: runs, structured: m.listStructured(), seen: make(map[string]bool)}, nil
}

// Begin tells of a random test vector that took longest.
func (a *Adversary) Begin(number int, cycles int64) {
	a.enterMember(member{vector + strconv.Itoa(number), a.maker.sampleInputs(number), cycles})
}

// Next returns the next inputs to be run together, with their names for files; nil if there are no
// more. A third of all runs at least is for changes of those that took longest, and evolved says
// that these are such.
func (a *Adversary) Next() (next []workload.SavedInputs, evolved bool) {
	together := min(a.runs-len(a.begun), children)
	if n := min(a.runs-a.runs/3-len(a.begun), together); n > 0 {
		for len(a.structured) > 0 && len(next) < n {
			name := a.structured[0]
			a.structured = a.structured[1:]
			if varied, err := a.maker.makeInputs(name); err == nil { // which it is of all that it names itself
				next = a.addInputs(next, name, varied)
			}
		}
		if next != nil {
			return next, false
		}
	}
	for range attempts * children {
		if len(a.elites) == 0 || len(next) == together {
			break
		}
		a.changes++
		rng := rand.New(rand.NewPCG(uint64(a.maker.workload.Spec.Seed), a.changes))
		parent := &a.elites[min(rng.IntN(len(a.elites)), rng.IntN(len(a.elites)))]
		varied := cloneInputs(parent.varied)
		a.maker.varyInputs(varied, a.changes)
		next = a.addInputs(next, parent.name+"+"+strconv.FormatUint(a.changes, 10), varied)
	}
	return next, true
}

// addInputs adds inputs to those that are run next, unless they were run before.
func (a *Adversary) addInputs(next []workload.SavedInputs, name string, varied search.Inputs) []workload.SavedInputs {
	whole := Whole(a.maker.workload, a.maker.fixed, varied)
	key := whole.Hash()
	if a.seen[key] {
		return next
	}
	a.seen[key] = true
	a.begun = append(a.begun, member{name: name, varied: varied})
	return append(next, workload.SavedInputs{File: name, Inputs: whole})
}

// Took tells how many cycles the inputs took that were the i-th of all.
func (a *Adversary) Took(i int, cycles int64) {
	m := a.begun[i]
	a.begun[i].varied, m.cycles = nil, cycles
	a.enterMember(m)
}

// enterMember keeps inputs if they are among those that took longest.
func (a *Adversary) enterMember(m member) {
	at := slices.IndexFunc(a.elites, func(e member) bool { return e.cycles < m.cycles })
	if at < 0 {
		at = len(a.elites)
	}
	a.elites = slices.Insert(a.elites, at, m)
	a.elites = a.elites[:min(len(a.elites), elites)]
}

// cloneInputs returns inputs in memory of their own.
func cloneInputs(in search.Inputs) search.Inputs {
	out := slices.Clone(in)
	for i, x := range out {
		out[i] = slices.Clone(x)
	}
	return out
}
