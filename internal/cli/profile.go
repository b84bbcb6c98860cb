package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/halt"
	"warpbound/internal/report/perfetto"
	"warpbound/internal/report/pprof"
)

// profiles are the flags that ask for the profile of a run in formats of other programs.
type profiles struct {
	perfetto, pprof string // names of files; "" for none

	toPerfetto, toPprof io.Writer
}

func (p *profiles) add(c *cobra.Command, of string) {
	c.Flags().StringVar(&p.perfetto, "perfetto", "", "also write what warps do and wait for in "+of+" to this file, for ui.perfetto.dev")
	c.Flags().StringVar(&p.pprof, "pprof", "", "also write cycles, issues and waits of "+of+" by line to this file, for go tool pprof")
}

// wanted reports whether there is one.
func (p *profiles) wanted() bool { return p.perfetto != "" || p.pprof != "" }

// create begins their files.
func (p *profiles) create(out *outputs) error {
	var err error
	if p.perfetto != "" {
		if p.toPerfetto, err = out.create("--perfetto", p.perfetto); err != nil {
			return err
		}
	}
	if p.pprof != "" {
		p.toPprof, err = out.create("--pprof", p.pprof)
	}
	return err
}

// make profiles a run and writes what is asked for, with what a bound charges to lines unless that is nil.
func (p *profiles) make(
	c *cobra.Command, j *warpbound.Job, run *estimate.LongestRun, bound *estimate.ByLine, maxCycles int64,
) (*estimate.Profile, error) {
	opts := warpbound.ProfileOptions{Run: *run, MaxCycles: maxCycles}
	var trace *perfetto.Writer
	if p.toPerfetto != nil {
		trace = perfetto.NewWriter(p.toPerfetto)
		opts.Issue = func(i *estimate.WarpIssue) {
			trace.Slice(i.SM, i.CTA, i.Warp, i.Split, i.Since+1, i.Cycle, i.Wait)
			trace.Slice(i.SM, i.CTA, i.Warp, i.Split, i.Cycle, i.Cycle+1, i.Line)
		}
	}
	found, err := warpbound.Profile(c.Context(), j, opts)
	if err != nil {
		return nil, err
	}
	if trace != nil {
		trace.Chain(found.Chain)
		if err := trace.Close(); err != nil {
			return nil, fmt.Errorf("--perfetto %s: %w", p.perfetto, err)
		}
	}
	if p.toPprof != nil {
		if err := pprof.Write(p.toPprof, found, bound); err != nil {
			return nil, fmt.Errorf("--pprof %s: %w", p.pprof, err)
		}
	}
	return found, nil
}

// chargedBy returns what the bound that counts charges to lines; nil if there is none that does.
func chargedBy(a *estimate.Analysis) *estimate.ByLine {
	if e := a.Tightest(); e != nil {
		return e.ByLine
	}
	return nil
}

// maxBeside is the greatest number of cycles of a run that text sets beside a bound, line by line.
const maxBeside = 1 << 22

// profileBeside profiles the longest run of an analysis, for text that sets its lines beside those of the bound: nil if the bound has none, if
// the run is too long, and if there is no time left.
func profileBeside(c *cobra.Command, j *warpbound.Job, a *estimate.Analysis, maxCycles int64) (*estimate.Profile, error) {
	if chargedBy(a) == nil || a.Longest == nil || a.Longest.Cycles > maxBeside {
		return nil, nil
	}
	p, err := new(profiles).make(c, j, a.Longest, nil, maxCycles)
	if halt.Ended(c.Context(), err) {
		return nil, nil
	}
	return p, err
}

// errNoProfile says of what there are no profiles.
var errNoProfile = errors.New("--perfetto and --pprof are of a run that is simulated, and there is none")
