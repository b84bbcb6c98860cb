package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestHalfJobIsRemoved writes through a handle that only reads, as a full disk
// would refuse it.
func TestHalfJobIsRemoved(t *testing.T) {
	dir := t.TempDir()
	temp := filepath.Join(dir, ".a.toml.1")
	if err := os.WriteFile(temp, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	target, err := os.Open(temp)
	if err != nil {
		t.Fatal(err)
	}
	f := &file{name: filepath.Join(dir, "a.toml"), target: target}
	if err := f.complete("text"); err == nil {
		t.Error("no error from a file that cannot be written")
	}
	empty(t, dir)
}

// TestJobAppearsComplete has a job written by a command that is stopped before its end, and by one that is not.
func TestJobAppearsComplete(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.toml")
	f, err := begin(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the job is there before its text: %v", err)
	}
	f.discard()
	empty(t, dir)

	if err := writeNew(name, "text"); err != nil {
		t.Fatal(err)
	}
	if err := writeNew(name, "other"); err == nil {
		t.Error("a job that was there is written over")
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != "text" {
		t.Errorf("the job is %q, %v", text, err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("the job has the mode %v, %v", info.Mode(), err)
	}
}

// empty tests that nothing was left in a directory.
func empty(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
