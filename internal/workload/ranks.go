package workload

import (
	"context"
	"errors"
	"fmt"
	"time"

	"warpbound/internal/flow/ranking"
	"warpbound/internal/flow/value"
	"warpbound/internal/smt"
	"warpbound/internal/smt/process"
)

// Ranks are bounds of loops that a solver of bit-vector formulas proves.
type Ranks struct {
	Solver, Version string               // empty if there is none, or if nobody had to be asked
	Of              map[int]ranking.Rank // by header
	Err             error                // why loops may have no bound that could have one: the solver failed, for example
}

// The solvers that may be asked for bounds of loops, in the order in which SolverAuto looks for them.
const (
	SolverAuto = "auto" // the first that is installed, if any
	SolverNone = "none"
)

// Solvers returns what may be said of the solver that is asked for bounds of loops.
func Solvers() []string {
	return []string{SolverAuto, SolverNone, smt.ThoroughZ3().Name, smt.ThoroughCVC5().Name}
}

// patience is the time after which a solver hangs: its work is limited otherwise, so that answers do not depend on the computer.
const patience = time.Minute

// RanksOf returns bounds of the loops of a kernel that have none by their counters, or one that is of no use, and that are wanted. Those for a part of the
// inputs are those for all of them. The error is that of ctx.
func RanksOf(ctx context.Context, k *Kernel, wanted func(header int) bool) (*Ranks, error) {
	if k.whole != nil && k.whole.Graph == k.Graph {
		k = k.whole
	}
	f := factsOf(k, false)
	if f.ranks == nil {
		values, err := f.analyzeValues(ctx)
		if err != nil {
			return nil, err
		}
		found := ranks(ctx, k.Bound.Job.Solver, values, wanted)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f.ranks = found
	}
	return f.ranks, nil
}

func ranks(ctx context.Context, solver string, v *value.Result, wanted func(header int) bool) *Ranks {
	out := &Ranks{Of: make(map[int]ranking.Rank)}
	if solver == "" || solver == SolverNone {
		return out
	}
	var open []int
	for i, b := range v.Loops() {
		if (!b.Known || b.Range != "") && wanted(b.Header) {
			open = append(open, i)
		}
	}
	if open == nil {
		return out
	}
	for _, c := range []smt.Command{smt.ThoroughZ3(), smt.ThoroughCVC5()} {
		if solver != SolverAuto && solver != c.Name {
			continue
		}
		err := out.ask(ctx, c, v, open)
		if solver == SolverAuto && errors.Is(err, smt.ErrNotInstalled) {
			continue
		}
		out.Err = err
		break
	}
	return out
}

// ask asks a solver about loops.
func (r *Ranks) ask(ctx context.Context, c smt.Command, v *value.Result, loops []int) error {
	s, err := smt.New(smt.Config{Launcher: process.Launcher{}, Bits: c, Floats: c, Limit: patience})
	if err != nil {
		return err
	}
	defer s.Close()
	version, err := s.Version()
	if err != nil {
		return err
	}
	r.Solver, r.Version = c.Name, version
	builder := smt.NewBuilder()
	if err := honest(ctx, s, builder); err != nil {
		return err
	}
	for _, i := range loops {
		found, err := ranking.Find(ctx, builder, v, i, hasty{s})
		if err != nil {
			return err
		}
		if found != nil {
			r.Of[v.Graph.Loops().Loops[i].Header] = *found
		}
	}
	return nil
}

// honest is an error if a solver refutes a formula that holds for some numbers. Bounds rest on what it refutes, and one that
// refutes everything proves any.
func honest(ctx context.Context, s *smt.Solver, b *smt.Builder) error {
	x := b.Var("honest", smt.Bits(32))
	answer, _, err := s.Check(ctx, []*smt.Term{b.Ult(b.Number(32, 1), b.Mul(x, x))})
	if err == nil && answer == smt.Unsat {
		err = errors.New("the solver refutes a formula that holds")
	}
	return err
}

// hasty is a solver that fails where one has hung.
type hasty struct{ *smt.Solver }

// Check implements ranking.Solver.
func (h hasty) Check(ctx context.Context, assertions []*smt.Term) (smt.Answer, *smt.Model, error) {
	began := time.Now()
	answer, model, err := h.Solver.Check(ctx, assertions)
	if err == nil && answer == smt.Unknown && time.Since(began) >= patience {
		err = fmt.Errorf("the solver took longer than %v for one question and was stopped", patience)
	}
	return answer, model, err
}
