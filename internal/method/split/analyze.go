package split

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"warpbound/diag"
	"warpbound/internal/flow/access"

	"warpbound/internal/absexec"
	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/saturating"
	"warpbound/internal/splitting/bsb"
)

// config is a problem with what can be found out about it once.
type config struct {
	*method.Problem
	accesses []access.Pattern // what is known of addresses without executing; nil if nothing is
}

// newConfig finds out about a problem. The error is that of ctx.
func newConfig(ctx context.Context, p *method.Problem) (*config, error) {
	if p.Values == nil {
		return &config{Problem: p}, nil
	}
	m := p.Machine
	accesses, err := p.Values.Accesses(ctx, access.Memory{
		Segment: int(m.Memory.Segment.Value),
		Banks:   int(m.Shared.Banks.Value), BankWidth: int(m.Shared.BankBytes.Value),
	})
	return &config{p, accesses}, err
}

// with returns what is known of the problem with other fixed buffers.
func (c *config) with(p *method.Problem) *config { return &config{p, c.accesses} }

// analysis is the state of one bound.
type analysis struct {
	*config
	ctx      context.Context
	timing   *timing
	resident residency
	joint    *facts // what is known of all wavefronts
	kinds    []*kind
	classes  []*class
	class    []int32  // by workgroup; nil if all are of one class
	demands  []demand // by CU, if there are several classes
	barriers barriers
	control  *control
	gaveUp   error // why wavefronts were not executed abstractly; nil if they were
	warnings []diag.Warning
	schedule *schedule      // nil if not all is known that decides it
	longest  saturating.Int // cycles in which the memory serves one access, at most
	total    demand         // of all wavefronts of a CU, at most
}

// kind is what wavefronts with the same facts have in common.
type kind struct {
	*facts
	demands []demand // by block
	form    *bsb.Form
	limits  []limit           // of loops, in the order of the flow graph's forest
	splits  []int             // branches whose paths execute at the same time
	paths   map[sharing]*Path // the longest
}

func newAnalysis(ctx context.Context, c *config) (*analysis, error) {
	t := newTiming(c.Machine, c.Graph.Kernel)
	known, err := c.wavefronts(ctx, t)
	if err != nil {
		return nil, err
	}
	a := &analysis{
		config: c, ctx: ctx, timing: t, joint: known.facts[0][0].nothing(), class: known.class, demands: known.demands,
		gaveUp: known.gaveUp, warnings: known.warnings,
	}
	for _, all := range known.facts {
		a.joint.includeAll(all)
	}
	a.control = newControl(c.Graph)
	a.barriers = a.control.barriers(a.joint.reached, c.Together)
	parts := saturating.Int(1)
	if c.Machine.Split.Mode.Value != machine.SplitNone {
		parts = parts.Add(saturating.Of(c.Machine.Split.SIMDs.Value))
	}
	a.resident = newResidency(
		c.Machine, saturating.Of(count(c.Launch.Grid())), saturating.Of(c.Resident), saturating.Of(c.Launch.Warps()), parts)
	a.schedule = a.play(known.script)
	if err := ctx.Err(); err != nil { // it may be missing for that
		return nil, err
	}
	if s := known.script; s != nil && s.tooLong && !s.unknown {
		a.warnings = append(a.warnings, c.GaveUp("schedule-not-played", fmt.Sprintf(
			"wavefronts issue more than %d instructions, so that they are bounded instead of played one by one; a greater --effort plays more", s.limit), nil))
	}
	if c.Machine.Cached() {
		a.warnings = append(a.warnings, c.GaveUp("l1-misses", "every load counts as a miss of the L1, and no launch is played: the bound is as if nothing hit", nil))
	}
	if a.total, err = a.totalOf(known); err != nil {
		return nil, err
	}
	for pc, n := range a.joint.requests {
		in := &c.Graph.Kernel.Instrs[pc]
		if accesses(in) && a.joint.reached[c.Graph.BlockOf(pc)] {
			a.longest = max(a.longest, a.timing.instr(in, n).service)
		}
	}
	for _, all := range known.facts {
		if a.barriers == jointly { // the path that counts may be one of several wavefronts
			joint := all[0].nothing()
			joint.includeAll(all)
			joint.done = nil
			all = slices.Repeat([]*facts{joint}, len(all))
		}
		a.classes = append(a.classes, &class{})
		for _, f := range all {
			if err := a.include(f); err != nil {
				return nil, err
			}
		}
	}
	return a, nil
}

// include counts a wavefront of the last class, of which something is known.
func (a *analysis) include(f *facts) error {
	c := a.classes[len(a.classes)-1]
	same := func(k *kind) bool { return k.facts.equal(f) }
	if i := slices.IndexFunc(c.kinds, same); i >= 0 {
		c.wavefronts[i] = c.wavefronts[i].Add(1)
		c.kinds[i].cover(f)
		return nil
	}
	if i := slices.IndexFunc(a.kinds, same); i >= 0 {
		a.kinds[i].cover(f)
		c.kinds, c.wavefronts = append(c.kinds, a.kinds[i]), append(c.wavefronts, 1)
		return nil
	}
	k, err := a.kind(f)
	a.kinds = append(a.kinds, k)
	c.kinds, c.wavefronts = append(c.kinds, k), append(c.wavefronts, 1)
	return err
}

