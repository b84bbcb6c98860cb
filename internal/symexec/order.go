package symexec

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"sort"

	"warpbound/internal/isa"
	"warpbound/internal/smt"
)

// trunk is a path that was followed, of which others leave.
type trunk struct {
	steps int // that it has, 0 while it is not known
}

// unanswered is as how many queries one counts that the solver does not answer: it has tried
// for longest.
const unanswered = 8

// left reports whether there are queries left.
func (x *explorer) left(res *Result) bool {
	return x.MaxQueries == 0 || res.Queries+(unanswered-1)*res.Unknown < x.MaxQueries
}

// next returns the next path that is feasible, with a model; nil if none waits or no query is left.
func (x *explorer) next(ctx context.Context, res *Result) (*state, error) {
	for len(x.waiting) > 0 && x.left(res) && x.b.Len() < maxTerms {
		i := x.choose()
		s := x.waiting[i]
		x.waiting = slices.Delete(x.waiting, i, i+1)
		if !s.forked {
			return s, nil
		}
		x.tried[s.first]++
		res.Queries++
		answer, model, err := s.solve(ctx)
		switch {
		case err != nil:
			return nil, err
		case answer == smt.Unknown:
			res.Unknown++
			x.unknown[s.first] = true
		case answer == smt.Sat:
			s.model = model
			return s, nil
		}
	}
	return nil, nil
}

// What exploration keeps at most, so that it does not run out of memory: terms, of all paths, and
// paths that wait.
const (
	maxTerms   = 1 << 21
	maxWaiting = 1 << 13
)

// wait lets a path wait. Where too many do, half of them are left out, the last in order.
func (x *explorer) wait(s *state) {
	if x.steering != nil {
		return // there is one path
	}
	x.waiting = append(x.waiting, s)
	if len(x.waiting) < maxWaiting {
		return
	}
	order := make([]int, len(x.waiting))
	ranks := make([]rank, len(x.waiting))
	for i, w := range x.waiting {
		order[i], ranks[i] = i, x.rank(w)
	}
	slices.SortStableFunc(order, func(i, j int) int { return ranks[i].compare(ranks[j]) })
	order = order[:maxWaiting/2]
	slices.Sort(order)
	var kept []*state
	for _, i := range order {
		kept = append(kept, x.waiting[i])
	}
	x.waiting, x.leftOut = kept, true
}

// rank is where a path that waits stands in the order in which they are followed.
type rank struct{ class, cost int }

func (r rank) compare(o rank) int {
	return cmp.Or(cmp.Compare(r.class, o.class), cmp.Compare(r.cost, o.cost))
}

// rank tells when a path that waits is to be followed. First come paths that take an outcome
// first which no other has taken, those of the outcomes tried least before. Then come, while
// there are such outcomes, those from which least branches lead there, where each path that
// began with the same outcome counts as a branch. When all outcomes are covered it is those
// that leave the longest path first, but last of all those that begin with an outcome of which
// a solver did not know whether it is taken.
func (x *explorer) rank(s *state) rank {
	if s.first != (BranchOutcome{}) && !x.covered[s.first] {
		return rank{0, x.tried[s.first]}
	}
	to, reaches := x.distances()[s.now().pc]
	switch {
	case reaches:
		return rank{1, to + x.tried[s.first]}
	case s.trunk == nil: // nothing was followed yet
		return rank{2, 0}
	case x.unknown[s.first]:
		return rank{3, -s.trunk.steps}
	}
	return rank{2, -s.trunk.steps}
}

// choose returns the path that waits and is to be followed next: the oldest of those that come
// first.
func (x *explorer) choose() int {
	best := 0
	first := x.rank(x.waiting[0])
	for i, s := range x.waiting {
		if r := x.rank(s); r.compare(first) < 0 {
			best, first = i, r
		}
	}
	return best
}

// distances returns from which instructions control can come to outcomes that no path has
// taken, and past how many branches at least.
func (x *explorer) distances() map[int]int {
	if x.near != nil && x.nearTo == len(x.covered) {
		return x.near
	}
	instrs := x.launch.Kernel().Instrs
	before, isBranch := make([][]int, len(instrs)+1), make([]bool, len(instrs))
	var level []int // instructions at one distance
	for pc := range instrs {
		outcomes := outcomesOf(pc, &instrs[pc])
		isBranch[pc] = len(outcomes) > 1
		for _, to := range follows(pc, &instrs[pc]) {
			before[to] = append(before[to], pc)
		}
		if slices.ContainsFunc(outcomes, func(s BranchOutcome) bool { return x.outcomes[s] && !x.covered[s] }) {
			level = append(level, pc)
		}
	}
	x.near, x.nearTo = make(map[int]int), len(x.covered)
	for distance := 0; len(level) > 0; distance++ {
		var further []int
		for len(level) > 0 {
			pc := level[len(level)-1]
			level = level[:len(level)-1]
			if _, known := x.near[pc]; known {
				continue
			}
			x.near[pc] = distance
			for _, from := range before[pc] {
				if isBranch[from] {
					further = append(further, from)
				} else {
					level = append(level, from)
				}
			}
		}
		level = further
	}
	return x.near
}

// follows returns where control goes on behind an instruction.
func follows(pc int, in *isa.Instr) []int {
	exits := in.Op.Info().Effect&isa.Exits != 0
	var all []int
	switch {
	case in.Op == isa.Bra:
		all = []int{in.Target}
	case in.Op == isa.BrxIdx:
		all = slices.Clone(in.Targets)
	case !exits:
		return []int{pc + 1}
	}
	if in.Guard.Set {
		all = append(all, pc+1)
	}
	return all
}

