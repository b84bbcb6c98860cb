package report

import (
	"fmt"

	"warpbound/estimate"
)

// uncovered is the number of things that no run has exercised which the text lists.
const uncovered = 10

// Covers says in one line what runs have exercised; nothing if c is nil.
func Covers(c *estimate.Coverage) string {
	if c == nil {
		return ""
	}
	part := func(n estimate.Covered, what string) string {
		return fmt.Sprintf("%d of %d %s", n.Covered, n.Possible, what)
	}
	return fmt.Sprintf("Coverage: runs exercised %s, %s and %s.",
		part(c.Blocks, "blocks"), part(c.Edges, "edges"), part(c.Outcomes, "branch outcomes"))
}

// Never describes something that no run has exercised.
func Never(u estimate.Uncovered) string {
	switch {
	case u.To == "":
		return fmt.Sprintf("%s: block %s was never executed", u.Pos, u.Block)
	case u.ToPos == "":
		return fmt.Sprintf("%s: the branch of block %s was never taken to the %s", u.Pos, u.Block, u.To)
	}
	return fmt.Sprintf("%s: the branch of block %s was never taken to %s at %s", u.Pos, u.Block, u.To, u.ToPos)
}

// Less describes a loop that has iterated less often than it may; nothing of others.
func Less(l estimate.LoopCoverage) string {
	if l.Possible == nil || l.Observed >= *l.Possible {
		return ""
	}
	return fmt.Sprintf("%s: loop %s took at most %s per entry, and may take %s (%s)", l.Pos, l.Header, counted(int(l.Observed), "back edge"), group(*l.Possible), l.Evidence)
}

// coverage writes what runs have exercised, and what they have not.
func coverage(p *printer, c *estimate.Coverage) {
	if c == nil {
		return
	}
	p.printf("%s\n", Covers(c))
	for i, u := range c.Never {
		if i == uncovered {
			p.printf("  and %d more\n", len(c.Never)-i)
			break
		}
		p.printf("  %s\n", Never(u))
	}
	for _, l := range c.Loops {
		if text := Less(l); text != "" {
			p.printf("  %s\n", text)
		}
	}
	p.printf("\n")
}
