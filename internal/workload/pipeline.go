package workload

import (
	"fmt"
	"io"
	"slices"
	"time"

	"warpbound/diag"
	"warpbound/internal/cfg"
	"warpbound/internal/constraint"
	"warpbound/internal/emu"
	"warpbound/internal/flow"
	"warpbound/internal/isa"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/suggest"
)

// Stage is a step of the pipeline from the text of a module to decoded kernels.
type Stage struct {
	Name string
	What string // it does, in a line

	job   bool // it needs a job
	aside bool // it is run if it is asked for alone, since no other stage needs what it makes
	run   func(state) (state, error)
	dump  func(io.Writer, *state) error
}

// state is what the stages have made so far. A stage returns another state and leaves what it was
// given as it is.
type state struct {
	file   string // of the module
	text   []byte
	kernel string   // only this one, where there is no job
	spec   *job.Job // nil where only the module is of interest
	target Target   // nil likewise

	machineName string // as Workload.MachineName
	warnings    []diag.Warning

	machine *machine.Machine
	parsed  Parsed
	program *isa.Program
	linked  []*isa.Kernel
	bound   []*job.Bound
	kernels []*Kernel           // before branches were split
	steps   [][]constraint.Step // by kernel: of an analysis
	out     *Workload
}

// stages is the pipeline.
func stages() []Stage {
	return []Stage{
		{Name: "parse", What: "reads the module's text", run: parse, dump: dumpParsed},
		{Name: "adapt", What: "rewrites the module as what runs it needs", job: true, run: adapt, dump: dumpParsed},
		{Name: "lower", What: "lowers the module to typed instructions", run: lower, dump: func(w io.Writer, s *state) error { return printProgram(w, s.program) }},
		{Name: "link", What: "makes kernels self-contained by expanding calls", run: link, dump: dumpLinked},
		{Name: "bind", What: "matches the job's arguments and annotations with the kernels", job: true, run: bind, dump: dumpBound},
		{Name: "graph", What: "builds the control-flow graphs", run: buildGraphs, dump: dumpGraphs},
		analysis("liveness", "finds where registers are live", traceLiveness),
		analysis("promotion", "finds where addresses of local memory lead", tracePromotion),
		analysis("divergence", "finds which values and branches are uniform", traceDivergence),
		analysis("values", "finds which numbers registers can hold", traceValues),
		{Name: "registers", What: "counts the registers of a thread", run: countRegisters, dump: dumpRegisters},
		{Name: "decode", What: "decodes instructions to what executes them", run: decode, dump: dumpDecoded},
		analysis("decisive", "finds the registers from which it follows what warps do", traceDecisive),
		{Name: "split", What: "inserts instructions that split wavefronts", job: true, run: split, dump: dumpSplits},
	}
}

// Stages returns the steps of the pipeline in their order.
func Stages() []Stage { return stages() }

// verify checks the invariants of the program, and then of all kernels that the stages have made so far.
func (s *state) verify() error {
	if s.program != nil && s.linked == nil {
		return isa.VerifyProgram(s.program)
	}
	kernels := slices.Clone(s.linked)
	for _, k := range s.kernels {
		kernels = append(kernels, k.Graph.Kernel)
	}
	if s.out != nil {
		for _, k := range s.out.Kernels {
			kernels = append(kernels, k.Graph.Kernel)
		}
	}
	for _, k := range kernels {
		if err := isa.Verify(k); err != nil {
			return err
		}
	}
	return nil
}

// through runs the stages up to the named one, all of them if that is empty, without those that are
// asked for alone. after, unless nil, is called behind each stage with the time that it took.
func through(s state, last string, after func(*Stage, time.Duration)) (state, error) {
	for _, stage := range stages() {
		if stage.job && s.spec == nil || stage.aside && stage.Name != last {
			continue
		}
		begun := time.Now()
		var err error
		if s, err = stage.run(s); err != nil {
			return s, err
		}
		took := time.Since(begun)
		if err := s.verify(); err != nil {
			return s, fmt.Errorf("behind stage %s: %w", stage.Name, err)
		}
		if after != nil {
			after(&stage, took)
		}
		if stage.Name == last {
			break
		}
	}
	return s, nil
}

