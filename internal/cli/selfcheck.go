package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"warpbound"
	"warpbound/internal/fleet"
	"warpbound/internal/halt"
	"warpbound/internal/machine"
	"warpbound/internal/platform"
	"warpbound/internal/report"
	"warpbound/internal/selfcheck"
	"warpbound/internal/workload"
)

func selfcheckCommand() *cobra.Command {
	var cfg selfcheck.Config
	var machines []string
	var out, replay string
	c := &cobra.Command{
		Use:   "selfcheck",
		Short: "Test the soundness of bounds: random kernels, every bound against simulation",
		Example: `  warpbound selfcheck --kernels 100
  # one method, on one machine, with other kernels:
  warpbound selfcheck --kernels 50 --seed 7 \
    --methods static/cta --machine mini-simt`,
		Args: cobra.NoArgs,
	}
	format := addFormat(c)
	flags := c.Flags()
	kernels := number{value: 1000, minimum: 1}
	first := number{}
	flags.Var(&kernels, "kernels", "how many random kernels to check")
	flags.Var(&first, "first", "number of the first kernel, to resume or to repeat one")
	flags.Uint64Var(&cfg.Seed, "seed", 1, "seed of the kernels")
	flags.StringSliceVar(&cfg.Methods, "methods", warpbound.Methods(), "only these methods, for example static/cta (default: all)")
	flags.StringArrayVar(&machines, "machine", machine.Names(), "machine name or file that the random machines are like; may be repeated (default: every built-in machine, each core as often as any other)")
	flags.Lookup("methods").DefValue, flags.Lookup("machine").DefValue = "[]", "[]" // the text says it better
	flags.StringVar(&out, "out", "selfcheck-findings", "directory for reduced kernels that violate a bound; created when needed")
	var away fleetFlags
	away.addCoordinator(c, "the kernels checked")
	flags.StringVar(&replay, "replay", "", "check the saved finding in this directory instead")
	c.MarkFlagsMutuallyExclusive("workers", "replay")
	c.MarkFlagsMutuallyExclusive("nats", "replay")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := knownMethods(cfg.Methods); err != nil {
			return err
		}
		if replay != "" {
			return replayFinding(c, replay, cfg.Methods)
		}
		for _, name := range machines {
			m, err := platform.Machine(name, workload.ReadFile)
			if err != nil {
				return fmt.Errorf("--machine %s: %w", name, err)
			}
			cfg.Machines = append(cfg.Machines, m)
		}
		cfg.Kernels, cfg.First = int(kernels.value), int(first.value)
		cfg.Found = func(f selfcheck.Finding) (string, error) { return saveFinding(out, f) }
		end, err := away.employ(c, &cfg)
		if err != nil {
			return err
		}
		defer end()
		step, stop := progress(c.ErrOrStderr(), "selfcheck")
		cfg.Progress = step
		result, err := selfcheck.Run(c.Context(), cfg)
		stop()
		if err != nil && !halt.Ended(c.Context(), err) {
			return err
		}
		if *format == "json" {
			err = errors.Join(report.JSON(c.OutOrStdout(), result), err)
		} else {
			err = errors.Join(report.Selfcheck(c.OutOrStdout(), result), err)
		}
		if result.Violated() {
			return errVerdict
		}
		return err
	}
	return c
}

// employ has the workers that flags ask for check kernels. end gives back what that takes.
func (f *fleetFlags) employ(c *cobra.Command, cfg *selfcheck.Config) (end func(), err error) {
	var server warpbound.Fleet
	stop, err := f.start(c, &server)
	if err != nil || server.URL == "" {
		return stop, err
	}
	if cfg.Workers, err = fleet.Connect(c.Context(), fleet.Config(server)); err != nil {
		stop()
		return nil, err
	}
	return func() {
		cfg.Workers.Close()
		stop()
	}, nil
}

// saveFinding saves a finding in a directory of its own below dir, which appears when all
// of it is written, and returns its path.
func saveFinding(dir string, f selfcheck.Finding) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("--out: %w", err)
	}
	name := filepath.Join(dir, fmt.Sprintf("%s-seed%d-kernel%d", f.Kind, f.Seed, f.Kernel))
	temp, err := os.MkdirTemp(dir, ".finding.*")
	if err != nil {
		return "", fmt.Errorf("--out: %w", err)
	}
	defer os.RemoveAll(temp) // nothing once it has its name
	for file, text := range f.Files {
		if err := os.WriteFile(filepath.Join(temp, file), []byte(text), 0o644); err != nil {
			return "", fmt.Errorf("--out: %w", err)
		}
	}
	if err := os.WriteFile(filepath.Join(temp, "finding.txt"), []byte(f.Describe()), 0o644); err != nil {
		return "", fmt.Errorf("--out: %w", err)
	}
	if err := os.Chmod(temp, 0o755); err != nil {
		return "", fmt.Errorf("--out: %w", err)
	}
	for try := 1; ; try++ { // a directory that is there stays
		path := name
		if try > 1 {
			path = fmt.Sprintf("%s-%d", name, try)
		}
		if _, err := os.Lstat(path); err == nil {
			continue
		}
		if err := os.Rename(temp, path); err != nil {
			return "", fmt.Errorf("--out: %w", err)
		}
		return path, nil
	}
}

// replayFinding checks a saved finding.
func replayFinding(c *cobra.Command, dir string, methods []string) error {
	if _, err := os.Stat(filepath.Join(dir, "job.toml")); err != nil {
		return fmt.Errorf("--replay %s: %w", dir, err)
	}
	narrower, err := filepath.Glob(filepath.Join(dir, "narrow*.toml"))
	if err != nil {
		return fmt.Errorf("--replay %s: %w", dir, err)
	}
	for i := range narrower {
		narrower[i] = filepath.Base(narrower[i])
	}
	v, err := selfcheck.Replay(c.Context(), os.DirFS(dir), narrower, methods)
	if err != nil {
		return fmt.Errorf("--replay %s: %w", dir, err)
	}
	if v == nil {
		_, err := fmt.Fprintln(c.OutOrStdout(), "no bound is violated")
		return err
	}
	if _, err := fmt.Fprintf(c.OutOrStdout(), "VIOLATION, %s: %s\n", v.Kind, v.Text); err != nil {
		return err
	}
	return errVerdict
}
