// Package platform finds what the name of a machine means: a simulated machine, built in or described in a
// file, or a GPU.
//
// It must not import methods or what analyses.
package platform

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strconv"
	"strings"

	"warpbound/diag"
	"warpbound/internal/cuda"
	"warpbound/internal/cuda/driver"
	"warpbound/internal/cuda/standin"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/runner"
	"warpbound/internal/runner/device"
	"warpbound/internal/runner/simulated"
	"warpbound/internal/workload"
)

// Devices are named like machines: "cuda:" and the number of a GPU, or what stands in for one.
const (
	devicePrefix = "cuda:"
	standInName  = devicePrefix + "standin"
	standInFor   = "fermi-c2050"     // where no machine is named that can
	standInOf    = standInName + ":" // and the name or file of a machine, for that one
)

// Reader reads a file by its name.
type Reader func(name string) ([]byte, error)

// IsDevice tells the name of a device from that of a machine.
func IsDevice(name string) bool { return strings.HasPrefix(name, devicePrefix) }

// Job is a workload with the platform that runs it.
type Job struct {
	*workload.Workload
	Platform runner.Platform

	source *workload.Source // nil if the workload has changed since it was loaded
}

// On makes the job ready on another machine, otherwise as it was loaded. It is an error if it runs on a device, or if it has changed since.
func (j *Job) On(m *machine.Machine) (*Job, error) {
	if _, ok := j.Platform.(*simulated.Platform); !ok {
		return nil, fmt.Errorf("%s is a device and has the numbers that it has", j.Platform.Name())
	}
	if j.source == nil {
		return nil, fmt.Errorf("%s has changed since it was loaded; state in the job what is to differ", j.Name())
	}
	p := simulated.New(m)
	w, err := workload.Prepare(j.source, p, j.MachineName)
	if err != nil {
		return nil, err
	}
	return &Job{w, p, j.source}, nil
}

// OnMachine is On for who needs no job.
func (j *Job) OnMachine(m *machine.Machine) (runner.Platform, *workload.Workload, error) {
	other, err := j.On(m)
	if err != nil {
		return nil, nil, err
	}
	return other.Platform, other.Workload, nil
}

// WithModule makes the job ready with another text of its module, on its machine, otherwise as it was loaded. It is an error if it has changed since.
func (j *Job) WithModule(text []byte) (*Job, error) {
	if j.source == nil {
		return nil, fmt.Errorf("%s has changed since it was loaded; state in the job what is to differ", j.Name())
	}
	src := j.source.WithModule(text)
	w, err := workload.Prepare(src, j.Platform, j.MachineName)
	if err != nil {
		return nil, err
	}
	return &Job{w, j.Platform, src}, nil
}

// WithChange makes the job ready with something changed in a copy of what its file states, on its machine. It is an error if it has
// changed since it was loaded.
func (j *Job) WithChange(change func(*job.Job)) (runner.Platform, *workload.Workload, error) {
	if j.source == nil {
		return nil, nil, fmt.Errorf("%s has changed since it was loaded; state in the job what is to differ", j.Name())
	}
	src := j.source.WithChange(change)
	w, err := workload.Prepare(src, j.Platform, j.MachineName)
	return j.Platform, w, err
}

// With makes the job ready on its machine with other choices, under the conditions of On.
func (j *Job) With(c machine.Choices) (*Job, error) {
	m, err := j.Platform.Machine().With(c)
	if err != nil {
		return nil, err
	}
	return j.On(m)
}

// Load makes the job of a source ready on the platform that override names, or else the job's.
// If neither is there, it is the machine for the module's target, or else the default one.
func Load(src *workload.Source, override string) (*Job, error) {
	if override == "" {
		src = src.ForTarget(machine.ForTarget)
	}
	p, err := Find(src.Spec, override, src.Read)
	if err != nil {
		return nil, err
	}
	w, err := workload.Prepare(src, p, machineName(src, override))
	if err != nil {
		return nil, err
	}
	return &Job{w, p, src}, nil
}

// LoadFS reads a job within a file system and makes it ready.
func LoadFS(fsys fs.FS, name, override string) (*Job, error) {
	src, err := workload.ReadFS(fsys, name)
	if err != nil {
		return nil, err
	}
	return Load(src, override)
}

// Split returns the job with its wavefronts splitting in another way (workload.Workload.Split).
func (j *Job) Split(opts workload.SplitOptions) (*Job, error) {
	w, err := j.Workload.Split(opts)
	if err != nil {
		return nil, err
	}
	return &Job{Workload: w, Platform: j.Platform}, nil
}

// machineName is the name of a built-in machine, or the path of its file from the working directory; empty for a
// job that is not from there.
func machineName(src *workload.Source, override string) string {
	name := src.Spec.Machine
	switch {
	case !src.Dir:
		return ""
	case override != "":
		return override
	case machine.IsFile(name):
		return src.Spec.Resolve(name)
	}
	return name
}

