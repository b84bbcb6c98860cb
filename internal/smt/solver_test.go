package smt

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

// scripted is a solver that answers each check-sat and get-value with the next of its
// lines, and ends after them. A line "hang" never comes, and at "die" it ends.
type scripted struct {
	answers []string
	starts  int
	log     strings.Builder
}

type scriptedProcess struct {
	*io.PipeReader
	*io.PipeWriter
	stop func()
}

func (p scriptedProcess) Stop()              { p.stop() }
func (p scriptedProcess) Complaints() string { return "out of luck\n" }

// Close is ambiguous between the two pipes, and nobody calls it.
func (p scriptedProcess) Close() error { return nil }

func (p scriptedProcess) CloseWithError(error) error { return nil }

func (s *scripted) Launch([]string) (Process, error) {
	s.starts++
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	stop := func() { _, _, _, _ = inR.Close(), inW.Close(), outR.Close(), outW.Close() }
	go func() {
		defer stop()
		lines := bufio.NewScanner(inR)
		for lines.Scan() {
			fmt.Fprintln(&s.log, lines.Text())
			if !strings.HasPrefix(lines.Text(), "(check-sat") && !strings.HasPrefix(lines.Text(), "(get-value") {
				continue
			}
			if len(s.answers) == 0 {
				return
			}
			answer := s.answers[0]
			s.answers = s.answers[1:]
			if answer == "die" {
				return
			}
			if answer != "hang" {
				fmt.Fprintln(outW, answer)
			}
		}
	}()
	return scriptedProcess{outR, inW, stop}, nil
}

