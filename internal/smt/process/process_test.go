package process_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"warpbound/internal/smt"
	"warpbound/internal/smt/process"
	"warpbound/internal/test/smttest"
)

func ask(t *testing.T, s *smt.Solver, want smt.Answer, query ...*smt.Term) *smt.Model {
	t.Helper()
	answer, model, err := s.Check(context.Background(), query)
	if err != nil || answer != want {
		t.Fatalf("%v, %v; want %v for\n%s", answer, err, want, smt.Script(query))
	}
	return model
}

var commands = []smt.Command{smt.Z3(), smt.CVC5()}

func TestModels(t *testing.T) {
	for _, c := range commands {
		t.Run(c.Name, func(t *testing.T) {
			s := smttest.New(t, c, c, time.Hour)
			b := smt.NewBuilder()
			x, y := b.Var("x", smt.Bits(32)), b.Var("y y", smt.Bits(32))
			a := b.Var("a", smt.Array(32, 8))
			stored := b.Store(b.Ite(b.Var("p", smt.Bool), a, b.Fill(32, b.Number(8, 9))), y, b.Number(8, 1))
			path := []*smt.Term{
				b.Ult(x, b.Number(32, 100)),
				b.Eq(b.Mul(x, y), b.Number(32, 77)),
				b.Not(b.Eq(b.Select(stored, x), b.Select(a, b.Add(x, y)))),
			}
			for n := range path {
				ask(t, s, smt.Sat, path[:n+1]...)
			}
			ask(t, s, smt.Unsat, append(path[:2:2], b.Eq(x, b.Number(32, 2)))...)
			ask(t, s, smt.Sat, append(path, b.Eq(b.Select(stored, x), b.Number(8, 77)))...)
			one := b.Number(32, smt.Single.One())
			sum := b.FAdd(smt.Single, smt.NearestEven, x, one)
			m := ask(t, s, smt.Sat, b.FLt(smt.Single, sum, y), b.Eq(sum, b.Number(32, 0x40400000)))
			if got := smt.NewEvaluator(m).Eval(sum); got != 0x40400000 {
				t.Errorf("1 + x is %x", got)
			}
			ask(t, s, smt.Unsat, b.FLt(smt.Single, sum, x), b.FLt(smt.Single, b.Number(32, 0), x))
		})
	}
}

func TestTimeLimit(t *testing.T) {
	for _, c := range commands {
		t.Run(c.Name, func(t *testing.T) {
			s := smttest.New(t, c, c, 50*time.Millisecond)
			b := smt.NewBuilder()
			x, y := b.Var("x", smt.Bits(64)), b.Var("y", smt.Bits(64))
			one := b.Number(64, 1)
			factors := []*smt.Term{ // of a prime
				b.Ult(one, x), b.Ult(one, y), b.Eq(b.MulHi(x, y), b.Number(64, 0)), b.Eq(b.Mul(x, y), b.Number(64, 1<<61-1)),
			}
			ask(t, s, smt.Unknown, factors...)
		})
	}
}

func TestFailures(t *testing.T) {
	b := smt.NewBuilder()
	query := []*smt.Term{b.Var("p", smt.Bool)}
	for _, c := range []struct {
		argv []string
		want string
	}{
		{[]string{"no-such-solver"}, "is not installed"},
		{[]string{"sh", "-c", "read x; echo no memory >&2"}, "failed"},
		{[]string{"cat"}, "it answered (set-option :print-success false)"},
		{nil, "no program"},
	} {
		command := smt.Command{Name: "another", Package: "another", Argv: c.argv}
		s, err := smt.New(smt.Config{Launcher: process.Launcher{}, Bits: command, Floats: command, Limit: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = s.Check(context.Background(), query)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.argv, err)
		}
		if c.argv != nil && errors.Is(err, smt.ErrNotInstalled) != (c.argv[0] == "no-such-solver") {
			t.Errorf("%q: %v", c.argv, err)
		}
		s.Close()
	}
}

// TestStopsWhatItStarted stops a solver that is a script and waits for a program which never answers.
func TestStopsWhatItStarted(t *testing.T) {
	sleeper := smt.Command{Name: "sleeper", Argv: []string{"sh", "-c", "sleep 1000000; echo sat"}}
	s, err := smt.New(smt.Config{Launcher: process.Launcher{}, Bits: sleeper, Floats: sleeper, Limit: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	b := smt.NewBuilder()
	if answer, _, err := s.Check(ctx, []*smt.Term{b.Var("p", smt.Bool)}); answer != smt.Unknown || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, %v", answer, err)
	}
}
