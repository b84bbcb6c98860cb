// Package compile compiles CUDA C++ and OpenCL C to PTX with whatever compiler the computer has: nvcc, or clang with
// headers that this package holds in place of those of a toolkit.
//
// It starts compilers and reads and writes their files. Of jobs it knows [source] alone, and of programs nothing.
package compile

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"warpbound/internal/job"
)

// DefaultArch is the architecture that sources are compiled for.
const DefaultArch = "sm_70"

// maxModule is the largest module in bytes.
const maxModule = 256 << 20

//go:embed include
var include embed.FS

// Request says what to compile, and how.
type Request struct {
	Source string   // from the directory in which the compiler is to run
	Arch   string   // such as sm_70
	Flags  []string // further arguments of the compiler
}

// IsSource reports whether a file has the name of a source that this package can compile.
func IsSource(name string) bool { return language(name) != "" }

func language(name string) string {
	switch filepath.Ext(name) {
	case ".cu":
		return "CUDA C++"
	case ".cl":
		return "OpenCL C"
	}
	return ""
}

var archPattern = regexp.MustCompile(`^sm_([0-9]{2,3})[af]?$`)

// compiler returns the name of the program that compiles a source: nvcc if the computer has it and
// it knows the language, else the newest clang that has code for GPUs.
func compiler(ctx context.Context, source string) (string, error) {
	cuda := isCUDA(source)
	if _, err := exec.LookPath("nvcc"); err == nil && cuda {
		return "nvcc", nil
	}
	if program := clang(ctx); program != "" {
		return program, nil
	}
	return "", missing(cuda, source)
}

func isCUDA(source string) bool { return filepath.Ext(source) == ".cu" }

// Nearest returns the architecture for which a source is compiled that is to run on GPUs of one
// such as sm_87: that one, or if the compiler does not know it, the newest below that it knows. It
// is an error if there is none. A compiler that does not say what it knows is taken to know it.
func Nearest(ctx context.Context, source, arch string) (string, error) {
	wanted, err := capability(arch)
	if err != nil {
		return "", err
	}
	program, err := compiler(ctx, source)
	if err != nil {
		return "", err
	}
	list := []string{"-target", "nvptx64-nvidia-cuda", "--print-supported-cpus"}
	if program == "nvcc" {
		list = []string{"--list-gpu-code"}
	}
	out, err := exec.CommandContext(ctx, program, list...).CombinedOutput()
	known := capabilities(string(out))
	if err != nil || len(known) == 0 {
		return arch, nil
	}
	known = slices.DeleteFunc(known, func(n int) bool { return n > wanted })
	if len(known) == 0 {
		return "", fmt.Errorf("%s knows neither %s nor an older architecture; say another one with --arch", program, arch)
	}
	return fmt.Sprintf("sm_%d", slices.Max(known)), nil
}

// capabilities returns the compute capabilities, times ten, of the architectures among words. Those
// that end with a letter are left out: later GPUs do not run their code.
func capabilities(text string) []int {
	var all []int
	for _, word := range strings.Fields(text) {
		if n, err := capability(word); err == nil && !strings.HasSuffix(word, "a") && !strings.HasSuffix(word, "f") {
			all = append(all, n)
		}
	}
	return all
}

// capability returns the compute capability, times ten, that an architecture names.
func capability(arch string) (int, error) {
	match := archPattern.FindStringSubmatch(arch)
	if match == nil {
		return 0, fmt.Errorf("architecture %q is none of NVIDIA's; for example: %s", arch, DefaultArch)
	}
	return strconv.Atoi(match[1])
}

// Command returns the command that compiles a source.
func Command(ctx context.Context, r Request) ([]string, error) {
	number, err := capability(r.Arch)
	if err != nil {
		return nil, err
	}
	program, err := compiler(ctx, r.Source)
	if err != nil {
		return nil, err
	}
	if program == "nvcc" {
		return slices.Concat([]string{"nvcc", "-ptx", "-lineinfo", "-arch=" + r.Arch}, r.Flags, []string{r.Source, "-o", job.ModulePlace}), nil
	}
	common := []string{
		"-S", "-O2", "-gline-tables-only", "-fdebug-compilation-dir=.", "-ffile-prefix-map=" + job.IncludePlace + "=warpbound", "-fno-crash-diagnostics",
		"-Xclang", "-target-feature", "-Xclang", "+" + version(number),
	}
	own := []string{
		"-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=" + r.Arch, "-nocudainc", "-nocudalib", "-fms-extensions", "-std=c++17",
		"-I", job.IncludePlace + "/cuda", "-include", "cuda_runtime.h",
	}
	if !isCUDA(r.Source) {
		own = []string{
			"-x", "cl", "-target", "nvptx64-nvidia-cuda", "-march=" + r.Arch, "-cl-std=CL2.0",
			"-Xclang", "-finclude-default-header", "-include", job.IncludePlace + "/opencl/builtins.h",
		}
	}
	return slices.Concat([]string{program}, common, own, r.Flags, []string{r.Source, "-o", job.ModulePlace}), nil
}

