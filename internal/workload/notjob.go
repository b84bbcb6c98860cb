package workload

import (
	"fmt"
	"path"
	"regexp"
)

// notJob says of a file that cannot be read as a job that it is a module or a source instead, if its text looks like one;
// otherwise the error stays as it is.
func notJob(err error, name string, read func(string) ([]byte, error)) error {
	text, unread := read(name)
	if unread != nil {
		return err
	}
	if what := kernelText(name, text); what != "" {
		return fmt.Errorf("%s is %s, not a job: write one with warpbound init %s", name, what, name)
	}
	return err
}

// How texts begin or what they have that are no jobs, whatever their files are called.
var (
	ptxText    = regexp.MustCompile(`^(?:\s|//[^\n]*|/\*(?s:.*?)\*/)*\.version\s`)
	cudaText   = regexp.MustCompile(`(?m)^[^#\n]*\b__global__\s+\w`)
	openCLText = regexp.MustCompile(`(?m)^\s*(?:__)?kernel\s+(?:__attribute__.*\s)?void\s+\w+\s*\(`)
)

// kernelText says what a text with kernels is, empty for what is none.
func kernelText(name string, text []byte) string {
	switch {
	case ptxText.Match(text):
		return "a PTX module"
	case path.Ext(name) == ".simt":
		return "mini-SIMT machine code"
	case path.Ext(name) == ".kernel":
		return "a module in the kernel language"
	case cudaText.Match(text):
		return "a CUDA source"
	case openCLText.Match(text):
		return "an OpenCL source"
	}
	return ""
}