// Find finds the platform that override names, or else the job's.
func Find(j *job.Job, override string, read Reader) (runner.Platform, error) {
	name := cmp.Or(override, j.Machine)
	if !IsDevice(name) {
		m, err := machineOf(j, override, read)
		if err != nil {
			return nil, err
		}
		return simulated.New(m), nil
	}
	d, err := findDevice(j, name, read)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// findDevice finds a device. What stands in for a GPU simulates the job's machine if it can.
func findDevice(j *job.Job, name string, read Reader) (*device.Platform, error) {
	if name != standInName {
		return Device(name)
	}
	m, err := standInMachine(j, read)
	if err != nil {
		return nil, err
	}
	return standIn(name, m)
}

// StandsInFor returns the machine that a device simulates by its name: "" if it names none.
func StandsInFor(name string) string {
	of, _ := strings.CutPrefix(name, standInOf)
	if of == name {
		return ""
	}
	return of
}

// Device finds a device by its name. What stands in for a GPU simulates the machine that is named behind it, else fermi-c2050.
func Device(name string) (*device.Platform, error) {
	if !IsDevice(name) {
		return nil, fmt.Errorf("machine %q is not a device: want %s and the number of a GPU, or %s", name, devicePrefix, standInName)
	}
	if name == standInName {
		m, err := Default()
		if err != nil {
			return nil, err
		}
		return standIn(name, m)
	}
	if of := StandsInFor(name); of != "" {
		m, err := Machine(of, workload.ReadFile)
		if err != nil {
			return nil, err
		}
		return standIn(name, m)
	}
	number, err := strconv.Atoi(strings.TrimPrefix(name, devicePrefix))
	if err != nil || number < 0 {
		return nil, fmt.Errorf("machine %q: want %s and the number of a GPU, or %s", name, devicePrefix, standInName)
	}
	d, err := driver.New()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return device.New(device.Config{Name: name, Driver: d, Number: number})
}

// standIn is a device that simulates a machine.
func standIn(name string, m *machine.Machine) (*device.Platform, error) {
	d, err := standin.New(m)
	if err != nil {
		return nil, err
	}
	return device.New(device.Config{Name: name, Driver: d, Simulated: true})
}

// Simulated opens a device that simulates a machine.
func Simulated(m *machine.Machine) (cuda.Device, error) {
	d, err := standin.New(m)
	if err != nil {
		return nil, err
	}
	return d.Open(0)
}

// Default is the machine that stands in where none is named that can.
func Default() (*machine.Machine, error) { return machine.Builtin(standInFor) }

// standInMachine is the machine of the job if it can stand in for a GPU.
func standInMachine(j *job.Job, read Reader) (*machine.Machine, error) {
	if !IsDevice(j.Machine) {
		m, err := machineOf(j, "", read)
		if err != nil {
			return nil, err
		}
		if _, err := standin.New(m); err == nil {
			return m, nil
		}
	}
	return Default()
}

// machineOf finds the machine that override names, or else the job's, whose path is relative to the job
// file.
func machineOf(j *job.Job, override string, read Reader) (*machine.Machine, error) {
	if override != "" {
		return Machine(override, read)
	}
	var m *machine.Machine
	var err error
	if machine.IsFile(j.Machine) {
		m, err = machine.Read(j.Resolve(j.Machine), read)
	} else {
		m, err = machine.Builtin(j.Machine)
	}
	if err != nil {
		return nil, diag.Errorf(j.Pos.Machine, "%w", err)
	}
	return m, nil
}

// Machine returns a built-in machine by its name, or reads a machine file.
func Machine(name string, read Reader) (*machine.Machine, error) {
	if !machine.IsFile(name) {
		return machine.Builtin(name)
	}
	return machine.Read(name, read)
}

// The files of a bundle, beside the data files of its inputs.
const (
	bundledJob     = "job.toml"
	bundledMachine = "machine.toml"
)

// Reproduced adds to an error that says that a proven bound is void the files that make the job
// again with these inputs.
func (j *Job) Reproduced(err error, in *job.Inputs) error {
	void, ok := errors.AsType[*diag.VoidBoundError](err)
	if !ok || j.source == nil {
		return err
	}
	var failed error
	void.Files, failed = j.bundle(in)
	return errors.Join(err, failed)
}

// bundle returns files that make the job again elsewhere, by name: a job file whose only inputs are
// in, its data, the module, the machine, and what the CPU executes.
func (j *Job) bundle(in *job.Inputs) (map[string][]byte, error) {
	spec := *j.Spec.Whole()
	module := "module" + path.Ext(spec.Module)
	files := map[string][]byte{module: j.source.Module, bundledMachine: j.Machine.Format()}
	if spec.CPU.File != "" {
		text, err := j.source.Read(spec.Resolve(spec.CPU.File))
		if err != nil {
			return nil, err
		}
		spec.CPU.File = path.Base(spec.CPU.File)
		files[spec.CPU.File] = text
	}
	spec.Module, spec.Machine, spec.Unnamed = module, bundledMachine, false
	written, err := spec.Write("inputs", in)
	if err != nil {
		return nil, err
	}
	maps.Copy(files, written.Data)
	files[bundledJob] = written.Text
	return files, nil
}