func newSolver(t *testing.T, l Launcher, limit time.Duration) *Solver {
	t.Helper()
	s, err := New(Config{Launcher: l, Bits: Z3(), Floats: CVC5(), Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestSolverChecksWhatSolversSay(t *testing.T) {
	for _, c := range []struct {
		answers []string
		want    Answer
		err     string // part of it
	}{
		{[]string{"unsat"}, Unsat, ""},
		{[]string{"unknown"}, Unknown, ""},
		{[]string{"sat", "((|x| #x07))"}, Sat, ""},
		{[]string{"sat", "((|x| #x08))"}, Unknown, "the model of the solver z3 does not satisfy the assertions"},
		{[]string{"sat", "((|x| #b1))"}, Unknown, "#b1 is no constant"},
		{[]string{"sat", "((|x|))"}, Unknown, "no value but"},
		{[]string{"sat", "()"}, Unknown, "no values but"},
		{[]string{"sat"}, Unknown, "failed"},
		{[]string{`(error "line 3")`}, Unknown, `the solver z3 failed: it answered (error "line 3"): out of luck`},
		{[]string{"perhaps"}, Unknown, "it answered perhaps"},
		{[]string{"die", "sat"}, Unknown, ""},
		{[]string{"die", "unsat"}, Unknown, "the solver z3 failed: it ended before it answered: out of luck"},
		{nil, Unknown, "failed"},
	} {
		b := NewBuilder()
		l := &scripted{answers: append(c.answers, "unsat")}
		s := newSolver(t, l, time.Hour)
		if len(c.answers) == 0 {
			l.answers = nil
		}
		query := []*Term{b.Eq(b.Mul(b.Var("x", Bits(8)), b.Number(8, 3)), b.Number(8, 21))}
		answer, model, err := s.Check(context.Background(), query)
		if answer != c.want || (answer == Sat) != (model != nil) {
			t.Errorf("%q: %v, %v", c.answers, answer, model)
		}
		if (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %v", c.answers, err)
		}
		if err != nil { // another is started
			l.answers = []string{"unsat"}
			starts := l.starts + 1
			if answer, _, err := s.Check(context.Background(), query); answer != Unsat || err != nil || l.starts != starts {
				t.Errorf("%q, and then %v, %v after %d starts", c.answers, answer, err, l.starts)
			}
			if s.Stats().Failures != 1 {
				t.Errorf("%q: %+v", c.answers, s.Stats())
			}
		}
	}
}

func TestConcurrentLimitStopsSolver(t *testing.T) {
	b := NewBuilder()
	l := &scripted{answers: []string{"hang"}}
	s := newSolver(t, l, time.Millisecond)
	query := []*Term{b.Var("p", Bool)}
	if answer, _, err := s.Check(context.Background(), query); answer != Unknown || err != nil {
		t.Errorf("%v, %v", answer, err)
	}
	l = &scripted{answers: []string{"unsat"}}
	s.config.Limit, s.config.Launcher = time.Hour, l
	if answer, _, err := s.Check(context.Background(), query); answer != Unsat || err != nil || l.starts != 1 {
		t.Errorf("afterwards %v, %v after %d starts", answer, err, l.starts)
	}
}

func TestConcurrentCancelStopsSolver(t *testing.T) {
	b := NewBuilder()
	s := newSolver(t, &scripted{answers: []string{"hang"}}, time.Hour)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	for range 2 {
		if answer, _, err := s.Check(ctx, []*Term{b.Var("p", Bool)}); answer != Unknown || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, %v", answer, err)
		}
	}
}

type absent struct{}

func (absent) Launch([]string) (Process, error) { return nil, ErrNotInstalled }

func TestSolverThatIsNotInstalled(t *testing.T) {
	b := NewBuilder()
	s := newSolver(t, absent{}, time.Second)
	_, _, err := s.Check(context.Background(), []*Term{b.Var("p", Bool)})
	if !errors.Is(err, ErrNotInstalled) || !strings.Contains(err.Error(), "please install the Debian package z3") {
		t.Error(err)
	}
	s.config.Bits.Package = ""
	if _, _, err := s.Check(context.Background(), []*Term{b.Var("p", Bool)}); err == nil || strings.Contains(err.Error(), "Debian") {
		t.Error(err)
	}
	if _, err := New(Config{}); err == nil {
		t.Error("no time is enough")
	}
}

// TestSolverRemembers asks the same in other words, and what a known model satisfies.
func TestSolverRemembers(t *testing.T) {
	b := NewBuilder()
	x, p := b.Var("x", Bits(8)), b.Var("p", Bool)
	tied := b.Xor(p, b.Ult(x, b.Number(8, 3)))
	big, odd := b.Ult(b.Number(8, 5), x), b.Eq(b.Extract(x, 0, 1), b.Number(1, 1))
	l := &scripted{answers: []string{"sat", "((|x| #x07))", "unsat", "unknown"}}
	s := newSolver(t, l, time.Hour)
	ask := func(want Answer, query ...*Term) {
		t.Helper()
		if answer, _, err := s.Check(context.Background(), query); answer != want || err != nil {
			t.Errorf("%v is %v, %v; want %v", query, answer, err, want)
		}
	}
	ask(Sat, big, odd)
	ask(Sat, odd, big, b.Truth(true), odd)
	ask(Sat, big)
	ask(Unsat, big, odd, tied)
	ask(Unsat, tied, odd, big)
	ask(Unsat, big, b.Truth(false))
	ask(Sat)
	ask(Unknown, p)
	got := s.Stats()
	got.Time = 0
	want := Stats{Queries: 8, Trivial: 2, Cached: 2, Reused: 1, Asked: [3]int{1, 1, 1}, Starts: 1}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	s.Close()
	// What queries begin with is asserted once.
	if log := l.log.String(); strings.Count(log, "(push 1)") != 4 || strings.Count(log, "(pop 3)") != 1 {
		t.Error(log)
	}
}

// TestRelated follows inputs from the last of assertions to others.
func TestRelated(t *testing.T) {
	b := NewBuilder()
	x, y, p, q := b.Var("x", Bits(8)), b.Var("y", Bits(8)), b.Var("p", Bool), b.Var("q", Bool)
	a, c := b.Var("a", Array(8, 8)), b.Var("c", Array(8, 8))
	n := func(v uint64) *Term { return b.Number(8, v) }
	at := func(array, i *Term) *Term { return b.Select(array, i) }
	s := newSolver(t, absent{}, time.Second)
	for _, test := range []struct {
		assertions []*Term
		want       string // which are related to the last
	}{
		{[]*Term{b.Ult(x, n(9)), b.Ult(n(9), y), b.Not(b.Eq(x, n(3)))}, "101"},
		{[]*Term{p, q, b.Ult(x, y), b.Eq(p, b.Ult(n(3), y))}, "1011"},
		{[]*Term{b.Eq(at(a, n(1)), x), b.Eq(at(a, n(2)), y), b.Eq(at(c, n(1)), n(5))}, "001"},
		{[]*Term{b.Eq(at(a, n(1)), n(3)), b.Eq(at(c, n(1)), n(5)), b.Eq(at(a, n(2)), n(4)), b.Eq(at(a, x), n(5))}, "1011"},
		{[]*Term{b.Eq(at(a, n(7)), n(1)), b.Eq(at(a, n(8)), n(1)), b.Ult(x, n(5)), b.Ult(at(b.Store(a, x, n(3)), n(7)), n(3))}, "1011"},
	} {
		last := len(test.assertions) - 1
		related := s.related(test.assertions[:last], test.assertions[last])
		var got []byte
		for _, assertion := range test.assertions {
			is := byte('0')
			if slices.Contains(related, assertion) {
				is = '1'
			}
			got = append(got, is)
		}
		if string(got) != test.want {
			t.Errorf("of %v %s are related, want %s", test.assertions, got, test.want)
		}
	}
}
