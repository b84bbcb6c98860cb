package symexec_test

import (
	"bytes"
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"warpbound/internal/emu"
	"warpbound/internal/smt"
	"warpbound/internal/symexec"
	"warpbound/internal/test/flowtest"
	"warpbound/internal/test/smttest"
)

// subject is a launch of one CTA of which all threads are explored, and all buffers symbolic.
type subject struct {
	*flowtest.Launch
	again   *flowtest.Launch // in warps of one thread
	options symexec.Options
}

// shape are the lines of a job that give the shape of a launch.
var shape = regexp.MustCompile(`(?m)^(grid|block) *=.*$`)

func alone(t testing.TB, job, code string) *subject {
	t.Helper()
	return together(t, 1, job, code)
}

// together makes a subject of some threads; 0 stands for the launch of the job, of which one is explored.
func together(t testing.TB, threads int, job, code string) *subject {
	t.Helper()
	return read(t, threads, func(name string) ([]byte, error) {
		if name == "job.toml" {
			return []byte(job), nil
		}
		return []byte(code), nil
	})
}

// cta makes a subject of all threads of the first CTA of the job.
func cta(t testing.TB, job, code string) *subject {
	t.Helper()
	s := together(t, 0, job, code)
	s.options.Threads = nil
	for i := range s.Grid.Threads() {
		s.options.Threads = append(s.options.Threads, symexec.Thread{Warp: i / s.Grid.Width(), Lane: i % s.Grid.Width()})
	}
	return s
}

func read(t testing.TB, threads int, file func(name string) ([]byte, error)) *subject {
	t.Helper()
	l := flowtest.Read(t, func(name string) ([]byte, error) {
		text, err := file(name)
		if name == "job.toml" && threads > 0 {
			text = shape.ReplaceAllFunc(text, func(line []byte) []byte {
				if bytes.HasPrefix(line, []byte("grid")) {
					return []byte("grid = [1, 1, 1]")
				}
				return fmt.Appendf(nil, "block = [%d, 1, 1]", threads)
			})
		}
		return text, err
	})
	s := &subject{Launch: l, options: symexec.Options{Launch: l.Semantics, Solver: smttest.New(t, smt.Z3(), smt.CVC5(), time.Hour), Builder: smt.NewBuilder(), MaxPaths: 20, MaxSteps: 1000}}
	for i := range max(threads, 1) {
		s.options.Threads = append(s.options.Threads, symexec.Thread{Warp: i / l.Grid.Width(), Lane: i % l.Grid.Width()})
	}
	for i, contents := range l.Buffers {
		if contents != nil {
			s.options.Buffers = append(s.options.Buffers, symexec.Buffer{
				Name: strings.ReplaceAll(l.Name(i), ".", "_"), Address: l.Addresses[i], Bytes: len(contents), Symbolic: true,
			})
		} else if offset, size, ok := l.Slot(i); ok {
			s.options.Params = append(s.options.Params, symexec.Range{Offset: offset, Bytes: size})
		}
	}
	return s
}

// limited lets the solver give up after some work, as z3 counts it: the same on every computer.
func (s *subject) limited(t testing.TB, work int) *subject {
	z3 := smt.Z3()
	z3.Check = fmt.Sprintf("(set-option :rlimit %d)\n(check-sat)\n(set-option :rlimit 0)\n", work)
	s.options.Solver = smttest.New(t, z3, z3, time.Hour)
	return s
}

// concrete makes the scalar parameters those of the job.
func (s *subject) concrete() *subject {
	s.options.Params = nil
	return s
}

