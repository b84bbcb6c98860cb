// Package flowtest loads jobs for the tests of analyses, which compare what they find
// with executions.
//
// It imports cfg, emu, semantics, job, kernelgen and the front ends.
package flowtest

import (
	"io/fs"
	"math/rand/v2"
	"path"
	"slices"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/isa/minisimt"
	"warpbound/internal/isa/ptx"
	"warpbound/internal/job"
	"warpbound/internal/kernelgen"
	"warpbound/internal/semantics"
	"warpbound/internal/test/isatest"
	"warpbound/kernels"
)

// Launch is a launch of a job's kernel that is ready to run.
type Launch struct {
	Kernel    *isa.Kernel
	Graph     *cfg.Graph
	Grid      *emu.Grid
	Semantics *semantics.Launch

	Buffers   [][]byte // what the buffers among the job's parameters hold now, nil for others
	Addresses []uint64 // of these

	bound *job.Bound
}

// Width is the number of lanes of a warp of the launches here, of kernels in PTX.
const Width = 32

// width returns the number of lanes of a warp: for mini-SIMT code that of Hirvisalo's
// example.
func width(k *isa.Kernel) int {
	if k.Reconvergence == isa.AtSyncs {
		return 4
	}
	return Width
}

// Random makes a launch of a random kernel, whose threads are scheduled independently if the
// options say so: their paths take turns as the seed says.
func Random(t testing.TB, seed uint64, opts kernelgen.Options) *Launch {
	t.Helper()
	c := kernelgen.New(rand.New(rand.NewPCG(seed, 0)), opts)
	l := Job(t, c.Job, c.Module)
	if opts.Independent {
		src := rand.New(rand.NewPCG(seed, 1))
		branches := func() int { return []int{1 << 16, 1, 2, 9}[src.IntN(4)] }
		l = l.Turning(t, emu.Turns{Path: branches(), Wait: branches(), Swap: src.IntN(2) == 0})
	}
	return l
}

// RandomMixed makes a launch of a random kernel, of PTX or of mini-SIMT code.
func RandomMixed(t testing.TB, seed uint64) *Launch {
	t.Helper()
	opts := kernelgen.Options{Statements: 25, Depth: 3, Trips: 8, Threads: 80, CTAs: 4, Irreducible: seed%5 == 4}
	if seed%4 == 1 {
		opts.Threads = 30
		c := kernelgen.NewSIMT(rand.New(rand.NewPCG(seed, 0)), opts)
		return Job(t, c.Job, c.Module)
	}
	return Random(t, seed, opts)
}

// Turning returns the same launch, not run yet, whose threads are scheduled independently.
func (l *Launch) Turning(t testing.TB, turns emu.Turns) *Launch {
	t.Helper()
	turning := &Launch{Kernel: l.Kernel, Graph: l.Graph, bound: l.bound}
	turning.start(t, l.Grid.Code().WithThreads(turns), width(l.Kernel))
	var err error
	if turning.Semantics, err = semantics.New(turning.Grid); err != nil {
		t.Fatal(err)
	}
	return turning
}

// Kernels returns the names of all kernels of the suite but the largest, whose values are
// too much work to follow. The same generator wrote a smaller one.
func Kernels() []string {
	var names []string
	for _, r := range slices.Concat(kernels.References(), kernels.LLC(), kernels.Search(), kernels.Tensor(), kernels.MiniSIMT(), kernels.Arguments()) {
		if r.Kernel != "petri" {
			names = append(names, r.Kernel)
		}
	}
	return names
}

// Suite loads a kernel of the suite.
func Suite(t testing.TB, kernel string) *Launch {
	t.Helper()
	return Read(t, func(name string) ([]byte, error) {
		return fs.ReadFile(kernels.Suite(), path.Join(kernel, name))
	})
}

// Job loads a job and its module. It is the module's language that the job tells by the
// name of the file.
func Job(t testing.TB, text, code string) *Launch {
	t.Helper()
	const job = "job.toml"
	return load(t, job, func(name string) ([]byte, error) {
		if name == job {
			return []byte(text), nil
		}
		return []byte(code), nil
	})
}

// Read loads the job job.toml and what it names, which read returns.
func Read(t testing.TB, read func(name string) ([]byte, error)) *Launch {
	t.Helper()
	return load(t, "job.toml", read)
}

