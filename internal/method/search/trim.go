package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"warpbound/diag"
	"warpbound/internal/contract"
	"warpbound/internal/semantics"
	"warpbound/internal/smt"
	"warpbound/internal/symexec"
)

// TrimConfig says what to explore. MaxPaths, MaxSteps and MaxQueries are limits of each
// exploration, as symexec.Options has them.
type TrimConfig struct {
	Space   Space
	Launch  *semantics.Launch
	Buffers []symexec.Buffer // all of the launch; Space says which are symbolic

	Relations []contract.Relation // that hold of the numbers Integers, by their index
	Integers  []symexec.Integer

	Solver  *smt.Solver
	Builder *smt.Builder // of the solver's terms

	// Later tells that a run has launches besides this one. Paths are of this one all the same,
	// with what is in memory when it begins, but outcomes are infeasible only if no launch of the
	// kernel takes them.
	Later bool

	MaxThreads int // that are explored together
	MaxPaths   int
	MaxSteps   int
	MaxQueries int

	// Limit is how long symbolic execution may take; 0 for any time. What is made of its paths may
	// take half as long again then. What is found depends on how fast computers and solvers are
	// where it does not suffice.
	Limit time.Duration

	// OnExploration, unless nil, is called after every exploration.
	OnExploration func(*Exploration)
}

// samples is for how many threads a path is tried, and maxTried for how many all paths
// together.
const (
	samples  = 8
	maxTried = 256
)

// maxExchanging is of how many threads a CTA is explored as a whole at most, where lanes exchange.
const maxExchanging = 256

// trimmer explores more and more threads.
type trimmer struct {
	TrimConfig
	*layout
	result      *Trimmed
	outcomes    map[symexec.BranchOutcome]symexec.Verdict
	tried       int
	exchanges   bool     // lanes of a warp do, which are explored together
	noted       bool     // why paths are cut off
	independent bool     // no thread uses what another writes
	talk        bool     // some of several threads got what another had written
	waiting     []*found // to be added
}

// found is the paths of some threads.
type found struct {
	*symexec.Result
	numbers []int // of the threads
	anyOne  bool
	wanted  bool // as atoms
}

// Trim explores the thread in the middle of the launch, or its warp if lanes exchange what they
// have, and then a thread that may be any one. As long as there are branch outcomes that no path
// took and that are not proved infeasible, it explores 2, 3, ... threads together, unless these do
// not communicate: then their paths are combinations of those of one. Where lanes exchange, it is
// all threads of a CTA at once. If nothing that a thread writes is used by others and all paths of
// one that may be any one were found, no thread takes the other outcomes. What the inputs of each
// path are becomes an atom of the plan; those of several threads only if their paths took new
// outcomes. The result depends on the configuration alone, and on which questions the solver
// answers in time.
//
// If threads come to an instruction without a meaning as a formula, or if Limit passes, exploration
// ends, which a note tells: what was not covered by then is open. It is an error if a solver fails
// or ctx ends; in the latter case what was found until then is the result, too.
func Trim(ctx context.Context, c TrimConfig) (*Trimmed, error) {
	if err := c.Space.Check(); err != nil {
		return nil, err
	}
	ts := threadsOf(c.Launch)
	plan := &Plan{Space: c.Space, Threads: ts.n(), Group: 1, Views: []View{}, Shared: []Chunk{}, Atoms: []Atom{}, Pairs: [][2]int32{}}
	t := &trimmer{
		TrimConfig: c,
		layout: &layout{
			space: &plan.Space, threads: ts, plan: plan, views: make(map[place]int), kinds: make(map[*smt.Term]kind),
			data: make(map[int]bool), tooMany: make(map[int]bool), filled: make(map[filling]map[uint64]uint64),
		},
		result:    &Trimmed{Plan: plan, Paths: []Path{}, Pairs: []Pair{}, Outcomes: []BranchOutcome{}, Notes: []string{}},
		outcomes:  make(map[symexec.BranchOutcome]symexec.Verdict),
		exchanges: symexec.Exchanges(c.Launch.Kernel()),
	}
	limited, cancel := ctx, context.CancelFunc(func() {})
	if c.Limit > 0 {
		limited, cancel = context.WithTimeout(ctx, c.Limit)
	}
	defer cancel()
	err := t.one(limited)
	if err == nil {
		err = t.together(limited)
	}
	if at := (*diag.Error)(nil); errors.As(err, &at) {
		t.note("%v", err)
		err = t.end(ctx)
	} else if limited.Err() != nil && errors.Is(err, limited.Err()) {
		err = t.stop(ctx)
	}
	if err != nil {
		return nil, err
	}
	t.finish()
	return t.result, ctx.Err()
}

