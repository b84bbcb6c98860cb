package estimate

import "fmt"

// ByLine says what the terms of a bound charge to lines. What it charges to all lines and the remainder are the cycles of the
// estimate.
type ByLine struct {
	Lines     []ChargedLine `json:"lines"` // dearest first
	Remainder Remainder     `json:"remainder"`
	// Path are the basic blocks to which something is charged, in the order of the module.
	Path []ChargedBlock `json:"path"`
	// Edges are those of the flow graph, and those that divergence adds, along which a warp goes that takes longest, in the order of
	// the module. Left out where the method tells of no such warp.
	Edges []PathEdge `json:"edges,omitempty"`
}

// PathEdge is an edge from a block to another one.
type PathEdge struct {
	From  string `json:"from,omitempty"` // left out where the warp begins
	To    string `json:"to"`
	Count int64  `json:"count"` // how often the warp goes along it
}

// ChargedLine is the instructions of a line of the module which are from one line of the source.
type ChargedLine struct {
	Pos    string        `json:"pos"`              // file:line in the module
	Source string        `json:"source,omitempty"` // the same in the compiler's source, if the module tells it
	Cycles int64         `json:"cycles"`
	Causes []ChargedPart `json:"causes"` // of the cycles, those with many first
}

// ChargedPart is the part of a charge that has one cause.
type ChargedPart struct {
	Cause  string `json:"cause"`
	Cycles int64  `json:"cycles"`
}

// Remainder is what a bound charges to no line.
type Remainder struct {
	Name   string        `json:"name"` // what it is
	Cycles int64         `json:"cycles"`
	Causes []ChargedPart `json:"causes"` // of the cycles, those with many first
}

// ChargedBlock is a basic block.
type ChargedBlock struct {
	Name   string `json:"name"`
	Pos    string `json:"pos"` // file:line:col, in the compiler's source if it is known
	Cycles int64  `json:"cycles"`
}

// Check returns an error if the parts are not those of so many cycles, or one is negative.
func (b *ByLine) Check(cycles int64) error {
	sum := int64(0)
	add := func(what string, whole int64, parts []ChargedPart) error {
		rest := whole
		for _, p := range parts {
			if rest -= p.Cycles; p.Cycles < 0 {
				return fmt.Errorf("%s is charged %d cycles for %s", what, p.Cycles, p.Cause)
			}
		}
		if sum += whole; whole < 0 || rest != 0 || sum < 0 {
			return fmt.Errorf("%s is charged %d cycles, its causes %d", what, whole, whole-rest)
		}
		return nil
	}
	for i := range b.Lines {
		if err := add(b.Lines[i].Pos, b.Lines[i].Cycles, b.Lines[i].Causes); err != nil {
			return err
		}
	}
	if err := add("no line", b.Remainder.Cycles, b.Remainder.Causes); err != nil {
		return err
	}
	if sum != cycles {
		return fmt.Errorf("lines and the remainder are charged %d of %d cycles", sum, cycles)
	}
	return nil
}