// load reads a job and makes its first launch.
func load(t testing.TB, name string, read func(string) ([]byte, error)) *Launch {
	t.Helper()
	fatal := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := read(name)
	fatal(err)
	j, err := job.Parse(name, text, read)
	fatal(err)
	text, err = read(j.Module)
	fatal(err)
	l := new(Launch)
	program := Lower(t, j.Module, text)
	fatal(isa.VerifyProgram(program))
	l.Kernel, err = j.Link(program)
	fatal(err)
	fatal(isa.Verify(l.Kernel))
	l.bound, err = j.Bind(l.Kernel)
	fatal(err)
	l.Graph, err = cfg.Build(l.Kernel)
	fatal(err)
	code, err := emu.Decode(l.Kernel, l.Graph)
	fatal(err)
	l.start(t, code, width(l.Kernel))
	l.Semantics, err = semantics.New(l.Grid)
	fatal(err)
	return l
}

// start makes memory and a grid of the first launch.
func (l *Launch) start(t testing.TB, code *emu.Code, width int) {
	t.Helper()
	mem, j, in := new(emu.Memory), l.bound.Job, l.bound.Inputs(0)
	launch := emu.Launch{Grid: j.Grid, Block: j.Block, DynamicShared: j.Shared}
	addrs := make([]uint64, len(j.Params))
	l.Buffers = make([][]byte, len(j.Params))
	for i, p := range j.Params {
		switch p.Kind {
		case job.Buffer:
			addr, err := mem.Alloc(p.Name, len(in.Buffers[i]))
			if err != nil {
				t.Fatal(err)
			}
			addrs[i] = addr
			l.Buffers[i] = mem.Bytes(addrs[i])
			copy(l.Buffers[i], in.Buffers[i])
		case job.SharedPtr:
			addrs[i] = code.DynamicSharedOffset() + uint64(launch.DynamicShared)
			launch.DynamicShared += p.Bytes
		}
	}
	address := func(i int) uint64 { return addrs[i] }
	for i, data := range l.Buffers {
		if data != nil {
			j.Relocate(i, data, address)
		}
	}
	launch.Params = l.bound.ParamBlock(nil, in, address)
	grid, err := emu.NewGrid(code, launch, mem, width)
	if err != nil {
		t.Fatal(err)
	}
	l.Grid, l.Addresses = grid, addrs
}

// Name returns the name of a parameter of the job.
func (l *Launch) Name(param int) string { return l.bound.Job.Params[param].Name }

// Bound returns the job of the launch, matched with its kernel.
func (l *Launch) Bound() *job.Bound { return l.bound }

// Slot is as job.Bound has it.
func (l *Launch) Slot(param int) (offset, bytes int, ok bool) { return l.bound.Slot(param) }

// Again returns the same launch, not run yet, in warps of width lanes and without Semantics.
func (l *Launch) Again(t testing.TB, width int) *Launch {
	t.Helper()
	again := &Launch{Kernel: l.Kernel, Graph: l.Graph, bound: l.bound}
	again.start(t, l.Grid.Code(), width)
	return again
}

// Raced returns the same launch, not run yet, whose grid finds data races.
func (l *Launch) Raced(t testing.TB, lockStep bool) *Launch {
	t.Helper()
	raced := &Launch{Kernel: l.Kernel, Graph: l.Graph, bound: l.bound}
	raced.start(t, l.Grid.Code().WithRaces(lockStep), width(l.Kernel))
	return raced
}

// Of returns the same launch of a kernel that was rewritten, not run yet and without Semantics.
func (l *Launch) Of(t testing.TB, g *cfg.Graph) *Launch {
	t.Helper()
	if err := isa.Verify(g.Kernel); err != nil {
		t.Fatal(err)
	}
	code, err := emu.Decode(g.Kernel, g)
	if err != nil {
		t.Fatal(err)
	}
	of := &Launch{Kernel: g.Kernel, Graph: g, bound: l.bound}
	of.start(t, code, width(g.Kernel))
	return of
}

// Replaceable returns the instructions of a kernel that Replaced can take: those that do no more
// than to write their results and memory.
func Replaceable(k *isa.Kernel) []int {
	var all []int
	for i := range k.Instrs {
		switch in := &k.Instrs[i]; {
		case in.Op == isa.RunSystem, in.Op == isa.Reconverge, in.Op == isa.Split, in.Op == isa.Merge:
		case in.Op.Info().Effect&(isa.Branches|isa.Exits|isa.Barriers) == 0:
			all = append(all, i)
		}
	}
	return all
}

