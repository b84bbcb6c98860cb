package absexec

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"warpbound/internal/abi"
	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/isa/ptx"
	"warpbound/internal/job"
	"warpbound/internal/semantics"
	"warpbound/kernels"
)

// launched is a job ready to be executed in both ways.
type launched struct {
	bound     *job.Bound
	graph     *cfg.Graph
	code      *emu.Code
	mem       emu.Memory
	grid      *emu.Grid
	semantics *semantics.Launch

	summarise summaries // that executions make of all loops that iterate several times
	summaries int       // that they made

	independent bool // threads are scheduled independently, so that only warps of which no lane is missing are followed
	followed    int  // warps, if so
}

// load reads a job; read returns its files.
func load(t testing.TB, name string, read func(string) []byte) *launched {
	t.Helper()
	fatal := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	j, err := job.Parse(name, read(name), func(file string) ([]byte, error) { return read(file), nil })
	fatal(err)
	mod, err := ptx.Parse(j.Module, read(j.Module))
	fatal(err)
	prog, err := ptx.Lower(mod)
	fatal(err)
	k, err := j.Link(prog)
	fatal(err)
	l := &launched{}
	l.bound, err = j.Bind(k)
	fatal(err)
	l.graph, err = cfg.Build(k)
	fatal(err)
	l.code, err = emu.Decode(k, l.graph)
	fatal(err)
	l.prepare(t, 0, 32)
	return l
}

// prepare makes the launch of a test vector in warps of width lanes.
func (l *launched) prepare(t testing.TB, vector, width int) {
	t.Helper()
	l.mem.Reset()
	in := l.bound.Inputs(vector)
	j := l.bound.Job
	launch := emu.Launch{Grid: j.Grid, Block: j.Block, DynamicShared: j.Shared}
	addrs := make([]uint64, len(j.Params))
	for i, p := range j.Params {
		switch p.Kind {
		case job.Buffer:
			addr, err := l.mem.Alloc(p.Name, len(in.Buffers[i]))
			if err != nil {
				t.Fatal(err)
			}
			copy(l.mem.Bytes(addr), in.Buffers[i])
			addrs[i] = addr
		case job.SharedPtr:
			addrs[i] = l.code.DynamicSharedOffset() + uint64(launch.DynamicShared)
			launch.DynamicShared += p.Bytes
		}
	}
	address := func(i int) uint64 { return addrs[i] }
	for i, p := range j.Params {
		if p.Kind == job.Buffer {
			j.Relocate(i, l.mem.Bytes(addrs[i]), address)
		}
	}
	launch.Params = l.bound.ParamBlock(nil, in, address)
	var err error
	if l.grid, err = emu.NewGrid(l.code, launch, &l.mem, width); err != nil {
		t.Fatal(err)
	}
	if l.semantics, err = semantics.New(l.grid); err != nil {
		t.Fatal(err)
	}
}

// config returns the launch with the scalars that the job draws as inputs.
func (l *launched) config() Config {
	c := Config{Launch: l.semantics, Graph: l.graph}
	for i, p := range l.bound.Job.Params {
		if p.Kind == job.Scalar && p.Content.Kind == job.Uniform {
			at := l.code.Kernel().Params[i]
			c.Inputs = append(c.Inputs, Range{abi.ParamAddress(at.Offset), at.Bytes})
		}
	}
	return c
}

// suite loads a kernel of the suite: as the compiler made it at an optimisation level for
// a target, or as the job names it if that is empty.
func suite(t testing.TB, dir, version string) *launched {
	return load(t, "job.toml", func(name string) []byte {
		if version != "" && strings.HasSuffix(name, ".ptx") {
			src, err := os.ReadFile("../../kernels/" + dir + "/ptx/" + dir + "." + version + ".ptx")
			if err != nil {
				t.Fatal(err)
			}
			return src
		}
		src, err := fs.ReadFile(kernels.Suite(), path.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return src
	})
}

// compile makes a launch of the body of a kernel with a u64, a buffer of 1 MiB, and two
// u32, n and an input.
func compile(t testing.TB, n int, grid, block [3]int, decl, body string) *launched {
	module := decl + `
.visible .entry k(.param .u64 p, .param .u32 n, .param .u32 d) {
.reg .pred %p<16>; .reg .b16 %rs<16>; .reg .b32 %r<64>; .reg .b64 %rd<64>; .reg .f32 %f<16>;
.reg .u32 %t, %c, %n, %d, %i; .reg .u64 %buf;
mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x;
ld.param.u64 %buf, [p]; ld.param.u32 %n, [n]; ld.param.u32 %d, [d];
mov.u32 %i, %ntid.x; mad.lo.u32 %i, %c, %i, %t;
` + body + "\n}\n"
	list := func(d [3]int) string { return fmt.Sprintf("[%d, %d, %d]", d[0], d[1], d[2]) }
	text := fmt.Sprintf(`module = "k.ptx"
machine = "fermi-c2050"
grid = %s
block = %s
seed = 1
[[param]]
name = "p"
type = "u32"
count = 262144
init = "uniform(0, 7)"
[[param]]
name = "n"
type = "u32"
value = %d
[[param]]
name = "d"
type = "u32"
range = [0, 7]
`, list(grid), list(block), n)
	return load(t, "job.toml", func(name string) []byte {
		if name == "job.toml" {
			return []byte(text)
		}
		return []byte(".version 8.0\n.target sm_90\n.address_size 64\n" + module)
	})
}

// observe executes the launch. It returns a bound for loops, the most times that a warp
// executes their headers in all, and which branches never diverge.
func (l *launched) observe(t testing.TB) (bound func(int) (int, bool), uniform func(int) bool) {
	t.Helper()
	maximum, diverged := make([]int, l.code.Len()), make([]bool, l.code.Len())
	var (
		cta emu.CTA
		env = emu.Env{SMs: 1}
		eff emu.Effect
	)
	for i := range l.grid.CTAs() {
		l.grid.StartCTA(&cta, i)
		counts := make([][]int, len(cta.Warps))
		for k := range counts {
			counts[k] = make([]int, l.code.Len())
		}
		for !cta.Done() {
			for k := range cta.Warps {
				w := &cta.Warps[k]
				for !w.Done() && !w.AtBarrier() {
					if err := w.Step(&env, &eff); err != nil {
						t.Fatal(err)
					}
					diverged[eff.PC] = diverged[eff.PC] || eff.Diverged
					counts[k][eff.PC]++
					maximum[eff.PC] = max(maximum[eff.PC], counts[k][eff.PC])
				}
			}
		}
	}
	bound = func(header int) (int, bool) { return maximum[l.graph.Blocks[header].Start], true }
	uniform = func(block int) bool { return !diverged[l.graph.Blocks[block].End-1] }
	return bound, uniform
}
