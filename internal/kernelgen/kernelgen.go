// Package kernelgen makes random kernels: a module of PTX or of mini-SIMT code (simt.go) and
// a job that launches it. They are evidence for whatever executes or analyses kernels.
//
// Every kernel ends, stays within its buffers and gives the same results however
// its threads are scheduled. A thread writes only its own elements of the buffer
// out; what threads share in shared memory they exchange between barriers that
// all of them reach together; and what they update atomically they do not read,
// each element being updated by one commutative operation only. So a thread can
// also be executed alone, from barrier to barrier. Shared memory is taken to be zero
// when a CTA starts.
//
// Within these limits control flow is as wild as it can be: divergent and uniform
// conditions, loops whose trip counts are fixed, uniform or different for each
// thread, breaks, continues, early returns, switches, and on request loops with
// several entries. No instruction tells a thread which others are in its warp, so that
// warps may have any width.
//
// The package knows PTX, mini-SIMT code and job files as text and imports nothing of this project.
package kernelgen

// Source draws numbers: at least 0 and less than n. *rand.Rand is one.
type Source interface{ IntN(n int) int }

// Options limit the size of kernels. All numbers are at least 1.
type Options struct {
	Statements  int  // of the kernel, about
	Depth       int  // how deep statements nest
	Trips       int  // of one loop, and of all loops around a statement together
	Threads     int  // of a CTA
	CTAs        int  // of the grid
	Irreducible bool // whether loops may have several entries

	// Bounded makes kernels whose control flow can mostly be told before they run: trip
	// counts, branches and addresses follow more often from launch constants, indices and
	// the counters of loops around them. The bounds of all other loops are annotated in the
	// job.
	Bounded bool

	// Split makes marks, in the kernel and in the job, of branches at which wavefronts can
	// split, and lets the job say how they do.
	Split bool

	Features Features // that kernels of PTX have
	Warp     int      // threads of a warp of the machine; 0 if it may be any, and then there are neither CrossLane nor PartialBarriers

	// Independent says that the machine schedules the threads of a warp independently. Else there
	// are neither SeparateLanes nor SeparateBarriers.
	Independent bool

	Narrowed int    // jobs with narrower inputs that are wanted; may be 0
	Machine  string // that the job names; fermi-c2050 if empty
}

// Case is a random kernel with its launch.
type Case struct {
	File   string // name by which jobs refer to the module: ModuleFile or SIMTFile
	Module string // its text
	Job    string // the job file

	// Narrowed are job files that differ from Job in their inputs only, all of which Job
	// may draw too: the same number everywhere, such as the least and the greatest one, only
	// a few, or all in a row.
	Narrowed []string
}

// ModuleFile is the name by which jobs refer to their module of PTX.
const ModuleFile = "kernel.ptx"

// New makes a kernel and its job from the numbers that src draws. The same
// numbers give the same texts.
func New(src Source, opts Options) *Case {
	g := start(src, opts, 0)
	g.body()
	c := &Case{File: ModuleFile, Module: g.module()}
	job := g.job(ModuleFile)
	all := g.widest()
	c.Job = job.text(all)
	for range opts.Narrowed {
		c.Narrowed = append(c.Narrowed, job.text(g.narrow(all)))
	}
	return c
}

// The sizes of buffers in elements. All are powers of two.
const (
	elements = 256 // of in and real
	bins     = 8   // for each atomic operation, in acc and in shared memory
	slots    = 4   // of out, for each thread, beside those for its registers
)

// start begins a kernel, whose names have numbers from first on.
func start(src Source, opts Options, first int) *generator {
	if !opts.Independent {
		opts.Features &^= Separate
	}
	switch opts.Warp {
	case 0:
		opts.Features &^= CrossLane | PartialBarriers | SeparateLanes | SeparateBarriers
	case 32:
	default:
		opts.Features &^= CrossLane | SeparateLanes
	}
	g := &generator{Source: src, opts: opts, left: opts.Statements, names: first, parts: &parts{}}
	g.launch()
	g.tile = "tile"
	if g.has(Dynamic) {
		g.tile = g.name("tile") // which the module holds, not the kernel
	}
	if g.has(Contracts) {
		g.promise()
	}
	return g
}

// launch draws the shape of the launch.
func (g *generator) launch() {
	g.block = g.shape(g.opts.Threads)
	g.grid = g.shape(g.opts.CTAs)
	g.byThread = g.chance(50)
}

// shape draws three extents with a product of at most limit.
func (g *generator) shape(limit int) [3]int {
	shape := [3]int{1, 1, 1}
	for axis := range shape {
		if axis == 0 || g.chance(25) {
			shape[axis] = 1 + g.IntN(limit)
			limit /= shape[axis]
		}
	}
	return shape
}

func volume(shape [3]int) int { return shape[0] * shape[1] * shape[2] }
