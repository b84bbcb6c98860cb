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
	name := filepath.Join(t.TempDir(), "a.toml")
	if err := os.WriteFile(name, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := complete(f, "text"); err == nil {
		t.Error("no error from a file that cannot be written")
	}
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is left behind: %v", err)
	}
}
