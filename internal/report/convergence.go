package report

import (
	"fmt"

	"warpbound/estimate"
)

// Convergence says why no more test vectors were run; nothing if c is nil.
func Convergence(c *estimate.Convergence) string {
	switch {
	case c == nil:
		return ""
	case c.Stopped == estimate.StoppedInvariant:
		return fmt.Sprintf("One run stands for all %s: no sampled input reaches a branch, an address, or\nwhatever else time depends on, so that each takes the same time (proven).",
			counted(c.Vectors, "test vector"))
	case c.Stopped == estimate.StoppedStable:
		return fmt.Sprintf("Stopped after %s of %s: nothing new since vector %s.\nThis is no proof: other inputs may show more.%s",
			group(int64(c.Runs)), counted(c.Vectors, "test vector"), group(int64(c.LastNew)), reached(c.Reached))
	}
	return fmt.Sprintf("Not stable after %s: vector %s still showed something new.\nMore vectors may show more (--vectors).%s",
		counted(c.Runs, "test vector"), group(int64(c.LastNew)), reached(c.Reached))
}

// convergence writes it as a paragraph of its own.
func convergence(p *printer, c *estimate.Convergence) {
	if text := Convergence(c); text != "" {
		p.printf("%s\n\n", text)
	}
}

// reached says on a line of its own what inputs can change.
func reached(r *estimate.Reached) string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("\nInputs can change %s, first at %s.", r.What, r.Pos)
}
