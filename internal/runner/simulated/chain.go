package simulated

import (
	"cmp"
	"fmt"
	"slices"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/sim"
)

// Chain implements runner.Statistics.
func (t *statistics) Chain() *estimate.Chain {
	c := &estimate.Chain{Segments: make([]estimate.ChainSegment, len(t.result.Chain)), ByKind: []estimate.ChainKind{}, ByLine: []estimate.ChainLine{}}
	kinds, lines := map[string]int{}, map[string]int{}
	for i := range t.result.Chain {
		s := &t.result.Chain[i]
		segment := estimate.ChainSegment{From: s.From, To: s.To, SM: s.SM, CTA: s.CTA, Warp: s.Warp, Kind: sim.CauseName(s.Kind)}
		line := ""
		if s.Instr != nil {
			segment.Pos, line = s.Instr.Pos.String(), lineOf(s.Instr.Pos)
			if s.Instr.Loc.Known() {
				segment.Source, line = s.Instr.Loc.String(), lineOf(s.Instr.Loc)
			}
		}
		c.Segments[i] = segment
		of := &c.ByKind[place(kinds, segment.Kind, &c.ByKind)]
		of.Kind = segment.Kind
		of.Cycles += s.To - s.From
		of.Segments++
		at := &c.ByLine[place(lines, line, &c.ByLine)]
		at.Line = line
		at.Cycles += s.To - s.From
	}
	slices.SortFunc(c.ByKind, func(a, b estimate.ChainKind) int {
		return cmp.Or(cmp.Compare(b.Cycles, a.Cycles), cmp.Compare(a.Kind, b.Kind))
	})
	slices.SortFunc(c.ByLine, func(a, b estimate.ChainLine) int {
		return cmp.Or(cmp.Compare(b.Cycles, a.Cycles), cmp.Compare(a.Line, b.Line))
	})
	return c
}

// place returns the place in a list of what has a name, at its end if it is new.
func place[T any](places map[string]int, name string, list *[]T) int {
	i, known := places[name]
	if !known {
		var empty T
		i = len(*list)
		places[name] = i
		*list = append(*list, empty)
	}
	return i
}

// lineOf returns a position without its column.
func lineOf(p diag.Pos) string { return fmt.Sprintf("%s:%d", p.File, p.Line) }
