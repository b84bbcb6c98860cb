//go:build unix

package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func put(t *testing.T, o *outputs, name, text string) {
	t.Helper()
	f, err := o.create("--flag", name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestOutputsAppearTogether(t *testing.T) {
	dir := t.TempDir()
	old, link := filepath.Join(dir, "old"), filepath.Join(dir, "link")
	if err := os.WriteFile(old, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("old", link); err != nil {
		t.Fatal(err)
	}

	var dropped outputs
	put(t, &dropped, old, "half")
	dropped.discard()
	if got := content(t, old); got != "old" {
		t.Errorf("a file that was dropped has %q", got)
	}

	var kept outputs
	put(t, &kept, link, "new")
	put(t, &kept, filepath.Join(dir, "other"), "other")
	if got := content(t, old); got != "old" {
		t.Errorf("before the commit the file has %q", got)
	}
	if err := kept.commit(); err != nil {
		t.Fatal(err)
	}
	kept.discard()
	if got := content(t, old); got != "new" {
		t.Errorf("the file behind the link has %q", got)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 3 {
		t.Errorf("left %v, %v; want link, old, other", left, err)
	}
}

// A device or pipe must be written, not replaced by a file.
func TestOutputToPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	var o outputs
	put(t, &o, name, "through")
	if err := o.commit(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(name); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Fatalf("the pipe was replaced: %v, %v", info, err)
	}
	buf := make([]byte, 16)
	if n, err := pipe.Read(buf); err != nil || string(buf[:n]) != "through" {
		t.Errorf("read %q, %v", buf[:n], err)
	}
}

func TestOutputErrors(t *testing.T) {
	dir := t.TempDir()
	var o outputs
	defer o.discard()
	put(t, &o, filepath.Join(dir, "twice"), "")
	for _, c := range []struct{ name, want string }{
		{dir, "is a directory"},
		{filepath.Join(dir, "no", "file"), "no/file: no such file or directory"},
		{filepath.Join(dir, ".", "twice"), "--flag writes the same file"},
	} {
		if _, err := o.create("--flag", c.name); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left %v, %v; want the one file that was begun", left, err)
	}
}

// TestDroppedOutputs leaves what is under the name of a file that is dropped.
func TestDroppedOutputs(t *testing.T) {
	dir := t.TempDir()
	proof, page := filepath.Join(dir, "proof.lp"), filepath.Join(dir, "page.html")
	if err := os.WriteFile(proof, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	var o outputs
	for flag, name := range map[string]string{"--lp": proof, "--html": page} {
		f, err := o.create(flag, name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString("new"); err != nil {
			t.Fatal(err)
		}
	}
	o.drop("--lp", "--certificate")
	if err := o.commit(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{proof: "before", page: "new"} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("the directory holds %v, %v", left, err)
	}
}
