package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/report"

	"github.com/spf13/cobra"

	"warpbound"
)

func verifyCommand() *cobra.Command {
	var job jobFlags
	var path string
	var rerun bool
	c := &cobra.Command{
		Use:   "verify FILE",
		Short: "Check a certificate that analyze --certificate wrote: exit 0 if it holds or is repeated, 1 if not, 3 if nothing confirms it",
		Example: `  warpbound analyze kernels/bfs/job.toml --machine predictable-rr \
    --methods static/cta --certificate bfs.cert
  warpbound verify bfs.cert --job kernels/bfs/job.toml --machine predictable-rr
  # what was observed in runs is run again:
  warpbound analyze kernels/bfs/job.toml --methods hybrid/waves \
    --certificate waves.cert
  warpbound verify waves.cert --job kernels/bfs/job.toml --rerun`,
		Args: cobra.ExactArgs(1),
	}
	format := addFormat(c)
	job.add(c)
	job.addBounds(c)
	c.Flags().StringVar(&path, "job", "", "the job that the certificate is of: facts are derived from it anew, instead of believed")
	c.Flags().BoolVar(&rerun, "rerun", false, "make the runs again in which facts were observed")
	c.RunE = func(c *cobra.Command, args []string) error {
		if path == "" && (rerun || job.machine != "" || c.Flags().Changed("seed")) {
			return usagef("--machine, --seed and --rerun are about a job: give --job JOB.toml")
		}
		in, err := os.Open(args[0])
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], cause(err))
		}
		defer in.Close()
		var p *estimate.Proof
		if path == "" {
			p, err = warpbound.Verify(in)
		} else {
			var j *warpbound.Job
			if j, err = job.load(c, path); err != nil {
				return err
			}
			p, err = j.Verify(c.Context(), in, warpbound.VerifyOptions{Rerun: rerun})
		}
		switch {
		case errors.Is(err, warpbound.ErrRefuted):
			fmt.Fprintf(c.OutOrStdout(), "%s: %v\n", args[0], err)
			return errVerdict
		case err != nil:
			return fmt.Errorf("%s: %w", args[0], err)
		}
		if *format == "json" {
			err = report.JSON(c.OutOrStdout(), p)
		} else {
			err = printProof(c.OutOrStdout(), args[0], path, p)
		}
		if err == nil && p.Verdict == estimate.ClaimAsserted {
			return errNotShown
		}
		return err
	}
	return c
}

// printProof prints what a certificate proves; of a job unless that is empty.
func printProof(w io.Writer, name, job string, p *estimate.Proof) error {
	out := &lines{w: w}
	if p.Claim != nil {
		out.printf("%s: %s: %s of kernel %s on %s takes at most %d cycles (%s)\n", name, p.Verdict, p.Claim.Method, p.Claim.Kernel, p.Claim.Machine, p.Claim.Cycles, report.Standing(estimate.Evidence(p.Evidence), p.Numbers))
	}
	switch {
	case job == "" && p.Claim != nil:
		out.printf("  the claim follows from the facts in the file, which nothing confirms: give --job JOB.toml\n")
	case len(p.Trusted) == 0:
		out.printf("  all %d facts are confirmed\n", len(p.Confirmed))
	case job != "":
		out.printf("  %s confirmed, %d trusted%s\n", counted(len(p.Confirmed), "fact"), len(p.Trusted), found(p))
		out.trusted(p.Trusted)
	}
	if p.Sum > 0 {
		out.printf("  confirmed: no run takes more than %d cycles, by a sum over blocks\n", p.Sum)
	}
	for _, text := range p.Assumptions {
		out.printf("  assumes: %s\n", text)
	}
	if p.Model != "" {
		out.printf("%s: holds: no path of %s (%d nodes, %d edges) takes more than %d cycles\n", name, p.Model, p.Nodes, p.Edges, p.Cycles)
		for _, f := range p.Facts {
			out.printf("  uses %s (evidence: %s)\n", f.Constraint, f.Evidence)
		}
	}
	return out.err
}

// found says what speaks for facts that are trusted.
func found(p *estimate.Proof) string {
	if p.Again {
		return ", which the analysis found again"
	}
	return ": --rerun makes the runs again that they are from"
}

// counted renders a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// trusted prints what is trusted, facts of one kind and for one reason together.
func (l *lines) trusted(facts []estimate.ProofFact) {
	for len(facts) > 0 {
		first := facts[0]
		n := slices.IndexFunc(facts, func(f estimate.ProofFact) bool { return f.Kind != first.Kind || f.Why != first.Why })
		if n < 0 {
			n = len(facts)
		}
		more := ""
		if n > 1 {
			more = fmt.Sprintf(", and %d more", n-1)
		}
		l.printf("  trusted: %s%s (%s): %s\n", first.Constraint, more, first.Evidence, first.Why)
		facts = facts[n:]
	}
}

// lines writes until there is an error.
type lines struct {
	w   io.Writer
	err error
}

func (l *lines) printf(format string, args ...any) {
	if l.err == nil {
		_, l.err = fmt.Fprintf(l.w, format, args...)
	}
}
