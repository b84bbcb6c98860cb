package estimate

import "fmt"

// ByLine says what the terms of a bound charge to lines. What it charges to all lines and the remainder are the cycles of the
// estimate.
type ByLine struct {
	Lines     []ChargedLine `json:"lines"` // dearest first
	Remainder Remainder     `json:"remainder"`
	// Path are the basic blocks of the worst path with what is charged to them, in the order of the module: those that it charges nothing to are
	// not there.
	Path []ChargedBlock `json:"path"`
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
