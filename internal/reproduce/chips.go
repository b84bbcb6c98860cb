package reproduce

import (
	_ "embed"
	"fmt"
	"strings"

	"warpbound"
	"warpbound/internal/machine"
	"warpbound/jobs"
)

//go:embed chips/chips.ptx
var chipsModule string

// chip is a GPU that others measured.
type chip struct {
	machine string
	mhz     float64 // clock of the measurements: times become its cycles
}

// cold describes the chip without what the host's copies leave in the L2.
func (c chip) cold() []byte {
	return fmt.Appendf(nil, "name = %q\nabout = \"%s with an empty L2\"\nbase = %q\n\n[l2]\ncopies = { value = \"off\", source = \"measured so\" }\n", c.machine+"-cold", c.machine, c.machine)
}

// launch makes a job of a kernel of chips.cu for the chip with an empty L2.
func (c chip) launch(kernel string, grid, block []int, params ...jobs.Param) func() (*warpbound.Job, error) {
	return job(jobs.Job{Kernel: kernel, Machine: c.machine + "-cold.toml", MachineText: c.cold(), Grid: grid, Block: block, Params: params, Shared: dynamic(kernel, block)})
}

// dynamic is the dynamic shared memory of a kernel of chips.cu: one of them has two tiles of the size of a CTA.
func dynamic(kernel string, block []int) int {
	if kernel == "tiledU32" {
		return 2 * 4 * block[0] * block[1]
	}
	return 0
}

// warm is launch with the arrays in the L2, as far as there is room.
func (c chip) warm(kernel string, grid, block []int, params ...jobs.Param) func() (*warpbound.Job, error) {
	return job(jobs.Job{Kernel: kernel, Machine: c.machine, Grid: grid, Block: block, Params: params})
}

// job makes a job of a kernel of chips.cu.
func job(j jobs.Job) func() (*warpbound.Job, error) {
	return func() (*warpbound.Job, error) {
		j.Name, j.Module = j.Kernel, jobs.Text("chips.ptx", chipsModule)
		return warpbound.New(j, warpbound.LoadOptions{})
	}
}

// repeated makes two figures of a microbenchmark one: the time of its body, of which one has 64 more than the other, so that nothing
// else counts.
func (c chip) repeated(name string, measured float64, before, body string) figure {
	const unroll, iterate = 64, 50
	job := func(times int) func() (*warpbound.Job, error) {
		b := microbenchmark{name, before, body, times * unroll, iterate, 1}
		return func() (*warpbound.Job, error) { return b.job(c.machine) }
	}
	return figure{machine: c.machine, name: name, measured: measured, role: set, load: job(2), less: job(1), per: unroll * iterate}
}

// l2Lines are more than any L1 has room for, and fewer than any L2.
const l2Lines = 9900

// rereads is a chain of loads from lines that were loaded before, and that the L1 holds no longer.
func (c chip) rereads(name string, measured float64) figure {
	return figure{
		machine: c.machine, name: name, measured: measured, role: set, per: l2Lines,
		load: c.chase(name, l2Lines, 2*l2Lines, false), less: c.chase(name, l2Lines, l2Lines, false),
	}
}

// firstReads is a chain of loads each of which is the first from its line, none of which the L2 holds.
func (c chip) firstReads(name string, measured float64) figure {
	const loads = 1024
	return figure{
		machine: c.machine, name: name, measured: measured, role: set, per: loads,
		load: c.chase(name, 2*loads, 2*loads, true), less: c.chase(name, loads, loads, true),
	}
}

