package smt

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"warpbound/diag"
)

// Process is a solver that runs.
type Process interface {
	// Read reads what the solver answers, Write sends it commands.
	io.ReadWriter
	// Stop ends the process, so that reading from it ends too, and waits for its end. It
	// may be called at any time, and again.
	Stop()
	// Complaints returns the last of what the process wrote as errors. It is called after Stop.
	Complaints() string
}

// Launcher starts solvers.
type Launcher interface {
	// Launch starts a program by its name and arguments. The error is ErrNotInstalled if there
	// is none of the name.
	Launch(argv []string) (Process, error)
}

// ErrNotInstalled says that there is no program of a name.
var ErrNotInstalled = errors.New("not installed")

// Command is a solver as a program that reads SMT-LIB 2.6 from its input.
type Command struct {
	Name    string   // for messages
	Package string   // of Debian that has it, for messages; empty if unknown
	Argv    []string // program and arguments
	Check   string   // commands that ask whether assertions hold together; empty for (check-sat)
}

// Z3 is the solver z3.
func Z3() Command {
	return Command{Name: "z3", Package: "z3", Argv: []string{"z3", "-in", "-smt2"}}
}

// CVC5 is the solver cvc5.
func CVC5() Command {
	return Command{Name: "cvc5", Package: "cvc5", Argv: []string{"cvc5", "--incremental", "--lang=smt2", "--fp-exp"}}
}

// Limits of a query in what the solvers count of their work: some tenths of a second.
const (
	z3Limit   = 500_000
	cvc5Limit = 20_000
)

// thorough is how many times as much work a question may take of which few are asked.
const thorough = 10

// LimitedZ3 is z3 with a limit of the work for each query. In contrast to one of time it makes answers
// the same on every computer.
func LimitedZ3() Command { return limitedZ3(z3Limit) }

// ThoroughZ3 is LimitedZ3 with a greater limit, for few queries.
func ThoroughZ3() Command { return limitedZ3(thorough * z3Limit) }

func limitedZ3(limit int) Command {
	c := Z3()
	c.Check = fmt.Sprintf("(set-option :rlimit %d)\n(check-sat)\n(set-option :rlimit 0)\n", limit)
	return c
}

// LimitedCVC5 is cvc5 with such a limit.
func LimitedCVC5() Command { return limitedCVC5(cvc5Limit) }

// ThoroughCVC5 is LimitedCVC5 with a greater limit, for few queries.
func ThoroughCVC5() Command { return limitedCVC5(thorough * cvc5Limit) }

func limitedCVC5(limit int) Command {
	c := CVC5()
	c.Argv = append(c.Argv, fmt.Sprintf("--rlimit-per=%d", limit))
	return c
}

// session is one run of a solver. The solver's stack has one level for each assertion, so
// that queries share those with which they begin.
type session struct {
	name    string
	asks    string // commands that ask
	proc    Process
	in      sexprReader
	writer  *writer
	stack   []*Term
	fixed   map[*Term]int // terms whose bits conditions fix, and the level that has these
	limit   time.Duration // of one query
	stopped atomic.Bool   // for taking too long
}

// start starts a solver with a time limit for each query.
func start(l Launcher, c Command, limit time.Duration) (*session, error) {
	proc, err := l.Launch(c.Argv)
	switch {
	case errors.Is(err, ErrNotInstalled) && c.Package != "":
		return nil, &diag.MissingSolverError{Solver: c.Name, Err: fmt.Errorf("the solver %s is %w: please install the Debian package %s, or choose another solver", c.Name, ErrNotInstalled, c.Package)}
	case errors.Is(err, ErrNotInstalled):
		return nil, &diag.MissingSolverError{Solver: c.Name, Err: fmt.Errorf("start the solver %s: %w", c.Name, err)}
	case err != nil:
		return nil, fmt.Errorf("start the solver %s: %w", c.Name, err)
	}
	s := &session{
		name: c.Name, asks: cmp.Or(c.Check, "(check-sat)\n"), proc: proc, in: sexprReader{in: bufio.NewReader(proc)},
		writer: newWriter(), fixed: make(map[*Term]int), limit: limit,
	}
	s.writer.out.WriteString("(set-option :print-success false)\n(set-option :global-declarations true)\n(set-option :produce-models true)\n(set-logic ALL)\n")
	return s, nil
}

// check asks whether the assertions hold together, and for a model if they do. After an error
// or if time ran out the session is over.
func (s *session) check(ctx context.Context, assertions []*Term) (Answer, *Model, error) {
	unwatch := context.AfterFunc(ctx, s.proc.Stop)
	defer unwatch()
	late := time.AfterFunc(s.limit, func() {
		s.stopped.Store(true)
		s.proc.Stop()
	})
	defer late.Stop()
	s.adopt(assertions)
	answer, err := s.ask(s.asks)
	if err != nil {
		return s.failed(ctx, err)
	}
	switch answer.atom {
	case "unsat":
		return Unsat, nil, nil
	case "unknown":
		return Unknown, nil, nil
	case "sat":
	default:
		return s.failed(ctx, fmt.Errorf("it answered %v", answer))
	}
	model, err := s.model(assertions)
	if err != nil {
		return s.failed(ctx, err)
	}
	return Sat, model, nil
}

