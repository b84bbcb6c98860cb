package outside

import "warpbound/jobs"

// scale doubles the first n elements of x. Its loop is bounded by n alone, which lanes share.
const scale = `.version 6.3
.target sm_70
.address_size 64
.visible .entry scale(.param .u64 x, .param .u32 n)
{
	.reg .pred %p;
	.reg .b32 %r<4>;
	.reg .f32 %f;
	.reg .b64 %a;
	ld.param.u64 %a, [x];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, 0;
again:
	ld.global.f32 %f, [%a];
	add.f32 %f, %f, %f;
	st.global.f32 [%a], %f;
	add.u64 %a, %a, 4;
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p, %r2, %r1;
	@%p bra again;
	ret;
}
`

// Scale is a job of one warp, whose only lane doubles n elements.
func Scale(n int) jobs.Job {
	return jobs.Job{
		Name: "scale", Module: jobs.Text("scale.ptx", scale), Kernel: "scale", Machine: "predictable-rr",
		Grid: jobs.Dim(1), Block: jobs.Dim(1), Vectors: 5,
		Params: []jobs.Param{jobs.Buffer("x", jobs.F32, n, jobs.Uniform(-1, 1)), jobs.Scalar("n", jobs.U32, n)},
	}
}
