package warpbound

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"path"
	"slices"
	"strings"

	"warpbound/diag"
	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/flow"
	"warpbound/internal/isa"
	"warpbound/internal/isa/ptx"
	"warpbound/internal/job"
	"warpbound/internal/machine"
)

// LoadOptions override parts of a job.
type LoadOptions struct {
	Machine string // name or path of a machine, or of a device; empty for the job's
	Seed    *int64 // of the random inputs; nil for the job's
}

// Job is a job file with its module and its machine, ready to run.
type Job struct {
	bound     *job.Bound
	machine   *machine.Machine
	graph     *cfg.Graph
	code      *emu.Code
	registers int    // per thread
	module    string // SHA-256 of the module's text, in hexadecimal
	warnings  []diag.Warning
	division  *division // of its wavefronts; nil if the machine has no split cores
	device    *device   // that runs the job; nil for a simulator
	then      []*Job    // the same with the kernels that follow in every round of a run

	// machineName is that of a built-in machine, or a path of its file from the working directory;
	// empty if the job was not read from there.
	machineName string
}

// Load reads a job file and the module, data and machine files that it names.
// Everything that is wrong in them is an error with file, line and what would be
// right.
func Load(name string, opts LoadOptions) (*Job, error) {
	j, module, err := readJob(name)
	if err != nil {
		return nil, err
	}
	on, err := hardwareOf(j, opts.Machine, readFile)
	if err != nil {
		return nil, err
	}
	where := j.Machine
	switch {
	case opts.Machine != "":
		where = opts.Machine
	case isFile(where):
		where = j.Resolve(where)
	}
	return prepare(j, module, on, where, opts)
}

// readJob reads a job file, the data files that it names, and the text of its module.
func readJob(name string) (*job.Job, []byte, error) {
	j, err := job.Load(name)
	if err != nil {
		return nil, nil, err
	}
	module, err := ReadModule(j.Resolve(j.Module))
	if err != nil {
		return nil, nil, diag.Errorf(j.Pos.Module, "%w", err)
	}
	return j, module, nil
}

// LoadFS is Load within a file system: name and what the job names are paths in
// fsys.
func LoadFS(fsys fs.FS, name string, opts LoadOptions) (*Job, error) {
	read := func(file string) ([]byte, error) { return fs.ReadFile(fsys, path.Clean(file)) }
	src, err := read(name)
	if err != nil {
		return nil, err
	}
	j, err := job.Parse(name, src, func(file string) ([]byte, error) { return read(path.Join(path.Dir(name), file)) })
	if err != nil {
		return nil, err
	}
	module, err := read(path.Join(path.Dir(name), j.Module))
	if err != nil {
		return nil, diag.Errorf(j.Pos.Module, "%w", err)
	}
	on, err := hardwareOf(j, opts.Machine, read)
	if err != nil {
		return nil, err
	}
	return prepare(j, module, on, "", opts)
}

// maxFile is the largest module or machine file in bytes.
const maxFile = 256 << 20

// ReadModule reads the text of a module. Only regular files are read.
func ReadModule(name string) ([]byte, error) { return readFile(name) }

func readFile(name string) ([]byte, error) { return job.ReadFile(name, maxFile) }

// LoadMachine returns a built-in machine by its name, or reads a machine file.
func LoadMachine(name string) (*machine.Machine, error) { return readMachine(name, readFile) }

// hardware is what a job runs on.
type hardware struct {
	machine *machine.Machine
	device  *device // nil for a simulator
}

// hardwareOf finds the machine or the device that override names, or else the job's.
func hardwareOf(j *job.Job, override string, read func(string) ([]byte, error)) (*hardware, error) {
	name := cmp.Or(override, j.Machine)
	if !isDevice(name) {
		m, err := machineOf(j, override, read)
		return &hardware{machine: m}, err
	}
	var simulated *machine.Machine
	if name == standInName {
		var err error
		if simulated, err = standInMachine(j, read); err != nil {
			return nil, err
		}
	}
	d, err := findDevice(name, simulated)
	if err != nil {
		return nil, err
	}
	return &hardware{d.machine(), d}, nil
}

// machineOf finds the machine that override names, or else the job's, whose path
// is relative to the job file.
func machineOf(j *job.Job, override string, read func(string) ([]byte, error)) (*machine.Machine, error) {
	if override != "" {
		return readMachine(override, read)
	}
	var m *machine.Machine
	var err error
	if isFile(j.Machine) {
		m, err = parseMachine(j.Resolve(j.Machine), read)
	} else {
		m, err = machine.Builtin(j.Machine)
	}
	if err != nil {
		return nil, diag.Errorf(j.Pos.Machine, "%w", err)
	}
	return m, nil
}

// isFile tells a path from the name of a built-in machine.
func isFile(name string) bool { return strings.ContainsAny(name, `/\.`) }

func readMachine(name string, read func(string) ([]byte, error)) (*machine.Machine, error) {
	if !isFile(name) {
		return machine.Builtin(name)
	}
	return parseMachine(name, read)
}

