// Package constraint finds least solutions of systems of constraints over join-semilattices, which
// are least fixed points, with a worklist (Kildall, "A unified approach to global program
// optimization", POPL 1973; in the form of Nielson, Nielson and Hankin, Principles of Program
// Analysis, 1999, Section 6.1).
//
// Variables hold facts, which are elements of semilattices. A constraint says that the facts of
// some variables are at least what a monotone function makes of those of others. The analysis keeps
// the facts, in whatever form, and they only grow.
//
// constraint imports nothing of this project and knows no programs.
package constraint

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Unbounded is the height of a system of which it is not known. An error in its functions can make
// that Solve or Iterate do not return.
const Unbounded = math.MaxInt

// System is a system of constraints, which are numbered, as variables are, from 0 on.
type System struct {
	// Variables is the number of variables.
	Variables int
	// Order lists the constraints that count, each once. The fewest updates are needed if each
	// stands behind those that define what it uses, as far as there is no cycle: in reverse
	// post-order where facts flow along the edges of a graph, in post-order where they flow against
	// them.
	Order []int
	// Uses calls visit for the variables on whose facts it depends what a constraint says.
	Uses func(constraint int, visit func(variable int))
	// Defines calls visit for the variables whose facts a constraint has made grow, and maybe for
	// more. It is called after Update. If it is nil, a constraint defines the variable of its
	// number.
	Defines func(constraint int, visit func(variable int))
	// Update joins what follows from a constraint to the facts of the variables that it defines. It
	// reports whether one has grown.
	Update func(constraint int) bool
	// Height is how often an update can report that at most, since a fact grows: the height of the
	// product of the semilattices of all variables, or Unbounded.
	Height int

	// Trace, unless nil, is told of each update by which a fact has grown. Describe then returns
	// the name of a constraint and the facts of the variables that it defines. It may be nil
	// without Trace.
	Trace    Trace
	Describe func(constraint int) (name, fact string)
}

// Ascending returns the numbers from 0 to n-1.
func Ascending(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// Descending returns the numbers from n-1 down to 0.
func Descending(n int) []int {
	order := Ascending(n)
	slices.Reverse(order)
	return order
}

// Trace is told of steps, one after the other.
type Trace func(Step)

// Step is an update by which a fact has grown.
type Step struct {
	Iteration     int    // the pass over the constraints, from 1 on
	Name          string // of the constraint
	Before, After string // the facts
}

// String renders a step in a line.
func (s Step) String() string {
	return fmt.Sprintf("%3d  %s  %s -> %s", s.Iteration, s.Name, s.Before, s.After)
}

// Solve is SolveWithin without end.
func (s *System) Solve() { _ = s.SolveWithin(context.Background()) }

// SolveWithin makes the facts grow until they satisfy all constraints, and no more than that takes:
// if they are the least facts before, they are the least solution then. If ctx ends, the error is
// that of ctx, and the facts are no solution.
//
// It passes over the constraints in their order again and again. It leaves out those that use no
// fact which has grown since their last update, so that the facts grow in the same order as without
// a worklist. In the end it updates all once more.
//
// It panics if a fact grows then, since Uses has not told of all variables, or more often than
// Height allows. These are internal errors.
func (s *System) SolveWithin(ctx context.Context) error {
	w := newWorklist(s)
	wake, grown := w.wake, 0
	for pass := 1; w.waiting.next(0) >= 0; pass++ {
		for at := w.waiting.next(0); at >= 0; at = w.waiting.next(at + 1) {
			if err := ctx.Err(); err != nil {
				return err
			}
			w.waiting.remove(at)
			c := s.Order[at]
			if !s.update(pass, c) {
				continue
			}
			if grown++; grown > s.Height {
				panic(fmt.Sprintf("internal error: facts grow more than %d times", s.Height))
			}
			if s.Defines == nil {
				wake(c)
			} else {
				s.Defines(c, wake)
			}
		}
	}
	for _, c := range s.Order {
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.Update(c) {
			panic(fmt.Sprintf("internal error: constraint %d does not hold of the solution", c))
		}
	}
	return nil
}

// update updates a constraint and tells Trace.
func (s *System) update(pass, c int) bool {
	if s.Trace == nil {
		return s.Update(c)
	}
	name, before := s.Describe(c)
	if !s.Update(c) {
		return false
	}
	_, after := s.Describe(c)
	s.Trace(Step{pass, name, before, after})
	return true
}

// Iterate calls apply, with how often it has done so before, until that reports that no fact has
// grown. It is for functions whose parts do not tell what they use, or do not only depend on facts
// (Kleene iteration). It panics if apply reports growth more than height times, which is an
// internal error.
func Iterate(height int, apply func(pass int) (grown bool)) {
	for pass := 0; apply(pass); pass++ {
		if pass == height {
			panic(fmt.Sprintf("internal error: facts grow more than %d times", height))
		}
	}
}
