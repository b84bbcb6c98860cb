package racefree

import (
	"context"
	"fmt"
	"strings"

	"warpbound/internal/cfg"
	"warpbound/internal/flow/access"
	"warpbound/internal/flow/value"
	"warpbound/internal/isa"
)

// Verdict tells what is known of the data races of a kernel.
type Verdict uint8

// The verdicts.
const (
	// Unknown: neither of the others was proven.
	Unknown Verdict = iota
	// Free: no launch of the analysed shape has a race, whatever its inputs.
	Free
	// MayRace: two threads access overlapping bytes if both execute the accesses, and no barrier is between them.
	MayRace
)

// String returns what is said of kernels.
func (v Verdict) String() string { return [...]string{"unknown", "free", "may-race"}[v] }

// Pair is two accesses, by the indices of their instructions, which may be one and the same.
type Pair struct{ First, Second int }

// MaxPairs is how many pairs a result lists at most.
const MaxPairs = 1000

// Result is what is known of the races of a kernel.
type Result struct {
	Verdict Verdict
	Pairs   []Pair // that may race, the first MaxPairs of them
	Omitted int    // further ones

	// Of the verdict Unknown: why, and the index of the instruction of which that is said.
	Reason string
	Instr  int
}

// Options are what the analysis is told besides.
type Options struct {
	// Uniform reports whether all threads of a CTA that are in the same iterations of the loops around a block go the
	// same way at its end. Without it barriers order nothing.
	Uniform func(block int) bool
	// LockStep reports whether program order may order the lanes of a warp: then no two of one warp are said to race
	// at different instructions. It does not matter to the verdict Free.
	LockStep bool
}

// Analyze finds the verdict for the launch of which values are known. If ctx ends, the error is that of ctx.
func Analyze(ctx context.Context, r *value.Result, opts Options) (Result, error) {
	accesses, err := r.Addresses(ctx)
	if err != nil {
		return Result{}, err
	}
	a := &analysis{values: r, graph: r.Graph, opts: opts, accesses: accesses}
	if at, what := a.unseen(); what != "" {
		return Result{Reason: what, Instr: at}, nil
	}
	if err := a.intervals(ctx); err != nil {
		return Result{}, err
	}
	return a.compareAccesses(ctx)
}

// analysis is of one kernel.
type analysis struct {
	values   *value.Result
	graph    *cfg.Graph
	opts     Options
	accesses []access.Address
	within   [][]int // of each access the intervals between barriers in which it can be executed, ascending
	aligned  bool    // the barriers order the accesses of different intervals
}

// unseen finds an instruction that accesses memory in a way that is not looked into.
func (a *analysis) unseen() (instr int, what string) {
	for b, block := range a.graph.Blocks {
		if !a.graph.Blocks[b].Reachable {
			continue
		}
		for pc := block.Start; pc < block.End; pc++ {
			in := &a.graph.Kernel.Instrs[pc]
			switch in.Op {
			case isa.Ld, isa.St, isa.Atom, isa.Red:
				switch in.Space {
				case isa.Global, isa.Shared, isa.Generic, isa.Param, isa.Local, isa.Const:
				default:
					return pc, fmt.Sprintf("accesses to %s memory are not analysed", in.Space)
				}
			case isa.Prefetch:
			case isa.RunSystem:
				return pc, "what the function accesses is not analysed"
			default:
				if in.Op.Info().Effect&(isa.ReadsMem|isa.WritesMem) != 0 {
					name := in.Op.String()
					if in.Text != "" { // not modelled
						name, _, _ = strings.Cut(in.Text, " ")
					}
					return pc, fmt.Sprintf("accesses by %s are not analysed", name)
				}
			}
		}
	}
	return 0, ""
}

// pair is two accesses that are compared, a before b in the kernel or the same.
type pair struct {
	*analysis
	a, b       *access.Address
	concurrent bool // threads of a CTA may execute them without a barrier between
}

func (p *pair) instrs() (a, b *isa.Instr) {
	return &p.graph.Kernel.Instrs[p.a.Instr], &p.graph.Kernel.Instrs[p.b.Instr]
}

// orderly reports whether strong accesses do not race with each other: threads of one CTA, or of different ones. Those of elements
// of different sizes may have some of their bytes in common.
func (p *pair) orderly(sameCTA bool) bool {
	a, b := p.instrs()
	orderA, scopeA := a.Strength()
	orderB, scopeB := b.Strength()
	strong := orderA != isa.OrderWeak && orderB != isa.OrderWeak && a.Type.Bytes() == b.Type.Bytes()
	return strong && (sameCTA || scopeA > isa.ScopeCluster && scopeB > isa.ScopeCluster)
}

// conflict returns what says why the accesses may race; nil if they cannot.
func (p *pair) conflict() (reason func() string) {
	a, b := p.instrs()
	if a.Op == isa.Ld && b.Op == isa.Ld || p.orderly(false) {
		return nil
	}
	if a.Space != b.Space && a.Space != isa.Generic && b.Space != isa.Generic {
		return nil
	}
	for _, x := range []*access.Address{p.b, p.a} {
		in := &p.graph.Kernel.Instrs[x.Instr]
		switch {
		case in.Space == isa.Generic:
			return func() string { return p.of(x) + "its address is generic" }
		case x.Reason != "":
			return func() string { return p.of(x) + x.Reason }
		}
	}
	if disjoint, reason := p.basesDisjoint(a.Space); disjoint || reason != nil {
		return reason
	}
	if a.Space != isa.Shared && !p.disjoint(false) {
		return p.reason("different CTAs")
	}
	if p.concurrent && !p.orderly(true) && !p.disjoint(true) {
		return p.reason("a CTA")
	}
	return nil
}

// of begins a reason that concerns one of the accesses, if that is not the one whose position is given.
func (p *pair) of(x *access.Address) string {
	if x == p.b {
		return ""
	}
	return fmt.Sprintf("of %s at %s, ", p.graph.Kernel.Instrs[x.Instr].Op, p.position(x))
}

func (p *pair) position(x *access.Address) string {
	in := &p.graph.Kernel.Instrs[x.Instr]
	if in.Loc.Known() {
		return in.Loc.String()
	}
	return in.Pos.String()
}

// reason says that threads of a group may access the same bytes.
func (p *pair) reason(of string) func() string {
	return func() string {
		if p.a == p.b {
			return fmt.Sprintf("that threads of %s access different bytes is not proven", of)
		}
		return fmt.Sprintf("that threads of %s access other bytes than at %s is not proven", of, p.position(p.a))
	}
}
