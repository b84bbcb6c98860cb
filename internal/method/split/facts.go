package split

import (
	"math/bits"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/isa"
	"warpbound/internal/method/charge"
	"warpbound/internal/method/cost"
	"warpbound/internal/saturating"
)

// facts are what is known of the executions of some wavefronts. They do not depend on how
// wavefronts split: the lanes that execute an instruction together are the same.
type facts struct {
	requests []int64 // of accesses, by instruction, at most
	reached  []bool  // by block: a wavefront may execute it
	parts    []bool  // by block: lanes may go different ways at its end
	loops    []limit // by loop of the flow graph's forest
	// mean is how often a wavefront goes back to the header of a loop for each entry, on
	// average over all entries of an execution, at most. It counts the lanes of all paths.
	mean []limit
	// done is what one wavefront does in each block from its first instruction to its last, at most: in all executions of the
	// block, all paths together. It is nil if no wavefront was executed.
	done []work
	// route is that of one of the wavefronts, or nil if none was executed.
	route *charge.Route
}

// work is what executions of a block need together, and how many they are, at most.
type work struct {
	times   saturating.Int
	divided saturating.Int // of them, at whose end the wavefront may split by itself
	demand
}

// far is the bound of a loop from which on it is not used: those of counters of 32 bits are less.
const far = 1 << 33

// limit is how often a work-item goes back to the header of a loop for one entry, at most.
type limit struct {
	maximum  int64
	known    bool
	evidence estimate.Evidence
}

// tighter returns the less of two limits, the first if they are equal.
func (l limit) tighter(m limit) limit {
	if m.known && (!l.known || m.maximum < l.maximum) {
		return m
	}
	return l
}

// known returns what is known of all wavefronts without executing them.
func (c *config) known(count *cost.Counter) *facts {
	k := c.Graph.Kernel
	f := &facts{
		requests: make([]int64, len(k.Instrs)), reached: make([]bool, c.Graph.Len()),
		parts: make([]bool, c.Graph.Len()), loops: make([]limit, len(c.Graph.Loops().Loops)),
	}
	for pc := range k.Instrs {
		if in := &k.Instrs[pc]; accesses(in) {
			f.requests[pc] = count.Max(in, space(in), bytes(in), c.lanes())
			if (in.Space == isa.Param || in.Space == isa.Const) && in.Src[0].Reg == isa.NoReg {
				f.requests[pc] = 1 // all lanes have one address
			}
		}
	}
	for _, a := range c.accesses {
		in := &k.Instrs[a.Instr]
		atomic := in.Op == isa.Atom || in.Op == isa.Red
		if in.Space == isa.Shared || in.Space == isa.Global && !atomic {
			f.requests[a.Instr] = min(f.requests[a.Instr], int64(max(a.Max, 1)))
		}
	}
	for b := range f.parts {
		f.reached[b] = c.Graph.Reachable(b)
		f.parts[b] = c.Uniform == nil || !c.Uniform(b)
	}
	for i, l := range c.Graph.Loops().Loops {
		if maximum, ok := c.Annotated(l.Header); ok {
			f.loops[i] = limit{maximum, true, estimate.Annotated}
		}
		if maximum, ok := c.Counted[l.Header]; ok && maximum < far {
			f.loops[i] = f.loops[i].tighter(limit{maximum, true, estimate.Proven})
		}
	}
	f.mean = f.loops
	return f
}

// lanes returns how many lanes a wavefront has, at most.
func (c *config) lanes() int64 {
	maximum := 0
	for w := range c.Launch.Warps() {
		maximum = max(maximum, bits.OnesCount64(c.Launch.Threads(w)))
	}
	return int64(maximum)
}

// space returns the space that an access names.
func space(in *isa.Instr) isa.Space {
	if in.Op == isa.CpAsync {
		return isa.Global
	}
	return in.Space
}

// bytes returns how many bytes a lane accesses.
func bytes(in *isa.Instr) int {
	switch in.Op {
	case isa.CpAsync:
		return int(in.Src[2].Imm)
	case isa.LdMatrix, isa.StMatrix:
		return isa.MatrixRow
	case isa.Ld, isa.Atom:
		return max(len(in.Dst), 1) * in.Type.Bytes()
	}
	return (len(in.Src) - 1) * in.Type.Bytes()
}

// nothing returns the facts of executions that do nothing.
func (f *facts) nothing() *facts {
	never := slices.Repeat([]limit{{known: true, evidence: estimate.Proven}}, len(f.loops))
	return &facts{
		requests: make([]int64, len(f.requests)), reached: make([]bool, len(f.reached)),
		parts: make([]bool, len(f.parts)), loops: never, mean: slices.Clone(never), done: make([]work, len(f.reached)),
	}
}

// tighten adds what is known of the loops of all executions, and returns the facts.
func (f *facts) tighten(known *facts) *facts {
	for i := range f.loops {
		f.loops[i] = f.loops[i].tighter(known.loops[i])
		f.mean[i] = f.mean[i].tighter(f.loops[i])
	}
	return f
}

// include makes the facts hold for other executions too.
func (f *facts) include(g *facts) {
	for i, n := range g.requests {
		f.requests[i] = max(f.requests[i], n)
	}
	for i := range g.reached {
		f.reached[i] = f.reached[i] || g.reached[i]
		f.parts[i] = f.parts[i] || g.parts[i]
	}
	widest(f.loops, g.loops)
	widest(f.mean, g.mean)
	if f.route == nil {
		f.route = g.route
	}
	f.cover(g)
}

// cover makes what is done hold for another wavefront too.
func (f *facts) cover(g *facts) {
	if f.done == nil || g.done == nil {
		f.done = nil
		return
	}
	f.done = slices.Clone(f.done)
	for b, d := range g.done {
		m := &f.done[b]
		*m = work{max(m.times, d.times), max(m.divided, d.divided), demand{
			max(m.passes, d.passes), max(m.delay, d.delay), max(m.accesses, d.accesses), max(m.service, d.service),
		}}
	}
}

// includeAll makes the facts hold for other executions too.
func (f *facts) includeAll(all []*facts) {
	for _, g := range all {
		f.include(g)
	}
}

// widest makes limits hold for what others hold for.
func widest(limits, others []limit) {
	for i, l := range others {
		switch m := &limits[i]; {
		case !m.known:
		case !l.known || l.maximum > m.maximum:
			*m = l
		case l.maximum == m.maximum:
			m.evidence = estimate.Weakest(m.evidence, l.evidence)
		}
	}
}
