package search

import (
	"context"
	"fmt"

	method "warpbound/internal/method/search"
	"warpbound/internal/method/search/genetic"
	"warpbound/internal/method/search/guided"
)

// guided searches by the strategy of this name.
func (s *searching) guided(ctx context.Context) (*method.Result, error) {
	settings, first := s.opts.Settings, s.First().Bound.Job // a job of several launches need not have a size of its own
	threads := 1
	for i, n := range first.Grid {
		threads *= n * first.Block[i]
	}
	base, err := method.NewPlan(*s.space)
	if err != nil {
		return nil, err
	}
	state, err := guided.Run(ctx, guided.Config{
		Plan: base, Atoms: s.atoms, Threads: threads, Fitness: s.fitness, Enough: s.enough, Resume: s.state.Guided,
		Settings: guided.Settings{
			Seed: settings.Seed, Runs: settings.Runs, Patience: settings.Patience * settings.Population, Tolerance: settings.Tolerance,
			Without: s.opts.Without,
		},
		OnGeneration: func(state *guided.State) error {
			s.state.Guided = state
			return s.reached(guidedStage(state))
		},
	})
	switch {
	case err != nil:
		return nil, err
	case state.Best == nil && state.Runs == 0:
		return nil, fmt.Errorf("no input was run: %w", context.Cause(ctx))
	case state.Best == nil:
		return nil, fmt.Errorf("none of %d runs succeeded, the first with: %s", state.Runs, state.FirstFault)
	}
	return &method.Result{
		Strategy: method.Guided, Best: state.Best.Inputs, Outcome: state.Best.Outcome,
		Stop: state.Stop, Runs: state.Runs, Faults: state.Faults, Fault: state.FirstFault, History: state.History,
	}, nil
}

// genetic searches by a strategy of the paper.
func (s *searching) genetic(ctx context.Context, strategy string) (*method.Result, error) {
	return method.Run(ctx, method.Config{
		Plan: s.state.Plan, Strategy: method.Strategy(strategy), Settings: s.opts.Settings, Fitness: s.fitness, Enough: s.enough,
		Resume: s.state.of(strategy),
		OnGeneration: func(state *method.State) error {
			s.state.put(state)
			return s.reached(s.geneticStage(state))
		},
	})
}

// stage is a search after a generation.
type stage struct {
	generation, runs int
	outcome          method.Outcome       // with the longest time; zero if no run has succeeded
	best             func() method.Inputs // of it
}

// note notes in the progress how far it is.
func (at stage) note(p *Progress) {
	p.Generation, p.Runs, p.Best = at.generation, at.runs, at.outcome.Cycles
}

func guidedStage(state *guided.State) stage {
	at := stage{generation: state.Generation, runs: state.Runs}
	if m := state.Best; m != nil {
		at.outcome, at.best = m.Outcome, func() method.Inputs { return m.Inputs }
	}
	return at
}

func (s *searching) geneticStage(state *method.State) stage {
	at := stage{generation: state.Genetic.Generation, runs: state.Genetic.Runs}
	if m := state.Genetic.Best; m != nil {
		at.outcome, at.best = m.Outcome, func() method.Inputs { return s.decode(state.Strategy, m.Individual) }
	}
	return at
}

// resumed returns where the search by a strategy goes on; false if it begins.
func (s *searching) resumed(strategy string) (stage, bool) {
	if strategy == string(method.Guided) {
		if s.state.Guided == nil {
			return stage{}, false
		}
		return guidedStage(s.state.Guided), true
	}
	state := s.state.of(strategy)
	if state == nil {
		return stage{}, false
	}
	return s.geneticStage(state), true
}

// decode returns the inputs of an individual.
func (s *searching) decode(strategy method.Strategy, ind genetic.Individual) method.Inputs {
	plan := *s.state.Plan
	if strategy != method.GDivAn {
		plan.Atoms = nil
	}
	return plan.Decode(ind)
}
