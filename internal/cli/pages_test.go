package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/test/pagetest"
)

// TestModelPages runs the commands that the pages of the machine model show, in the root of
// the repository, and compares what they print; -update accepts it.
func TestModelPages(t *testing.T) { testPages(t, "../../docs/machine-model/*.md", "../..") }

// TestMethodPages does so for the pages of methods and analyses, in the directory of their example.
func TestMethodPages(t *testing.T) {
	testPages(t, "../../docs/methods/*.md", "../../docs/methods/examples")
}

// TestTutorial runs those of the tutorial, one after the other in a copy of its directory.
func TestTutorial(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../docs/tutorial")); err != nil {
		t.Fatal(err)
	}
	t.Run("page", func(t *testing.T) { testPages(t, "../../docs/tutorial.md", dir) })
}

// tabulated are pages with a table of package reproduce, which takes long and whose test compares these pages with it.
var tabulated = []string{"chips", "gtx480"}

// testPages runs the commands of the pages that a pattern matches, in a directory. -update accepts what they print.
func testPages(t *testing.T, pattern, dir string) {
	pages, err := filepath.Glob(pattern)
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, page := range pages {
		name := strings.TrimSuffix(filepath.Base(page), ".md")
		if slices.Contains(tabulated, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shown, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			got := pagetest.WithPrinted(t, string(shown), func(command string) string {
				if strings.Contains(command, "warpbound search") {
					needSolvers(t)
				}
				return pagetest.Printed(t, command, dir)
			})
			if got == string(shown) {
				return
			}
			if !*update {
				t.Fatalf("%s shows other outputs than (accept them with -update)\n%s", page, got)
			}
			if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// needSolvers skips a test where there is no z3, or lets it fail where solvers are required.
func needSolvers(t *testing.T) {
	if _, err := exec.LookPath("z3"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}