// end ends an exploration that cannot go on: all outcomes are named, and a plan without atoms
// is one that knows nothing of threads.
func (t *trimmer) end(ctx context.Context) error {
	o := t.options([]int{0})
	o.MaxPaths = 0
	res, err := symexec.Explore(ctx, o)
	if err != nil {
		return err
	}
	for outcome := range res.Outcomes {
		if _, known := t.outcomes[outcome]; !known {
			t.outcomes[outcome] = symexec.Open
		}
	}
	if len(t.plan.Atoms) == 0 {
		t.plan.Threads, t.plan.Views = 0, []View{}
	}
	return nil
}

// stop ends an exploration because it has taken too long, or because ctx has ended.
func (t *trimmer) stop(ctx context.Context) error {
	if ctx.Err() == nil {
		t.result.Stopped = true
		t.note("it was stopped after %v, before a solver had answered all questions: what no path took by then is unknown", t.Limit.Round(time.Millisecond))
		added, cancel := context.WithTimeout(ctx, t.Limit/2)
		defer cancel()
		for len(t.waiting) > 0 && added.Err() == nil {
			if err := t.add(added, t.waiting[0]); err != nil && added.Err() == nil {
				return err
			}
		}
	}
	return t.end(context.WithoutCancel(ctx))
}

// one explores one thread: that in the middle, and any one. Where lanes exchange, it explores the
// warp in the middle in place of the former; the latter is followed to the first exchange, which
// tells what it reads before.
func (t *trimmer) one(ctx context.Context) error {
	middle, _ := t.threads.middle()
	numbers := []int{middle}
	if t.exchanges {
		numbers = t.threads.warp(middle)
	}
	concrete, err := t.explore(ctx, numbers, nil, t.MaxQueries)
	if err != nil {
		return err
	}
	if err := t.prove(ctx); err != nil {
		return err
	}
	all := []*found{concrete}
	if in := t.threads.differ(); in != nil {
		t.note("%s: %s tells threads apart by more than their indices: what they read is not scaled", in.Pos, t.Launch.Kernel().Format(in))
	} else if len(t.threads.indices) > 0 {
		queries := t.MaxQueries
		if t.open() == 0 { // only the views are missing
			queries = max(1, queries/16)
		}
		anyOne, err := t.explore(ctx, []int{0}, t.threads.indices, queries)
		if err != nil {
			return err
		}
		t.exclude(anyOne)
		all = append(all, anyOne)
	} else { // there is no other thread
		t.exclude(concrete)
	}
	for _, f := range all {
		if err := t.add(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// together explores ever more threads, of one CTA as long as it has as many.
func (t *trimmer) together(ctx context.Context) error {
	_, first := t.threads.middle()
	for _, n := range t.groupSizes(first) {
		if t.open() == 0 || t.independent {
			return nil
		}
		var numbers []int
		for i := range n {
			numbers = append(numbers, first+i)
		}
		f, err := t.explore(ctx, numbers, nil, t.MaxQueries)
		if err != nil {
			return err
		}
		if err := t.add(ctx, f); err != nil {
			return err
		}
		if !t.talk {
			break
		}
	}
	return nil
}

// groupSizes returns how many threads from a first one on are explored together, one number after
// the other.
func (t *trimmer) groupSizes(first int) []int {
	var sizes []int
	if n := len(t.threads.cta); t.exchanges {
		if t.MaxThreads > 1 && n > t.Launch.Width() && n <= maxExchanging {
			sizes = append(sizes, n)
		}
		return sizes
	}
	for n := 2; n <= min(t.MaxThreads, t.threads.n()-first); n++ {
		sizes = append(sizes, n)
	}
	return sizes
}

// note adds a note to the result.
func (t *trimmer) note(format string, args ...any) {
	t.result.Notes = append(t.result.Notes, fmt.Sprintf(format, args...))
}

// open returns how many outcomes are neither covered nor infeasible.
func (t *trimmer) open() int {
	n := 0
	for _, v := range t.outcomes {
		if v == symexec.Open {
			n++
		}
	}
	return n
}

// prove asks which of the open outcomes no thread takes, and whether threads are independent.
func (t *trimmer) prove(ctx context.Context) error {
	var open []symexec.BranchOutcome
	for _, outcome := range t.inOrder() {
		if t.outcomes[outcome] == symexec.Open {
			open = append(open, outcome)
		}
	}
	o := t.options(nil)
	o.MaxQueries, o.Later = t.MaxQueries, t.Later
	if len(open) == 0 { // only whether threads are independent
		o.MaxQueries = max(1, t.MaxQueries/16)
	}
	proof, err := symexec.Prove(ctx, o, open)
	if at := (*diag.Error)(nil); errors.As(err, &at) {
		t.note("which outcomes no thread takes cannot be proved: %v", err)
		return nil
	} else if err != nil {
		return err
	}
	if !proof.Independent && t.threads.n() > 1 {
		t.note("threads may use what others write: paths are those of threads that run alone or few together, and what covers an outcome there may not in the whole launch")
	}
	for _, outcome := range proof.Never {
		t.outcomes[outcome] = symexec.Infeasible
	}
	t.independent = proof.Independent
	return nil
}

// exclude takes the outcomes to be infeasible that are open after all paths of any thread were
// found, if threads are independent.
func (t *trimmer) exclude(anyOne *found) {
	for outcome, v := range t.outcomes {
		if v == symexec.Open && t.independent && anyOne.Outcomes[outcome] == symexec.Infeasible {
			t.outcomes[outcome] = symexec.Infeasible
		}
	}
}

// inOrder returns the branch outcomes by instruction.
func (t *trimmer) inOrder() []symexec.BranchOutcome {
	return slices.SortedFunc(maps.Keys(t.outcomes), func(x, y symexec.BranchOutcome) int {
		return cmp.Or(cmp.Compare(x.Branch, y.Branch), cmp.Compare(x.Target, y.Target))
	})
}

// options returns what is common to all explorations, of threads by number.
func (t *trimmer) options(numbers []int) symexec.Options {
	o := symexec.Options{
		Launch: t.Launch, Solver: t.Solver, Builder: t.Builder, MaxPaths: t.MaxPaths, MaxSteps: t.MaxSteps,
		Relations: t.Relations, Integers: t.Integers,
	}
	for _, n := range numbers {
		o.Threads = append(o.Threads, t.threads.at(n))
	}
	o.Buffers, o.Params = t.symbolic()
	return o
}

// explore explores threads, or one with symbolic indices.
func (t *trimmer) explore(ctx context.Context, numbers []int, indices []symexec.Index, queries int) (*found, error) {
	o := t.options(numbers)
	o.Indices, o.MaxQueries = indices, queries
	res, err := symexec.Explore(ctx, o)
	if err == nil && !res.Complete && len(indices) == 0 {
		err = lengthen(ctx, o, res)
	}
	if err != nil && (res == nil || !errors.Is(err, ctx.Err())) {
		return nil, err
	}
	f := &found{Result: res, numbers: numbers, anyOne: len(indices) > 0}
	f.wanted = !t.exchanges && len(numbers) == 1 || len(t.result.Explorations) == 0
	e := Exploration{
		Threads: len(numbers), AnyOne: f.anyOne, Paths: len(res.Paths), CutOff: res.CutOff,
		Unknown: res.Unknown, Queries: res.Queries, Complete: res.Complete,
	}
	for outcome, v := range res.Outcomes {
		if before := t.outcomes[outcome]; v == symexec.Covered && before != v {
			f.wanted, t.outcomes[outcome] = true, v
		} else {
			t.outcomes[outcome] = before
		}
	}
	for _, v := range t.outcomes {
		if v == symexec.Covered {
			e.Covered++
		}
	}
	for i := range res.Paths {
		if res.Paths[i].Fault != nil {
			e.Faults++
		}
		if p := &res.Paths[i]; p.Unfollowed != nil && !f.anyOne && !t.noted {
			t.noted = true
			t.note("paths are cut off: %v", p.Unfollowed)
		}
		t.talk = t.talk || res.Paths[i].Communicates
	}
	t.result.Explorations = append(t.result.Explorations, e)
	if t.OnExploration != nil {
		t.OnExploration(&e)
	}
	if t.waiting = append(t.waiting, f); f.anyOne {
		t.look(f.Paths)
	}
	return f, err
}

// lengthen adds long paths to those that were found, by two guesses at what an outcome leads
// to: at least what it always did, which is good where conditions do not depend on each other;
// and at best what it ever did, which is good where most of what one leads to can be skipped.
func lengthen(ctx context.Context, o symexec.Options, res *symexec.Result) error {
	minimum, maximum := make(map[symexec.BranchOutcome]int), make(map[symexec.BranchOutcome]int)
	for outcome, remaining := range res.Remaining {
		minimum[outcome], maximum[outcome] = remaining.Min, remaining.Max
	}
	for _, guess := range []map[symexec.BranchOutcome]int{minimum, maximum} {
		long, asked, err := symexec.Lengthen(ctx, o, guess)
		if err != nil {
			return err
		}
		if res.Queries += asked; long != nil {
			res.Paths = append(res.Paths, *long)
		}
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

// add adds paths that do not fail and were followed to their ends, and an atom of each unless it
// has no inputs. Paths that were found before for other threads are left out, unless what is known
// of them does not scale.
func (t *trimmer) add(ctx context.Context, f *found) error {
	t.waiting = slices.DeleteFunc(t.waiting, func(other *found) bool { return other == f })
	for i := range f.Paths {
		p, numbers := &f.Paths[i], f.numbers
		if p.Fault != nil || p.Unfollowed != nil {
			continue
		}
		if f.anyOne {
			numbers = []int{t.threads.of(p.Model)}
		}
		a := t.atom(p, numbers, f.anyOne)
		empty := len(a.Values)+len(a.Fixed) == 0
		known := func(other Path) bool {
			return sameWays(other.ways, p.Threads) && other.Scales == other.Tried && (empty || other.Atom >= 0)
		}
		if slices.ContainsFunc(t.result.Paths, known) {
			continue
		}
		path := Path{
			Formula: p.Formula, Divergence: a.Divergence, Intervals: a.Intervals, Instructions: a.Instructions,
			Threads: slices.Clone(numbers), Atom: -1, ways: p.Threads,
		}
		if f.wanted && !empty {
			var err error
			if path.Atom, err = t.choose(ctx, p, a, numbers, &path); err != nil {
				return err
			}
		}
		t.result.Paths = append(t.result.Paths, path)
	}
	return nil
}

// sameWays reports whether threads take the same outcomes.
func sameWays(x, y []symexec.ThreadPath) bool {
	return slices.EqualFunc(x, y, func(x, y symexec.ThreadPath) bool { return slices.Equal(x.Outcomes, y.Outcomes) })
}

// choose keeps the atom of a path without what does not matter, unless more threads take the path
// on all of its inputs. It returns the number of the atom.
func (t *trimmer) choose(ctx context.Context, p *symexec.Path, tight Atom, numbers []int, path *Path) (int, error) {
	loose, err := t.loosen(ctx, p, tight, numbers)
	if err != nil {
		return 0, err
	}
	tried, scales, err := t.try(ctx, p, &loose)
	if err != nil {
		return 0, err
	}
	path.Tried, path.Scales = tried, scales
	if scales < tried {
		if tried, scales, err = t.try(ctx, p, &tight); err != nil {
			return 0, err
		}
		if scales > path.Scales {
			path.Tried, path.Scales, loose = tried, scales, tight
		}
	}
	return t.keep(loose), nil
}

// keep returns the number of an atom, which is new unless another has the same inputs.
func (t *trimmer) keep(a Atom) int {
	all := t.plan.Atoms
	for i := range all {
		if b := &all[i]; b.Threads == a.Threads && slices.Equal(b.Values, a.Values) && slices.Equal(b.Fixed, a.Fixed) {
			b.Instructions = max(b.Instructions, a.Instructions)
			return i
		}
	}
	t.plan.Atoms = append(all, a)
	t.plan.Group = max(t.plan.Group, a.Threads)
	return len(all)
}

// try follows some threads on the inputs of an atom, and returns how many these were and how many
// of them take its path.
func (t *trimmer) try(ctx context.Context, p *symexec.Path, a *Atom) (tried, scales int, err error) {
	groups, data := t.threads.n()/a.Threads, t.dataOf(p)
	n := min(samples, groups, maxTried-t.tried)
	for i := range n {
		first := i * (groups - 1) / max(1, n-1) * a.Threads
		t.tried++
		inputs, ok := t.inputs(a, first, i, data)
		if !ok {
			continue
		}
		var numbers []int
		for k := range a.Threads {
			numbers = append(numbers, first+k)
		}
		o := t.options(numbers)
		o.Builder = smt.NewBuilder() // of its own, so that what is followed is not kept
		same, err := symexec.Follow(ctx, o, inputs)
		if ctx.Err() != nil {
			return 0, 0, ctx.Err()
		}
		if err == nil && same.Fault == nil && same.Unfollowed == nil && sameWays(same.Threads, p.Threads) {
			scales++
		}
	}
	return n, scales, nil
}
