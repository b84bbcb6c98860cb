package contract

import (
	"errors"
	"math"
	"slices"
)

// Problem is numbers of which relations hold.
type Problem struct {
	Sets      []Set // what each number can be by itself
	Relations []Relation
}

// The errors of a problem.
var (
	ErrNone = errors.New("no numbers satisfy it")
	ErrHard = errors.New("no numbers were found that satisfy it")
)

// Exceeds reports whether something that a relation computes may be beyond 2^60.
func (p *Problem) Exceeds(r *Relation) bool {
	_, _, okL := p.reach(r.L)
	_, _, okR := p.reach(r.R)
	return !okL || !okR
}

// reach returns the range of an expression; false if it, or a part of it, exceeds the limit.
func (p *Problem) reach(e *Expr) (low, high float64, ok bool) {
	switch e.Op {
	case Number:
		low, high = float64(e.Value), float64(e.Value)
	case Name:
		low, high = float64(p.Sets[e.Var].Low), float64(p.Sets[e.Var].High)
	default:
		a, b, okL := p.reach(e.L)
		c, d, okR := p.reach(e.R)
		if !okL || !okR {
			return 0, 0, false
		}
		switch e.Op {
		case Add:
			low, high = a+c, b+d
		case Sub:
			low, high = a-d, b-c
		case Mul:
			low, high = min(a*c, a*d, b*c, b*d), max(a*c, a*d, b*c, b*d)
		default: // no larger than the dividend
			low, high = min(a, 0), max(b, 0)
		}
	}
	return low, high, max(math.Abs(low), math.Abs(high)) <= limit
}

// maxRounds limits how often sets are narrowed by all relations.
const maxRounds = 64

// Narrow returns sets that hold all numbers which satisfy the relations, as close as ranges and
// remainders of each expression tell; false if there are none.
func (p *Problem) Narrow() ([]Set, bool) {
	n := &narrowing{sets: slices.Clone(p.Sets)}
	ok := n.all(p.Relations)
	return n.sets, ok
}

// narrowing is forward and backward propagation over the trees of relations (Benhamou and others, "Revising hull and box
// consistency", ICLP 1999), with remainders beside the ranges.
type narrowing struct {
	sets    []Set
	changed bool
}

func (n *narrowing) all(relations []Relation) bool {
	for range maxRounds {
		n.changed = false
		for i := range relations {
			if !n.relation(&relations[i]) {
				return false
			}
		}
		if !n.changed {
			break
		}
	}
	return true
}

// relation narrows by one relation; false if it cannot hold.
func (n *narrowing) relation(r *Relation) bool {
	strict := int64(0)
	switch r.Cmp {
	case Lt:
		strict = 1
		fallthrough
	case Le:
		return n.atMost(r.L, r.R, strict)
	case Gt:
		strict = 1
		fallthrough
	case Ge:
		return n.atMost(r.R, r.L, strict)
	case Eq:
		return n.narrow(r.L, n.eval(r.R)) && n.narrow(r.R, n.eval(r.L))
	}
	return n.differ(r.L, r.R) && n.differ(r.R, r.L)
}

// atMost narrows where a + strict is at most b.
func (n *narrowing) atMost(a, b *Expr, strict int64) bool {
	s, ok := between(-bound, n.eval(b).High-strict)
	if !ok || !n.narrow(a, s) {
		return false
	}
	s, ok = between(n.eval(a).Low+strict, bound)
	return ok && n.narrow(b, s)
}

// differ narrows an expression that is not equal to another one.
func (n *narrowing) differ(a, b *Expr) bool {
	other, s := n.eval(b), n.eval(a)
	if other.Step != 0 {
		return true
	}
	switch {
	case s.Step == 0:
		return s.Low != other.Low
	case s.Low == other.Low:
		s.Low += s.Step
	case s.High == other.Low:
		s.High -= s.Step
	default:
		return true
	}
	if s.Low == s.High {
		s = Only(s.Low)
	}
	return n.narrow(a, s)
}

// eval returns what an expression can be.
func (n *narrowing) eval(e *Expr) Set {
	switch e.Op {
	case Number:
		return Only(e.Value)
	case Name:
		return n.sets[e.Var]
	}
	a, b := n.eval(e.L), n.eval(e.R)
	switch e.Op {
	case Add:
		return a.plus(b)
	case Sub:
		return a.minus(b)
	case Mul:
		return a.times(b)
	case Div:
		return a.over(b.Low)
	}
	return a.rem(b.Low)
}

