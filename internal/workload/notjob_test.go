package workload

import (
	"strings"
	"testing"
	"testing/fstest"
)

// TestModulesAreNoJobs tells modules and sources from job files by what they contain.
func TestModulesAreNoJobs(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"k.ptx", "//\n// Generated\n//\n\n.version 7.0\n.target sm_70\n", "k.ptx is a PTX module, not a job: write one with warpbound init k.ptx"},
		{"k.toml", "/* a\n b */ .version 7.0", "k.toml is a PTX module, not a job"},
		{"k.cu", "// x\nextern \"C\" __global__ void f(int *p) {}\n", "k.cu is a CUDA source, not a job"},
		{"k.cl", "__kernel void f(__global int *p) {}\n", "k.cl is an OpenCL source, not a job"},
		{"k.txt", "kernel void f(global int *p) {}\n", "k.txt is an OpenCL source, not a job"},
		{"k.kernel", "kernel f() {}\n", "k.kernel is a module in the kernel language, not a job"},
		{"k.simt", "add a, b, c\n", "k.simt is mini-SIMT machine code, not a job"},
		{"job.toml", "# .version 7.0\nmodle = \"__global__\"\n", "job.toml:1:1: "},
		{"job.toml", "kernel void\n", "job.toml:1:"},
	} {
		_, err := ReadFS(fstest.MapFS{c.name: {Data: []byte(c.text)}}, c.name)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s %q: %v, want %s", c.name, c.text, err, c.want)
		}
	}
}