func missing(cuda bool, source string) error {
	if cuda {
		return fmt.Errorf("no compiler for %s: neither nvcc nor a clang with code for NVIDIA's GPUs is in PATH; install clang, or run init on the PTX that nvcc -ptx makes elsewhere", source)
	}
	return fmt.Errorf("no compiler for %s: no clang with code for NVIDIA's GPUs is in PATH; install it, or run init on PTX", source)
}

// version returns the first version of PTX, as clang names it, that all of an architecture's instructions have.
func version(arch int) string {
	for _, v := range []struct {
		from int
		name string
	}{{100, "ptx86"}, {89, "ptx78"}, {87, "ptx74"}, {80, "ptx71"}} {
		if arch >= v.from {
			return v.name
		}
	}
	return "ptx63"
}

var clangPattern = regexp.MustCompile(`^clang(?:-([0-9]+))?$`)

// clang returns the name of the newest clang in PATH that has code for NVIDIA's GPUs, empty if there is none. One
// without a number is taken last.
func clang(ctx context.Context) string {
	newest := make(map[string]int) // by name
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // as those who look for programs do
		}
		for _, e := range entries {
			if m := clangPattern.FindStringSubmatch(e.Name()); m != nil {
				newest[e.Name()], _ = strconv.Atoi("0" + m[1])
			}
		}
	}
	var names []string
	for name := range newest {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(newest[b], newest[a]) })
	for _, name := range names {
		out, err := exec.CommandContext(ctx, name, "--print-targets").Output()
		if err == nil && bytes.Contains(out, []byte("nvptx64")) {
			return name
		}
	}
	return ""
}

// Approximates reports whether a command compiles with the headers of this package, whose mathematical functions are
// not those of a toolkit.
func Approximates(command []string) bool {
	return slices.ContainsFunc(command, func(word string) bool { return strings.HasPrefix(word, job.IncludePlace) })
}

// Run runs a command in a directory, without a shell, and returns the module that it writes. What the compiler
// says goes to log.
func Run(ctx context.Context, command []string, dir string, log io.Writer) ([]byte, error) {
	temporary, err := os.MkdirTemp("", "warpbound-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temporary)
	headers, err := fs.Sub(include, "include")
	if err == nil {
		err = os.CopyFS(filepath.Join(temporary, "include"), headers)
	}
	if err != nil {
		return nil, err
	}
	module := filepath.Join(temporary, "module.ptx")
	places := strings.NewReplacer(job.ModulePlace, module, job.IncludePlace, filepath.Join(temporary, "include"))
	args := make([]string, len(command)-1)
	for i, word := range command[1:] {
		args[i] = places.Replace(word)
	}
	c := exec.CommandContext(ctx, command[0], args...)
	c.Dir, c.Stdout, c.Stderr, c.WaitDelay = dir, log, log, time.Second
	if err := c.Run(); err != nil {
		return nil, failure(ctx, command[0], err)
	}
	info, err := os.Stat(module)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s has written no module; the command must write %s", command[0], job.ModulePlace)
	case err != nil:
		return nil, err
	case info.Size() > maxModule:
		return nil, fmt.Errorf("%s has written %d bytes; a module has at most %d", command[0], info.Size(), maxModule)
	}
	return os.ReadFile(module)
}

// ErrRefused is the error of a compiler that has said what is wrong with a source.
var ErrRefused = errors.New("does not compile")

// failure says what has become of a compiler.
func failure(ctx context.Context, program string, err error) error {
	exit := (*exec.ExitError)(nil)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%s is not installed", program)
	case errors.As(err, &exit):
		return ErrRefused
	}
	return err
}
