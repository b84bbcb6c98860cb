package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"

	"warpbound/diag"
	"warpbound/internal/report"
)

func TestRedLines(t *testing.T) {
	var out bytes.Buffer
	w := redLines{&out}
	fmt.Fprintf(w, "Answer: none\n\n")
	fmt.Fprintf(w, "%s%s\n\n", report.Violation, "a run takes 2 cycles")
	if want := "Answer: none\n\n\x1b[31mVIOLATION: a run takes 2 cycles\x1b[0m\n\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	if inRed(&out) != &out {
		t.Error("what is no terminal is coloured")
	}
}

// TestVoidProofIsKept writes what reproduces a void proof, beside what is there from another time.
func TestVoidProofIsKept(t *testing.T) {
	t.Chdir(t.TempDir())
	void := &diag.VoidBoundError{Err: fmt.Errorf("a run takes 2 cycles"), Files: map[string][]byte{"job.toml": []byte("module = \"module.ptx\"\n"), "module.ptx": nil}}
	for _, dir := range []string{"warpbound-void-bound", "warpbound-void-bound-2"} {
		c := new(cobra.Command)
		var said bytes.Buffer
		c.SetErr(&said)
		if err := keepVoidProof(c, fmt.Errorf("k.ptx:1:1: %w", void)); err == nil || err.Error() != "k.ptx:1:1: a run takes 2 cycles" {
			t.Error(err)
		}
		if want := "what reproduces it is in " + dir + ": please report it\n"; said.String() != want {
			t.Errorf("%q, want %q", said.String(), want)
		}
		for _, name := range []string{"job.toml", "module.ptx", "README.txt"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Error(err)
			}
		}
	}
	if err := keepVoidProof(nil, nil); err != nil {
		t.Error(err)
	}
}