func parseMachine(file string, read func(string) ([]byte, error)) (*machine.Machine, error) {
	src, err := read(file)
	if err != nil {
		return nil, err
	}
	return machine.Parse(file, src)
}

// prepare turns what was read into a Job; machineName is as its field.
func prepare(j *job.Job, module []byte, on *hardware, machineName string, opts LoadOptions) (*Job, error) {
	if opts.Seed != nil {
		j.Seed = *opts.Seed
	}
	if on.machine.Core == machine.Integrated {
		m, err := on.machine.WithLLC(machine.LLCOptions{KiB: j.LLC.KiB, Quota: j.LLC.Quota, Regulated: j.LLC.Regulated})
		if err != nil {
			return nil, diag.Errorf(j.LLC.Pos, "%w", err)
		}
		on = &hardware{machine: m}
	}
	program, err := on.lower(j, module)
	if err != nil {
		return nil, err
	}
	kernel, err := j.Link(program)
	if err != nil {
		return nil, err
	}
	then, err := j.LinkThen(program)
	if err != nil {
		return nil, err
	}
	bound, err := j.Bind(kernel, then...)
	if err != nil {
		return nil, err
	}
	out, err := ready(bound, on)
	if err != nil {
		return nil, err
	}
	out.module, out.machineName = digest(module), machineName
	var warnings []diag.Warning
	for _, w := range program.Warnings {
		if w.ID != "unknown-instruction" { // in another kernel, since these were decoded
			warnings = append(warnings, w)
		}
	}
	out.warnings = append(warnings, out.warnings...)
	for _, b := range bound.Then {
		next, err := ready(b, on)
		if err != nil {
			return nil, err
		}
		if on.machine.Core == machine.Splitting {
			if next, err = next.split(SplitOptions{}); err != nil {
				return nil, err
			}
		}
		out.then = append(out.then, next)
	}
	if on.machine.Core == machine.Splitting {
		return out.split(SplitOptions{})
	}
	return out, nil
}

// lower reads the module of a job.
func (on *hardware) lower(j *job.Job, module []byte) (*isa.Program, error) {
	if on.device == nil {
		return parseModule(j.Resolve(j.Module), module)
	}
	var err error
	if on.device.module, err = on.device.prepareModule(j, module); err != nil {
		return nil, err
	}
	return ptx.Lower(on.device.module)
}

// ready decodes the kernel of a job.
func ready(b *job.Bound, on *hardware) (*Job, error) {
	b.Kernel = withSymbols(b)
	if err := b.Kernel.CheckWarps(int(on.machine.SM.WarpSize.Value)); err != nil {
		return nil, err
	}
	graph, err := cfg.Build(b.Kernel)
	if err != nil {
		return nil, err
	}
	if err := graph.CheckSyncs(); err != nil {
		return nil, err
	}
	code, err := emu.Decode(b.Kernel, graph)
	if err != nil {
		return nil, err
	}
	warnings := flow.UninitialisedRegisters(graph)
	if on.device == nil {
		warnings = append(warnings, standIns(b.Kernel, on.machine)...)
	}
	return &Job{
		bound: b, machine: on.machine, device: on.device, graph: graph, code: code, registers: registers(b.Job, graph),
		warnings: warnings,
	}, nil
}

// digest is the SHA-256 of a text, in hexadecimal.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// withSymbols returns the kernel with the initial contents that the job gives
// its variables.
func withSymbols(b *job.Bound) *isa.Kernel {
	k := *b.Kernel
	k.Vars = slices.Clone(k.Vars)
	for _, s := range b.Symbols {
		k.Vars[s.Var].Init, k.Vars[s.Var].Relocs = s.Data, nil
	}
	return &k
}

// registers is what the job states, what the kernel is limited to, or an
// estimate by liveness.
func registers(j *job.Job, g *cfg.Graph) int {
	if j.Registers > 0 {
		return j.Registers
	}
	return flow.Allocated(g)
}

// Name returns the job file's name.
func (j *Job) Name() string { return j.bound.Job.File }

// ClockHz returns the machine's core clock in cycles per second.
func (j *Job) ClockHz() float64 { return float64(j.machine.Clock.Core.Value) }

// Buffers returns the names of the job's buffers.
func (j *Job) Buffers() []string {
	var names []string
	for _, p := range j.bound.Job.Params {
		if p.Kind == job.Buffer {
			names = append(names, p.Name)
		}
	}
	return names
}

// HasBuffer reports whether the job has a buffer of that name.
func (j *Job) HasBuffer(name string) bool { return slices.Contains(j.Buffers(), name) }

// Inputs returns the contents of one of the job's test vectors by parameter:
// buffers before the run, numbers and structs as bytes, all little-endian.
func (j *Job) Inputs(vector int) map[string][]byte {
	in := j.bound.Inputs(vector)
	out := make(map[string][]byte)
	for i, p := range j.bound.Job.Params {
		switch p.Kind {
		case job.Buffer:
			out[p.Name] = in.Buffers[i]
		case job.Scalar, job.Struct:
			out[p.Name] = in.Scalars[i]
		}
	}
	return out
}