// Prepare makes a job ready to run on a target. machineName is as Workload.MachineName.
func Prepare(src *Source, target Target, machineName string) (*Workload, error) {
	m, err := machineOf(src.Spec, target)
	if err != nil {
		return nil, err
	}
	first := state{
		file: src.Spec.Resolve(src.Spec.Module), text: src.Module, spec: src.Spec,
		target: target, machineName: machineName, machine: m,
	}
	if w := src.stale(); w != nil {
		first.warnings = append(first.warnings, *w)
	}
	s, err := through(first, "", nil)
	if err != nil {
		return nil, err
	}
	if _, s.out.ClockMode, err = target.Machine().InMode(src.Spec.Mode); err != nil || !src.Dir {
		return s.out, err
	}
	s.out.Kept, err = loadKept(s.out)
	return s.out, err
}

// machineOf returns a target's machine in the mode that is asked for, with threads scheduled as a
// job says, with the background that a job states and the shared cache that it asks for.
func machineOf(j *job.Job, target Target) (*machine.Machine, error) {
	m, _, err := target.Machine().InMode(j.Mode)
	if err != nil {
		return nil, diag.Errorf(j.Pos.Machine, "%w", err)
	}
	if m, err = WithThreads(j, m); err != nil {
		return nil, err
	}
	if b := j.Background; b.DRAM > 0 {
		with, err := m.WithBackground(b.DRAM)
		if err != nil {
			return nil, diag.Errorf(b.Pos, "%w", err)
		}
		m = with
	}
	if m.Core != machine.Integrated {
		return m, nil
	}
	with, err := m.WithLLC(machine.LLCOptions{KiB: j.LLC.KiB, Quota: j.LLC.Quota, Regulated: j.LLC.Regulated})
	if err != nil {
		return nil, diag.Errorf(j.LLC.Pos, "%w", err)
	}
	return with, nil
}

// WithThreads returns a machine with the threads of a warp scheduled as a job says.
func WithThreads(j *job.Job, m *machine.Machine) (*machine.Machine, error) {
	if j.Threads.Way == "" {
		return m, nil
	}
	with, err := m.WithThreads(machine.Threads(j.Threads.Way))
	if err != nil {
		return nil, diag.Errorf(j.Threads.Pos, "%w", err)
	}
	return with, nil
}

// DumpOptions say what Dump shows.
type DumpOptions struct {
	Stage  string   // the last stage to run, whose result is shown
	Kernel string   // only this kernel, unless empty; of a job its own
	Job    *job.Job // whose stages are run, too; nil for those of the module alone
	Target Target   // of the job
	// Took, unless nil, is called with the time of every stage.
	Took func(stage string, took time.Duration)
}

// Dump runs the pipeline on a module up to a stage and writes what that made. It is an error if
// there is no such stage, or if it needs a job and there is none.
func Dump(w io.Writer, file string, text []byte, opts DumpOptions) error {
	all := stages()
	at := slices.IndexFunc(all, func(s Stage) bool { return s.Name == opts.Stage })
	if at < 0 {
		var names []string
		for _, s := range all {
			names = append(names, s.Name)
		}
		return fmt.Errorf("there is no stage %q%s", opts.Stage, suggest.Hint(opts.Stage, names))
	}
	if all[at].job && opts.Job == nil {
		return fmt.Errorf("stage %s needs a job: %s", opts.Stage, all[at].What)
	}
	s := state{file: file, text: text, kernel: opts.Kernel, spec: opts.Job, target: opts.Target}
	if opts.Job != nil {
		var err error
		if s.machine, err = machineOf(opts.Job, opts.Target); err != nil {
			return err
		}
	}
	s, err := through(s, opts.Stage, func(stage *Stage, took time.Duration) {
		if opts.Took != nil {
			opts.Took(stage.Name, took)
		}
	})
	if err != nil {
		return err
	}
	return all[at].dump(w, &s)
}

func parse(s state) (state, error) {
	var accept []string
	if s.spec != nil {
		accept = s.spec.Accepted()
	}
	var err error
	s.parsed, err = ParseModule(s.file, s.text, accept...)
	return s, err
}

func adapt(s state) (state, error) {
	var err error
	s.parsed, err = s.target.Adapt(s.spec, s.parsed)
	return s, err
}

func dumpParsed(w io.Writer, s *state) error { return s.parsed.Print(w) }

func lower(s state) (state, error) {
	var err error
	s.program, err = s.parsed.Lower()
	return s, err
}

// link links the kernels of the launches of the job, or those of the module.
func link(s state) (state, error) {
	if s.spec != nil {
		first, err := s.spec.Link(s.program)
		if err != nil {
			return s, err
		}
		then, err := s.spec.LinkThen(s.program)
		if err != nil {
			return s, err
		}
		s.linked = append([]*isa.Kernel{first}, then...)
		return s, s.spec.CheckAccepted(s.program, s.linked)
	}
	entries := s.program.Entries()
	if s.kernel != "" || len(entries) == 0 {
		f, err := s.program.Kernel(s.kernel)
		if err != nil {
			return s, err
		}
		entries = []*isa.Func{f}
	}
	for _, f := range entries {
		k, err := isa.Link(s.program, f.Name)
		if err != nil {
			return s, err
		}
		s.linked = append(s.linked, k)
	}
	return s, nil
}

