package symexec

import (
	"context"
	"fmt"
	"slices"

	"warpbound/internal/cfg"
	"warpbound/internal/isa"
	"warpbound/internal/smt"
)

// Proof is what is known of all threads of a launch, for all inputs in their ranges.
type Proof struct {
	Never []BranchOutcome // no thread takes these, whatever others do

	// Independent says that no thread gets anything that another one made, nor an earlier
	// launch if Options.Later is set. What a thread does is then what it does if no other runs.
	Independent bool
}

// Prove returns those of some branch outcomes that no thread of the launch takes, and whether
// threads are independent. What is unknown of the other outcomes is open. Of the
// options it uses the launch, its buffers and parameters, Later, the solver and MaxQueries.
//
// The kernel is executed once as a whole instead of path by path: where paths join, a register
// is the one or the other by the condition of its path (Kölbl and Pixley, "Constructing
// efficient formal models from high-level descriptions using symbolic simulation", IJPP 33,
// 2005). What a loop assigns is any number at its head, as is what is loaded from shared and
// local memory, from buffers that the kernel may write to, and what an instruction without a
// meaning as formula makes. So the conditions of outcomes hold for more than the inputs that take
// them, and an outcome is proved not to be taken if its condition cannot hold.
//
// It is an error if the kernel has a loop with several entries, and if a solver fails or ctx ends.
func Prove(ctx context.Context, o Options, open []BranchOutcome) (*Proof, error) {
	k := o.Launch.Kernel()
	g, err := cfg.Build(k)
	if err == nil {
		err = g.CheckReducible()
	}
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", k.Readable(), err)
	}
	o.Threads, o.Indices = []Thread{{}}, nil
	x := &explorer{Options: o, b: o.Builder, launch: o.Launch}
	if err := x.admit(); err != nil {
		return nil, err
	}
	if err := x.layOut(o.Buffers); err != nil {
		return nil, err
	}
	x.Indices = AllIndices(x.launch.Grid(), x.block())
	p := &prover{explorer: x, ctx: ctx, graph: g, reads: make([]bool, len(k.Regs)), written: make([]bool, len(x.regions)), used: make([]bool, len(x.regions)), queriesLeft: o.MaxQueries}
	for pc := range k.Instrs {
		k.Instrs[pc].Reads(func(r isa.Reg) { p.reads[r] = true })
	}
	for r := range p.written {
		p.written[r] = o.Later && !x.regions[r].readOnly
	}
	for done := false; !done; { // each time more regions are known to be written
		before := slices.Clone(p.written)
		if err := p.execute(); err != nil {
			return nil, fmt.Errorf("kernel %s: %w", k.Readable(), err)
		}
		done = slices.Equal(before, p.written)
	}
	proof := &Proof{Independent: p.independent()}
	for _, outcome := range open {
		c, executed := p.taken[outcome]
		if !executed {
			continue
		}
		never, err := p.Solver.Refutes(ctx, p.assumed, c)
		if err != nil {
			return nil, fmt.Errorf("kernel %s: %w", k.Readable(), err)
		}
		if never {
			proof.Never = append(proof.Never, outcome)
		}
	}
	return proof, nil
}

// prover executes all threads at once.
type prover struct {
	*explorer
	ctx         context.Context
	graph       *cfg.Graph
	reads       []bool // registers that an instruction reads
	written     []bool // regions that threads may write
	used        []bool // regions of which threads may use what they hold
	exchanges   bool   // threads may get what others made by other means than loads
	queriesLeft int    // if the options limit them

	assumed  []*smt.Term // what holds of all inputs and threads
	arrivals [][]arrival // by block
	taken    map[BranchOutcome]*smt.Term
}

// arrival is what holds at the start of a block if control comes from one that ends before.
type arrival struct {
	from int
	path *smt.Term // the condition under which it does
	regs []*smt.Term
}

// uses reports whether something is made of the results of an instruction.
func (p *prover) uses(in *isa.Instr) bool {
	return slices.ContainsFunc(in.Dst, func(o isa.Operand) bool { return o.Kind == isa.KindReg && p.reads[o.Reg] })
}

// independent reports whether no thread uses what another may have written. Local memory is a thread's own.
func (p *prover) independent() bool {
	for r := range p.regions {
		if p.used[r] && p.written[r] && p.regions[r].space != isa.Local {
			return false
		}
	}
	return !p.exchanges
}

// never reports whether a condition is seen not to hold for any thread and inputs.
func (p *prover) never(c *smt.Term) (bool, error) {
	if value, isConst := c.Const(); isConst {
		return value == 0, nil
	}
	if p.MaxQueries > 0 {
		if p.queriesLeft == 0 {
			return false, nil
		}
		p.queriesLeft--
	}
	return p.Solver.Refutes(p.ctx, p.assumed, c)
}
