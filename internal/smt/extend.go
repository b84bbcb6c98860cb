package smt

import (
	"context"
	"maps"
)

// Extend tells whether assertions hold together with one more, as Check does, if a model is known
// for which they hold without it. It asks only about those that share inputs with the new one or
// with others that do; other inputs keep the values of the model. The model that it returns
// is a new one.
func (s *Solver) Extend(ctx context.Context, assertions []*Term, model *Model, more *Term) (Answer, *Model, error) {
	related := s.related(assertions, more)
	answer, found, err := s.Check(ctx, related)
	if answer != Sat {
		return answer, nil, err
	}
	extended := model.Clone()
	for _, a := range related {
		extended.adopt(found, s.inputsOf(a))
	}
	return Sat, extended, nil
}

// Refutes reports whether one more assertion is seen to contradict assertions that hold together for
// some values. Only those are asked about that share inputs with it or with others that do.
func (s *Solver) Refutes(ctx context.Context, assertions []*Term, more *Term) (bool, error) {
	answer, _, err := s.Check(ctx, s.related(assertions, more))
	return answer == Unsat, err
}

// related returns one assertion behind all others that it depends on.
func (s *Solver) related(assertions []*Term, more *Term) []*Term {
	whole := make(map[*Term]bool)
	for _, a := range append(assertions[:len(assertions):len(assertions)], more) {
		for _, i := range s.inputsOf(a) {
			if i.variable.sort.Kind == ArrayKind && !i.element {
				whole[i.variable] = true
			}
		}
	}
	shared := func(i input) input {
		if whole[i.variable] {
			return input{variable: i.variable}
		}
		return i
	}
	users := make(map[input][]int)
	for a, assertion := range assertions {
		for _, i := range s.inputsOf(assertion) {
			users[shared(i)] = append(users[shared(i)], a)
		}
	}
	taken := make([]bool, len(assertions))
	queue := []*Term{more}
	for len(queue) > 0 {
		last := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, i := range s.inputsOf(last) {
			for _, a := range users[shared(i)] {
				if !taken[a] {
					taken[a] = true
					queue = append(queue, assertions[a])
				}
			}
			delete(users, shared(i))
		}
	}
	var related []*Term
	for a, assertion := range assertions {
		if taken[a] {
			related = append(related, assertion)
		}
	}
	return append(related, more)
}

// Clone returns a copy.
func (m *Model) Clone() *Model {
	c := &Model{Numbers: maps.Clone(m.Numbers), Cells: make(map[string]map[uint64]uint64, len(m.Cells))}
	for name, cells := range m.Cells {
		c.Cells[name] = maps.Clone(cells)
	}
	return c
}
