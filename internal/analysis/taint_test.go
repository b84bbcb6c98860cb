package analysis

import (
	"strings"
	"testing"
	"testing/fstest"

	"warpbound/internal/platform"
)

// TestTaintReaches: where inputs decide a branch, there is no bound by static/oblivious, whatever the way they take there; where they
// decide none, there is one.
func TestTaintReaches(t *testing.T) {
	ptx := func(body string) string {
		return `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 in, .param .u32 n) {
	.reg .pred %p<4>;
	.reg .u32 %r<8>;
	.reg .u64 %rd<4>;
	ld.param.u64 %rd1, [in];
	ld.param.u32 %r7, [n];
	mov.u32 %r6, %tid.x;
	setp.lt.u32 %p1, %r6, 16;
` + body + `
	setp.eq.u32 %p2, %r1, 7;
	@%p2 bra DONE;
	add.u32 %r2, %r1, 1;
DONE:
	ret;
}
`
	}
	const simt = `kernel k(float* v, int n)
bool p
float x
float* a
100: binop p = Tid < %
101: bz p, 106
102: binop a = v + Tid
103: load x = a
104: binop x = x * 0.5
105: store a = x
106: sync
`
	const (
		gpu = "module = \"k.ptx\"\nmachine = \"fermi-c2050\"\nblock = [32, 1, 1]\ngrid = [1, 1, 1]\n" +
			"[[param]]\nname = \"in\"\ntype = \"u32\"\ncount = 32\ninit = \"uniform(0, 9)\"\n[[param]]\nname = \"n\"\ntype = \"u32\"\n"
		barrel = "module = \"k.simt\"\nmachine = \"mini-simt\"\nblock = [4, 1, 1]\ngrid = [1, 1, 1]\n" +
			"[[param]]\nname = \"v\"\ntype = \"f32\"\ncount = 4\ninit = \"uniform(0, 1)\"\n[[param]]\nname = \"n\"\ntype = \"u32\"\n"
		fixed, sampled = "value = 3\n", "range = [1, 4]\n"
	)
	for _, c := range []struct {
		name, file, code, job string
		reach                 bool
	}{
		{"nothing is read", "k.ptx", ptx("mov.u32 %r1, 7;"), gpu + fixed, false},
		{"a buffer", "k.ptx", ptx("ld.global.u32 %r1, [%rd1];"), gpu + fixed, true},
		{"written over in all lanes", "k.ptx", ptx("ld.global.u32 %r1, [%rd1]; mov.u32 %r1, 0;"), gpu + fixed, false},
		{"written over in some lanes", "k.ptx", ptx("ld.global.u32 %r1, [%rd1]; @%p1 mov.u32 %r1, 0;"), gpu + fixed, true},
		{"written by some lanes", "k.ptx", ptx("mov.u32 %r1, 0; @%p1 ld.global.u32 %r1, [%rd1];"), gpu + fixed, true},
		{"a number that is sampled", "k.ptx", ptx("mov.u32 %r1, %r7;"), gpu + sampled, true},
		{"a number that is fixed", "k.ptx", ptx("mov.u32 %r1, %r7;"), gpu + fixed, false},
		{"a parameter as an operand, sampled", "k.simt", strings.Replace(simt, "%", "n", 1), barrel + sampled, true},
		{"a parameter as an operand, fixed", "k.simt", strings.Replace(simt, "%", "n", 1), barrel + fixed, false},
		{"another operand", "k.simt", strings.Replace(simt, "%", "3", 1), barrel + sampled, false},
	} {
		files := fstest.MapFS{c.file: {Data: []byte(c.code)}, "job.toml": {Data: []byte(c.job)}}
		j, err := platform.LoadFS(files, "job.toml", "")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		a, err := Analyze(t.Context(), j.Platform, j.Workload, Request{Methods: []string{"static/oblivious"}, Refusals: true})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if refused := len(a.Estimates) == 0; refused != c.reach || refused && a.Refused[0].Sink == nil {
			t.Errorf("%s: %d estimates, refused %+v", c.name, len(a.Estimates), a.Refused)
		}
	}
}
