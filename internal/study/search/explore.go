package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"warpbound/estimate"
	"warpbound/internal/adversary"
	"warpbound/internal/job"
	method "warpbound/internal/method/search"
	"warpbound/internal/smt"
	"warpbound/internal/smt/process"
	"warpbound/internal/symexec"
)

// ExploreOptions say how a kernel is executed symbolically.
type ExploreOptions struct {
	Threads     int    `json:"threads"`      // that are executed together at the most
	Solver      string `json:"solver"`       // z3, cvc5, or a command with arguments that reads SMT-LIB 2
	FloatSolver string `json:"float_solver"` // the same for formulas with floating point
}

// DefaultExploreOptions returns the options of which most is known.
func DefaultExploreOptions() ExploreOptions {
	return ExploreOptions{Threads: 2, Solver: smt.Z3().Name, FloatSolver: smt.CVC5().Name}
}

// solverCommand finds a solver by its name, or takes a command. Solvers that are known by name get a
// limit of their own work for each question.
func solverCommand(text string) (smt.Command, error) {
	z3, cvc5 := smt.LimitedZ3(), smt.LimitedCVC5()
	switch text {
	case z3.Name:
		return z3, nil
	case cvc5.Name:
		return cvc5, nil
	}
	argv := strings.Fields(text)
	if len(argv) == 0 {
		return smt.Command{}, fmt.Errorf("no solver is named: give %s, %s or a command", z3.Name, cvc5.Name)
	}
	return smt.Command{Name: argv[0], Argv: argv}, nil
}

// Limits of one exploration: paths, instructions of all threads on a path, and questions to the
// solver. Questions to solvers without a limit of their own are given up after some time. Others are after
// so long that it means that the solver hangs, so that what is found does not depend on the computer.
const (
	explorePaths   = 200
	exploreSteps   = 1 << 20
	exploreQueries = 300
	exploreWait    = 20 * time.Second
	exploreHangs   = time.Hour
	exploreAtMost  = 10 * time.Minute // with a solver that has no limit of its own
)

// patience returns how long a question to some solvers may take, and all of them together.
func patience(solvers ...smt.Command) (question, all time.Duration) {
	for _, c := range solvers {
		if c.Package == "" { // not known by name
			return exploreWait, exploreAtMost
		}
	}
	return exploreHangs, exploreHangs
}

// explores reports whether a strategy needs atoms.
func explores(strategy string) bool {
	return strategy == string(method.Guided) || strategy == string(method.GDivAn)
}

// exploration is a symbolic execution under way, or its result.
type exploration struct {
	cancel   context.CancelFunc
	done     chan struct{} // closed when the rest is there
	took     time.Duration
	plan     *method.Plan   // nil if it ended before there was one
	later    []*method.Plan // of launches behind the first
	explored *estimate.Exploration
	err      error
}

// end ends a symbolic execution that is under way.
func (x *exploration) end() {
	x.cancel()
	<-x.done
}

// plan begins to find atoms if a strategy needs them, unless the search that is resumed did.
func (s *searching) plan(ctx context.Context) (err error) {
	switch {
	case s.state.Plan != nil: // which was read
		s.state.Plan.Space.Settle = s.space.Settle
	case slices.ContainsFunc(s.opts.Strategies, explores):
		ctx, cancel := context.WithCancel(ctx)
		x := &exploration{cancel: cancel, done: make(chan struct{})}
		s.exploration = x
		go func() {
			defer close(x.done)
			began := time.Now()
			x.err = s.explore(ctx, x)
			x.took = time.Since(began)
		}()
		s.tell(func(*Progress) {}) // that it has begun
	default:
		s.state.Plan, err = method.NewPlan(*s.space)
	}
	return err
}

// await waits for the plan. Guided does without atoms where no solver is installed.
func (s *searching) await() error {
	if s.state.Plan != nil {
		return nil
	}
	x := s.exploration
	<-x.done
	s.state.Explore, s.state.Plan, s.state.Later, s.state.Explored = s.opts.Explore, x.plan, x.later, x.explored
	err := x.err
	if errors.Is(err, smt.ErrNotInstalled) && !slices.Contains(s.opts.Strategies, string(method.GDivAn)) {
		s.state.NoSolver = err.Error()
		s.state.Plan, err = method.NewPlan(*s.space)
	}
	if err != nil || s.opts.Save == nil || s.state.Explored == nil {
		return err
	}
	return s.opts.Save(s.state, nil)
}

// atoms returns the plans for guided, nil if a search whose time is limited would have to wait for them. Others wait, so that their result
// does not depend on the computer.
func (s *searching) atoms(context.Context) ([]*method.Plan, error) {
	if s.state.Plan == nil && s.opts.Time > 0 {
		select {
		case <-s.exploration.done:
		default:
			return nil, nil
		}
	}
	if err := s.await(); err != nil {
		return nil, err
	}
	return append([]*method.Plan{s.state.Plan}, s.state.Later...), nil
}

