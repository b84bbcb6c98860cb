// Package convert makes kernels oblivious that nearly are: branches that inputs reach become selections, one after the other, until
// static/oblivious applies.
//
// It must not import simulators or the command line.
package convert

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/flow/racefree"
	"warpbound/internal/ifconvert"
	"warpbound/internal/inspect"
	"warpbound/internal/isa/ptx"
	"warpbound/internal/method/oblivious"
	"warpbound/internal/platform"
	"warpbound/internal/runner"
	"warpbound/internal/taint"
	"warpbound/internal/workload"
)

// Options say how a module is converted.
type Options struct {
	MaxCycles int64 // a run that takes longer is an error; 0 for 2^30
	Vectors   int   // test vectors that are run with both modules; 0 for the job's number, and 20 at most
}

// maxCompared bounds the test vectors that are run with both modules: what they compare is proven.
const maxCompared = 20

// maxSteps bounds the conversions: each leaves fewer branches or guards than there were, or guards of stores.
const maxSteps = 1000

// Convert returns the text of a workload's module with selections in place of the branches that inputs reach, and what that
// costs and gains but for Before. It is an error, with position and reason, if the branches cannot be replaced, or if that does
// not suffice.
//
// Whether lanes for which a branch is not may access what stands on its paths is not asked before: of the module that comes out inputs
// reach no branch and no address, so one run of it shows the accesses of all.
func Convert(ctx context.Context, j *platform.Job, opts Options) ([]byte, *estimate.IfConversion, error) {
	module, ok := j.Module.Parsed.(workload.PTX)
	if !ok {
		return nil, nil, diag.Errorf(j.Spec.Pos.Module, "only branches of PTX are converted")
	}
	s := &search{Options: opts, before: j, now: j, module: module.Module, text: j.Module.Text, result: &estimate.IfConversion{Branches: []estimate.ConvertedBranch{}}}
	for range maxSteps {
		done, err := s.step(ctx)
		if err != nil {
			return nil, nil, err
		}
		if done {
			return s.finish(ctx)
		}
	}
	return nil, nil, diag.Errorf(j.Spec.Pos.Kernel, "inputs reach branches after %d conversions", maxSteps)
}

// search is a module between two conversions.
type search struct {
	Options
	before *platform.Job // with the module as it is
	now    *platform.Job
	module *ptx.Module
	text   []byte
	steps  []*ifconvert.Result
	result *estimate.IfConversion
	stays  int64 // the limit of runs in which lanes stay in loops, in cycles; 0 if it is not known yet
}

// origin returns the place of an instruction in the module as it is.
func (s *search) origin(pos diag.Pos) diag.Pos {
	for _, r := range slices.Backward(s.steps) {
		pos = r.Origin(pos)
	}
	return pos
}

// refused is the error of a conversion, with its position in the module as it is.
func (s *search) refused(err error) error {
	var at *diag.Error
	if !errors.As(err, &at) {
		return err
	}
	return diag.Errorf(s.origin(at.Pos), "%w", at.Err)
}

// step runs the module as it has become, and converts where inputs reach a branch. It reports whether they reach nothing.
func (s *search) step(ctx context.Context) (done bool, err error) {
	limit, err := s.limit(ctx)
	if err != nil {
		return false, err
	}
	out, err := run(ctx, s.now, runner.Options{MaxCycles: limit, Repeats: 1, Follow: true, Reach: true, Orders: true, Checked: true})
	if err != nil {
		return false, s.failed(ctx, err)
	}
	reached := out.Reached
	if reached == nil {
		return true, nil
	}
	if reached.What != string(taint.Guard) {
		return false, diag.Errorf(s.origin(reached.Pos), "%s can change %s, which no selection replaces%s", reached.By.Phrase(), reached.What, s.converted())
	}
	kernel := s.kernelAt(reached.Pos)
	if len(s.steps) == 0 {
		for _, k := range s.now.Kernels {
			if err := ifconvert.Obstacle(k.Graph.Kernel); err != nil {
				return false, err
			}
		}
	}
	r, err := ifconvert.Convert(s.module, kernel, reached.Pos)
	if err != nil {
		return false, s.refused(err)
	}
	branch := estimate.ConvertedBranch{Pos: s.origin(reached.Pos).String(), Kind: string(r.Kind), Added: r.Added}
	if r.Source.Known() {
		branch.Source = r.Source.String()
	}
	s.result.Branches = append(s.result.Branches, branch)
	s.module, s.text, s.steps = r.Module, r.Text, append(s.steps, r)
	s.now, err = s.now.WithModule(s.text)
	if err != nil {
		return false, s.refused(err)
	}
	return false, nil
}

