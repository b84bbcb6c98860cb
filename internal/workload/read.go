package workload

import (
	"cmp"
	"io/fs"
	"maps"
	"path"
	"slices"

	"warpbound/diag"
	"warpbound/internal/budget"
	"warpbound/internal/job"
	"warpbound/jobs"
)

// maxFile is the largest module or machine file in bytes.
const maxFile = 256 << 20

// Source is a job file with the text of its module, as they were read.
type Source struct {
	Spec   *job.Job
	Module []byte
	// Read reads a file that the job names by its path from the working directory, or from the
	// root of the file system that the job is from.
	Read func(name string) ([]byte, error)
	// Dir says that the job is from the file system of the computer, so that other files can name
	// what it names.
	Dir bool
}

// Read reads a job file, the data files that it names, and the text of its module.
func Read(name string) (*Source, error) {
	j, err := job.Load(name)
	if err != nil {
		return nil, notJob(err, name, ReadFile)
	}
	return source(j, ReadFile, true)
}

// ReadFS is Read within a file system: name and what the job names are paths in fsys.
func ReadFS(fsys fs.FS, name string) (*Source, error) {
	read := func(file string) ([]byte, error) { return fs.ReadFile(fsys, path.Clean(file)) }
	src, err := read(name)
	if err != nil {
		return nil, err
	}
	j, err := job.Parse(name, src, func(file string) ([]byte, error) { return read(path.Join(path.Dir(name), file)) })
	if err != nil {
		return nil, notJob(err, name, read)
	}
	return source(j, read, false)
}

// FromGo makes the source of a job in Go. Files that it names are read from the working directory.
func FromGo(g *jobs.Job) (*Source, error) {
	j, read, err := job.FromGo(g, nil)
	if err != nil {
		return nil, err
	}
	return source(j, read, false)
}

// Render returns a job in Go as files by name: the job file, called like the job, and what the job holds beside it.
func Render(g *jobs.Job) (map[string][]byte, error) {
	w, err := job.Render(g)
	if err != nil {
		return nil, err
	}
	files := maps.Clone(w.Data)
	if files == nil {
		files = make(map[string][]byte)
	}
	name := path.Base(cmp.Or(g.Name, "job"))
	if path.Ext(name) != ".toml" {
		name += ".toml"
	}
	files[name] = w.Text
	return files, nil
}

func source(j *job.Job, read func(string) ([]byte, error), dir bool) (*Source, error) {
	module, err := read(j.Resolve(j.Module))
	if err != nil {
		return nil, diag.Errorf(j.Pos.Module, "%w", err)
	}
	return &Source{Spec: j, Module: module, Read: read, Dir: dir}, nil
}

// WithSeed returns the source with another seed of the random inputs.
func (s *Source) WithSeed(seed int64) *Source {
	spec, out := *s.Spec, *s
	spec.Seed, out.Spec = seed, &spec
	return &out
}

// ForTarget returns the source with the machine that choose names for the target of its module, if its job names no machine and there is
// one. A module that is wrong is for no target.
func (s *Source) ForTarget(choose func(target string) (machine string, ok bool)) *Source {
	if !s.Spec.Unnamed {
		return s
	}
	parsed, err := ParseModule(s.Spec.Resolve(s.Spec.Module), s.Module)
	if err != nil {
		return s
	}
	program, err := parsed.Lower()
	if err != nil {
		return s
	}
	if name, ok := choose(program.Target); ok {
		return s.withMachine(name)
	}
	return s
}

// withMachine returns the source with a machine that its job does not name.
func (s *Source) withMachine(name string) *Source {
	spec, out := *s.Spec, *s
	spec.Machine, out.Spec = name, &spec
	return &out
}

// WithModule returns the source with another text of its module.
func (s *Source) WithModule(text []byte) *Source {
	out := *s
	out.Module = text
	return &out
}

// AllowingAbsurd returns the source with loops that may be bounded by the range of a type alone.
func (s *Source) AllowingAbsurd() *Source {
	spec, out := *s.Spec, *s
	spec.AllowAbsurd, out.Spec = true, &spec
	return &out
}

// WithEffort returns the source with another effort of analyses.
func (s *Source) WithEffort(effort budget.Effort) *Source {
	spec, out := *s.Spec, *s
	spec.Effort, out.Spec = effort, &spec
	return &out
}

// WithSolver returns the source with a solver that may be asked for bounds of loops, one of Solvers.
func (s *Source) WithSolver(name string) *Source {
	spec, out := *s.Spec, *s
	spec.Solver, out.Spec = name, &spec
	return &out
}

// ReadFile reads a module or a machine file. Only regular files are read.
func ReadFile(name string) ([]byte, error) { return job.ReadFile(name, maxFile) }

// HasBuffer reports whether a job has a buffer of that name.
func (w *Workload) HasBuffer(name string) bool { return slices.Contains(w.Buffers(), name) }
