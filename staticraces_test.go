package warpbound_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"warpbound"
	"warpbound/internal/test/goldentest"
)

// TestSuiteRaceVerdicts compares what is known of the data races of every job of the suite for all inputs with what was known.
func TestSuiteRaceVerdicts(t *testing.T) {
	known, err := os.ReadFile("testdata/races.txt")
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := fs.Glob(os.DirFS("."), "kernels/*/*.toml")
	if err != nil || len(jobs) == 0 {
		t.Fatalf("%d jobs, %v", len(jobs), err)
	}
	module := regexp.MustCompile(`(?m)^module\s*=\s*"(.*)"`)
	var found strings.Builder
	for _, path := range jobs {
		j, err := warpbound.Load(path, warpbound.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		named := module.FindSubmatch(text)
		if named == nil {
			t.Fatalf("%s names no module", path)
		}
		file := filepath.Join(filepath.Dir(path), string(named[1]))
		src, err := warpbound.ReadModule(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := warpbound.Inspect(t.Context(), file, src, warpbound.InspectOptions{Job: j})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		free := true // all kernels that the job launches
		for _, k := range m.Kernels {
			r := k.Races
			free = free && (k.Launch == nil || r != nil && r.Verdict == "free")
			if r == nil {
				fmt.Fprintf(&found, "%s %s: none\n", path, k.Name)
				continue
			}
			fmt.Fprintf(&found, "%s %s: %s", path, k.Name, r.Verdict)
			if r.Reason != "" {
				fmt.Fprintf(&found, ", %s: %s", filepath.Base(r.Pos), r.Reason)
			}
			for _, p := range r.Pairs {
				fmt.Fprintf(&found, ", %s and %s", filepath.Base(p.First), filepath.Base(p.Second))
			}
			found.WriteString("\n")
		}
		if free && strings.Contains(string(known), path+":") {
			t.Errorf("%s is free of races, but some are known", path)
		}
	}
	goldentest.Check(t, "testdata/race-verdicts.txt", found.String())
}
