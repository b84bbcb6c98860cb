package job

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFileErrors checks that what cannot be read is named with what may be meant, without the system's call.
func TestFileErrors(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.MkdirAll(filepath.Join("sub", "row.txt"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"row.bin", "sub/job.toml", "sub/m.ptx"} {
		if err := os.WriteFile(name, []byte("x = "), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, want string }{
		{"rows.bin", `rows.bin: no such file or directory; did you mean "row.bin"?`},
		{"sub/n.ptx", `sub/n.ptx: no such file or directory; did you mean "sub/m.ptx"?`},
		{"sub/row.text", "sub/row.text: no such file or directory"}, // a directory is none
		{"none/row.bin", "none/row.bin: no such file or directory"},
		{"sub", `sub is a directory; did you mean "sub/job.toml"?`},
		{".", ". is a directory"},
		{"row.bin/x", "row.bin/x: not a directory"},
	} {
		_, err := Load(c.name)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
		if missing := strings.Contains(c.want, "no such"); missing != errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the error is of another kind", c.name)
		}
	}
}
