package job

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"warpbound/internal/suggest"
)

// maxNeighbours is how many entries a directory has at most in which similar names are looked for.
const maxNeighbours = 10_000

var errDirectory = errors.New("is a directory")

// ReadFile reads a regular file of at most limit bytes. Anything else may have no
// end, and opening a pipe waits for its other side.
func ReadFile(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w%s", openError(path, err), suggest.Question(filesNear(path)))
	case err != nil:
		return nil, openError(path, err)
	case info.IsDir():
		return nil, fmt.Errorf("%s %w", path, errDirectory)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	case info.Size() > limit:
		return nil, fmt.Errorf("%s has %d bytes; at most %d are read", path, info.Size(), limit)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, openError(path, err)
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}

// openError says why a file cannot be read, without the name of the system's call.
func openError(path string, err error) error {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// filesNear returns the paths of the files that may be meant by the path of one that is not there.
func filesNear(path string) []string {
	dir, name := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(dir + "."))
	if err != nil || len(entries) > maxNeighbours {
		return nil
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	near := suggest.Nearest(name, names)
	for i := range near {
		near[i] = dir + near[i]
	}
	return near
}

// jobIn says which job file is in a directory that was named instead of it.
func jobIn(dir string) string {
	files, err := filepath.Glob(filepath.Join(dir, "*.toml"))
	if err != nil || len(files) > 3 {
		return ""
	}
	return suggest.Question(files)
}
