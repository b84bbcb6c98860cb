package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/selfcheck"
)

// TestSaveFinding checks that findings are complete and keep those that are there.
func TestSaveFinding(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	f := selfcheck.Finding{
		Violation: estimate.Violation{Kernel: 7, Kind: "bound", Method: "static/cta", Job: "narrow1.toml", Vector: 0, Text: "too low"},
		Seed:      3, Files: selfcheck.Files{"kernel.ptx": "module", "job.toml": "job"},
	}
	for _, want := range []string{"bound-seed3-kernel7", "bound-seed3-kernel7-2"} {
		path, err := saveFinding(dir, f)
		if err != nil {
			t.Fatal(err)
		}
		if path != filepath.Join(dir, want) {
			t.Errorf("saved in %s, not in %s", path, want)
		}
		for file, has := range map[string]string{
			"kernel.ptx": "module", "job.toml": "job",
			"finding.txt": "warpbound analyze job.toml --methods static/cta",
		} {
			if text, err := os.ReadFile(filepath.Join(path, file)); err != nil || !strings.Contains(string(text), has) {
				t.Errorf("%s: %q, %v", file, text, err)
			}
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("in the directory are %v, %v", left, err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := saveFinding(file, f); err == nil || !strings.HasPrefix(err.Error(), "--out: ") {
		t.Errorf("a file as directory: %v", err)
	}
}
