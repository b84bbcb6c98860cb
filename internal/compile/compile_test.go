package compile

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// programs makes a directory with programs, which are scripts, the only one in which programs are found.
func programs(t *testing.T, scripts map[string]string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the programs are scripts of a Unix shell")
	}
	dir := t.TempDir()
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
}

// TestCommand looks for compilers: nvcc for CUDA C++, then the newest clang with code for GPUs.
func TestCommand(t *testing.T) {
	const gpu, cpu = "echo '    nvptx64 - NVIDIA PTX 64-bit'", "echo '    x86 - 32-bit X86'"
	for _, c := range []struct {
		name, source, want string
		scripts            map[string]string
	}{
		{"nvcc", "k.cu", "nvcc", map[string]string{"nvcc": "", "clang-19": gpu}},
		{"nvcc compiles no OpenCL", "k.cl", "clang-19", map[string]string{"nvcc": "", "clang-19": gpu}},
		{"newest", "k.cu", "clang-19", map[string]string{"clang-9": gpu, "clang-19": gpu, "clang-14": gpu, "clang": gpu, "clang-cpp-20": gpu, "clang++-21": gpu}},
		{"without number", "k.cu", "clang", map[string]string{"clang": gpu, "clang-19": cpu, "clang-20": "exit 1"}},
		{"none", "k.cu", "no compiler for k.cu: neither nvcc nor a clang", map[string]string{"clang-19": cpu}},
		{"none for OpenCL", "k.cl", "no compiler for k.cl: no clang", map[string]string{"nvcc": ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			programs(t, c.scripts)
			got, err := Command(context.Background(), Request{Source: c.source, Arch: "sm_80", Flags: []string{"-O3"}})
			if err != nil {
				if !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v, want %s", err, c.want)
				}
				return
			}
			if got[0] != c.want || !slices.Contains(got, "-O3") || got[len(got)-1] != "{module}" || got[len(got)-3] != c.source {
				t.Errorf("%q, want %s", got, c.want)
			}
			if Approximates(got) != (c.want != "nvcc") {
				t.Errorf("%q: approximates is %t", got, Approximates(got))
			}
		})
	}
}

func TestVersions(t *testing.T) {
	for arch, want := range map[int]string{20: "ptx63", 75: "ptx63", 80: "ptx71", 86: "ptx71", 87: "ptx74", 90: "ptx78", 120: "ptx86"} {
		if got := version(arch); got != want {
			t.Errorf("sm_%d has %s, want %s", arch, got, want)
		}
	}
}

// TestRun hands headers and the place of the module to a program.
func TestRun(t *testing.T) {
	programs(t, map[string]string{"cc": `[ -f "$1/cuda/cuda_runtime.h" ] && [ -f "$1/opencl/builtins.h" ] && echo "$3" > "$2"; echo said`})
	var log strings.Builder
	text, err := Run(context.Background(), []string{"cc", "{include}", "{module}", "a b"}, t.TempDir(), &log)
	if err != nil || string(text) != "a b\n" || log.String() != "said\n" {
		t.Errorf("%q, %v, %q", text, err, log.String())
	}
	if _, err := Run(context.Background(), []string{"nothing", "{module}"}, ".", io.Discard); err == nil || err.Error() != "nothing is not installed" {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, []string{"cc", "{include}", "{module}"}, ".", io.Discard); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}

// TestNearest asks for architectures that compilers know, and for others.
func TestNearest(t *testing.T) {
	const (
		gpu = `if [ "$1" = --print-targets ]; then echo nvptx64; exit; fi
[ "$1 $2 $3" = '-target nvptx64-nvidia-cuda --print-supported-cpus' ] || exit 1
`
		clang = gpu + `printf 'Available CPUs for this target:\n\n\tsm_30\n\tsm_86\n\tsm_86a\n\tsm_100\n\tsm_110f\n\tsm_80\n\nUse -mcpu or -mtune\n' >&2`
		nvcc  = `[ "$1" = --list-gpu-code ] && printf 'sm_75\nsm_87\nsm_90a\n'`
	)
	for _, c := range []struct {
		name, source, arch, want string
		scripts                  map[string]string
	}{
		{"known", "k.cu", "sm_86", "sm_86", map[string]string{"clang": clang}},
		{"newest below", "k.cu", "sm_87", "sm_86", map[string]string{"clang": clang}},
		{"by number", "k.cl", "sm_120", "sm_100", map[string]string{"clang": clang, "nvcc": nvcc}},
		{"none below", "k.cu", "sm_20", "clang knows neither sm_20 nor an older architecture; say another one with --arch", map[string]string{"clang": clang}},
		{"nvcc knows it", "k.cu", "sm_87", "sm_87", map[string]string{"clang": clang, "nvcc": nvcc}},
		{"nvcc does not", "k.cu", "sm_90", "sm_87", map[string]string{"clang": clang, "nvcc": nvcc}},
		{"an error", "k.cu", "sm_87", "sm_87", map[string]string{"nvcc": "echo sm_75; exit 1"}},
		{"no list", "k.cu", "sm_87", "sm_87", map[string]string{"nvcc": "echo nothing"}},
		{"no compiler", "k.cl", "sm_87", "no compiler for k.cl: no clang", map[string]string{"nvcc": nvcc}},
		{"no architecture", "k.cu", "gfx900", `architecture "gfx900" is none of NVIDIA's`, map[string]string{"clang": clang}},
	} {
		t.Run(c.name, func(t *testing.T) {
			programs(t, c.scripts)
			got, err := Nearest(context.Background(), c.source, c.arch)
			if err != nil {
				got = err.Error()
			}
			if !strings.HasPrefix(got, c.want) || err == nil && got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}
