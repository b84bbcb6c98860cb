package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"warpbound"
	"warpbound/internal/report"
)

func calibrateCommand() *cobra.Command {
	var name, out string
	var quick, compare bool
	c := &cobra.Command{
		Use:   "calibrate --machine cuda:N [--out FILE.toml] [--compare JOB.toml...]",
		Short: "Measure a GPU with microbenchmarks and describe it as a machine file",
		Long: "Measure a GPU with microbenchmarks and describe it as a machine file for the simulator. Every\n" +
			"number of the file says how it was measured and with what spread, or where it is from instead.\n" +
			"With --compare the jobs are simulated on that machine and run on the GPU.",
	}
	format := addFormat(c)
	c.Flags().StringVar(&name, "machine", "", "the device: cuda:N, or cuda:standin, which simulates fermi-c2050")
	c.Flags().StringVar(&out, "out", "", "write the machine file here")
	c.Flags().BoolVar(&quick, "quick", false, "run each microbenchmark once")
	c.Flags().BoolVar(&compare, "compare", false, "compare simulated and measured times of jobs")
	c.RunE = func(c *cobra.Command, jobs []string) error {
		switch {
		case name == "":
			return errors.New("--machine: which device? for example cuda:0")
		case compare && len(jobs) == 0:
			return errors.New("--compare: no job is named")
		case !compare && len(jobs) > 0:
			return errors.New("jobs are only compared: --compare is missing")
		}
		for _, job := range jobs { // what is wrong in them is found before the device is measured
			if _, err := warpbound.Load(job, warpbound.LoadOptions{Machine: name}); err != nil {
				return err
			}
		}
		opts := warpbound.CalibrateOptions{Device: name}
		if quick {
			opts.Repeats = warpbound.QuickCalibration
		}
		var files outputs
		defer files.discard()
		var to *file
		if out != "" {
			var err error
			if to, err = files.create("--out", out); err != nil {
				return err
			}
		}
		step, stop := progress(c.ErrOrStderr(), "measuring")
		opts.Progress = step
		cal, err := warpbound.Calibrate(c.Context(), opts)
		stop()
		if err != nil {
			return err
		}
		for _, job := range jobs {
			if err := cal.Compare(c.Context(), job); err != nil {
				return err
			}
		}
		if to != nil {
			if _, err := to.Write(cal.File()); err != nil {
				return err
			}
		}
		if err := files.commit(); err != nil {
			return err
		}
		if *format == "json" {
			return report.JSON(c.OutOrStdout(), &cal.Calibration)
		}
		return report.Calibration(c.OutOrStdout(), &cal.Calibration)
	}
	return c
}