// longer is how many times as long as with the module as it is a run may take with one in which lanes stay in a loop that they would
// have left, before that is taken for a loop without end.
const longer = 200

// limit is the limit of runs in cycles.
func (s *search) limit(ctx context.Context) (int64, error) {
	i := slices.IndexFunc(s.steps, func(r *ifconvert.Result) bool { return r.Kind == ifconvert.LoopExit })
	if i < 0 {
		return s.MaxCycles, nil
	}
	if s.stays == 0 {
		out, err := run(ctx, s.before, runner.Options{MaxCycles: s.MaxCycles, Repeats: 1})
		if err != nil {
			return 0, err
		}
		s.stays = longer * out.Cycles
	}
	if s.MaxCycles > 0 {
		return min(s.stays, s.MaxCycles), nil
	}
	return s.stays, nil
}

// converted says how much was converted before something stands against it.
func (s *search) converted() string {
	switch n := len(s.steps); n {
	case 0:
		return ""
	case 1:
		return " (after 1 conversion)"
	default:
		return fmt.Sprintf(" (after %d conversions)", n)
	}
}

// kernelAt returns the kernel of which an instruction is a part.
func (s *search) kernelAt(pos diag.Pos) string {
	for _, k := range s.now.Kernels {
		for i := range k.Graph.Kernel.Instrs {
			if k.Graph.Kernel.Instrs[i].Pos == pos {
				return k.Graph.Kernel.Name
			}
		}
	}
	return s.now.Kernel()
}

// failed is the error of a run. Of one of a converted module it is a reason against the conversion, unless the module as it is fails, too.
func (s *search) failed(ctx context.Context, err error) error {
	if _, ended := errors.AsType[*diag.LimitError](err); ended && s.stays > 0 && ctx.Err() == nil {
		i := slices.IndexFunc(s.steps, func(r *ifconvert.Result) bool { return r.Kind == ifconvert.LoopExit })
		return fmt.Errorf("%s: the loop that this branch leaves has no end otherwise within %d cycles, %d times as many as a run takes", s.result.Branches[i].Pos, s.stays, longer)
	}
	var fault *diag.FaultError
	if len(s.steps) == 0 || !errors.As(err, &fault) {
		return err
	}
	if _, err := run(ctx, s.before, runner.Options{MaxCycles: s.MaxCycles, Repeats: 1}); err != nil {
		return err
	}
	cause := errors.Unwrap(fault.Err)
	if cause == nil {
		cause = fault.Err
	}
	return diag.Errorf(s.origin(fault.Pos), "lanes that the branch is not for cannot execute this: thread %v of CTA %v: %w%s", fault.Thread, fault.CTA, cause, s.converted())
}

// finish has static/oblivious bound the module, and holds its results against those of the module as it is.
func (s *search) finish(ctx context.Context) ([]byte, *estimate.IfConversion, error) {
	a, err := analysis.Analyze(ctx, s.now.Platform, s.now.Workload, analysis.Request{Methods: []string{oblivious.ID}, MaxCycles: s.MaxCycles})
	if err != nil {
		return nil, nil, s.refused(err)
	}
	e := &a.Estimates[0]
	s.result.After, s.result.Numbers = estimate.Answer{Method: e.Method, Cycles: e.Cycles, Evidence: e.Evidence}, e.Numbers
	if s.result.Races, err = s.races(ctx); err != nil {
		return nil, nil, err
	}
	if err := s.compare(ctx); err != nil {
		return nil, nil, err
	}
	sum := sha256.Sum256(s.text)
	s.result.ModuleHash = hex.EncodeToString(sum[:])
	return s.text, s.result, nil
}

