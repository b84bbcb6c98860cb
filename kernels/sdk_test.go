package kernels

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every directory below sdk holds a kernel of the list, with two jobs, its source and its module, which leaves nothing
// to be linked and names its sources by relative paths.
func TestSDK(t *testing.T) {
	modules, err := filepath.Glob("sdk/*/*.ptx")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	source := regexp.MustCompile(`(?m)^\t\.file\t\d+ "([^"]*)"`)
	for _, k := range SDK() {
		module := path.Join("sdk", k.Kernel, k.Kernel+".ptx")
		listed = append(listed, module)
		if k.Differs == "" {
			t.Errorf("%s: nothing is said of how it differs from the paper's", k.Program)
		}
		text, err := os.ReadFile(module)
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(string(text), "\n.visible .entry "+k.Kernel+"(") || strings.Contains(string(text), ".extern") {
			t.Errorf("%s: no entry, or an external symbol", module)
		}
		for _, file := range source.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(path.Join("sdk", k.Kernel, file[1])); filepath.IsAbs(file[1]) || err != nil {
				t.Errorf("%s: source %q is not a relative path to a file of the suite", module, file[1])
			}
		}
		for _, file := range []string{"job.toml", "paper.toml"} {
			job := readJobFile(t, k.Files(), file)
			if job.Module != k.Kernel+".ptx" || job.Kernel != k.Kernel {
				t.Errorf("%s: %s runs %s of %s", k.Kernel, file, job.Kernel, job.Module)
			}
			for _, p := range job.Param {
				if p.File == "" {
					continue
				}
				if _, err := fs.Stat(k.Files(), p.File); err != nil {
					t.Errorf("%s: %v", k.Kernel, err)
				}
			}
		}
	}
	slices.Sort(listed)
	if !slices.Equal(modules, listed) {
		t.Errorf("modules %v, in the list %v", modules, listed)
	}
}

// The intervals of bisectSingle are around the entries of a diagonal 0, 1, 2, ..., and are so for all others above that
// the jobs sample: by Gershgorin's theorem each holds one eigenvalue.
func TestSDKIntervals(t *testing.T) {
	for _, n := range []int{512, 2048} {
		var left, right []float32
		for i := range n {
			left, right = append(left, float32(i)-0.5), append(right, float32(i)+0.5)
		}
		checkFile(t, fmt.Sprintf("sdk/bisectSingle/left%d.bin", n), floatBytes(left), "says where the intervals begin")
		checkFile(t, fmt.Sprintf("sdk/bisectSingle/right%d.bin", n), floatBytes(right), "says where the intervals end")
	}
}