func (s *subject) explore(t testing.TB) *symexec.Result {
	t.Helper()
	res, err := symexec.Explore(context.Background(), s.options)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// replay executes every path's model and compares what is executed with the path: in warps of one
// thread.
func (s *subject) replay(t testing.TB, res *symexec.Result) {
	t.Helper()
	s.replayIn(t, 1, res)
}

// replayIn does it in warps of some threads.
func (s *subject) replayIn(t testing.TB, width int, res *symexec.Result) {
	t.Helper()
	for i, p := range res.Paths {
		if !smt.NewEvaluator(p.Model).Holds(p.Formula) {
			t.Errorf("path %d: the model does not satisfy the formula", i)
		}
		s.set(t, width, p.Model)
		threads, err := s.run(res)
		if (err != nil) != (p.Fault != nil) {
			t.Errorf("path %d: execution ends with %v, the path with %v", i, err, p.Fault)
		}
		if !same(threads, p.Threads) && (width == 1 || err == nil) { // where a warp fails its lanes have not run one after the other
			t.Errorf("path %d is %v, %v; executed %v, %v", i, p.Threads, p.Fault, threads, err)
		}
		s.inspect(t, p)
	}
}

// inspect checks the reads and the conditions of a path.
func (s *subject) inspect(t testing.TB, p symexec.Path) {
	t.Helper()
	attributed := make(map[int]bool)
	for _, thread := range p.Threads {
		for _, c := range thread.Conditions {
			if attributed[c] || c >= len(p.Formula) {
				t.Errorf("condition %d of %d is of several threads", c, len(p.Formula))
			}
			attributed[c] = true
		}
	}
	for _, r := range p.Reads {
		if r.At != smt.NewEvaluator(p.Model).Eval(r.Offset) || r.Thread >= len(p.Threads) {
			t.Errorf("an element is read at %v: %+v", r.Offset, r)
		}
	}
}

// same compares what threads did, but for the conditions.
func same(a, b []symexec.ThreadPath) bool {
	return slices.EqualFunc(a, b, func(x, y symexec.ThreadPath) bool {
		return x.Instructions == y.Instructions && slices.Equal(x.Outcomes, y.Outcomes) && slices.Equal(x.Barriers, y.Barriers)
	})
}

// set makes a launch with the inputs of a model.
func (s *subject) set(t testing.TB, width int, m *smt.Model) {
	s.again = s.Again(t, width)
	for _, b := range s.options.Buffers {
		if !b.Symbolic {
			continue
		}
		contents := s.again.Grid.Contents(b.Address, b.Bytes)
		clear(contents)
		for at, x := range m.Cells[b.Name] {
			if at < uint64(len(contents)) {
				contents[at] = byte(x)
			}
		}
	}
	params := s.again.Grid.Launch().Params
	for _, r := range s.options.Params {
		for k := range r.Bytes {
			params[r.Offset+k] = byte(m.Cells[symexec.Parameters][uint64(r.Offset+k)])
		}
	}
}

// partition executes random inputs: a formula holds for just those that take its path. It does so in warps of one thread.
func (s *subject) partition(t testing.TB, r *rand.Rand, res *symexec.Result) {
	t.Helper()
	s.partitionIn(t, 1, r, res)
}

// partitionIn does it in warps of some threads.
func (s *subject) partitionIn(t testing.TB, width int, r *rand.Rand, res *symexec.Result) {
	t.Helper()
	for range 4 {
		m := smt.NewModel()
		for _, b := range s.options.Buffers {
			for at := range uint64(min(b.Bytes, 4096)) { // zeros behind
				if at%4 == 0 || r.IntN(4) == 0 {
					m.SetCell(b.Name, at, r.Uint64()&0xff>>r.IntN(8))
				}
			}
		}
		for _, p := range s.options.Params {
			m.SetCell(symexec.Parameters, uint64(p.Offset), uint64(r.IntN(256)))
		}
		s.set(t, width, m)
		threads, err := s.run(res)
		e, found := smt.NewEvaluator(m), false
		for i, p := range res.Paths {
			if holds := e.Holds(p.Formula); holds && (!same(threads, p.Threads) && (width == 1 || err == nil) || (err != nil) != (p.Fault != nil)) {
				t.Errorf("the formula of path %d, %v, holds for inputs with %v", i, p.Threads, threads)
			} else if holds {
				found = true
			}
		}
		if !found && res.Complete {
			t.Errorf("inputs with %v take no path that was found", threads)
		}
	}
}

// run executes the threads of the first CTA, warp after warp.
func (s *subject) run(res *symexec.Result) ([]symexec.ThreadPath, error) {
	var cta emu.CTA
	s.again.Grid.StartCTA(&cta, 0)
	env, eff := &emu.Env{SMs: 1}, new(emu.Effect)
	threads, branch := make([]symexec.ThreadPath, s.again.Grid.Threads()), make([]int, s.again.Grid.Threads())
	for !cta.Done() {
		for k := range cta.Warps {
			for w := &cta.Warps[k]; !w.Done() && !w.AtBarrier(); {
				active, pc := w.Active(), w.PC()
				each := func(do func(i int)) {
					for lanes := active; lanes != 0; lanes &= lanes - 1 {
						do(k*s.again.Grid.Width() + bits.TrailingZeros64(lanes))
					}
				}
				each(func(i int) {
					outcome := symexec.BranchOutcome{Branch: branch[i], Target: pc}
					if _, isOutcome := res.Outcomes[outcome]; isOutcome && threads[i].Instructions > 0 {
						threads[i].Outcomes = append(threads[i].Outcomes, outcome)
					}
					branch[i] = pc
				})
				if err := w.Step(env, eff); err != nil {
					return threads, err
				}
				each(func(i int) {
					threads[i].Instructions++
					if eff.Arrived {
						threads[i].Barriers = append(threads[i].Barriers, len(threads[i].Outcomes))
					}
				})
			}
		}
	}
	return threads, nil
}
