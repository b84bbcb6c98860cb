package check

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestSize counts the lines of the checker, which is to be read.
func TestSize(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, name := range files {
		if ok, _ := filepath.Match("*_test.go", name); ok {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(text, []byte("\n"))
	}
	if lines == 0 || lines > 1000 {
		t.Errorf("the checker has %d lines, and may have 1000", lines)
	}
}
