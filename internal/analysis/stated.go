package analysis

import (
	"context"
	"fmt"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/certify"
	"warpbound/internal/job"
	"warpbound/internal/method"
	"warpbound/internal/sourceloop"
	"warpbound/internal/workload"
)

// annotations returns what the job states of loops and of flow, in its order. A place inside a loop stands for the innermost
// loop around it; a line of the source for the loop of the source around it, and so for all that a compiler has made of that.
// The error may be that of ctx.
func annotations(ctx context.Context, k *workload.Kernel) ([]method.LoopBound, []method.Fact, error) {
	facts, err := flowFacts(k)
	if err != nil {
		return nil, nil, err
	}
	var bounds []method.LoopBound
	loops := k.Graph.Loops()
	for _, l := range k.Bound.Loops {
		if l.Source.Line > 0 {
			own, implied, err := sourceLoop(ctx, k, &l)
			if err != nil {
				return nil, nil, err
			}
			bounds, facts = append(bounds, own...), append(facts, implied...)
			continue
		}
		for _, instr := range l.Instrs {
			at := loops.Innermost(k.Graph.BlockOf(instr))
			if at < 0 {
				return nil, nil, diag.Errorf(l.Pos, "no loop contains %s of kernel %s",
					k.Graph.Name(k.Graph.BlockOf(instr)), k.Graph.Kernel.Readable())
			}
			bounds = append(bounds, method.LoopBound{Header: loops.Loops[at].Header, Max: l.Bound, Pos: l.Pos})
		}
	}
	return bounds, facts, ctx.Err() // facts are missing then, perhaps
}

// sourceLoop returns what follows from the iterations of a loop of the source: a bound of each loop that makes some of them,
// and that the executions of all copies of the line, weighed by how many it stands for, are no more for each entry. That
// is a fact of warps only if their lanes go the same ways there: else some make the last iterations in another
// copy, while others are still in the first.
func sourceLoop(
	ctx context.Context, k *workload.Kernel, l *job.BoundLoop,
) ([]method.LoopBound, []method.Fact, error) {
	found, err := sourceloop.Find(k.Graph, l.Source.File, l.Source.Line)
	if err != nil {
		return nil, nil, diag.Errorf(l.Pos, "%w", err)
	}
	var bounds []method.LoopBound
	var facts []method.Fact
	for _, loop := range found {
		fact := method.Fact{Name: certify.Place(l.Pos), Max: new(int64), Evidence: estimate.Annotated, Implied: true}
		for _, c := range loop.Copies {
			fact.Terms = append(fact.Terms, method.FactTerm{Block: c.Block, Coef: c.Times})
			bounds = append(bounds, method.LoopBound{Header: k.Graph.Loops().Loops[c.Loop].Header, Max: c.Back(l.Bound), Pos: l.Pos})
		}
		if loop.Entry >= 0 && uniform(ctx, k, loop.Region) {
			fact.Terms = append(fact.Terms, method.FactTerm{Block: loop.Entry, Coef: -l.Bound})
			facts = append(facts, fact)
		}
	}
	return bounds, facts, nil
}

// uniform reports whether the lanes of a warp surely go the same way at the end of each of the blocks.
func uniform(ctx context.Context, k *workload.Kernel, blocks []int) bool {
	d, err := k.Divergence(ctx)
	if err != nil {
		return false
	}
	for _, b := range blocks {
		if len(k.Graph.Succ(b)) > 1 && !d.Uniform(b) {
			return false
		}
	}
	return true
}

// flowFacts returns the job's flow facts over blocks.
func flowFacts(k *workload.Kernel) ([]method.Fact, error) {
	var facts []method.Fact
	for _, f := range k.Bound.Facts {
		fact := method.Fact{Name: certify.Place(f.Pos), Min: f.Min, Max: f.Max, Evidence: estimate.Annotated}
		for _, t := range f.Sum {
			if t.Source.Line == 0 {
				fact.Terms = append(fact.Terms, method.FactTerm{Block: k.Graph.BlockOf(t.Instr), Coef: t.Coef})
				continue
			}
			if f.Min != nil || t.Coef < 0 {
				return nil, diag.Errorf(f.Pos, "a fact about %s, a line of the source, can only say what a sum with coefficients above 0 is at most: a compiler may have left out some of its executions", t.Source)
			}
			terms, err := sourceTerms(k, &t)
			if err != nil {
				return nil, diag.Errorf(f.Pos, "%w", err)
			}
			fact.Terms = append(fact.Terms, terms...)
		}
		facts = append(facts, fact)
	}
	return facts, nil
}

// sourceTerms are the executions of a line of the source: those of its copies, each of which is in one block at most.
func sourceTerms(k *workload.Kernel, t *job.BoundTerm) ([]method.FactTerm, error) {
	copies, err := sourceloop.Copies(k.Graph, t.Source.File, t.Source.Line)
	if err != nil {
		return nil, err
	}
	var terms []method.FactTerm
	for _, group := range copies {
		for _, c := range group {
			terms = append(terms, method.FactTerm{Block: c.Block, Coef: t.Coef * c.Times})
		}
	}
	if len(terms) == 0 {
		return nil, fmt.Errorf("no block of kernel %s has all that is left of %s", k.Graph.Kernel.Readable(), t.Source)
	}
	return terms, nil
}