func dumpLinked(w io.Writer, s *state) error {
	for _, k := range s.linked {
		if err := dumpKernel(w, k); err != nil {
			return err
		}
	}
	return nil
}

func dumpKernel(w io.Writer, k *isa.Kernel) error {
	if _, err := fmt.Fprintf(w, "kernel %s\n", k.Name); err != nil {
		return err
	}
	return printInstrs(w, k)
}

// bind matches the job with its kernels, which get the initial contents that it gives their
// variables.
func bind(s state) (state, error) {
	bound, err := s.spec.Bind(s.linked[0], s.linked[1:]...)
	if err != nil {
		if refused := headless(s.linked); refused != nil {
			err = refused
		}
		return s, err
	}
	s.linked = nil
	for _, b := range append([]*job.Bound{bound}, bound.Then...) {
		own := *b
		own.Kernel = withSymbols(b)
		if err := own.Kernel.CheckWarps(int(s.machine.SM.WarpSize.Value)); err != nil {
			return s, err
		}
		if err := s.machine.CheckProducts(own.Kernel); err != nil {
			return s, err
		}
		s.bound, s.linked = append(s.bound, &own), append(s.linked, own.Kernel)
	}
	s.bound[0].Then = s.bound[1:]
	return s, nil
}

// headless returns an error if the header of a kernel was refused, so that nothing is known of its
// parameters.
func headless(kernels []*isa.Kernel) error {
	for _, k := range kernels {
		if in := &k.Instrs[0]; in.Op == isa.Unknown && len(k.Params) == 0 {
			return diag.Errorf(in.Pos, "cannot execute %s: %s", in.Text, in.Reason)
		}
	}
	return nil
}

// withSymbols returns the kernel with the initial contents that the job gives its variables.
func withSymbols(b *job.Bound) *isa.Kernel {
	k := *b.Kernel
	k.Vars = slices.Clone(k.Vars)
	for _, s := range b.Symbols {
		k.Vars[s.Var].Init, k.Vars[s.Var].Relocs = s.Data, nil
	}
	return &k
}

func dumpBound(w io.Writer, s *state) error {
	for _, b := range s.bound {
		if _, err := fmt.Fprintf(w, "kernel %s, %d bytes of parameters\n", b.Kernel.Name, b.ParamBytes); err != nil {
			return err
		}
		for i := range b.Job.Params {
			p := &b.Job.Params[i]
			line := fmt.Sprintf("        %s, %d bytes", p.Name, p.Bytes)
			if offset, _, ok := b.Slot(i); ok {
				line = fmt.Sprintf("%6d  %s = %s, %d bytes", offset, b.Kernel.Params[p.Arg].Name, p.Name, p.Bytes)
			}
			if _, err := fmt.Fprintln(w, line); err != nil {
				return err
			}
		}
	}
	return nil
}

func buildGraphs(s state) (state, error) {
	for i, k := range s.linked {
		g, err := cfg.Build(k)
		if err != nil {
			return s, err
		}
		if err := g.CheckSyncs(); err != nil {
			return s, err
		}
		out := &Kernel{Graph: g, Machine: s.machine}
		if s.bound != nil {
			out.Bound = s.bound[i]
		}
		s.kernels = append(s.kernels, out)
	}
	return s, nil
}

func dumpGraphs(w io.Writer, s *state) error {
	for _, k := range s.kernels {
		if err := dumpGraph(w, k.Graph); err != nil {
			return err
		}
	}
	return nil
}

func dumpGraph(w io.Writer, g *cfg.Graph) error {
	if _, err := fmt.Fprintf(w, "kernel %s\n", g.Kernel.Readable()); err != nil {
		return err
	}
	for b := range g.Blocks {
		next := []string{}
		for _, to := range g.Succ(b) {
			if to == g.Exit() {
				next = append(next, "exit")
				continue
			}
			next = append(next, g.Name(to))
		}
		if _, err := fmt.Fprintf(w, "%s  instructions %d to %d, successors %v\n", g.Name(b), g.Blocks[b].Start, g.Blocks[b].End-1, next); err != nil {
			return err
		}
	}
	return nil
}

