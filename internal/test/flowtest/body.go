package flowtest

import (
	"testing"

	"warpbound/internal/cfg"
)

// BodyGraph makes the flow graph of a kernel with the parameters p, a u64, and n and m,
// which are u32, and the given body.
func BodyGraph(t testing.TB, body string) *cfg.Graph {
	t.Helper()
	return Graph(t, "k.ptx", BodyModule(body))
}

// BodyModule returns a module with the kernel of BodyGraph.
func BodyModule(body string) string {
	return `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n, .param .u32 m) {
.reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .f32 %f<4>;
.shared .align 4 .b8 tile[8192];
.reg .b32 %tid, %cta, %ntid, %n, %m; .reg .b64 %buf;
mov.u32 %tid, %tid.x; mov.u32 %cta, %ctaid.x; mov.u32 %ntid, %ntid.x;
ld.param.u64 %buf, [p]; ld.param.u32 %n, [n]; ld.param.u32 %m, [m];
` + body + "\nret;\n}\n"
}
