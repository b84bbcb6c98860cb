package analysis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/halt"
	"warpbound/internal/method"
	"warpbound/internal/method/charge"
	"warpbound/internal/runner"
	"warpbound/internal/saturating"
	"warpbound/internal/workload"
)

// checkLines returns an error, which is an internal one, if an estimate charges lines more or less than it is, of the whole or of a launch.
func checkLines(answers ...*method.Answer) error {
	for _, a := range answers {
		if a == nil {
			continue
		}
		for i := range a.Estimates {
			e := &a.Estimates[i]
			if e.ByLine == nil {
				continue
			}
			if err := e.ByLine.Check(e.Cycles); err != nil {
				return fmt.Errorf("internal error: %s: %w", e.Method, err)
			}
		}
	}
	return nil
}

// addLines adds what a launch charges to lines, executed so many times, to the sum of launches, which are of one module. The products fit. Paths
// are those of launches.
func addLines(to, of *estimate.ByLine, times int64) *estimate.ByLine {
	if to == nil {
		to = &estimate.ByLine{Lines: []estimate.ChargedLine{}, Remainder: estimate.Remainder{Name: of.Remainder.Name, Causes: []estimate.ChargedPart{}}, Path: []estimate.ChargedBlock{}}
	}
	for i := range of.Lines {
		l := &of.Lines[i]
		n := slices.IndexFunc(to.Lines, func(k estimate.ChargedLine) bool { return k.Pos == l.Pos && k.Source == l.Source })
		if n < 0 {
			n = len(to.Lines)
			to.Lines = append(to.Lines, estimate.ChargedLine{Pos: l.Pos, Source: l.Source, Causes: []estimate.ChargedPart{}})
		}
		k := &to.Lines[n]
		k.Cycles += l.Cycles * times
		k.Causes = addCauses(k.Causes, l.Causes, times)
	}
	to.Remainder.Cycles += of.Remainder.Cycles * times
	to.Remainder.Causes = addCauses(to.Remainder.Causes, of.Remainder.Causes, times)
	to.Lines = slices.DeleteFunc(to.Lines, func(l estimate.ChargedLine) bool { return l.Cycles == 0 })
	slices.SortStableFunc(to.Lines, func(l, m estimate.ChargedLine) int { return cmp.Compare(m.Cycles, l.Cycles) })
	return to
}

// addCauses adds parts, so many times, to others, the greatest first.
func addCauses(to, of []estimate.ChargedPart, times int64) []estimate.ChargedPart {
	for _, p := range of {
		n := slices.IndexFunc(to, func(q estimate.ChargedPart) bool { return q.Cause == p.Cause })
		if n < 0 {
			n = len(to)
			to = append(to, estimate.ChargedPart{Cause: p.Cause})
		}
		to[n].Cycles += p.Cycles * times
	}
	to = slices.DeleteFunc(to, func(p estimate.ChargedPart) bool { return p.Cycles == 0 })
	slices.SortStableFunc(to, func(p, q estimate.ChargedPart) int { return cmp.Compare(q.Cycles, p.Cycles) })
	return to
}

// maxCharged is the greatest number of cycles of a run whose chain of causes is looked for.
const maxCharged = 1 << 22

// chargeRun makes the run again that stands for all, and returns which lines its chain of causes is charged to; nil where the run is too long
// for that, where nobody wants to know, and if there is no time left.
func chargeRun(ctx context.Context, p runner.Platform, w *workload.Workload, req Request, f *followed, id string) (*estimate.ByLine, error) {
	if req.Try > 0 || f.Cycles > maxCharged {
		return nil, nil
	}
	found, err := noted(req.Campaign.Keep, id+"-chain", func() (*estimate.ByLine, error) { return chargeChain(ctx, p, w, f.Cycles) })
	if halt.Ended(ctx, err) {
		return nil, nil
	}
	return found, err
}

// chargeChain returns which lines the chain of causes of the first test vector is charged to, whose run takes so many cycles.
func chargeChain(ctx context.Context, p runner.Platform, w *workload.Workload, cycles int64) (by *estimate.ByLine, err error) {
	r, err := p.Open(w, runner.Options{MaxCycles: cycles, Repeats: 1, Chain: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	out, err := r.Run(ctx, w.First().Bound.Vector(0), nil)
	if err != nil {
		return nil, err
	}
	return chargeSegments(w, out.Statistics.Chain().Segments), nil
}

// chargeSegments returns which lines parts of a chain of causes are charged to, and if there is one launch, the blocks.
func chargeSegments(w *workload.Workload, segments []estimate.ChainSegment) *estimate.ByLine {
	var sum *estimate.ByLine
	books := make([]*charge.Book, len(w.Kernels))
	at := make(map[string][2]int) // the kernel and the instruction of a position
	for i, k := range w.Kernels {
		books[i] = charge.New(k.Graph)
		for pc := range k.Graph.Kernel.Instrs {
			at[k.Graph.Kernel.Instrs[pc].Pos.String()] = [2]int{i, pc}
		}
	}
	for _, s := range segments {
		if of, ok := at[s.Pos]; ok {
			books[of[0]].Add(s.Kind, of[1], saturating.Of(s.To-s.From))
		} else {
			books[0].Remain(s.Kind, saturating.Of(s.To-s.From))
		}
	}
	const rest = "no instruction is under way"
	if len(books) == 1 {
		return books[0].ByLine(rest)
	}
	for _, b := range books {
		sum = addLines(sum, b.ByLine(rest), 1)
	}
	return sum
}
