package llc

import (
	"context"
	"maps"
	"slices"

	"warpbound/internal/method"
)

// This file tells of a launch which lines it leaves in the shared cache, and of a launch after others which lines it finds
// there. Where the lines of a set that any launch and the CPU may ever access fit into the set, none of them is displaced
// (docs/methods/llc.md).

// Touches implements method.Warmed. What the job states of loops is not used: nothing but proof makes a line one that
// stays.
func (m Method) Touches(ctx context.Context, p *method.Problem) (*method.Touched, error) {
	own := *p.WithFixed(nil)
	own.Bounds, own.Facts, own.Stated, own.Trusted = nil, nil, nil, nil
	a, err := newAnalysis(ctx, &own)
	if err == nil {
		err = a.execute(ctx, &own)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var f *follower
	if err == nil {
		f = a.follower()
	}
	if f == nil {
		return &method.Touched{Any: true}, nil
	}
	return f.touches(), nil
}

// touches returns the lines of the whole launch.
func (f *follower) touches() *method.Touched {
	all := &method.Touched{}
	perhaps := make(map[uint64]bool)
	f.surely = make(map[uint64]bool)
	for sm := range f.distribution.sms {
		lines := smLines{lines: make(map[uint64]fetched)}
		for number := 0; ; number++ {
			ctas := f.distribution.wave(sm, number)
			if len(ctas) == 0 {
				break
			}
			_, ok := f.wave(sm, ctas, &lines)
			all.Any = all.Any || !ok
		}
		for n := range lines.lines {
			perhaps[n] = true
		}
	}
	all.Perhaps = slices.Sorted(maps.Keys(perhaps))
	all.Surely = slices.Sorted(maps.Keys(f.surely))
	return all
}

// findHeld finds the lines that are in the shared cache whenever the launch begins, and stay there.
func (a *analysis) findHeld(w *method.Warm) {
	if w == nil {
		return
	}
	a.warm, a.held = true, make(map[uint64]bool)
	sets := uint64(a.machine.LLC.Sets.Value)
	lines := make(map[uint64]bool)
	for i := range w.All {
		if w.All[i].Any {
			return
		}
		for _, n := range w.All[i].Perhaps {
			lines[n] = true
		}
	}
	for _, x := range a.cpu.accesses {
		if x.First != x.Last {
			return
		}
		lines[x.First] = true
	}
	inSet := make([]int64, sets)
	for n := range lines {
		inSet[n%sets]++
	}
	for i := range w.All[:w.Before] {
		for _, n := range w.All[i].Surely {
			if inSet[n%sets] <= a.machine.LLC.Ways.Value {
				a.held[n] = true
			}
		}
	}
}
