package search

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"warpbound/internal/diag"
	"warpbound/internal/fold"
	"warpbound/internal/smt"
	"warpbound/internal/symexec"
)

// TrimConfig says what to explore. MaxPaths, MaxSteps and MaxQueries are limits of each
// exploration, as symexec.Options has them.
type TrimConfig struct {
	Space   Space
	Launch  *fold.Launch
	Buffers []symexec.Buffer // all of the launch; Space says which are symbolic
	Solver  *smt.Solver
	Builder *smt.Builder // of the solver's terms

	MaxThreads int // that are explored together
	MaxPaths   int
	MaxSteps   int
	MaxQueries int

	// OnExploration, unless nil, is called after every exploration.
	OnExploration func(*Exploration)
}

// Trimmed is what the symbolic execution of few threads found out.
type Trimmed struct {
	Plan         *Plan         `json:"plan"`
	Explorations []Exploration `json:"explorations"`
	Paths        []Path        `json:"paths"`
	Sides        []Side        `json:"sides"` // by position
	Notes        []string      `json:"notes"` // what could not be scaled
}

// Exploration is the symbolic execution of some threads.
type Exploration struct {
	Threads  int  `json:"threads"`
	AnyOne   bool `json:"any_one"` // a single thread that may be any one of the launch; otherwise the first of it
	Paths    int  `json:"paths"`
	Faults   int  `json:"faults"` // paths on which the kernel fails
	CutOff   int  `json:"cut_off"`
	Unknown  int  `json:"unknown"` // paths of which no solver knows whether they exist
	Queries  int  `json:"queries"`
	Complete bool `json:"complete"` // there are no other paths
	Covered  int  `json:"covered"`  // sides of branches, by this and the explorations before
}

// Path is a path of some threads: the triple of Eq. 1 of Horga et al. and what became of it.
type Path struct {
	Formula      []*smt.Term `json:"-"`
	Divergence   float64     `json:"divergence"` // brdiv in percent
	Intervals    []float64   `json:"intervals"`  // brdiv of each barrier interval
	Instructions int         `json:"instructions"`

	Threads []int `json:"threads"` // that take it, by number in the launch: CTA after CTA, warp after warp
	Atom    int   `json:"atom"`    // of the plan; negative if none was made

	// Of Tried threads, Scales take the path on the inputs of its atom. None are tried of a path of
	// several threads.
	Scales int `json:"scales"`
	Tried  int `json:"tried"`
}

// Side is a side of a branch.
type Side struct {
	Branch  diag.Pos        `json:"branch"`
	Target  diag.Pos        `json:"target"`
	Text    string          `json:"text"` // of the branch
	Taken   bool            `json:"taken"`
	Verdict symexec.Verdict `json:"verdict"`
}

// Coverage returns the share of sides that some path took, and their share of those that are not
// proved infeasible, both in percent: 100 if there are none.
func (t *Trimmed) Coverage() (all, feasible float64) {
	covered, infeasible := 0, 0
	for _, s := range t.Sides {
		switch s.Verdict {
		case symexec.Covered:
			covered++
		case symexec.Infeasible:
			infeasible++
		}
	}
	share := func(of int) float64 {
		if of == 0 {
			return 100
		}
		return 100 * float64(covered) / float64(of)
	}
	return share(len(t.Sides)), share(len(t.Sides) - infeasible)
}

// samples is how many threads a path is tried for.
const samples = 32

// trimmer explores more and more threads.
type trimmer struct {
	TrimConfig
	*layout
	result *Trimmed
	sides  map[symexec.Side]symexec.Verdict
	atoms  [][]Atom // by exploration
}

// Trim explores first one thread, which may be any one of the launch, and as long as there
// are sides of branches that no path took, the first 2, 3, ... threads together. What the inputs of
// each path are becomes an atom of the plan; those of several threads only if their paths took
// new sides. The result depends on the configuration alone.
//
// It is an error, with position, if the kernel has an instruction without a meaning as a formula,
// and if a solver fails or ctx ends.
func Trim(ctx context.Context, c TrimConfig) (*Trimmed, error) {
	if err := c.Space.Check(); err != nil {
		return nil, err
	}
	ts := threadsOf(c.Launch)
	plan := &Plan{Space: c.Space, Threads: ts.n(), Group: 1, Views: []View{}, Shared: []Chunk{}, Atoms: []Atom{}}
	t := &trimmer{
		TrimConfig: c,
		layout: &layout{
			space: &plan.Space, threads: ts, plan: plan, views: make(map[place]int), kinds: make(map[*smt.Term]kind),
			data: make(map[int]bool), tooMany: make(map[int]bool),
		},
		result: &Trimmed{Plan: plan, Paths: []Path{}, Sides: []Side{}, Notes: []string{}},
		sides:  make(map[symexec.Side]symexec.Verdict),
	}
	indices := ts.indices
	if in := ts.apart(); in != nil {
		indices = nil
		t.note("%s: %s tells threads apart by more than their indices: only the first thread is explored, and what it reads is not scaled", in.Pos, in)
	}
	if err := t.explore(ctx, 1, indices); err != nil {
		return nil, err
	}
	for n := 2; n <= min(c.MaxThreads, ts.n()) && t.open() > 0; n++ {
		if err := t.explore(ctx, n, nil); err != nil {
			return nil, err
		}
	}
	t.finish()
	return t.result, nil
}

