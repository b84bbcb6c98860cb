package workload

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"warpbound/diag"
	"warpbound/internal/isa"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/symbol"
)

// SavedInputs are inputs of a job, read from a file that is a job of the same launch.
type SavedInputs struct {
	File   string
	Inputs *job.Inputs
}

// LoadInputs reads the inputs that the job files of a directory hold: of each its first test
// vector. It is an error if there is none, if one is of another module, kernel or launch than
// the job, or if it holds what the job cannot have: something else where that is fixed, or
// what it does not draw. Machines and launches that follow are not compared.
func (w *Workload) LoadInputs(dir string) ([]SavedInputs, error) {
	names, err := savedIn(dir)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: there is no job file", dir)
	}
	var all []SavedInputs
	for _, name := range names {
		in, err := w.loadInputs(name)
		if err != nil {
			return nil, err
		}
		all = append(all, SavedInputs{File: name, Inputs: in})
	}
	return all, nil
}

// SavedIn reads the inputs of a job file, as LoadInputs does.
func SavedIn(w *Workload, name string) (*job.Inputs, error) { return w.loadInputs(name) }

// savedIn returns the job files of a directory.
func savedIn(dir string) ([]string, error) {
	return filepath.Glob(filepath.Join(escape(dir), "*.toml"))
}

// escape makes a name a pattern that matches it alone.
func escape(name string) string {
	var pattern []rune
	for _, c := range name {
		if c == '*' || c == '?' || c == '[' || c == '\\' && filepath.Separator != '\\' {
			pattern = append(pattern, '\\')
		}
		pattern = append(pattern, c)
	}
	return string(pattern)
}

// loadInputs reads the inputs that a job file holds.
func (w *Workload) loadInputs(name string) (*job.Inputs, error) {
	src, err := Read(name)
	if err != nil {
		return nil, err
	}
	saved, own := src.Spec, w.Whole()
	spec, kernel := own.Spec, own.First().Bound
	switch {
	case digest(src.Module) != own.Module.Hash:
		return nil, diag.Errorf(saved.Pos.Module, "the inputs are of another module than that of %s", w.Name())
	case saved.Launches == nil && saved.Kernel != "" && !symbol.Is(saved.Kernel, symbol.Readable(own.Kernel())):
		return nil, diag.Errorf(saved.Pos.Kernel, "the inputs are of kernel %s, not of %s", saved.Kernel, own.Kernel())
	case saved.Grid != spec.Grid:
		return nil, diag.Errorf(saved.Pos.Grid, "the inputs are of grid %v, not of %v", saved.Grid, spec.Grid)
	case saved.Block != spec.Block:
		return nil, diag.Errorf(saved.Pos.Block, "the inputs are of block %v, not of %v", saved.Block, spec.Block)
	case saved.Shared != spec.Shared:
		return nil, diag.Errorf(saved.Pos.Shared, "the inputs are of a launch with %d bytes of shared memory, not with %d", saved.Shared, spec.Shared)
	}
	if at := otherLaunch(saved, own); at != nil {
		return nil, diag.Errorf(*at, "the inputs are of other launches than those of %s", w.Name())
	}
	// Launches that follow in [repeat], and what is stated of loops, do not matter to what inputs there are.
	saved.Repeat, saved.Loops, saved.Facts = job.Repeat{}, nil, nil
	var then []*isa.Kernel
	if saved.Launches != nil {
		for _, k := range own.Kernels[1:] {
			then = append(then, k.Bound.Kernel)
		}
	}
	bound, err := saved.Bind(kernel.Kernel, then...)
	if err != nil {
		return nil, err
	}
	if err := sameLaunch(bound, kernel); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	in := bound.Inputs(0)
	if err := kernel.Admit(in); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return in, nil
}

// otherLaunch returns where the [[launch]] entries of a saved job begin to differ from those of a job: in kernels,
// sizes or arguments. It is nil if they do not.
func otherLaunch(saved *job.Job, w *Workload) *diag.Pos {
	own := w.Spec
	for i := range max(len(saved.Launches), len(own.Launches)) {
		switch {
		case i >= len(saved.Launches):
			return &saved.Pos.Module
		case i >= len(own.Launches) || !symbol.Is(saved.Launches[i].Kernel, w.Kernels[i].Bound.Kernel.Name) || !saved.Launches[i].Same(&own.Launches[i]):
			return &saved.Launches[i].Pos.Entry
		}
	}
	return nil
}

