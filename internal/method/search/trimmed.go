package search

import (
	"cmp"
	"slices"

	"warpbound/diag"
	"warpbound/internal/smt"
	"warpbound/internal/symexec"
)

// Trimmed is what the symbolic execution of few threads found out.
type Trimmed struct {
	Plan         *Plan
	Explorations []Exploration
	Paths        []Path
	Pairs        []Pair          // of paths of one thread, most divergence first, then most instructions
	Outcomes     []BranchOutcome // by position
	Notes        []string        // what could not be scaled
	Stopped      bool            // before it was complete, because it took too long
}

// Exploration is the symbolic execution of some threads.
type Exploration struct {
	Threads  int
	AnyOne   bool // a single thread that may be any one of the launch; otherwise the first of it
	Paths    int
	Faults   int // paths on which the kernel fails
	CutOff   int
	Unknown  int // paths of which no solver knows whether they exist
	Queries  int
	Complete bool // there are no other paths
	Covered  int  // branch outcomes, by this and the explorations before
}

// Path is a path of some threads: the triple of Eq. 1 of Horga et al. and what became of it.
type Path struct {
	Formula      []*smt.Term
	Divergence   float64   // brdiv in percent
	Intervals    []float64 // brdiv of each barrier interval
	Instructions int

	Threads []int // that take it, by number in the launch: CTA after CTA, warp after warp
	Atom    int   // of the plan; negative if none was made

	// Of Tried threads, Scales take the path on the inputs of its atom; of a path of several threads,
	// groups of as many.
	Scales int
	Tried  int

	ways []symexec.ThreadPath
}

// Pair is two threads that do not communicate and take a path each: what exploring both together
// would find.
type Pair struct {
	Paths        [2]int
	Divergence   float64
	Intervals    []float64
	Instructions int
}

// BranchOutcome is an outcome of a branch.
type BranchOutcome struct {
	Branch  diag.Pos
	Target  diag.Pos
	Text    string // of the branch
	Taken   bool
	Verdict symexec.Verdict
}

// combined is how many of the longest paths are combined to pairs, and maxPairs how many of the pairs
// are kept.
const (
	combined = 128
	maxPairs = 64
)

// finish makes the report of outcomes and of what was not scaled.
func (t *trimmer) finish() {
	k := t.Launch.Kernel()
	for _, outcome := range t.inOrder() {
		in := &k.Instrs[outcome.Branch]
		s := BranchOutcome{Branch: in.Pos, Text: k.Format(in), Taken: outcome.Target != outcome.Branch+1, Verdict: t.outcomes[outcome]}
		if outcome.Target < len(k.Instrs) {
			s.Target = k.Instrs[outcome.Target].Pos
		}
		t.result.Outcomes = append(t.result.Outcomes, s)
	}
	slices.SortStableFunc(t.result.Outcomes, func(x, y BranchOutcome) int {
		return cmp.Or(x.Branch.Compare(y.Branch), x.Target.Compare(y.Target))
	})
	for i, p := range t.plan.Space.Params {
		if t.data[i] {
			t.note("which elements of %s a thread reads depends on data: atoms fix those that were read, wherever they are scaled to", p.Name)
		}
		if t.tooMany[i] {
			t.note("threads read too many elements of %s to keep: some are not scaled", p.Name)
		}
	}
	var bound []int // paths
	for i, p := range t.result.Paths {
		if p.Atom >= 0 && p.Scales < p.Tried {
			bound = append(bound, i)
		}
	}
	if len(bound) > 0 {
		p := t.result.Paths[bound[0]]
		t.note("%d of %d paths depend on which thread takes them: the first, path %d of thread %d, is taken by %d of %d threads that were tried on the inputs of its atom",
			len(bound), len(t.result.Paths), bound[0], p.Threads[0], p.Scales, p.Tried)
	}
	if t.plan.Group == 1 {
		t.combine()
	}
	t.plan.share()
}

// combine makes pairs of paths that have atoms, and of the atoms.
func (t *trimmer) combine() {
	paths, pairs := t.result.Paths, t.result.Pairs
	var order []int
	for i, p := range paths {
		if p.Atom >= 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(paths[y].Instructions, paths[x].Instructions) })
	order = order[:min(len(order), combined)]
	for i, x := range order {
		for _, y := range order[i:] {
			p := Pair{Paths: [2]int{x, y}, Instructions: paths[x].Instructions + paths[y].Instructions}
			p.Divergence, p.Intervals = divergence([]symexec.ThreadPath{paths[x].ways[0], paths[y].ways[0]})
			pairs = append(pairs, p)
		}
	}
	slices.SortStableFunc(pairs, func(x, y Pair) int {
		return cmp.Or(cmp.Compare(y.Divergence, x.Divergence), cmp.Compare(y.Instructions, x.Instructions))
	})
	t.result.Pairs = pairs[:min(len(pairs), maxPairs)]
	for _, p := range t.result.Pairs {
		t.plan.Pairs = append(t.plan.Pairs, [2]int32{int32(paths[p.Paths[0]].Atom), int32(paths[p.Paths[1]].Atom)})
	}
}
