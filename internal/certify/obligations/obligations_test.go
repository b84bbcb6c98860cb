package obligations

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"warpbound/internal/certify"
	"warpbound/internal/certify/check"
	"warpbound/internal/certify/maker"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/value"
	"warpbound/internal/kernelgen"
	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/smt"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/flowtest"
	"warpbound/internal/test/smttest"
)

// facts returns the facts about the blocks of a launch, and the kernel as the checker sees it.
func facts(t *testing.T, l *flowtest.Launch) ([]certify.Fact, *check.Program) {
	t.Helper()
	m, err := machine.Builtin("predictable-rr")
	if err != nil {
		t.Fatal(err)
	}
	here := *m
	here.SM.WarpSize.Value = int64(l.Grid.Width())
	s := &check.Subject{Kernel: l.Kernel, Bound: l.Bound(), Machine: &here}
	p := &method.Problem{Graph: l.Graph, Machine: &here}
	launch := launchfacts.Launch{Width: l.Grid.Width(), Grid: l.Grid.Launch().Grid, Block: l.Grid.Launch().Block}
	for _, v := range l.Kernel.Params {
		if v.Bytes == 4 {
			n := binary.LittleEndian.Uint32(l.Grid.Launch().Params[v.Offset:])
			launch.Params = append(launch.Params, launchfacts.Word{Offset: v.Offset, Interval: strided.Const(32, uint64(n))})
		}
	}
	p.Values = flowtest.Must(value.Analyze(t.Context(), l.Graph, launch))
	p.Count(true)
	program, err := check.NewProgram(s)
	if err != nil {
		t.Fatal(err)
	}
	facts, omitted := maker.Places(p, s)
	if omitted != "" {
		t.Fatal(omitted)
	}
	return facts, program
}

// refute asks a solver to refute all obligations of a launch, and for those of tighter facts, which
// a run refutes, to find models. It returns how many of each kind there are.
func refute(t *testing.T, name string, command smt.Command, l *flowtest.Launch) map[string]int {
	t.Helper()
	s := smttest.New(t, command, smt.LimitedCVC5(), time.Hour) // names are those of one kernel
	known, p := facts(t, l)
	all, err := Of(p, known)
	if err != nil {
		t.Fatal(err)
	}
	kinds, names := make(map[string]int), make(map[string]bool)
	for _, o := range all {
		kinds[o.Kind]++
		if names[o.Name] {
			t.Errorf("%s: two obligations are called %s", name, o.Name)
		}
		names[o.Name] = true
		answer, _, err := s.Check(context.Background(), o.Assertions)
		var wrong *smt.WrongModelError
		if err != nil && !errors.As(err, &wrong) {
			t.Fatal(err)
		}
		if answer != smt.Unsat {
			t.Errorf("%s: %s (%s at %s) is %v", name, o.Name, o.What, o.At, answer)
		}
	}
	control(t, name, command, known, p)
	kinds["attained in blocks"], kinds["attained by addresses"] = attained(t, name, command, l, known, p)
	return kinds
}

// control asks for the bounds of loops less one, which do not follow from their ranking functions.
func control(t *testing.T, name string, command smt.Command, facts []certify.Fact, p *check.Program) {
	t.Helper()
	s := smttest.New(t, command, smt.LimitedCVC5(), time.Hour)
	less := slices.Clone(facts)
	bounds := make(map[string]bool)
	for i := range less {
		if f := &less[i]; f.Kind == certify.Loop && f.Value > 0 {
			bounds[fmt.Sprintf("loop-%d", p.BlockAt(*f.PC))] = true
			f.Value--
		}
	}
	all, err := Of(p, less)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		if !bounds[o.Name] {
			continue
		}
		if answer, _, err := s.Check(context.Background(), o.Assertions); answer != smt.Sat || err != nil {
			t.Errorf("%s: %s with a bound less one is %v (%v)", name, o.Name, answer, err)
		}
	}
}

// TestRefuted asks for all obligations of kernels of the suite and of random ones. That of number
// 14 has an indexed branch, of which several edges lead to one block.
func TestRefuted(t *testing.T) {
	cvc5 := smt.CVC5() // which may do more than it may for a query of symbolic execution
	cvc5.Argv = append(cvc5.Argv, "--rlimit-per=1000000")
	for _, command := range []smt.Command{smt.LimitedZ3(), cvc5} {
		t.Run(command.Argv[0], func(t *testing.T) {
			all := make(map[string]int)
			add := func(kinds map[string]int) {
				for kind, n := range kinds {
					all[kind] += n
				}
			}
			for _, kernel := range []string{"reduction", "histogram64", "bfs", "matrixMul"} {
				add(refute(t, kernel, command, flowtest.Suite(t, kernel)))
			}
			for _, seed := range effort.Some(t, []uint64{0, 1, 2, 3, 4, 14}, 2) {
				opts := kernelgen.Options{Statements: 15, Depth: 3, Trips: 8, Threads: 64, CTAs: 2}
				l := flowtest.Random(t, seed, opts)
				if seed%4 == 1 {
					c := kernelgen.NewSIMT(rand.New(rand.NewPCG(seed, 0)), opts)
					l = flowtest.Job(t, c.Job, c.Module)
				}
				add(refute(t, fmt.Sprint("random kernel ", seed), command, l))
			}
			for _, kind := range []string{Invariant, Infeasible, Ranking, Loop, Range, "attained in blocks", "attained by addresses"} {
				if all[kind] < 4 {
					t.Errorf("only %d obligations of kind %s", all[kind], kind)
				}
			}
			t.Log(all)
		})
	}
}