// narrow narrows the numbers in an expression that is in a set; false if it cannot be.
func (n *narrowing) narrow(e *Expr, to Set) bool {
	to, ok := n.eval(e).intersect(to)
	if !ok {
		return false
	}
	switch e.Op {
	case Number:
		return true
	case Name:
		n.changed = n.changed || n.sets[e.Var] != to
		n.sets[e.Var] = to
		return true
	case Add:
		return n.narrow(e.L, to.minus(n.eval(e.R))) && n.narrow(e.R, to.minus(n.eval(e.L)))
	case Sub:
		return n.narrow(e.L, to.plus(n.eval(e.R))) && n.narrow(e.R, n.eval(e.L).minus(to))
	case Mul:
		return n.factor(e.L, n.eval(e.R), to) && n.factor(e.R, n.eval(e.L), to)
	case Div:
		return n.dividend(e.L, n.eval(e.R).Low, to)
	}
	return n.remainder(e.L, n.eval(e.R).Low, to)
}

// factor narrows an expression whose product with another one is in a set.
func (n *narrowing) factor(e *Expr, other, to Set) bool {
	switch {
	case other.Step == 0 && other.Low == 0:
		return true
	case other.Step == 0:
		s, ok := to.dividing(other.Low)
		return ok && n.narrow(e, s)
	case other.Low < 0 || to.Low < 0 || other.Low+to.Low == 0:
		return true
	}
	high := int64(bound)
	if other.Low > 0 {
		high = floor(to.High, other.Low)
	}
	s, ok := between(ceil(to.Low, other.High), high)
	return ok && n.narrow(e, s)
}

// dividend narrows an expression whose quotient by a number is in a set.
func (n *narrowing) dividend(e *Expr, by int64, to Set) bool {
	low, high := to.Low*by, to.High*by
	if to.Low <= 0 {
		low -= by - 1
	}
	if to.High >= 0 {
		high += by - 1
	}
	s, ok := between(low, high)
	return ok && n.narrow(e, s)
}

// remainder narrows an expression whose remainder modulo a number is in a set.
func (n *narrowing) remainder(e *Expr, by int64, to Set) bool {
	s := n.eval(e)
	if to.Step == 0 {
		low, high := s.Low, s.High
		switch {
		case to.Low > 0:
			low = max(low, to.Low)
		case to.Low < 0:
			high = min(high, to.Low)
		}
		if by == 1 || low > high {
			return low <= high
		}
		s, ok := strided(low, high, to.Low, by)
		return ok && n.narrow(e, s)
	}
	if s.Low > -by && s.High < by {
		return n.narrow(e, to)
	}
	return true
}

// maxTries limits the sets that one search for numbers narrows.
const maxTries = 1 << 12

// Solve returns numbers that satisfy the relations. choose picks one of a set for a number; when no others go with it, it is
// asked again, with the number of times as try. The numbers are chosen one after the other, each of those
// that go with the ones before as far as Narrow tells. The error is ErrNone or ErrHard.
func (p *Problem) Solve(choose func(v int, s Set, try int) int64) ([]int64, error) {
	sets, ok := p.Narrow()
	if !ok {
		return nil, ErrNone
	}
	s := &search{Problem: p, choose: choose}
	return s.from(sets)
}

type search struct {
	*Problem
	choose func(v int, s Set, try int) int64
	tries  int
}

// randomTries is how often a number is chosen before the ends of its set are tried.
const randomTries = 4

// maxListed is the largest set of which all numbers are tried.
const maxListed = 64

// from finds numbers in sets that have been narrowed.
func (s *search) from(sets []Set) ([]int64, error) {
	v := slices.IndexFunc(sets, func(set Set) bool { return set.Step != 0 })
	if v < 0 {
		numbers := make([]int64, len(sets))
		for i := range sets {
			numbers[i] = sets[i].Low
		}
		for i := range s.Relations {
			if !s.Relations[i].Holds(numbers) {
				return nil, ErrNone
			}
		}
		return numbers, nil
	}
	failed := ErrNone
	for _, x := range s.candidates(v, sets[v]) {
		if s.tries++; s.tries > maxTries {
			return nil, ErrHard
		}
		next := &narrowing{sets: slices.Clone(sets)}
		next.sets[v] = Only(x)
		if !next.all(s.Relations) {
			continue
		}
		numbers, err := s.from(next.sets)
		if err == nil {
			return numbers, nil
		}
		failed = err
	}
	if sets[v].Count() > maxListed {
		failed = ErrHard
	}
	return nil, failed
}

// candidates returns the numbers of a set to try, in turn.
func (s *search) candidates(v int, set Set) func(yield func(int, int64) bool) {
	return func(yield func(int, int64) bool) {
		i := 0
		next := func(x int64) bool { i++; return yield(i, x) }
		for try := range randomTries {
			if !next(s.choose(v, set, try)) {
				return
			}
		}
		if !next(set.Low) || !next(set.High) || set.Count() > maxListed {
			return
		}
		for k := range set.Count() {
			if !next(set.Nth(k)) {
				return
			}
		}
	}
}