// races says how it is known that there are no data races. With one, what was there before could be stored again where another thread
// has stored meanwhile. That lanes of a warp are in lock-step orders nothing here, since diverged lanes were not.
func (s *search) races(ctx context.Context) (string, error) {
	if k := s.now.First(); !s.now.Several() {
		values, err := k.Values(ctx)
		if err != nil {
			return "", err
		}
		d, err := k.Divergence(ctx)
		if err != nil {
			d = nil
		}
		verdict, err := inspect.Races(ctx, values, d, false)
		if err != nil {
			return "", err
		}
		if verdict.Verdict == racefree.Free.String() {
			return "proven", nil
		}
	}
	out, err := run(ctx, s.now, runner.Options{MaxCycles: s.MaxCycles, Repeats: 1, Checked: true, Races: true, Unordered: true})
	if err != nil {
		return "", err
	}
	for _, r := range out.Statistics.Races() {
		return "", diag.Errorf(s.parsed(r.Second.Pos), "this %s and the %s at %v are a data race on %s memory, so that results may be others with other branches%s",
			r.Second.Access, r.First.Access, s.parsed(r.First.Pos), r.Space, s.converted())
	}
	return "none in the run", nil
}

// parsed is a position in the module as it is, of one in words.
func (s *search) parsed(pos string) diag.Pos {
	file, last := cutLast(pos)
	file, middle := cutLast(file)
	line, err := strconv.ParseInt(middle, 10, 32)
	col, failed := strconv.ParseInt(last, 10, 32)
	if err != nil || failed != nil {
		return diag.Pos{}
	}
	return s.origin(diag.Pos{File: file, Line: int32(line), Col: int32(col)})
}

func cutLast(text string) (before, after string) {
	i := strings.LastIndexByte(text, ':')
	return text[:max(i, 0)], text[i+1:]
}

// compare runs test vectors with both modules.
func (s *search) compare(ctx context.Context) (err error) {
	opts := runner.Options{MaxCycles: s.MaxCycles, Repeats: 1}
	first, err := s.before.Platform.Open(s.before.Workload, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, first.Close()) }()
	second, err := s.now.Platform.Open(s.now.Workload, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, second.Close()) }()
	sum := int64(0)
	seen := &s.result.Observed
	for v := range min(cmp.Or(s.Vectors, s.before.Spec.Vectors), maxCompared) {
		in := s.before.First().Bound.Inputs(v)
		a, err := first.Run(ctx, in, nil)
		if err != nil {
			return err
		}
		b, err := second.Run(ctx, s.now.First().Bound.Inputs(v), nil)
		if err != nil {
			return err
		}
		if b.Cycles != s.result.After.Cycles || !slices.EqualFunc(a.Buffers, b.Buffers, bytes.Equal) {
			return fmt.Errorf("%s: the converted module takes %d cycles with test vector %d instead of %d, or its results differ", s.before.Name(), b.Cycles, v, s.result.After.Cycles)
		}
		if v == 0 || a.Cycles < seen.Min {
			seen.Min = a.Cycles
		}
		sum += a.Cycles
		seen.Max = max(seen.Max, a.Cycles)
		s.result.Runs++
		seen.Mean = float64(sum) / float64(s.result.Runs)
	}
	return nil
}

// run makes one run of the first test vector.
func run(ctx context.Context, j *platform.Job, opts runner.Options) (out *runner.Outcome, err error) {
	r, err := j.Platform.Open(j.Workload, opts)
	if errors.Is(err, runner.ErrFollow) {
		err = &diag.UnsupportedError{Methods: []string{oblivious.ID}, Err: err}
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return r.Run(ctx, j.First().Bound.Vector(0), nil)
}