// chase is a chain of loads through a ring of lines.
func (c chip) chase(name string, lines, loads int, cold bool) func() (*warpbound.Job, error) {
	const distance = 128 // bytes
	return func() (*warpbound.Job, error) {
		var next []jobs.Pointer
		for i := range lines {
			next = append(next, jobs.Pointer{At: i * distance, To: fmt.Sprintf("chain+%d", (i+1)%lines*distance)})
		}
		j := jobs.Job{
			Name: name, Module: jobs.Text("chase.ptx", fmt.Sprintf(chaseModule, loads)), Machine: c.machine, Grid: jobs.Dim(1), Block: jobs.Dim(32),
			Params: []jobs.Param{jobs.Buffer("chain", jobs.U64, lines*distance/8, jobs.Zeros().WithPointers(next...))},
		}
		if cold {
			j.Machine, j.MachineText = c.machine+"-cold.toml", c.cold()
		}
		return warpbound.New(j, warpbound.LoadOptions{})
	}
}

const chaseModule = `.version 6.3
.target sm_70
.address_size 64
.visible .entry chase(.param .u64 chain)
{
.reg .pred %%p; .reg .b32 %%n; .reg .b64 %%rd<1>;
ld.param.u64 %%rd0, [chain];
mov.u32 %%n, 0;
again:
ld.global.u64 %%rd0, [%%rd0];
add.u32 %%n, %%n, 1; setp.lt.u32 %%p, %%n, %d; @%%p bra again;
ret;
}
`

// strides are the cycles per load of a warp from the L1, by the distance of lanes in words of four bytes, as measured on the A100 and the H200 (RRZE).
var strides = []struct {
	words  int
	cycles float64
}{{1, 1.02}, {2, 2}, {3, 1.63}, {4, 4}, {5, 2.2}, {7, 2.67}, {8, 8}, {16, 16}, {31, 8.5}, {32, 32}}

// stride loads what the L1 holds, with all warps that a CTA can have.
func (c chip) stride(words int, measured float64) figure {
	const threads, loads, iterate = 1024, 16, 16
	job := func(iterate int) func() (*warpbound.Job, error) {
		return func() (*warpbound.Job, error) {
			var body strings.Builder
			for i := range loads {
				fmt.Fprintf(&body, "ld.global.u32 %%r%d, [%%rd0];\n", i)
			}
			return warpbound.New(jobs.Job{
				Name: "stride", Module: jobs.Text("stride.ptx", fmt.Sprintf(strideModule, 4*words, body.String(), iterate)), Machine: c.machine,
				Grid: jobs.Dim(1), Block: jobs.Dim(threads), Params: []jobs.Param{jobs.Buffer("a", jobs.U32, 32*words, jobs.Zeros())},
			}, warpbound.LoadOptions{})
		}
	}
	return figure{
		machine: c.machine, name: fmt.Sprintf("loads that hit the L1, lanes %d words apart", words), measured: measured, role: set, within: 0.1,
		load: job(2 * iterate), less: job(iterate), per: threads / 32 * loads * iterate,
	}
}

const strideModule = `.version 6.3
.target sm_70
.address_size 64
.visible .entry stride(.param .u64 a)
{
.reg .pred %%p; .reg .b32 %%r<16>, %%n, %%t; .reg .b64 %%rd<2>;
ld.param.u64 %%rd0, [a];
mov.u32 %%t, %%tid.x;
and.b32 %%t, %%t, 31;
mul.wide.u32 %%rd1, %%t, %d;
add.u64 %%rd0, %%rd0, %%rd1;
mov.u32 %%n, 0;
again:
%sadd.u32 %%n, %%n, 1; setp.lt.u32 %%p, %%n, %d; @%%p bra again;
ret;
}
`

// chipNames are the chips of machine files.
var chipNames = []string{
	"v100", "xavier-agx", "t4", "rtx-2060", "a100", "rtx-3070", "rtx-3070ti", "a40", "a6000", "orin-agx", "orin-nano", "h100", "h200", "gh200",
}