// explore executes threads symbolically: of the job's kernel, before instructions that split were
// inserted, and for guided of what else a run launches.
func (s *searching) explore(ctx context.Context, x *exploration) error {
	bits, err := solverCommand(s.opts.Explore.Solver)
	if err != nil {
		return err
	}
	floats, err := solverCommand(s.opts.Explore.FloatSolver)
	if err != nil {
		return err
	}
	question, all := patience(bits, floats)
	for _, limit := range []time.Duration{s.opts.ExploreLimit, s.opts.Time / 3} {
		if limit > 0 {
			all = min(all, limit)
		}
	}
	until := time.Now().Add(all)
	whole := s.Whole()
	launch, addresses, err := whole.First().Image()
	if err != nil {
		return err
	}
	known, integers := listRelations(whole.First())
	solvers := smt.Config{Launcher: process.Launcher{}, Bits: bits, Floats: floats, Limit: question}
	c := method.TrimConfig{
		Space: *s.space, Launch: launch, Buffers: symbolic(whole.Spec, addresses),
		Relations: known, Integers: integers,
		Later:      s.Several(),
		MaxThreads: s.opts.Explore.Threads, MaxPaths: explorePaths, MaxSteps: exploreSteps, MaxQueries: exploreQueries, Limit: all,
		OnExploration: func(e *method.Exploration) {
			s.tell(func(p *Progress) { p.Paths += e.Paths })
		},
	}
	found, err := trim(ctx, solvers, c)
	if found == nil {
		return err
	}
	x.plan, x.explored = found.Plan, explored(found)
	if err != nil || !s.Several() {
		return err
	}
	notes := []string{fmt.Sprintf("paths are those of %s in the first launch of a run; outcomes that no launch of it takes are infeasible", s.Kernel())}
	if exploresLater(s.Workload, s.opts.Strategies) {
		l := newLater(s, solvers, c, until)
		l.cover(0, found)
		err = l.all(ctx)
		x.later, x.explored.Stopped = l.plans, x.explored.Stopped || l.stopped
		notes = append(notes, l.notes...)
	} else {
		_, key := s.Spec.SeveralAt()
		notes[0] += fmt.Sprintf("; what else %s launches is run and not explored", key)
	}
	x.explored.Notes = append(notes, x.explored.Notes...)
	return err
}

// trim explores a launch with a solver of its own.
func trim(ctx context.Context, solvers smt.Config, c method.TrimConfig) (*method.Trimmed, error) {
	solver, err := smt.New(solvers)
	if err != nil {
		return nil, err
	}
	defer solver.Close()
	c.Solver, c.Builder = solver, smt.NewBuilder()
	return method.Trim(ctx, c)
}

// symbolic returns the job's buffers, at their addresses by parameter.
func symbolic(spec *job.Job, addresses []uint64) []symexec.Buffer {
	var buffers []symexec.Buffer
	for i, p := range spec.Params {
		if p.Kind == job.Buffer {
			buffers = append(buffers, symexec.Buffer{Name: adversary.ArrayOf(i), Address: addresses[i], Bytes: p.Bytes})
		}
	}
	return buffers
}

// explored returns what was found as the result says it.
func explored(t *method.Trimmed) *estimate.Exploration {
	e := &estimate.Exploration{
		Steps: []estimate.ExplorationStep{}, Paths: []estimate.SearchPath{}, Pairs: []estimate.SearchPair{}, Outcomes: []estimate.SearchOutcome{}, Notes: t.Notes, Stopped: t.Stopped,
	}
	for _, x := range t.Explorations {
		e.Steps = append(e.Steps, estimate.ExplorationStep(x))
	}
	for _, p := range t.Paths {
		e.Paths = append(e.Paths, estimate.SearchPath{
			Threads: p.Threads, Conditions: len(p.Formula), Instructions: p.Instructions,
			Divergence: p.Divergence, Intervals: p.Intervals, Atom: p.Atom, Tried: p.Tried, Scales: p.Scales,
		})
	}
	for _, p := range t.Pairs {
		e.Pairs = append(e.Pairs, estimate.SearchPair{
			Paths: p.Paths, Instructions: p.Instructions, Divergence: p.Divergence, Intervals: p.Intervals,
		})
	}
	verdicts := map[symexec.Verdict]string{
		symexec.Open: estimate.OutcomeUnknown, symexec.Covered: estimate.OutcomeCovered, symexec.Infeasible: estimate.OutcomeInfeasible,
	}
	for _, x := range t.Outcomes {
		e.Outcomes = append(e.Outcomes, estimate.SearchOutcome{
			Pos: x.Branch.String(), Text: x.Text, Taken: x.Taken, Target: x.Target.String(), Verdict: verdicts[x.Verdict],
		})
	}
	return e
}
