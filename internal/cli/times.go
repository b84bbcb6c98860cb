package cli

import (
	"github.com/spf13/cobra"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/report"
)

// runTimes are the times of the runs of an analysis, for a file.
type runTimes struct {
	name string // of the file; "" for none
	to   *file
	runs []estimate.RunTime
}

func (t *runTimes) add(c *cobra.Command) {
	c.Flags().StringVar(&t.name, "times", "", "also write the time of each run to this file, as CSV")
	c.MarkFlagsMutuallyExclusive("times", "traces")
}

// gather begins the file, and has the runs of an analysis tell their times, which makes runs even if no method needs them.
func (t *runTimes) gather(out *outputs, of *warpbound.Runs) (err error) {
	if t.name == "" {
		return nil
	}
	of.Observe = true
	of.Taken = func(run estimate.RunTime) { t.runs = append(t.runs, run) }
	t.to, err = out.create("--times", t.name)
	return err
}

// write writes the file, which is to be moved to its name.
func (t *runTimes) write() error {
	if t.to == nil {
		return nil
	}
	return report.Times(t.to, t.runs)
}

// save writes the file and moves it to its name, whatever becomes of others.
func (t *runTimes) save() error {
	if err := t.write(); err != nil || t.to == nil {
		return err
	}
	return t.to.commit()
}
