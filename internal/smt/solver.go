package smt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Answer is what is known of assertions.
type Answer uint8

// The answers.
const (
	Unknown Answer = iota // the solver gave up, or time ran out
	Sat                   // they hold together for some values
	Unsat                 // for none
)

// String returns the answer in SMT-LIB's words.
func (a Answer) String() string { return [...]string{"unknown", "sat", "unsat"}[a] }

// Config says which solvers to use.
type Config struct {
	Launcher Launcher
	Bits     Command       // for assertions without floating point
	Floats   Command       // for others
	Limit    time.Duration // of one query; a solver that takes longer is stopped, and the answer is Unknown
}

// Stats counts what a solver did.
type Stats struct {
	Queries  int           // calls of Check
	Trivial  int           // answered without looking further
	Cached   int           // answered before
	Reused   int           // answered by a model of another query
	Asked    [3]int        // solvers' answers, by Answer
	Starts   int           // of solvers
	Failures int           // of solvers, wrong models among them
	Time     time.Duration // that solvers took
}

// A Solver answers whether assertions hold together. It keeps a process for each of its
// commands, and answers that it gave. It may be used by one goroutine at a time, for the
// terms of one Builder. Close ends its processes.
type Solver struct {
	config   Config
	sessions map[bool]*session // whether for floating point
	answers  map[string]result
	inputs   map[*Term][]input // of assertions
	recent   []*Model
	stats    Stats
}

type result struct {
	answer Answer
	model  *Model
}

// New returns a solver, which starts its processes when they are needed.
func New(c Config) (*Solver, error) {
	if c.Limit < time.Millisecond {
		return nil, fmt.Errorf("a time limit of %v for solvers is too short", c.Limit)
	}
	return &Solver{config: c, sessions: make(map[bool]*session), answers: make(map[string]result), inputs: make(map[*Term][]input)}, nil
}

// Close ends the processes.
func (s *Solver) Close() {
	for which := range s.sessions {
		s.drop(which)
	}
}

// Version returns the version of the solver for assertions without floating point, in its own words.
func (s *Solver) Version() (string, error) {
	if err := s.launch(false, s.config.Bits); err != nil {
		return "", err
	}
	answer, err := s.sessions[false].ask("(get-info :version)\n")
	if err != nil || len(answer.list) != 2 {
		s.drop(false)
		return "", fmt.Errorf("the solver %s does not tell its version: it answered %v", s.config.Bits.Name, answer)
	}
	return strings.Trim(answer.list[1].atom, `"`), nil
}

// Stats returns what the solver did so far.
func (s *Solver) Stats() Stats { return s.stats }

// Check tells whether the assertions, truth values, hold together, with a model for which
// they do if the answer is Sat. Queries that begin with the same assertions as the last one are
// answered faster. The model must not be changed.
//
// The answer is Unknown too if the solver dies of the query, as some do, and then answers others. It is
// an error if the solver is not installed, does not work or answers what cannot be understood,
// or if its model does not satisfy the assertions. The next query starts another.
func (s *Solver) Check(ctx context.Context, assertions []*Term) (Answer, *Model, error) {
	s.stats.Queries++
	essential := make([]*Term, 0, len(assertions))
	seen := make(map[*Term]bool, len(assertions))
	for _, a := range assertions {
		check(a.sort == Bool, "an assertion of %v", a.sort)
		switch {
		case a.is(0):
			s.stats.Trivial++
			return Unsat, nil, nil
		case !a.is(1) && !seen[a]:
			seen[a] = true
			essential = append(essential, a)
		}
	}
	if len(essential) == 0 {
		s.stats.Trivial++
		return Sat, NewModel(), nil
	}
	r, known := s.known(essential)
	if !known {
		var err error
		if r, err = s.ask(ctx, essential); err != nil {
			return Unknown, nil, err
		}
	}
	return r.answer, r.model, nil
}

// known answers a query from what was asked before.
func (s *Solver) known(assertions []*Term) (result, bool) {
	key := cacheKey(assertions)
	if r, ok := s.answers[key]; ok {
		s.stats.Cached++
		return r, true
	}
	for _, m := range s.recent {
		if NewEvaluator(m).Holds(assertions) {
			s.stats.Reused++
			s.answers[key] = result{Sat, m}
			return s.answers[key], true
		}
	}
	return result{}, false
}

// cacheKey names a set of assertions.
func cacheKey(assertions []*Term) string {
	ids := make([]int, len(assertions))
	for i, a := range assertions {
		ids[i] = a.id
	}
	slices.Sort(ids)
	return fmt.Sprint(ids)
}

// maxRecent is how many models are tried on a query before it is asked.
const maxRecent = 8

// remember keeps an answer, unless more time may change it.
func (s *Solver) remember(assertions []*Term, r result) {
	if r.answer != Unknown {
		s.answers[cacheKey(assertions)] = r
	}
	if r.answer == Sat {
		s.recent = append([]*Model{r.model}, s.recent[:min(len(s.recent), maxRecent-1)]...)
	}
}

// maxDefined is how many terms a process may know before another takes over.
const maxDefined = 1 << 18

// ask asks a process, and checks its model.
func (s *Solver) ask(ctx context.Context, assertions []*Term) (result, error) {
	if err := ctx.Err(); err != nil {
		return result{}, err
	}
	float := slices.ContainsFunc(assertions, (*Term).IsFloat)
	command := s.config.Bits
	if float {
		command = s.config.Floats
	}
	if err := s.launch(float, command); err != nil {
		return result{}, err
	}
	began := time.Now()
	answer, model, err := s.sessions[float].check(ctx, assertions)
	s.stats.Time += time.Since(began)
	if answer == Sat && !NewEvaluator(model).Holds(assertions) {
		err = &WrongModelError{Solver: command.Name, Script: Script(assertions)}
	}
	if err != nil {
		s.drop(float)
		if ctx.Err() == nil {
			s.stats.Failures++
		}
		if !errors.Is(err, errDied) || !s.works(ctx, float, command) {
			return result{}, err
		}
		answer = Unknown // it dies of this query
	}
	// It may have been stopped just after the answer, or have grown too large.
	if started := s.sessions[float]; started != nil && (started.stopped.Load() || ctx.Err() != nil || len(started.writer.defined) > maxDefined) {
		s.drop(float)
	}
	s.stats.Asked[answer]++
	r := result{answer, model}
	s.remember(assertions, r)
	return r, nil
}

// launch starts a process if there is none.
func (s *Solver) launch(float bool, command Command) error {
	if s.sessions[float] != nil {
		return nil
	}
	started, err := start(s.config.Launcher, command, s.config.Limit)
	if err != nil {
		return err
	}
	s.sessions[float] = started
	s.stats.Starts++
	return nil
}

// works reports whether a new process answers, if asked about no assertions.
func (s *Solver) works(ctx context.Context, float bool, command Command) bool {
	if s.launch(float, command) != nil {
		return false
	}
	answer, _, err := s.sessions[float].check(ctx, nil)
	if err != nil || answer != Sat {
		s.drop(float)
		return false
	}
	return true
}

// drop ends a process.
func (s *Solver) drop(float bool) {
	if started := s.sessions[float]; started != nil {
		started.proc.Stop()
		delete(s.sessions, float)
	}
}

// WrongModelError says that a solver's model does not satisfy what it was asked.
type WrongModelError struct {
	Solver string
	Script string // the query in SMT-LIB 2
}

func (e *WrongModelError) Error() string {
	return fmt.Sprintf("the model of the solver %s does not satisfy the assertions", e.Solver)
}