// note adds a note to the result.
func (t *trimmer) note(format string, args ...any) {
	t.result.Notes = append(t.result.Notes, fmt.Sprintf(format, args...))
}

// open returns how many sides are neither covered nor infeasible.
func (t *trimmer) open() int {
	n := 0
	for _, v := range t.sides {
		if v == symexec.Open {
			n++
		}
	}
	return n
}

// explore explores the first n threads, or one with symbolic indices.
func (t *trimmer) explore(ctx context.Context, n int, indices []symexec.Index) error {
	o := symexec.Options{
		Launch: t.Launch, Indices: indices, Solver: t.Solver, Builder: t.Builder,
		MaxPaths: t.MaxPaths, MaxSteps: t.MaxSteps, MaxQueries: t.MaxQueries,
	}
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
		o.Threads = append(o.Threads, t.threads.at(i))
	}
	o.Buffers, o.Params = t.symbolic()
	found, err := symexec.Explore(ctx, o)
	if err != nil {
		return err
	}
	anyOne := n == 1 && (len(indices) > 0 || t.threads.n() == 1)
	e := Exploration{
		Threads: n, AnyOne: anyOne, Paths: len(found.Paths), CutOff: found.CutOff,
		Unknown: found.Unknown, Queries: found.Queries, Complete: found.Complete,
	}
	if anyOne {
		t.look(found.Paths)
	}
	covered := false
	for side, v := range found.Sides {
		if before := t.sides[side]; v == symexec.Covered && before != v {
			covered, t.sides[side] = true, v
		} else {
			t.sides[side] = before
		}
	}
	for _, v := range t.sides {
		if v == symexec.Covered {
			e.Covered++
		}
	}
	for i := range found.Paths {
		p := &found.Paths[i]
		if p.Fault != nil {
			e.Faults++
			continue
		}
		if len(indices) > 0 {
			numbers = []int{t.threads.of(p.Model)}
		}
		t.add(p, numbers, anyOne, n == 1 || covered)
	}
	t.result.Explorations = append(t.result.Explorations, e)
	if t.OnExploration != nil {
		t.OnExploration(&e)
	}
	return nil
}

// symbolic returns the buffers and the bytes of parameters that the space lets vary.
func (t *trimmer) symbolic() ([]symexec.Buffer, []symexec.Range) {
	buffers, ranges := slices.Clone(t.Buffers), []symexec.Range(nil)
	for _, p := range t.Space.Params {
		if p.Count == 0 {
			continue
		}
		if p.Array == symexec.Parameters {
			ranges = append(ranges, symexec.Range{Offset: p.Offset, Bytes: p.Count * p.Element.Bytes, Element: p.Element})
		}
		for i := range buffers {
			if buffers[i].Name == p.Array {
				buffers[i].Symbolic, buffers[i].Element = true, p.Element
			}
		}
	}
	return buffers, ranges
}

// add adds a path of threads, and an atom of it unless it has no inputs or another has the same.
func (t *trimmer) add(p *symexec.Path, numbers []int, anyOne, wanted bool) {
	a := t.atom(p, numbers)
	path := Path{
		Formula: p.Formula, Divergence: a.Divergence, Intervals: a.Intervals, Instructions: a.Instructions,
		Threads: slices.Clone(numbers), Atom: -1,
	}
	if anyOne {
		tried := t.sample()
		path.Scales, path.Tried = t.scales(p, &a, tried), len(tried)
	}
	if wanted && len(a.Values)+len(a.Fixed) > 0 {
		plan := t.plan
		same := func(b Atom) bool {
			return b.Threads == a.Threads && slices.Equal(b.Values, a.Values) && slices.Equal(b.Fixed, a.Fixed)
		}
		path.Atom = slices.IndexFunc(plan.Atoms, same)
		if path.Atom < 0 {
			path.Atom = len(plan.Atoms)
			plan.Atoms = append(plan.Atoms, a)
		} else if other := &plan.Atoms[path.Atom]; a.Instructions > other.Instructions {
			other.Instructions = a.Instructions
		}
		plan.Group = max(plan.Group, a.Threads)
	}
	t.result.Paths = append(t.result.Paths, path)
}

// sample returns some threads of the launch, always the same.
func (t *trimmer) sample() []int {
	n := t.threads.n()
	var some []int
	for i := range min(samples, n) {
		some = append(some, i*(n-1)/max(1, min(samples, n)-1))
	}
	return some
}

// finish makes the report of sides and of what was not scaled.
func (t *trimmer) finish() {
	k := t.Launch.Kernel()
	inOrder := func(x, y symexec.Side) int {
		return cmp.Or(cmp.Compare(x.Branch, y.Branch), cmp.Compare(x.Target, y.Target))
	}
	for _, side := range slices.SortedFunc(maps.Keys(t.sides), inOrder) {
		in := &k.Instrs[side.Branch]
		s := Side{Branch: in.Pos, Text: in.String(), Taken: side.Target != side.Branch+1, Verdict: t.sides[side]}
		if side.Target < len(k.Instrs) {
			s.Target = k.Instrs[side.Target].Pos
		}
		t.result.Sides = append(t.result.Sides, s)
	}
	slices.SortStableFunc(t.result.Sides, func(x, y Side) int {
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
	t.plan.share()
}
