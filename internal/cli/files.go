package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// file is an output file that appears under its name only when it is complete.
type file struct {
	name string
	tmp  *os.File
	*bufio.Writer
}

// createFile starts an output file beside its final place.
func createFile(name string) (*file, error) {
	tmp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return nil, err
	}
	return &file{name: name, tmp: tmp, Writer: bufio.NewWriterSize(tmp, 1<<16)}, nil
}

// commit moves the complete file to its name.
func (f *file) commit() error {
	err := f.Flush()
	if err == nil {
		err = f.tmp.Chmod(0o644)
	}
	if err = errors.Join(err, f.tmp.Close()); err == nil {
		err = os.Rename(f.tmp.Name(), f.name)
	}
	if err != nil {
		os.Remove(f.tmp.Name())
		return fmt.Errorf("writing %s: %w", f.name, err)
	}
	return nil
}

// discard drops the incomplete file.
func (f *file) discard() {
	f.tmp.Close()
	os.Remove(f.tmp.Name())
}

// writeFile makes a file with what body writes; nothing changes if it fails.
func writeFile(name string, body func(io.Writer) error) error {
	f, err := createFile(name)
	if err != nil {
		return err
	}
	if err := body(f); err != nil {
		f.discard()
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return f.commit()
}
