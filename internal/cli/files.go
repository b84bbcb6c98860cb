package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"warpbound/internal/report"
)

// outputs are the files that a command writes. They are begun before the command
// does its work, so that a wrong name is found at once, and appear under their
// names only when all of it is done.
type outputs struct{ files []*file }

// file is an output file. It is written beside its final place, except for what
// is no regular file, such as a device or a pipe: that is written as it stands.
type file struct {
	flag   string // that names the file, for messages
	name   string
	target *os.File
	direct bool
	done   bool
	*bufio.Writer
}

// create begins the output file that a flag names.
func (o *outputs) create(flag, name string) (*file, error) {
	f, err := begin(name)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", flag, name, cause(err))
	}
	f.flag = flag
	f.Writer = bufio.NewWriterSize(f.target, 1<<16)
	for _, other := range o.files {
		if !f.direct && other.name == f.name {
			f.discard()
			return nil, fmt.Errorf("%s %s: %s writes the same file", flag, name, other.flag)
		}
	}
	o.files = append(o.files, f)
	return f, nil
}

// drop gives up the files of flags: what is under their names stays.
func (o *outputs) drop(flags ...string) {
	o.files = slices.DeleteFunc(o.files, func(f *file) bool {
		dropped := slices.Contains(flags, f.flag)
		if dropped {
			f.discard()
		}
		return dropped
	})
}

func begin(name string) (*file, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errors.New("is a directory")
	case !info.Mode().IsRegular():
		target, err := os.OpenFile(name, os.O_WRONLY, 0)
		return &file{name: name, target: target, direct: true}, err
	default: // a link stays one, and the file behind it is replaced
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return nil, err
		}
	}
	if name, err = filepath.Abs(name); err != nil {
		return nil, err
	}
	target, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	return &file{name: name, target: target}, err
}

// pictures writes the files of a directory that --plots names.
func (o *outputs) pictures(dir string, all []report.Picture) error {
	for _, p := range all {
		to, err := o.create("--plots", filepath.Join(dir, p.File+".svg"))
		if err != nil {
			return err
		}
		if _, err := to.WriteString(p.SVG); err != nil {
			return err
		}
	}
	return nil
}

// cause drops the name of the temporary file from an error.
func cause(err error) error {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return at.Err
	}
	return err
}

// commit moves the complete files to their names.
func (o *outputs) commit() error {
	for _, f := range o.files {
		if err := f.commit(); err != nil {
			return fmt.Errorf("%s %s: %w", f.flag, f.name, cause(err))
		}
	}
	return nil
}

func (f *file) commit() error {
	err := f.Flush()
	if err == nil && !f.direct {
		err = f.target.Chmod(0o644)
	}
	if err != nil {
		return err
	}
	if err = f.target.Close(); err == nil && !f.direct {
		err = os.Rename(f.target.Name(), f.name)
	}
	f.done = err == nil
	return err
}

// discard drops the files that are not complete.
func (o *outputs) discard() {
	for _, f := range o.files {
		if !f.done {
			f.discard()
		}
	}
}

func (f *file) discard() {
	f.target.Close()
	if !f.direct {
		os.Remove(f.target.Name())
	}
}