// chipSets are the rows by which the numbers of chips are set.
func chipSets() []figure {
	var all []figure
	const start = "mov.f32 %f0, 0f3F800000; mov.f32 %f1, 0f3F000000; mov.u32 %r0, 1; mov.u32 %r1, 3;"
	for _, c := range []struct {
		chip
		fma, integer, sfu    float64 // intervals of a sub-core
		l1, shared, l2, dram float64 // chains of loads; 0 where nobody measured one
	}{
		{chip{"v100", 1380}, 2, 2, 8, 28, 23.5, 212, 420},
		{chip{"t4", 1590}, 2, 2, 8, 32, 23, 236, 472},
		{chip{"rtx-2060", 1680}, 2, 2, 8, 32, 23, 236, 472},
		{chip{"a100", 1410}, 2, 2, 8, 33, 23, 205, 548},
		{chip{"a40", 1740}, 1, 2, 8, 33, 24, 250, 551},
		{chip{"gh200", 1980}, 1, 2, 8, 33, 30, 280, 680},
	} {
		all = append(all,
			c.repeated("chain of FMAs", 4, start, "fma.rn.f32 %f0, %f0, %f1, %f1;"),
			c.repeated("chain of integer additions", 4, start, "add.u32 %r0, %r0, %r1;"),
			c.repeated("interval of FMAs", c.fma, start, "fma.rn.f32 %f%d, %f16, %f17, %f17;"),
			c.repeated("interval of integer additions", c.integer, start, "add.u32 %r%d, %r16, %r17;"),
			c.repeated("interval of rsqrt", c.sfu, start, "rsqrt.approx.f32 %f%d, %f16;"),
			c.repeated("chain of loads from shared memory", c.shared, "mov.u32 %r0, word; st.shared.u32 [%r0], %r0;", "ld.shared.u32 %r0, [%r0];"),
			c.repeated("chain of loads that hit the L1", c.l1, "ld.param.u64 %rd0, [self];", "ld.global.u64 %rd0, [%rd0];"),
			c.rereads("chain of loads that hit the L2", c.l2),
			c.firstReads("chain of loads from DRAM", c.dram),
		)
	}
	for _, c := range []struct {
		chip
		gbs float64
	}{
		{chip{"v100", 1380}, 867}, {chip{"a40", 1740}, 680}, {chip{"a100", 1410}, 1776},
	} {
		all = append(all, c.bandwidth(c.gbs))
	}
	for _, name := range []string{"a100", "h200"} {
		for _, s := range strides {
			all = append(all, chip{machine: name}.stride(s.words, s.cycles))
		}
	}
	return all
}

// bandwidth reads an array once.
func (c chip) bandwidth(gbs float64) figure {
	const n, threads, ctas = 1 << 20, 256, 8
	sms := 0
	if m, err := machine.Builtin(c.machine); err == nil {
		sms = int(m.SM.Count.Value)
	}
	job := func(n int) func() (*warpbound.Job, error) {
		return c.launch("sum", jobs.Dim(ctas*sms), jobs.Dim(threads), jobs.Buffer("a", jobs.F64, n, jobs.Zeros()), jobs.Buffer("out", jobs.F64, 1, jobs.Zeros()), jobs.Scalar("n", jobs.S32, n))
	}
	return figure{
		machine: c.machine, name: fmt.Sprintf("DRAM, reading 8 MB at %.0f GB/s", gbs), measured: 8 * n / gbs * c.mhz / 1000, role: set, within: 0.1, long: true, load: job(2 * n), less: job(n), per: 1,
	}
}

// us returns the core cycles of so many microseconds.
func (c chip) us(us float64) float64 { return us * c.mhz }

