package jobtest

// MatchFile is the name by which MatchJob refers to its module.
const MatchFile = "match.ptx"

// MatchModule is a kernel whose threads take longer if their element is a number that is hardly
// ever sampled, and longest of all if all of them are.
const MatchModule = `.version 6.3
.target sm_70
.address_size 64

.visible .entry match(.param .u64 v, .param .u32 n)
{
	.reg .pred %p<4>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<5>;

	ld.param.u64 %rd1, [v];
	ld.param.u32 %r1, [n];
	mov.u32 %r4, %tid.x;
	mul.wide.u32 %rd2, %r4, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.u32 %r5, [%rd3];
	setp.ne.u32 %p1, %r5, 77777;
	@%p1 bra $out;
	mov.u32 %r2, 0;
$loop:
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p2, %r2, %r1;
	@%p2 bra $loop;
	atom.global.add.u32 %r6, [%rd1], 0;
$out:
	ret;
}
`

// MatchJob launches the kernel of MatchModule.
const MatchJob = `module = "match.ptx"
grid = [1, 1, 1]
block = [40, 1, 1]
vectors = 3
[[param]]
name = "v"
type = "u32"
count = 40
init = "uniform(0, 1000000)"
[[param]]
name = "n"
type = "u32"
range = [1, 9]
`