// kind returns one wavefront of which something is known.
func (a *analysis) kind(f *facts) (*kind, error) {
	form, err := bsb.New(a.Graph, bsb.Options{Uniform: func(b int) bool { return !f.parts[b] }, Lanes: int(a.lanes())})
	if err != nil {
		return nil, err
	}
	return &kind{
		facts: f, demands: a.demandsOf(f), form: form, limits: a.limits(f), splits: a.splitBranches(form), paths: make(map[sharing]*Path),
	}, nil
}

// splitBranches returns the branches whose paths execute at the same time.
func (a *analysis) splitBranches(f *bsb.Form) []int {
	if a.Machine.Split.Mode.Value != machine.PWS {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(a.Splits), func(b int) bool { return !f.Splittable(b) })
}

// demandsOf returns the demands of blocks, by block.
func (a *analysis) demandsOf(f *facts) []demand {
	demands := make([]demand, a.Graph.Len())
	for b := range demands {
		if f.reached[b] {
			demands[b] = a.timing.block(&a.Graph.Blocks[b], f.requests)
			if f.parts[b] && a.mayDivide(b) {
				demands[b].add(a.dividing())
			}
		}
	}
	return demands
}

// totalOf bounds the service of the accesses, and the passes, of a CU: what abstract execution
// has counted or else, for all wavefronts, the longest path through all paths.
func (a *analysis) totalOf(known *executions) (demand, error) {
	if known.demands != nil {
		return maximum(known.demands), nil
	}
	k, err := a.kind(known.facts[0][0])
	if err != nil {
		return demand{}, err
	}
	k.splits = nil
	longest := func(part func(demand) saturating.Int) saturating.Int {
		costs := make([]saturating.Int, len(k.demands))
		for b, d := range k.demands {
			costs[b] = part(d)
		}
		path, failed := a.path(k, costs)
		if failed != nil {
			err = failed
			return 0
		}
		return a.resident.groups.Mul(a.resident.wavefronts).Mul(path.Cycles)
	}
	total := demand{
		service: longest(func(d demand) saturating.Int { return d.service }),
		passes:  longest(func(d demand) saturating.Int { return d.passes }),
	}
	return total, err
}

// maximum returns the most of each part of some demands.
func maximum(demands []demand) demand {
	var m demand
	for _, d := range demands {
		m.passes, m.service = max(m.passes, d.passes), max(m.service, d.service)
	}
	return m
}

// path returns the longest path of a wavefront whose blocks cost so many cycles.
func (a *analysis) path(k *kind, cycles []saturating.Int) (*Path, error) {
	b, err := LongestPath(a.ctx, k.form, Costs{Blocks: cycles}, a.loops(k), k.splits)
	var loop *UnboundedError
	if errors.As(err, &loop) {
		return nil, a.unbounded(loop.Header)
	}
	return b, err
}

// loops returns how often wavefronts go back to the headers of loops.
func (a *analysis) loops(k *kind) Loops {
	return func(header int) (int64, string, bool) {
		l := k.limits[a.Graph.Loops().Innermost(header)]
		return l.maximum, string(l.evidence), l.known
	}
}

// limits returns how often wavefronts go back to the headers of loops: for one entry, or on
// average if all paths enter the loop equally often.
func (a *analysis) limits(f *facts) []limit {
	limits := slices.Clone(f.loops)
	for i, l := range a.Graph.Loops().Loops {
		if a.decided(l.Header, f) {
			limits[i] = limits[i].tighter(f.mean[i])
		}
	}
	return limits
}

// mayDivide reports whether wavefronts may split by themselves where lanes part at the end of
// a block.
func (c *config) mayDivide(block int) bool {
	s := &c.Machine.Split
	return s.Mode.Value == machine.DWS && s.SIMDs.Value > 0 && slices.Contains(c.Splits, block)
}

// dividing returns what a branch needs besides at which a wavefront may split by itself.
func (c *config) dividing() demand {
	s := &c.Machine.Split
	return demand{passes: 2, delay: saturating.Of(s.Split.Value).Add(saturating.Of(s.Merge.Value))}
}

// decided reports whether what comes to a block, and how often, is the same on all paths
// that may be the longest one of a wavefront: no lanes part at a branch that decides about it,
// nor do, where the path may be one of several wavefronts, work-items of a workgroup.
func (a *analysis) decided(block int, f *facts) bool {
	return !slices.ContainsFunc(a.control.of(block), func(b int) bool {
		return f.parts[b] || a.barriers == jointly && (a.Together == nil || !a.Together(b))
	})
}

func (a *analysis) unbounded(header int) error {
	b := &a.Graph.Blocks[header]
	return &absexec.UnboundedLoop{
		Kernel: a.Graph.Kernel.Name, Header: header, Name: a.Graph.Name(header), Pos: b.Pos, Loc: b.Loc, Exit: a.Graph.Last(header).Pos, Range: a.Useless[header],
	}
}

// equal reports whether two facts are the same.
func (f *facts) equal(g *facts) bool {
	return slices.Equal(f.requests, g.requests) && slices.Equal(f.reached, g.reached) &&
		slices.Equal(f.parts, g.parts) && slices.Equal(f.loops, g.loops) && slices.Equal(f.mean, g.mean)
}
