// Package warpbound bounds the worst-case execution time of GPU kernels.
//
// A job file names a PTX module, a kernel, its launch, its inputs and a machine (docs/formats.md). Load reads it with everything
// that it names. Simulate runs it once on the cycle-level simulator; Analyze runs it on many random inputs, or reads traces,
// and returns estimates of its worst case with what each rests on; Search looks for the inputs with which it takes longest:
//
//	job, err := warpbound.Load("kernels/reduction/job.toml", warpbound.LoadOptions{})
//	...
//	analysis, err := job.Analyze(ctx, warpbound.AnalyzeOptions{Runs: warpbound.Runs{Vectors: 200}})
//
// A job can also be made in Go, with the package jobs and New. Results are types of the package estimate, errors that callers may want to tell apart those of
// diag. All times are in cycles of the machine's core clock unless said otherwise.
//
// The package is a facade: it has no logic of its own. What a job is made of is in
// internal/workload, what runs it in internal/platform, and what bounds it in internal/analysis.
package warpbound

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"warpbound/internal/analysis"
	"warpbound/internal/budget"
	"warpbound/internal/machine"
	"warpbound/internal/platform"
	"warpbound/internal/workload"
	"warpbound/jobs"
)

// LoadOptions override parts of a job.
type LoadOptions struct {
	Machine string // name or path of a machine, or of a device; empty for the job's
	Seed    *int64 // of the random inputs; nil for the job's

	// Mode is the mode of the machine that its clocks are of; LowestMode for the one whose clocks are the lowest, if it has any, and empty
	// for [clock] of the machine file.
	Mode string

	Registers int // of a thread, as if the job stated them; 0 for what it states

	// AllowAbsurd lets static methods take a bound of a loop that follows from the range of a type of 16 bits or more and from nothing
	// that job or kernel state. Such a bound is proven and of no use; without AllowAbsurd it counts for none.
	AllowAbsurd bool

	// Effort is how much work analyses may do, as a multiple of what they do by default; 0 for 1. Where a limit of
	// work is reached a warning says what is lost.
	Effort float64

	// Solver is asked for the bounds of loops that counters do not bound: z3 or cvc5, "auto" for the first of them that is
	// installed, if any is, or none if it is empty or "none". A bound that rests on one says so.
	Solver string
}

// SolverAuto is the solver of LoadOptions that is installed, if any.
const SolverAuto = workload.SolverAuto

// Solvers returns what LoadOptions.Solver may be.
func Solvers() []string { return workload.Solvers() }

// LowestMode is the mode of LoadOptions whose clocks are the lowest.
const LowestMode = machine.LowestMode

// Job is a job file with its module and its machine, ready to run. It does not change, and goroutines may share it: methods
// that change something return another job.
type Job struct{ on *platform.Job }

// Load reads a job file and the module, data and machine files that it names. Everything that is wrong in them is an error
// with file, line and what would be right.
func Load(name string, opts LoadOptions) (*Job, error) {
	src, err := workload.Read(name)
	if err != nil {
		return nil, err
	}
	return load(src, opts)
}

// LoadFS is Load within a file system: name and what the job names are paths in fsys.
func LoadFS(fsys fs.FS, name string, opts LoadOptions) (*Job, error) {
	src, err := workload.ReadFS(fsys, name)
	if err != nil {
		return nil, err
	}
	return load(src, opts)
}

// New is Load for a job in Go. Errors name the field that is wrong.
func New(job jobs.Job, opts LoadOptions) (*Job, error) {
	src, err := workload.FromGo(&job)
	if err != nil {
		return nil, err
	}
	return load(src, opts)
}

// Render returns a job in Go as files by name, to be put into one directory: the job file, and what the job holds beside it.
func Render(job jobs.Job) (map[string][]byte, error) { return workload.Render(&job) }

func load(src *workload.Source, opts LoadOptions) (*Job, error) {
	if opts.Seed != nil {
		src = src.WithSeed(*opts.Seed)
	}
	if opts.Mode != "" {
		src = src.InMode(opts.Mode)
	}
	if opts.Registers > 0 {
		src = src.WithRegisters(opts.Registers)
	}
	if opts.AllowAbsurd {
		src = src.AllowingAbsurd()
	}
	if opts.Effort != 0 {
		src = src.WithEffort(budget.Effort(opts.Effort))
	}
	if opts.Solver != "" {
		if !slices.Contains(Solvers(), opts.Solver) {
			return nil, fmt.Errorf("there is no solver %q: choose one of %s", opts.Solver, strings.Join(Solvers(), ", "))
		}
		src = src.WithSolver(opts.Solver)
	}
	on, err := platform.Load(src, opts.Machine)
	if err != nil {
		return nil, err
	}
	return &Job{on}, nil
}

// with returns the job with another workload.
func (j *Job) with(w *workload.Workload) *Job {
	return &Job{&platform.Job{Workload: w, Platform: j.on.Platform}}
}

// Name returns the job file's name.
func (j *Job) Name() string { return j.on.Name() }

// ClockHz returns the machine's core clock in cycles per second.
func (j *Job) ClockHz() float64 { return float64(j.on.Machine.Clock.Core.Value) }

// Buffers returns the names of the job's buffers.
func (j *Job) Buffers() []string { return j.on.Buffers() }

// HasBuffer reports whether the job has a buffer of that name.
func (j *Job) HasBuffer(name string) bool { return j.on.HasBuffer(name) }

// Inputs returns the contents of one of the job's test vectors by parameter: buffers before the run, numbers and structs as
// bytes, all little-endian.
func (j *Job) Inputs(vector int) map[string][]byte { return j.on.Inputs(vector) }

// Methods returns the names of the methods that Analyze knows: first those that measure, then the static ones.
func Methods() []string { return analysis.Methods().IDs() }

// Supports reports whether a method is one for the job's machine, in its mode: some kernels may have no estimate all the same.
func (j *Job) Supports(id string) bool { return analysis.Methods().Supports(j.on.Workload, id) }

// SavedInputs are inputs of a job, read from a file that is a job of the same launch.
type SavedInputs struct{ saved workload.SavedInputs }

// File returns the name of the file that holds the inputs.
func (s SavedInputs) File() string { return s.saved.File }

// LoadInputs reads the inputs that the job files of a directory hold: of each its first test vector. It is an error if there
// is none, if one is of another module, kernel or launch than the job, or if it holds what the job cannot have: something else
// where that is fixed, or what it does not sample. Machines and launches that follow are not compared.
func (j *Job) LoadInputs(dir string) ([]SavedInputs, error) {
	all, err := j.on.LoadInputs(dir)
	if err != nil {
		return nil, err
	}
	out := make([]SavedInputs, len(all))
	for i, s := range all {
		out[i] = SavedInputs{s}
	}
	return out, nil
}

// Files returns a job with saved inputs as files by name, to be put into the directory dir, which exists: the job file
// stem.toml, and data files beside it. It is the same job otherwise, on the same machine, so that a run of it takes as many
// cycles. It is an error if the job was not loaded by Load.
func (j *Job) Files(dir, stem string, in SavedInputs) (map[string][]byte, error) {
	return j.on.Files(dir, stem, in.saved)
}
