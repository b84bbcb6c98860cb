package warpbound

import (
	"fmt"
	"path/filepath"
	"slices"

	"warpbound/internal/job"
)

// Files returns a job with saved inputs as files by name, to be put into the directory dir, which
// exists: the job file stem.toml, and data files beside it. It is the same job otherwise, on the
// same machine, so that a run of it takes as many cycles. It is an error if the job was not
// loaded by Load.
func (j *Job) Files(dir, stem string, in SavedInputs) (map[string][]byte, error) {
	if j.machineName == "" {
		return nil, fmt.Errorf("%s was not read from a directory, so that no file can name its module", j.Name())
	}
	spec, err := j.spec()
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
	spec.Machine = j.machineName
	if isFile(spec.Machine) {
		if spec.Machine = from(spec.Machine); !isFile(spec.Machine) {
			spec.Machine = "./" + spec.Machine
		}
	}
	if spec.CPU.File != "" {
		spec.CPU.File = from(spec.Resolve(spec.CPU.File))
	}
	if err != nil {
		return nil, err
	}
	w, err := spec.Write(stem, in.in)
	if err != nil {
		return nil, err
	}
	files := w.Data
	files[stem+".toml"] = w.Text
	return files, nil
}

// spec returns a copy of the job's file, with what differs from it since it was read.
func (j *Job) spec() (*job.Job, error) {
	spec := *j.bound.Job
	if j.division == nil {
		return &spec, nil
	}
	opts := &j.division.opts
	if opts.Mode != "" {
		spec.Split.Mode = opts.Mode
	}
	if opts.SIMDs != nil {
		spec.Split.SIMDs = opts.SIMDs
	}
	if opts.Branches == nil {
		return &spec, nil
	}
	spec.Split.All, spec.Split.Branches = slices.Equal(opts.Branches, []string{everyBranch}), nil
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
