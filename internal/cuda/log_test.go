package cuda_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound/internal/cuda"
)

func TestParseLog(t *testing.T) {
	const log = "ptxas application ptx input, line 9; fatal   : Unsupported .version 8.4; current version is '8.2'\r\n" +
		"ptxas application ptx input, line 12; warning : Instruction 'x' ; deprecated\n" +
		"\n" +
		"ptxas info    : Used 10 registers, 344 bytes cmem[0]\n" +
		"ptxas fatal   : Ptx assembly aborted due to errors\n" +
		"ptxas application ptx input, line 705; error: Unexpected types\n" +
		"ptxas application ptx input, line 99999999999999999999; error : far\n" +
		"error   : Undefined reference to 'foo' in 'k'\n" +
		"something else: again\n\x00\x00"
	want := []cuda.Message{
		{Severity: cuda.Error, Line: 9, Text: "Unsupported .version 8.4; current version is '8.2'"},
		{Severity: cuda.Warning, Line: 12, Text: "Instruction 'x' ; deprecated"},
		{Severity: cuda.Info, Text: "Used 10 registers, 344 bytes cmem[0]"},
		{Severity: cuda.Error, Text: "Ptx assembly aborted due to errors"},
		{Severity: cuda.Error, Line: 705, Text: "Unexpected types"},
		{Severity: cuda.Info, Text: "ptxas application ptx input, line 99999999999999999999; error : far"},
		{Severity: cuda.Error, Text: "Undefined reference to 'foo' in 'k'"},
		{Severity: cuda.Info, Text: "something else: again"},
	}
	if diff := cmp.Diff(want, cuda.ParseLog(log)); diff != "" {
		t.Error(diff)
	}
}

func TestErrors(t *testing.T) {
	call := &cuda.CallError{Call: "cuModuleLoadDataEx", Code: 218, Name: "CUDA_ERROR_INVALID_PTX", Text: "a PTX JIT compilation failed"}
	build := &cuda.BuildError{Err: call, Log: []cuda.Message{{Severity: cuda.Error, Line: 3, Text: "bad"}}}
	const want = "the GPU's compiler rejects the module: cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX (a PTX JIT compilation failed)\nline 3: error: bad"
	if got := build.Error(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var inner *cuda.CallError
	if !errors.As(build, &inner) || inner != call {
		t.Error("the call is lost")
	}
	if got, want := (&cuda.CallError{Call: "cuInit", Code: 12345}).Error(), "cuInit: error 12345"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	fault := &cuda.Fault{Kernel: "k", Err: call}
	if !errors.Is(fault, call) {
		t.Error("the cause of a fault is lost")
	}
}

func TestVersions(t *testing.T) {
	for _, tt := range []struct {
		v, w cuda.Version
		less bool
	}{
		{cuda.Version{Major: 9, Minor: 2}, cuda.Version{Major: 12, Minor: 0}, true},
		{cuda.Version{Major: 12, Minor: 0}, cuda.Version{Major: 9, Minor: 2}, false},
		{cuda.Version{Major: 12, Minor: 1}, cuda.Version{Major: 12, Minor: 4}, true},
		{cuda.Version{Major: 12, Minor: 4}, cuda.Version{Major: 12, Minor: 4}, false},
	} {
		if got := tt.v.Less(tt.w); got != tt.less {
			t.Errorf("%v older than %v: %v", tt.v, tt.w, got)
		}
	}
}

func FuzzParseLog(f *testing.F) {
	f.Add("ptxas application ptx input, line 9; fatal   : Unsupported .version 8.4\nptxas info    : Used 10 registers\n")
	f.Fuzz(func(t *testing.T, log string) {
		for _, m := range cuda.ParseLog(log) {
			if m.Line < 0 || m.Severity > cuda.Error || strings.Contains(m.String(), "\n") {
				t.Errorf("%+v", m)
			}
		}
	})
}
