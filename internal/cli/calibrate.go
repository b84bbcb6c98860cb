package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"warpbound"
	"warpbound/internal/halt"
	"warpbound/internal/report"
)

func calibrateCommand() *cobra.Command {
	var f calibrateFlags
	c := &cobra.Command{
		Use:   "calibrate --machine cuda:N [--out FILE.toml] [--compare JOB.toml...]",
		Short: "Measure a GPU with microbenchmarks and describe it as a machine file",
		Long: "Measure a GPU with microbenchmarks and describe it as a machine file for the simulator. Every\n" +
			"number of the file says how it was measured and with what spread, or where it is from instead.\n" +
			"With --compare the jobs are simulated on that machine and run on the GPU.",
		Example: `  # a simulated device stands in where there is no GPU:
  warpbound calibrate --machine cuda:standin --out standin.toml
  warpbound calibrate --machine cuda:standin:v100 --quick --out v100.toml
  warpbound calibrate --machine cuda:0 --compare kernels/vectorAdd/job.toml`,
		ValidArgsFunction: filesOf("toml"),
	}
	f.format = addFormat(c)
	c.Flags().StringVar(&f.device, "machine", "", "the device: cuda:N, or cuda:standin, which simulates fermi-c2050, or cuda:standin:NAME, which simulates a machine")
	c.Flags().StringVar(&f.base, "base", "", "describe the device with the shape of this machine, a name or a file (default: by the device)")
	c.Flags().StringVar(&f.out, "out", "", "write the machine file here")
	c.Flags().BoolVar(&f.quick, "quick", false, "run each microbenchmark once")
	c.Flags().BoolVar(&f.compare, "compare", false, "compare simulated and measured times of jobs")
	c.RunE = func(c *cobra.Command, jobs []string) error {
		if err := f.check(jobs); err != nil {
			return err
		}
		cal, err := f.calibrate(c, jobs)
		return soFar(err, cal != nil, func() error {
			if *f.format == "json" {
				return report.JSON(c.OutOrStdout(), &cal.Calibration)
			}
			return report.Calibration(c.OutOrStdout(), &cal.Calibration)
		})
	}
	return c
}

// calibrateFlags are the flags of calibrate.
type calibrateFlags struct {
	format  *format
	device  string
	base    string
	out     string
	quick   bool
	compare bool
}

// check finds what is wrong in the flags and the jobs before the device is measured.
func (f *calibrateFlags) check(jobs []string) error {
	switch {
	case f.device == "":
		return errors.New("--machine: which device? for example cuda:0")
	case f.compare && len(jobs) == 0:
		return errors.New("--compare: no job is named")
	case !f.compare && len(jobs) > 0:
		return errors.New("jobs are only compared: --compare is missing")
	}
	for _, job := range jobs {
		if _, err := warpbound.Load(job, warpbound.LoadOptions{Machine: f.device}); err != nil {
			return err
		}
	}
	return nil
}

// calibrate measures the device, compares jobs and writes the machine file. If the command ends early, there may be a
// result beside the error.
func (f *calibrateFlags) calibrate(c *cobra.Command, jobs []string) (*warpbound.Calibration, error) {
	opts := warpbound.CalibrateOptions{Device: f.device, Base: f.base}
	if f.quick {
		opts.Repeats = warpbound.QuickCalibration
	}
	var files outputs
	defer files.discard()
	var to *file
	if f.out != "" {
		var err error
		if to, err = files.create("--out", f.out); err != nil {
			return nil, err
		}
	}
	step, stop := progress(c.ErrOrStderr(), "measuring")
	opts.Progress = step
	cal, err := warpbound.Calibrate(c.Context(), opts)
	stop()
	if err != nil {
		return cal, err
	}
	var ended error
	for _, job := range jobs {
		if ended = cal.Compare(c.Context(), job); ended != nil {
			break
		}
	}
	if ended != nil && !halt.Ended(c.Context(), ended) {
		return nil, ended
	}
	if to != nil {
		if _, err := to.Write(cal.File()); err != nil {
			return nil, err
		}
	}
	return cal, errors.Join(ended, files.commit())
}
