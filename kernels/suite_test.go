package kernels

import (
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// jobFile is what the tests here look at in a job.
type jobFile struct {
	Module, Kernel string
	Grid, Block    [3]int
	Param          []struct {
		Name, Type, File, Init string
		Count                  int
		Value                  any
	}
}

func readJob(t *testing.T, fsys fs.FS) jobFile {
	t.Helper()
	return readJobFile(t, fsys, "job.toml")
}

func readJobFile(t *testing.T, fsys fs.FS, name string) jobFile {
	t.Helper()
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	var job jobFile
	if err := toml.Unmarshal(text, &job); err != nil {
		t.Fatal(err)
	}
	return job
}

// scalarBits returns the bits of an argument as a Reference takes them; a float is an f32.
func scalarBits(t *testing.T, value any) uint64 {
	t.Helper()
	switch v := value.(type) {
	case int64:
		return uint64(v)
	case float64:
		return uint64(math.Float32bits(float32(v)))
	}
	t.Fatalf("value %v is no number", value)
	return 0
}

// Every directory holds a kernel with a reference, and the reverse.
func TestReferencesCoverTheSuite(t *testing.T) {
	jobs, err := filepath.Glob("*/job.toml")
	if err != nil {
		t.Fatal(err)
	}
	var dirs, kernels []string
	for _, job := range jobs {
		dirs = append(dirs, filepath.Dir(job))
	}
	for _, r := range slices.Concat(References(), LLC(), Search(), Tensor(), MiniSIMT(), Arguments()) {
		kernels = append(kernels, r.Kernel)
	}
	slices.Sort(kernels)
	if !slices.Equal(dirs, kernels) {
		t.Errorf("directories %v, references %v", dirs, kernels)
	}
}

// Each reference runs on buffers shaped as its job says, returns exactly its
// outputs in their full length and leaves its inputs alone.
func TestReferencesMatchJobs(t *testing.T) {
	size := map[string]int{"u8": 1, "f16": 2, "u32": 4, "s32": 4, "f32": 4}
	for _, r := range slices.Concat(References(), LLC(), Search(), Tensor(), MiniSIMT()) {
		t.Run(r.Kernel, func(t *testing.T) {
			dir := os.DirFS(r.Kernel)
			job := readJob(t, dir)
			if !strings.EqualFold(job.Kernel, r.Kernel) {
				t.Errorf("the job runs kernel %q", job.Kernel)
			}
			in, scalars := map[string][]byte{}, map[string]uint64{}
			for _, p := range job.Param {
				switch {
				case p.Type == "shared":
				case p.Count == 0:
					scalars[p.Name] = scalarBits(t, p.Value)
				case p.File != "":
					contents, err := fs.ReadFile(dir, p.File)
					if err != nil {
						t.Fatal(err)
					}
					if len(contents) != p.Count*size[p.Type] {
						t.Errorf("%s has %d bytes, the job says %d x %s", p.File, len(contents), p.Count, p.Type)
					}
					in[p.Name] = contents
				default:
					in[p.Name] = make([]byte, p.Count*size[p.Type])
				}
			}
			before := map[string][]byte{}
			for name, b := range in {
				before[name] = slices.Clone(b)
			}
			out := r.Compute(in, scalars)
			if names := slices.Sorted(maps.Keys(out)); !slices.Equal(names, slices.Sorted(slices.Values(r.Outputs))) {
				t.Errorf("outputs %v, want %v", names, r.Outputs)
			}
			for name, b := range out {
				if len(b) != len(in[name]) {
					t.Errorf("output %s has %d bytes, the buffer %d", name, len(b), len(in[name]))
				}
			}
			if !maps.EqualFunc(in, before, slices.Equal[[]byte]) {
				t.Error("an input was changed")
			}
		})
	}
}

// TestApplicationsCoverTheSuite finds every application among the references, and its module.
func TestApplicationsCoverTheSuite(t *testing.T) {
	files, err := filepath.Glob("*/application.toml")
	if err != nil {
		t.Fatal(err)
	}
	var dirs, kernels []string
	for _, file := range files {
		dirs = append(dirs, filepath.Dir(file))
	}
	for _, r := range Applications() {
		kernels = append(kernels, r.Kernel)
		if _, err := fs.Stat(Suite(), r.Kernel+"/"+r.Kernel+".ptx"); err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(dirs, kernels) {
		t.Errorf("directories %v, references %v", dirs, kernels)
	}
}

func TestSuiteIsComplete(t *testing.T) {
	for _, r := range slices.Concat(References(), LLC(), Search(), Tensor(), MiniSIMT()) {
		name := r.Kernel
		dir, err := fs.Sub(Suite(), name)
		if err != nil {
			t.Fatal(err)
		}
		job := readJob(t, dir)
		files := []string{job.Module}
		for _, p := range job.Param {
			if p.File != "" {
				files = append(files, p.File)
			}
		}
		for _, file := range files {
			if _, err := fs.Stat(dir, file); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// corpusFiles returns the names of a kernel's PTX in the corpus: of every
// compiler, level and target except what the compilers refuse, and of two that differ
// in all three for the kernels of LLC and Search, but for the large one that is written by
// the same generator as petriSmall. There is none of those of Tensor, which need one target.
func corpusFiles(kernel string) []string {
	if kernel == "petri" || slices.ContainsFunc(Tensor(), func(r Reference) bool { return r.Kernel == kernel }) {
		return nil
	}
	if !slices.Contains(Names(), kernel) {
		return []string{"clang14.O0.sm_35.ptx", "clang16.O3.sm_90.ptx"}
	}
	var files []string
	for _, clang := range []string{"clang14", "clang16", "clang19"} {
		for _, level := range []string{"O0", "O1", "O3"} {
			for _, arch := range []string{"sm_20", "sm_35", "sm_70", "sm_90"} {
				tooNew := clang == "clang14" && arch == "sm_90"
				crash := kernel == "reduction" && level == "O0" && clang != "clang19"
				if !tooNew && !crash {
					files = append(files, clang+"."+level+"."+arch+".ptx")
				}
			}
		}
	}
	return files
}

func TestCorpusIsComplete(t *testing.T) {
	for _, r := range slices.Concat(References(), LLC(), Search()) {
		name := r.Kernel
		files, err := fs.Glob(os.DirFS(filepath.Join(name, "corpus")), "*.ptx")
		if err != nil {
			t.Fatal(err)
		}
		if want := corpusFiles(name); !slices.Equal(files, want) {
			t.Errorf("the corpus of %s is %v, want %v", name, files, want)
		}
	}
}

// The PTX defines its kernel and leaves nothing to be linked. It names its
// sources by paths that hold on every computer, or none in the corpus.
func TestPTX(t *testing.T) {
	source := regexp.MustCompile(`(?m)^\t\.file\t\d+ "([^"]*)"`)
	measured := slices.Concat(References(), LLC())
	for i, r := range slices.Concat(measured, Search(), Tensor()) {
		files := []string{r.Kernel + ".ptx"}
		if i < len(measured) {
			for _, variant := range []string{"O0.sm_20", "O0.sm_70", "O2.sm_20", "O2.sm_70"} {
				files = append(files, "ptx/"+r.Kernel+"."+variant+".ptx")
			}
		}
		for _, file := range corpusFiles(r.Kernel) {
			files = append(files, "corpus/"+file)
		}
		for _, file := range files {
			t.Run(file, func(t *testing.T) {
				contents, err := os.ReadFile(filepath.Join(r.Kernel, file))
				if err != nil {
					t.Fatal(err)
				}
				text := string(contents)
				if !strings.Contains(text, "\n.visible .entry "+r.Kernel+"(") {
					t.Errorf("no entry %s", r.Kernel)
				}
				if strings.Contains(text, ".extern") {
					t.Error("an external symbol is left")
				}
				paths := source.FindAllStringSubmatch(text, -1)
				if named, corpus := len(paths) > 0, strings.HasPrefix(file, "corpus/"); named == corpus {
					t.Errorf("%d sources are named", len(paths))
				}
				for _, path := range paths {
					if _, err := os.Stat(filepath.Join(r.Kernel, path[1])); filepath.IsAbs(path[1]) || err != nil {
						t.Errorf("source %q is not a relative path to a file of the suite", path[1])
					}
				}
			})
		}
	}
}