// solve asks whether a path that waits is feasible, and for a model.
func (s *state) solve(ctx context.Context) (smt.Answer, *smt.Model, error) {
	all := s.conditions()
	last := len(all) - 1
	if all[last].IsFloat() {
		if m := s.guess(all); m != nil {
			return smt.Sat, m, nil
		}
	}
	answer, model, err := s.x.Solver.Extend(ctx, all[:last], s.model, all[last])
	if err == nil && answer == smt.Unknown {
		if m := s.raise(all); m != nil {
			return smt.Sat, m, nil
		}
	}
	return answer, model, err
}

// raise looks for a model in which what the last condition takes to be a constant is that constant,
// if it grows with the elements that it depends on, as their sum does: solvers of bits give up on
// sums of many. From their least numbers on elements are raised, one after the other, as far as it
// takes. It returns nil if that does not satisfy all conditions.
func (s *state) raise(all []*smt.Term) *smt.Model {
	last := all[len(all)-1]
	if last.Op() != smt.Eq || last.Args()[0].Sort() == smt.Bool {
		return nil
	}
	sum := last.Args()[0]
	target, isConst := last.Args()[1].Const()
	if !isConst {
		sum = last.Args()[1]
		if target, isConst = last.Args()[0].Const(); !isConst {
			return nil
		}
	}
	const maximum = 1 << 62 // of all that elements can be raised
	elements, steps := s.elements(last), uint64(0)
	for _, p := range elements {
		if steps += p.element.span(); p.element.Float || p.element.span() > maximum || steps > maximum {
			return nil
		}
	}
	raised := func(by uint64) *smt.Model {
		m := s.model.Clone()
		for _, p := range elements {
			here := min(by, p.element.span())
			p.set(m, p.element.Low+here)
			by -= here
		}
		return m
	}
	minimum := smt.NewEvaluator(raised(0)).Eval(sum)
	above := func(x uint64) uint64 { return (x - minimum) << (64 - sum.Width()) }
	by := sort.Search(int(steps), func(by int) bool {
		return above(smt.NewEvaluator(raised(uint64(by))).Eval(sum)) >= above(target)
	})
	if m := raised(uint64(by)); smt.NewEvaluator(m).Holds(all) {
		return m
	}
	return nil
}

// guess tries models that differ from that of the path from which one leaves in the elements that
// the last condition depends on: all of them, one of them, and each by chance, least, greatest,
// zero or one. Solvers of floating point need long for what most of these decide. It returns nil if
// none satisfies all conditions.
func (s *state) guess(all []*smt.Term) *smt.Model {
	const maximum, draws = 64, 32 // elements of which one alone is changed; how often each is sampled
	last := all[len(all)-1]
	elements := s.elements(last)
	values := []func(Element) uint64{
		func(e Element) uint64 { return e.Low }, func(e Element) uint64 { return e.High }, Element.some, Element.one,
	}
	try := func(elements []place, value func() int) *smt.Model {
		m := s.model.Clone()
		for _, p := range elements {
			bits := values[value()](p.element)
			if !p.element.holds(bits) {
				bits = p.element.Low
			}
			p.set(m, bits)
		}
		if e := smt.NewEvaluator(m); e.Eval(last) == 1 && e.Holds(all) {
			return m
		}
		return nil
	}
	parts := [][]place{elements}
	for i := range elements[:min(len(elements), maximum)] {
		parts = append(parts, elements[i:i+1])
	}
	for _, part := range parts {
		for i := range values {
			if m := try(part, func() int { return i }); m != nil {
				return m
			}
		}
	}
	r := rand.New(rand.NewPCG(uint64(last.ID()), draws))
	for range draws {
		if m := try(elements, func() int { return r.IntN(len(values)) }); m != nil {
			return m
		}
	}
	return nil
}

// place is a symbolic element at a known offset.
type place struct {
	array   string
	at      uint64
	element Element
}

// set gives an element bits in a model.
func (p place) set(m *smt.Model, bits uint64) {
	for i := range p.element.Bytes {
		m.SetCell(p.array, p.at+uint64(i), bits>>(8*i)&0xff)
	}
}

// elements returns the elements with a range that a condition depends on. Where it depends on an
// array at offsets that are not known, they are those that were read of it for the model.
func (s *state) elements(c *smt.Term) []place {
	var all []place
	add := func(array string, index uint64) {
		r := slices.IndexFunc(s.x.regions, func(r region) bool { return r.name == array })
		for _, symbolic := range s.x.regions[r].symbolic {
			e := symbolic.Element
			if at := index - uint64(symbolic.Offset); at < uint64(symbolic.Bytes) && e != (Element{}) {
				if p := (place{array, index - at%uint64(e.Bytes), e}); !slices.Contains(all, p) {
					all = append(all, p)
				}
			}
		}
	}
	cells, arrays := s.x.Solver.Cells(c)
	for _, cell := range cells {
		add(cell.Array, cell.Index)
	}
	if len(arrays) > 0 {
		e := smt.NewEvaluator(s.model)
		for _, read := range s.reads.list() {
			if slices.Contains(arrays, read.Array) {
				add(read.Array, e.Eval(read.Offset))
			}
		}
	}
	return all
}