// errDied says that a solver ended by itself.
var errDied = errors.New("it ended before it answered")

// failed ends the session.
func (s *session) failed(ctx context.Context, err error) (Answer, *Model, error) {
	s.proc.Stop()
	switch {
	case ctx.Err() != nil:
		return Unknown, nil, ctx.Err()
	case s.stopped.Load():
		return Unknown, nil, nil
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
		err = errDied
	}
	if c := strings.TrimSpace(s.proc.Complaints()); c != "" {
		err = fmt.Errorf("%w: %s", err, c)
	}
	return Unknown, nil, fmt.Errorf("the solver %s failed: %w", s.name, err)
}

// ask sends what was written and a command, and reads the answer.
func (s *session) ask(command string) (sexpr, error) {
	if _, err := io.WriteString(s.proc, s.writer.take()+command); err != nil {
		return sexpr{}, fmt.Errorf("%w, while it was sent a query: %w", errDied, err)
	}
	return s.in.read()
}

// adopt makes the assertions those of the solver.
func (s *session) adopt(assertions []*Term) {
	shared := 0
	for shared < min(len(s.stack), len(assertions)) && s.stack[shared] == assertions[shared] {
		shared++
	}
	if n := len(s.stack) - shared; n > 0 {
		fmt.Fprintf(&s.writer.out, "(pop %d)\n", n)
	}
	for t, level := range s.fixed {
		if level >= shared {
			delete(s.fixed, t)
		}
	}
	s.stack = append(s.stack[:shared:shared], assertions[shared:]...)
	for level, a := range assertions[shared:] {
		s.assert(a, shared+level)
	}
}

func (s *session) assert(a *Term, level int) {
	asserts := []string{"(push 1)"}
	conditions(a, func(t *Term) {
		if _, ok := s.fixed[t]; !ok {
			s.fixed[t] = level
			asserts = append(asserts, "(assert "+s.writer.condition(t)+")")
		}
	})
	asserts = append(asserts, "(assert "+s.writer.bits(a)+")")
	s.writer.out.WriteString(strings.Join(asserts, "\n") + "\n")
}

// model reads the solver's values of what the assertions depend on.
func (s *session) model(assertions []*Term) (*Model, error) {
	vars, cells := inputs(assertions)
	m := NewModel()
	if len(vars)+len(cells) == 0 {
		return m, nil
	}
	var query []string
	for _, v := range vars {
		query = append(query, s.writer.bits(v))
	}
	for _, c := range cells {
		i := s.writer.bits(c.index)
		query = append(query, i, fmt.Sprintf("(select %s %s)", s.writer.bits(c.array), i))
	}
	answer, err := s.ask("(get-value (" + strings.Join(query, " ") + "))\n")
	if err != nil {
		return nil, err
	}
	if len(answer.list) != len(query) {
		return nil, fmt.Errorf("it gave no values but %v", answer)
	}
	value := func(i int, sort Sort) uint64 {
		x := uint64(0)
		if pair := answer.list[i].list; len(pair) != 2 {
			err = fmt.Errorf("it gave no value but %v", answer.list[i])
		} else if v, bad := pair[1].value(sort); bad != nil {
			err = bad
		} else {
			x = v
		}
		return x
	}
	for i, v := range vars {
		m.Numbers[v.name] = value(i, v.sort)
	}
	for i, c := range cells {
		at := len(vars) + 2*i
		m.SetCell(c.array.name, value(at, c.index.sort), value(at+1, Bits(c.array.sort.Elem)))
	}
	return m, err
}

// cell is an element of an array that is a variable.
type cell struct{ array, index *Term }

// inputs returns the variables on which terms depend but for arrays, and the elements of
// arrays.
func inputs(terms []*Term) (vars []*Term, cells []cell) {
	seen, known := make(map[*Term]bool), make(map[cell]bool)
	var walk func(*Term)
	walk = func(t *Term) {
		if seen[t] {
			return
		}
		seen[t] = true
		for _, a := range t.Args() {
			walk(a)
		}
		switch {
		case t.op == Var && t.sort.Kind != ArrayKind:
			vars = append(vars, t)
		case t.op == Select:
			bases(t.args[0], make(map[*Term]bool), func(array *Term) {
				if c := (cell{array, t.args[1]}); !known[c] {
					known[c] = true
					cells = append(cells, c)
				}
			})
		}
	}
	for _, t := range terms {
		walk(t)
	}
	return vars, cells
}

// bases calls visit with the variables that an array was made of.
func bases(array *Term, seen map[*Term]bool, visit func(*Term)) {
	for !seen[array] {
		seen[array] = true
		switch array.op {
		case Var:
			visit(array)
		case Ite:
			bases(array.args[1], seen, visit)
			array = array.args[2]
		case Store:
			array = array.args[0]
		}
	}
}