// sameLaunch compares what jobs of one kernel hold beside their inputs.
func sameLaunch(saved, own *job.Bound) error {
	given, wanted := saved.Job.Whole().Params, own.Job.Whole().Params
	if len(given) != len(wanted) {
		return fmt.Errorf("there are %d parameters, fields and buffers, not %d", len(given), len(wanted))
	}
	for i := range wanted {
		if p, q := &given[i], &wanted[i]; !p.Like(q) {
			return fmt.Errorf("param %s (%v) is another kind of argument than %s (%v)", p.Name, p.Pos, q.Name, q.Pos)
		}
	}
	symbols := func(b *job.Bound) map[int]string {
		held := make(map[int]string)
		for _, s := range b.Symbols {
			held[s.Var] = string(s.Data)
		}
		return held
	}
	if !maps.Equal(symbols(saved), symbols(own)) {
		return fmt.Errorf("the symbols hold something else than those of %s", own.Job.File)
	}
	return nil
}

// Files returns a job with saved inputs as files by name, to be put into the directory dir, which
// exists: the job file stem.toml, and data files beside it. It is the same job otherwise, on the
// same machine, so that a run of it takes as many cycles. It is an error if the job was not
// loaded by Load.
func (w *Workload) Files(dir, stem string, in SavedInputs) (map[string][]byte, error) {
	if w.MachineName == "" {
		return nil, fmt.Errorf("%s was not read from a directory, so that no file can name its module", w.Name())
	}
	spec, err := w.Changed()
	if err != nil {
		return nil, err
	}
	from := func(name string) string { // dir, which is relative to the working directory
		if err != nil {
			return ""
		}
		name, err = relative(dir, name)
		return name
	}
	spec.Module = from(spec.Resolve(spec.Module))
	spec.Machine, spec.Unnamed = w.MachineName, false
	if machine.IsFile(spec.Machine) {
		if spec.Machine = from(spec.Machine); !machine.IsFile(spec.Machine) {
			spec.Machine = "./" + spec.Machine
		}
	}
	if spec.CPU.File != "" {
		spec.CPU.File = from(spec.Resolve(spec.CPU.File))
	}
	if spec.Source != nil { // whose command is for the directory of the job
		spec.Source = &job.Source{File: from(spec.Resolve(spec.Source.File)), SHA256: spec.Source.SHA256}
	}
	if err != nil {
		return nil, err
	}
	written, err := spec.Write(stem, in.Inputs)
	if err != nil {
		return nil, err
	}
	files := written.Data
	files[stem+".toml"] = written.Text
	return files, nil
}

// Changed returns a copy of the job's file, with what differs from it since it was read.
func (w *Workload) Changed() (*job.Job, error) {
	spec, opts := *w.Spec, &w.Choice
	if opts.Mode != "" {
		spec.Split.Mode = string(opts.Mode)
	}
	if opts.SIMDs != nil {
		spec.Split.SIMDs = opts.SIMDs
	}
	if opts.Branches == nil {
		return &spec, nil
	}
	spec.Split.All, spec.Split.Branches = slices.Equal(opts.Branches, []string{EveryBranch}), nil
	if spec.Split.All {
		return &spec, nil
	}
	spec.Split.Branches = []job.Place{}
	for _, text := range opts.Branches {
		p, err := job.ParsePlace(text)
		if err != nil {
			return nil, err
		}
		spec.Split.Branches = append(spec.Split.Branches, p)
	}
	return &spec, nil
}

// relative returns the path of a file from a directory, with slashes. Links among the directories
// are followed, since a path that goes up through one would lead elsewhere.
func relative(dir, file string) (string, error) {
	dir, err := real(dir)
	if err != nil {
		return "", err
	}
	parent, err := real(filepath.Dir(file))
	if err != nil {
		return "", err
	}
	file = filepath.Join(parent, filepath.Base(file))
	if path, err := filepath.Rel(dir, file); err == nil {
		return filepath.ToSlash(path), nil
	}
	return file, nil // on another volume
}

// real returns the path of a directory from the root, without links.
func real(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}
