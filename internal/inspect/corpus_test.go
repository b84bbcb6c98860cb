package inspect_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"warpbound"
)

// TestCorpora inspects every module in PTX of the repository. None fails, and nothing in them
// is refused but what is there to be refused.
func TestCorpora(t *testing.T) {
	const root = "../.."
	count := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".ptx" {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		m, err := warpbound.Inspect(path, src, warpbound.InspectOptions{})
		if err != nil {
			t.Error(err)
			return nil
		}
		count++
		for _, r := range m.Refused {
			if len(r.Kernels) == 0 || r.Reason == "" || r.Pos == "" {
				t.Errorf("%s: refusal %+v", path, r)
			}
		}
		for _, w := range m.Warnings {
			if w.ID == "refused-statement" {
				t.Errorf("%s: %s", w.Pos, w.Text)
			}
		}
		return nil
	})
	if err != nil || count < 300 {
		t.Errorf("%d modules, %v", count, err)
	}
}
