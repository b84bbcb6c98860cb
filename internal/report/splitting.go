package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"warpbound/estimate"
	"warpbound/internal/symbol"
)

// Splitting writes how the wavefronts of a job split for people. hz is the machine's clock
// in cycles per second.
func Splitting(w io.Writer, s *estimate.Splitting, hz float64) error {
	p := &printer{w: w}
	p.printf("kernel %s on %s (%.4g MHz), job %s\n", symbol.Readable(s.Kernel), s.Machine, hz/1e6, s.Job)
	p.printf("grid %s, block %s; %s for each SIMD; %s in each mode, seed %d\n\n",
		dims(s.Launch.Grid), dims(s.Launch.Block), counted(s.SplitSIMDs, "split SIMD"), counted(s.Runs, "run"), s.Seed)
	incomplete(p, s.Interrupted)
	convergence(p, s.Convergence)
	splitModes(p, s)
	if s.Interrupted == nil || !slices.Contains(s.Interrupted.Missing, "points") {
		splitPoints(p, s)
	}
	if s.Choice != nil {
		splitChoice(p, s)
	}
	var estimates []estimate.Estimate
	for _, m := range s.Modes {
		estimates = append(estimates, m.Estimate)
	}
	assumptions(p, estimates)
	warnings(p, s.Warnings)
	return p.err
}

// splitModes sets the bounds of the modes side by side, with their parts.
func splitModes(p *printer, s *estimate.Splitting) {
	row := func(rows *printer, name string, cell func(m *estimate.SplitMode) string) {
		rows.printf("  %s", name)
		for i := range s.Modes {
			rows.printf("\t%s", cell(&s.Modes[i]))
		}
		rows.printf("\t\n")
	}
	names := []string{"mode", "longest run", "bound", "above it", "evidence"}
	measured := s.Modes[0].Measured != nil
	if measured {
		names = append(names, "from measured times of blocks", "by the published equations")
	}
	for _, part := range s.Modes[0].Parts {
		names = append(names, part.Name)
	}
	names = padded(names)
	p.table(func(rows *printer) {
		row(rows, names[0], func(m *estimate.SplitMode) string { return m.Mode })
		row(rows, names[1], func(m *estimate.SplitMode) string { return group(m.Observed.Max) })
		row(rows, names[2], func(m *estimate.SplitMode) string { return group(m.Estimate.Cycles) })
		row(rows, names[3], func(m *estimate.SplitMode) string { return above(m.Estimate.Cycles, m.Observed.Max) })
		row(rows, names[4], func(m *estimate.SplitMode) string { return Standing(m.Estimate.Evidence, m.Estimate.Numbers) })
		rest := names[5:]
		if measured {
			row(rows, rest[0], func(m *estimate.SplitMode) string { return group(m.Measured.Cycles) })
			row(rows, rest[1], func(m *estimate.SplitMode) string { return group(m.Published) })
			rest = rest[2:]
		}
		for i := range s.Modes[0].Parts {
			row(rows, rest[i], func(m *estimate.SplitMode) string { return group(m.Parts[i].Value) })
		}
	})
	p.printf("\n")
}

// splitPoints lists the branches that can be split.
func splitPoints(p *printer, s *estimate.Splitting) {
	if len(s.Points) == 0 {
		p.printf("No branch can be split.\n\n")
		return
	}
	var pws int64
	for _, m := range s.Modes {
		if m.Mode == "pws" {
			pws = m.Estimate.Cycles
		}
	}
	p.printf("Branches that can be split:\n")
	p.table(func(rows *printer) {
		rows.printf("  marked\tsplits\tbound without it\tgain\t  branch\n")
		for _, b := range s.Points {
			without, gains := "-", "-"
			if b.Selected {
				without, gains = group(b.Without), group(b.Without-pws)
			}
			rows.printf("  %s\t%s\t%s\t%s\t  %s\n", yes(b.Marked), yes(b.Selected), without, gains, where(b))
		}
	})
	p.printf("\n")
}

// splitChoice lists the best sets of branches to split, and the best of them as a job states it.
func splitChoice(p *printer, s *estimate.Splitting) {
	c := s.Choice
	p.printf("The best branches to split, for each number of split contexts that they use at a time:\n")
	p.table(func(rows *printer) {
		rows.printf("  contexts\tbound\tsplit points\t\n")
		for i, set := range c.Sets {
			best := ""
			if i == c.Best {
				best = "best"
			}
			rows.printf("  %d\t%s\t%d\t  %s\n", set.Contexts, group(set.Cycles), len(set.Points), best)
		}
	})
	for _, b := range c.Passed {
		p.printf("  not considered: %s\n", where(b))
	}
	best := c.Sets[c.Best]
	if len(best.Points) > 0 {
		p.printf("\nGain of each of the best split points:\n")
		p.table(func(rows *printer) {
			rows.printf("  bound without it\tgain\t  branch\n")
			for _, b := range best.Points {
				rows.printf("  %s\t%s\t  %s\n", group(b.Without), group(b.Without-best.Cycles), where(b))
			}
		})
	}
	branches, ok := places(best.Points)
	if !ok {
		p.printf("\nSome of these branches have no name that a job can use: mark them in the module.\n\n")
		return
	}
	p.printf("\nIn the job:\n\n  [split]\n  mode     = \"pws\"\n  simds    = %d\n  branches = [%s]\n\n", s.SplitSIMDs, branches)
}

// places lists branches as a job names them. It is false if that cannot name them all.
func places(points []estimate.SplitPoint) (string, bool) {
	var list []string
	for _, b := range points {
		if b.Place == "" {
			return "", false
		}
		list = append(list, fmt.Sprintf("%q", b.Place))
	}
	return strings.Join(list, ", "), true
}

// where says where a branch is.
func where(b estimate.SplitPoint) string {
	if b.Place == "" {
		return b.Pos
	}
	return b.Place + " at " + b.Pos
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