// Replaced returns the same launch for an analysis that does not know one of its instructions:
// in its kernel and its graph that is not modelled, and may change memory if it did or if access
// says so. What the launch runs is what it was.
func (l *Launch) Replaced(t testing.TB, instr int, access bool) *Launch {
	t.Helper()
	k := *l.Kernel
	k.Instrs = slices.Clone(k.Instrs)
	in := &k.Instrs[instr]
	access = access || in.Op.Info().Effect&isa.WritesMem != 0 || in.Space != isa.Generic
	*in = isa.Instr{Op: isa.Opaque, Guard: in.Guard, Dst: in.Dst, Src: in.Src, Space: in.Space, Pos: in.Pos, Loc: in.Loc, Text: "frob " + in.String()}
	if access {
		in.Op = isa.OpaqueAccess
	}
	if err := isa.Verify(&k); err != nil {
		t.Fatal(err)
	}
	return &Launch{Kernel: &k, Graph: graphOf(t, &k), Grid: l.Grid, Semantics: l.Semantics, Buffers: l.Buffers, bound: l.bound}
}

// Lower makes a program of a module: of mini-SIMT code if the file's name says so, else of
// PTX.
func Lower(t testing.TB, file string, text []byte) *isa.Program {
	t.Helper()
	var p *isa.Program
	if path.Ext(file) == ".simt" {
		m, err := minisimt.Parse(file, text)
		if err != nil {
			t.Fatal(err)
		}
		if p, err = minisimt.Lower(m); err != nil {
			t.Fatal(err)
		}
		return p
	}
	m, err := ptx.Parse(file, text)
	if err != nil {
		t.Fatal(err)
	}
	if p, err = ptx.Lower(m); err != nil {
		t.Fatal(err)
	}
	return p
}

// Kernel makes the first kernel of a module (see Lower), of which there must be no warnings.
func Kernel(t testing.TB, file, text string) *isa.Kernel {
	t.Helper()
	p := Lower(t, file, []byte(text))
	if len(p.Warnings) > 0 {
		t.Fatal(p.Warnings)
	}
	return first(t, p)
}

// first links the first kernel of a program.
func first(t testing.TB, p *isa.Program) *isa.Kernel {
	t.Helper()
	k, err := isatest.Link(p, p.Entries()[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Graph makes the flow graph of the first kernel of a module (see Kernel).
func Graph(t testing.TB, file, text string) *cfg.Graph {
	t.Helper()
	return graphOf(t, Kernel(t, file, text))
}

// Unmodelled makes the flow graph of the first kernel of a module, which may hold instructions
// that are not modelled.
func Unmodelled(t testing.TB, file, text string) *cfg.Graph {
	t.Helper()
	return graphOf(t, first(t, Lower(t, file, []byte(text))))
}

func graphOf(t testing.TB, k *isa.Kernel) *cfg.Graph {
	t.Helper()
	g, err := cfg.Build(k)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Run executes the first CTAs of the launch, CTA after CTA and in each warp after warp
// until it waits at a barrier or for an mbarrier or exits, and calls step before each instruction of a
// warp. What step returns, unless nil, is called behind the instruction.
func (l *Launch) Run(t testing.TB, ctas int, step func(cta *emu.CTA, warp int) func(*emu.Effect)) {
	t.Helper()
	var cta emu.CTA
	env, eff := emu.Env{SMs: 1}, new(emu.Effect)
	for i := range min(ctas, l.Grid.CTAs()) {
		l.Grid.StartCTA(&cta, i)
		for !cta.Done() {
			for k := range cta.Warps {
				for w := &cta.Warps[k]; !w.Done() && !w.AtBarrier() && !w.Polled(); env.Cycle++ {
					then := step(&cta, k)
					if err := w.Step(&env, eff); err != nil {
						t.Fatal(err)
					}
					if then != nil {
						then(eff)
					}
				}
			}
		}
	}
}

// Must returns what an analysis found. It panics if the analysis was cut short.
func Must[T any](found T, err error) T {
	if err != nil {
		panic(err)
	}
	return found
}
