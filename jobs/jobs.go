// Package jobs describes jobs in Go: a kernel, its launch, its inputs, the machine to run it on and
// what else an analysis needs. All that a job file can say can be said here, and the other way
// round; docs/formats.md is the reference of both.
//
// A Job is plain data. Nothing here checks it or reads a file: warpbound.New does, by the rules for
// job files, and its errors name the field that is wrong, such as
//
//	saxpy: Params[1] (x).Count: count is 0; it must be from 1 to 268435456
//
// The package imports nothing of this project.
package jobs

// Job is a job. The zero value of a field that is not said to be required leaves the matter to the
// default that it names.
type Job struct {
	// Name is what results and messages call the job, "job" if it is empty. The files that the job
	// names are relative to the directory that Name is in, as if it were a path of a job file.
	Name string

	Module Source // required; the ending of its name says the language: .simt, .kernel, else PTX
	Kernel string // empty: the only kernel of the module

	// Machine is the name of a built-in machine, or the path of a machine file; empty: the one for the module's target, or
	// fermi-c2050.
	// With MachineText it is the name that messages give that text, and must look like a file's.
	Machine     string
	MachineText []byte // of a machine file, instead of one that is read; nil: none

	// Target is that of the module, such as sm_70, if the machine is known to be of another architecture: there is no
	// warning about it then.
	Target string

	// Accept names instructions, without their operands, and special registers that the module uses
	// although its .version or its .target does not have them, such as "redux.sync.min.f32"; each
	// must be one.
	Accept []string

	Grid, Block []int  // CTAs, and threads of a CTA, in x, y and z (Dim); required but of Launches that have their own
	Vectors     int    // test vectors of the methods that measure; 0: 100
	Seed        *int64 // of the sampled inputs; nil: 1
	Budget      string // how long a run may take, for check: "2ms", or "120000 cycles"; empty: nothing is said
	Registers   int    // of a thread; 0: estimated by liveness
	Shared      int    // dynamic shared memory of a CTA in bytes

	Params  []Param  // arguments, in the order of the kernel's parameters
	Buffers []Param  // memory that only pointers reach, made by Buffer
	Symbols []Symbol // contents of variables of the module

	// Loops bounds the innermost loop around each place: the maximum number of back edges that a
	// warp takes per entry of the loop. Places are those of job files: a label, a label with an offset
	// such as "$L2+5", or a line such as "42" or "saxpy.ptx:42".
	Loops map[string]int64
	Facts []Fact

	Assumes []Assume // what holds of all inputs

	Split  Split  // where and how wavefronts split, on machines with split contexts
	LLC    LLC    // the last-level cache, on machines that share it with a CPU
	CPU    CPU    // what that CPU does; the zero CPU: nothing
	Repeat Repeat // further launches of a run; the zero Repeat: none

	Background Background // what others use of the memory meanwhile; the zero Background: nothing

	Compiled Compiled // what Module was compiled from; the zero Compiled: nothing is known of that

	Launches []Launch // of a run, in their order, instead of the one of Kernel; nil: that one
	Warm     bool     // launches find what the one before left in the cache that multiprocessors share
	Threads  string   // how the threads of a warp are scheduled: "lockstep" or "independent"; empty: as the machine has it
}

// Background is what others than the kernel ask of what they share with it while it runs: a CPU, a display, other engines.
type Background struct {
	DRAM float64 // GB/s to and from DRAM, on machines with a model of one (docs/formats.md)
}

// Dim gives the numbers of a grid or a block in x, y and z. Those left out are 1.
func Dim(n ...int) []int { return n }

// Source is a text that has a name like a file: one that the job holds, or one that is read.
type Source struct {
	Name string // the path of the file; with Text what messages call it
	Text []byte // nil: it is read from the file
}

// Text is a source that the job holds.
func Text(name, text string) Source { return Source{Name: name, Text: []byte(text)} }

// File is a source that is read from a file.
func File(path string) Source { return Source{Name: path} }

// Type is a type of numbers, named as in PTX.
type Type string

// The types of numbers.
const (
	U8   Type = "u8"
	U16  Type = "u16"
	U32  Type = "u32"
	U64  Type = "u64"
	S8   Type = "s8"
	S16  Type = "s16"
	S32  Type = "s32"
	S64  Type = "s64"
	B8   Type = "b8"
	B16  Type = "b16"
	B32  Type = "b32"
	B64  Type = "b64"
	F16  Type = "f16"
	BF16 Type = "bf16"
	F32  Type = "f32"
	F64  Type = "f64"
)

// Fact is a linear flow fact: in one execution of the kernel by a warp, the sum over the blocks at
// these places of coefficient times executions is at least Min and at most Max.
type Fact struct {
	Sum      map[string]int64 // coefficients by place
	Min, Max *int64           // one of them at least; nil: no limit
}

// Assume is something that holds of all inputs: relations between integers, or the order of a buffer or an array. One of
// Expr, Sorted and Monotone is given.
type Assume struct {
	Expr     string  // such as "n <= count && n % 32 == 0", over the names of numbers, fields as "args.n"
	Sorted   string  // name of what does not descend
	Monotone string  // name of indices that do not descend
	Step     []int64 // the least and the greatest difference of neighbours in Monotone; nil: any
}

// Split is how wavefronts split.
type Split struct {
	All      bool     // at every branch that may diverge and can be split
	Branches []string // or at these places; empty: nowhere; nil: where the module says so
	SIMDs    *int     // split SIMDs for each SIMD, 0 to 7; nil: the machine's
	Mode     string   // "none", "dws" or "pws"; empty: the machine's
}

// LLC is what a job chooses of the last-level cache. Nil leaves a choice to the machine.
type LLC struct {
	KiB       *int64 // size
	Quota     *int64 // accesses that a core may send in an interval
	Regulated *bool  // whether intervals limit the accesses at all
}

// Compiled says what a module was compiled from. Loading a job compares the source with the hash, and runs nothing.
type Compiled struct {
	File    string   // the source
	Command []string // the compiler and its arguments, with {module} for the file that it writes; nil: not known
	SHA256  string   // of the source, in hexadecimal
}

// CPU is what the CPU of an integrated machine does: a program or a list of accesses, not both.
type CPU struct {
	Program, Trace Source
}

// Repeat is what a run launches besides the job's kernel.
type Repeat struct {
	Then  []string // kernels that follow the job's own in every round
	While string   // name of the buffer that says if there is another round; empty: there is one round
	Limit int      // rounds of a run; 0: 1024
}

// Launch is a launch of a kernel, or Launches that follow each other. What it leaves out is as the job
// says, but for Arguments.
type Launch struct {
	Kernel      string
	Grid, Block []int
	Registers   int
	Shared      *int
	Arguments   []Argument // in the order of the kernel's parameters; nil: Job.Params

	Repeat int    // how often; 0: once
	While  string // name of the buffer that says if there is another round; empty: Repeat says it
	Limit  int    // rounds of While, at most

	Launches []Launch // of each round, instead of all above Repeat; nil: the launch is one of Kernel
}

// Argument is the name of one of the job's parameters, or a number.
type Argument struct {
	Param  string
	Number Number // empty: Param
}