// countRegisters takes the number that the job states, that the kernel is limited to, or an estimate by
// liveness.
func countRegisters(s state) (state, error) {
	kernels := make([]*Kernel, len(s.kernels))
	for i, k := range s.kernels {
		own := *k
		if k.Bound != nil && k.Bound.Job.Registers > 0 {
			own.Registers = k.Bound.Job.Registers
		} else {
			own.Registers = flow.Allocated(k.Graph)
		}
		kernels[i] = &own
	}
	s.kernels = kernels
	return s, nil
}

func dumpRegisters(w io.Writer, s *state) error {
	for _, k := range s.kernels {
		if _, err := fmt.Fprintf(w, "kernel %s: %d registers of a thread\n", k.Graph.Kernel.Readable(), k.Registers); err != nil {
			return err
		}
	}
	return nil
}

// decode decodes the kernels, and notes what is doubtful about each.
func decode(s state) (state, error) {
	kernels := make([]*Kernel, len(s.kernels))
	for i, k := range s.kernels {
		own := *k
		var err error
		if own.Code, err = emu.Decode(k.Graph.Kernel, k.Graph); err != nil {
			return s, err
		}
		own.Warnings = append(flow.UninitialisedRegisters(k.Graph), matrixSums(k.Graph.Kernel)...)
		if s.target != nil {
			own.Warnings = append(own.Warnings, s.target.StandIns(k.Graph.Kernel)...)
		}
		kernels[i] = &own
	}
	s.kernels = kernels
	return s, nil
}

func dumpDecoded(w io.Writer, s *state) error {
	for _, k := range s.kernels {
		_, err := fmt.Fprintf(w, "kernel %s: %d instructions, %d bytes of shared memory of a CTA, %d of local memory of a thread\n",
			k.Graph.Kernel.Readable(), len(k.Graph.Kernel.Instrs), k.Code.SharedBytes(), k.Code.LocalBytes())
		if err != nil {
			return err
		}
		for _, warning := range k.Warnings {
			if _, err := fmt.Fprintf(w, "  %v: %s (%s)\n", warning.Pos, warning.Text, warning.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// split makes the workload, with branches split where machine and job say so.
func split(s state) (state, error) {
	w := &Workload{
		Spec: s.spec, Machine: s.machine, Kernels: s.kernels,
		Module:      Module{File: s.file, Text: s.text, Hash: digest(s.text), Parsed: s.parsed},
		MachineName: s.machineName, warnings: slices.Clone(s.warnings),
	}
	for _, warning := range s.program.Warnings {
		switch warning.ID {
		case "unknown-instruction", "refused-statement": // in another kernel, since these were decoded
		default:
			w.warnings = append(w.warnings, warning)
		}
	}
	if d := targetDiffers(&s); d != nil {
		w.warnings = append(w.warnings, *d)
	}
	if l := lockstepTarget(&s); l != nil {
		w.warnings = append(w.warnings, *l)
	}
	if w.Several() {
		vars := Vars(w.Kernels)
		for _, k := range w.Kernels {
			k.Vars = vars
		}
	}
	s.out = w
	if s.machine.Core != machine.Splitting {
		return s, nil
	}
	var err error
	s.out, err = w.split(SplitOptions{})
	return s, err
}

// targetDiffers warns of a machine whose GPUs do not run code for the module's target, unless the job says that this is
// meant; nil if there is nothing to warn of.
func targetDiffers(s *state) *diag.Warning {
	target := s.program.Target
	if s.machine.Match(target) != machine.Differs || s.spec.Target == target {
		return nil
	}
	why := ""
	if s.spec.Unnamed && s.machine.Name == s.spec.Machine && s.spec.Machine != job.DefaultMachine {
		why = ", taken as the nearest one since the job names none,"
	}
	return &diag.Warning{Pos: s.program.TargetPos, ID: "target-differs", Text: fmt.Sprintf(
		"the module targets %s, machine %s%s is %s: instruction timings, caches and occupancy are those of the latter; target = %q in the job says that this is meant",
		isa.Named(target), s.machine.Name, why, isa.Named(s.machine.Architecture), target)}
}

func dumpSplits(w io.Writer, s *state) error {
	for _, k := range s.out.Kernels {
		if err := dumpKernel(w, k.Graph.Kernel); err != nil {
			return err
		}
	}
	return nil
}

// Target is what a workload is prepared for.
type Target interface {
	// Machine describes what runs the workload, as far as it is known.
	Machine() *machine.Machine
	// Adapt returns a job's module as the target needs it.
	Adapt(j *job.Job, m Parsed) (Parsed, error)
	// StandIns warns of the instructions of a kernel that the target's generation does not have, so
	// that something else times them.
	StandIns(k *isa.Kernel) []diag.Warning
}
