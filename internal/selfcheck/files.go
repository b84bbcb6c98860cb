package selfcheck

import (
	"io/fs"
	"maps"

	"warpbound/internal/kernelgen"
)

// The files of an instance.
const (
	jobFile     = "job.toml"     // the job with the widest inputs, whose time is bounded
	machineFile = "machine.toml" // its machine
	streamFile  = "cpu.stream"   // what a CPU does beside the kernel, if there is one
)

// Files are the texts of an instance by name: a job, its module and machine, and jobs with
// narrower inputs, whose runs are runs of the job too. It is a file system that can only
// be read file by file.
type Files map[string]string

// Open implements fs.FS. Nothing can be opened.
func (f Files) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// ReadFile implements fs.ReadFileFS.
func (f Files) ReadFile(name string) ([]byte, error) {
	text, ok := f[name]
	if !ok {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	return []byte(text), nil
}

// with returns the files with one of them changed.
func (f Files) with(name, text string) Files {
	other := maps.Clone(f)
	other[name] = text
	return other
}

// module returns the name of the module.
func (f Files) module() string {
	if _, ok := f[kernelgen.SIMTFile]; ok {
		return kernelgen.SIMTFile
	}
	return kernelgen.ModuleFile
}
