package report

import (
	"fmt"
	"slices"
	"strings"

	"warpbound/estimate"
	"warpbound/internal/symbol"
)

// launchTimes lists the launches of a run with several.
func launchTimes(p *printer, list []estimate.LaunchTime) {
	if len(list) == 0 {
		return
	}
	p.printf("Launches, each on an idle GPU:\n")
	p.table(func(rows *printer) {
		var symbols []string
		for _, l := range list {
			symbols = append(symbols, l.Kernel)
		}
		names := padded(append([]string{"kernel"}, symbol.ShortAll(symbols)...))
		rows.printf("  %s\tgrid\tblock\texecuted\tcycles in all\t\n", names[0])
		for i, l := range list {
			rows.printf("  %s\t%s\t%s\t%s\t%s\t\n", names[i+1], dims(l.Grid), dims(l.Block), group(int64(l.Executed)), group(l.Cycles))
		}
	})
	p.printf("\n")
}

// launchTable is the launches of an analysis as a table whose first column is left-aligned.
type launchTable struct {
	Columns []string
	Rows    [][]string
}

// launchesOf lays out the launches of an analysis: what they are, how often a run executes them, and
// what is known of one execution.
func launchesOf(a *estimate.Analysis) launchTable {
	t := launchTable{Columns: []string{"kernel", "grid", "block", "executed", "longest"}}
	for _, e := range a.Estimates {
		t.Columns = append(t.Columns, e.Method)
	}
	methods := t.Columns[5:]
	var symbols []string
	for i := range a.Launches {
		symbols = append(symbols, a.Launches[i].Kernel)
	}
	names := symbol.ShortAll(symbols)
	for i := range a.Launches {
		l := &a.Launches[i]
		longest := "-"
		if l.Observed != nil {
			longest = group(l.Observed.Max)
		}
		row := []string{names[i], dims(l.Grid), dims(l.Block), executions(&l.Executions), longest}
		for _, method := range methods {
			at := slices.IndexFunc(l.Estimates, func(e estimate.Estimate) bool { return e.Method == method })
			cell := "-"
			if at >= 0 {
				cell = group(l.Estimates[at].Cycles)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// executions renders how often a run executes a launch: in the runs, and at most.
func executions(e *estimate.Executions) string {
	var parts []string
	switch {
	case e.Max == 0:
	case e.Min == e.Max:
		parts = append(parts, group(e.Max))
	default:
		parts = append(parts, group(e.Min)+" to "+group(e.Max))
	}
	if e.Bound != nil && *e.Bound != e.Max {
		parts = append(parts, "at most "+group(*e.Bound))
	}
	return strings.Join(parts, ", ")
}

// launchText writes the launches of an analysis.
func launchText(p *printer, a *estimate.Analysis) {
	if len(a.Launches) == 0 {
		return
	}
	p.printf("Launches of a run, with cycles of one execution:\n")
	t := launchesOf(a)
	p.table(func(rows *printer) {
		first := []string{t.Columns[0]}
		for _, row := range t.Rows {
			first = append(first, row[0])
		}
		first = padded(first)
		rows.printf("  %s\t%s\t\n", first[0], strings.Join(t.Columns[1:], "\t"))
		for i, row := range t.Rows {
			rows.printf("  %s\t%s\t\n", first[i+1], strings.Join(row[1:], "\t"))
		}
	})
	p.printf("\n")
}

// kernelsOf names the kernels of an analysis, each once.
func kernelsOf(a *estimate.Analysis) string {
	var names []string
	for i := range a.Launches {
		if name := a.Launches[i].Kernel; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > 1 {
		return "kernels " + strings.Join(symbol.ShortAll(names), ", ")
	}
	return "kernel " + symbol.Readable(a.Kernel)
}

// launched says what an analysis is of: the shape of its launch, or how many launches there are.
func launched(a *estimate.Analysis) string {
	switch n := len(a.Launches); n {
	case 0:
	case 1:
		return "1 launch, repeated in a run"
	default:
		return fmt.Sprintf("%d launches in a run", n)
	}
	return fmt.Sprintf("grid %s, block %s", dims(a.Launch.Grid), dims(a.Launch.Block))
}
