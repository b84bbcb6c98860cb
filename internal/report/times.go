package report

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"

	"warpbound/estimate"
)

// Times writes the times of runs as CSV. There is a column for saved inputs if any of them were run, and one for each
// launch if there are several in a run.
func Times(w io.Writer, runs []estimate.RunTime) error {
	saved := slices.ContainsFunc(runs, func(t estimate.RunTime) bool { return t.Inputs != "" })
	several := slices.ContainsFunc(runs, func(t estimate.RunTime) bool { return len(t.Launches) > 1 })
	head := []string{"run", "vector", "set", "cycles"}
	if saved {
		head = append(head, "inputs")
	}
	if several {
		for i := range runs[0].Launches {
			head = append(head, "launch_"+strconv.Itoa(i+1))
		}
	}
	out := csv.NewWriter(w)
	out.Write(head) // the writer keeps an error until it is asked
	for i, t := range runs {
		vector := ""
		if t.Vector >= 0 {
			vector = strconv.Itoa(t.Vector)
		}
		row := []string{strconv.Itoa(i), vector, string(t.Set), strconv.FormatInt(t.Cycles, 10)}
		if saved {
			row = append(row, t.Inputs)
		}
		if several {
			for _, cycles := range t.Launches {
				row = append(row, strconv.FormatInt(cycles, 10))
			}
		}
		out.Write(row)
	}
	out.Flush()
	return out.Error()
}