// chipChecks are the rows that set no number.
func chipChecks() []figure {
	var all []figure
	add := func(c chip, name string, us, floor float64, load func() (*warpbound.Job, error)) {
		const limit = 80 // microseconds of a GPU
		all = append(all, figure{machine: c.machine, name: name, measured: c.us(us), role: check, load: load, per: 1, further: c.us(floor), long: us > limit})
	}
	num := func(name string, n int) jobs.Param { return jobs.Scalar(name, jobs.S32, n) }
	array := func(name string, t jobs.Type, n int) jobs.Param { return jobs.Buffer(name, t, n, jobs.Zeros()) }

	h200 := chip{"h200", 1980}
	for _, s := range []struct {
		n  int
		us float64
	}{{64, 3.25}, {256, 6.57}, {1024, 19.0}, {4096, 68.6}} {
		add(h200, fmt.Sprintf("series of %d FMAs in 528x256 threads", s.n), s.us, launchH200,
			h200.launch("series", jobs.Dim(528), jobs.Dim(256), array("a", jobs.F32, 528*256), num("n", s.n)))
	}
	for _, s := range []struct {
		chip
		n   int
		gbs float64
	}{
		{chip{"a40", 1740}, 4096, 31}, {chip{"a40", 1740}, 71052, 460}, {chip{"a40", 1740}, 304919, 1350},
		{h200, 4096, 26}, {h200, 71052, 434}, {h200, 304919, 1475},
	} {
		// Launched again and again on the same arrays, which are in the L2 then.
		load := s.warm("scale", jobs.Dim((s.n+255)/256), jobs.Dim(256), array("a", jobs.F64, s.n), array("b", jobs.F64, s.n), num("n", s.n))
		add(s.chip, fmt.Sprintf("scaling %d doubles", s.n), 16*float64(s.n)/s.gbs/1000, launchH200, load)
	}
	rtx2060, rtx3070ti := chip{"rtx-2060", 1680}, chip{"rtx-3070ti", 1800}
	square := func(n, tile int) []int { return jobs.Dim(n/tile, n/tile) }
	tile := jobs.Dim(16, 16)
	for _, s := range []struct {
		chip
		n  int
		us float64
	}{{rtx2060, 1024, 72.1}, {rtx2060, 2048, 259}, {rtx3070ti, 1024, 32.0}, {rtx3070ti, 2048, 98.2}} {
		add(s.chip, fmt.Sprintf("adding %d x %d numbers", s.n, s.n), s.us, launchPMPP,
			s.launch("add", square(s.n, 16), tile, array("a", jobs.U32, s.n*s.n), array("b", jobs.U32, s.n*s.n), array("c", jobs.U32, s.n*s.n), num("n", s.n)))
	}
	for _, s := range []struct {
		chip
		kernel, name string
		us           float64
	}{
		{rtx2060, "productU32", "naive", 491}, {rtx2060, "tiledU32", "tiled", 409}, {rtx3070ti, "productU32", "naive", 200}, {rtx3070ti, "tiledU32", "tiled", 227},
	} {
		const n = 512
		add(s.chip, s.name+" product of 512 x 512", s.us, launchPMPP,
			s.launch(s.kernel, square(n, 16), tile, array("a", jobs.U32, n*n), array("b", jobs.U32, n*n), array("c", jobs.U32, n*n), num("n", n)))
	}
	nano := chip{"orin-nano", 1020}
	for _, s := range []struct {
		kernel, name string
		tile, n      int
		ms           float64
	}{
		{"productF32", "naive", 16, 64, .024}, {"productF32", "naive", 16, 128, .055}, {"productF32", "naive", 16, 256, .254}, {"productF32", "naive", 16, 512, 1.71},
		{"tiledF32", "tiled", 32, 64, .016}, {"tiledF32", "tiled", 32, 128, .038}, {"tiledF32", "tiled", 32, 256, .225}, {"tiledF32", "tiled", 32, 512, 1.56},
	} {
		// Each was launched once before, so that the matrices are in the L2.
		add(nano, fmt.Sprintf("%s product of %d x %d", s.name, s.n, s.n), 1000*s.ms, launchPMPP,
			nano.warm(s.kernel, square(s.n, s.tile), jobs.Dim(s.tile, s.tile), array("a", jobs.F32, s.n*s.n), array("b", jobs.F32, s.n*s.n), array("c", jobs.F32, s.n*s.n), num("n", s.n)))
	}
	return all
}

// What a launch takes beside the kernel, in microseconds: as measured with empty kernels on the H200 (1.5 to 1.7), and what measurements of
// PMPP have inside.
const (
	launchH200 = 1.6
	launchPMPP = 7
)
