package job

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"warpbound/diag"
	"warpbound/internal/budget"
	"warpbound/internal/isa"
)

// MaxBytes is the most memory that a job may ask for, in bytes: all buffers,
// symbols, structs and shared memory together.
const MaxBytes = 1 << 30

// MaxText is the largest job file or module in bytes.
const MaxText = 64 << 20

// Job is a job file. Fields that the file leaves out have their defaults.
type Job struct {
	File       string // the job's own file
	Module     string // as written; see Resolve
	Kernel     string // empty if left out: the only kernel of the module
	Machine    string // a name, or a path to a machine file
	Unnamed    bool   // the job names no machine: Machine is the default one, or the one for the target of the module
	Target     string // of the module, which the machine is known to differ from; empty if left out
	Accepts    []Accept
	Grid       [3]int // CTAs in x, y, z
	Block      [3]int // threads per CTA in x, y, z
	Vectors    int    // test vectors of the measured methods
	Seed       int64
	Registers  int // per thread; 0 if left out
	Shared     int // dynamic shared memory of a CTA in bytes
	Args       []Arg
	Params     []Param // what the arguments are made of, then buffers that only pointers reach
	Symbols    []Symbol
	Loops      []Loop
	Facts      []Fact
	Assumes    []Assume // of inputs
	Related    *Related // by the relations among these; nil if there are none
	Split      Split    // of wavefronts
	LLC        LLC
	CPU        CPU
	Background Background
	Repeat     Repeat
	Launches   []Launch // of [[launch]]; nil if the job has none (see Runs)
	Steps      []Step   // in which order they are executed, and how often (see Sequence)
	Caches     Caches
	Threads    Threads
	Budget     budget.Budget // of a run; the zero Budget if left out
	Source     *Source       // of the module; nil if left out
	Pos        Positions

	// Of is the job of which this is one launch, From the indices there of Params, as InWhole
	// returns them, and Arguments where they stand. All are zero of a job that is read.
	Of        *Job
	From      []int
	Arguments diag.Pos

	// Hash is the SHA-256, in hexadecimal, of the job's text and of the data files that it names
	// (inputs, symbols, traces of the CPU), in the order in which they are read. Module and machine
	// are not in it: they have hashes of their own.
	Hash string

	// AllowAbsurd lets loops be bounded by the range of a type alone. No file states it.
	AllowAbsurd bool
	// Mode is the mode of the machine's clocks, as machine.InMode takes it. No file states it.
	Mode string
	// Effort is how much work analyses may do. No file states it.
	Effort budget.Effort
	// Solver is asked for bounds of loops that counters do not bound; empty for none. No file states it.
	Solver string
}

// Positions tells where the job's own keys stand. What is left out has the
// position 1:1.
type Positions struct {
	Module, Kernel, Machine, Grid, Block, Registers, Shared, Budget diag.Pos
}

// ParamKind tells the kinds of parameters apart.
type ParamKind uint8

// The kinds of parameters.
const (
	Scalar    ParamKind = iota // a number
	Buffer                     // the address of global memory
	SharedPtr                  // the address of shared memory, for each CTA its own
	Struct                     // bytes passed by value
	Array                      // numbers passed by value, in a struct
	View                       // the address of a place in a buffer that is another's
)

// Param is an argument of the launch, a field of an argument, or a buffer that is neither.
type Param struct {
	Name    string // of a field with those of the structs that it is in: "args.x"
	Kind    ParamKind
	Type    isa.Type // of the number or of the elements; B8 for SharedPtr and View
	Bytes   int      // size of the numbers, the memory or the struct; none of a View
	Content Content  // none for SharedPtr and View
	Access  Access   // of a Buffer
	View    *Address // where a View begins; nil of others
	Arg     int      // index of the argument in Job.Args; NoArg for memory that only pointers reach
	Offset  int      // of a field in its argument, in bytes
	Pos     diag.Pos
}

// Symbol is what a .const or .global variable holds when the kernel starts.
type Symbol struct {
	Name string // in the module
	Type isa.Type
	Data []byte
	Pos  diag.Pos
}

// Loop is the annotation of the innermost loop around Place: for one entry of
// the loop by a warp, control returns to the loop's head at most Bound times.
type Loop struct {
	Place Place
	Bound int64
	Pos   diag.Pos
}

// Fact is a linear flow fact: for one execution of the kernel by a warp, the sum
// of coefficient times execution count over Sum is at least Min and at most Max,
// as far as these are not nil.
type Fact struct {
	Sum []Term
	Min *int64
	Max *int64
	Pos diag.Pos
}

// Term is a summand of a Fact: Coef times the executions of the block at Place.
type Term struct {
	Place Place
	Coef  int64
	Pos   diag.Pos
}

// Load reads a job file and the data files that it names, which are found
// relative to it.
func Load(path string) (*Job, error) {
	src, err := ReadFile(path, MaxText)
	switch {
	case errors.Is(err, errDirectory):
		return nil, fmt.Errorf("%w%s", err, jobIn(path))
	case err != nil:
		return nil, err
	}
	return Parse(path, src, func(name string) ([]byte, error) {
		return ReadFile(relative(path, name), maxData)
	})
}

// Parse reads a job from its text. file is its name for messages and for
// Resolve. open reads a data file by the name that the job gives it. The error
// lists everything that is wrong; the Job is then nil.
func Parse(file string, src []byte, open func(name string) ([]byte, error)) (*Job, error) {
	d, err := parseDocument(file, src)
	if err != nil {
		return nil, err
	}
	return d.read(src, open)
}

// read makes the job of a document, whose text is src.
func (d *document) read(src []byte, open func(name string) ([]byte, error)) (*Job, error) {
	if t := d.root; t.has("core") && t.has("sm") && !t.has("module") {
		return nil, diag.Errorf(t.pos("core"), "this is a machine, not a job: a job has module, grid, block and names it as machine")
	}
	read := newSources(src)
	r := &reader{document: d, open: read.opening(open), named: make(map[string]diag.Pos)}
	j := r.job()
	if err := d.errs.Err(); err != nil {
		return nil, err
	}
	j.Hash = read.hex()
	return j, nil
}

// Resolve gives the path of a file that the job names: relative to the
// directory of the job file.
func (j *Job) Resolve(name string) string { return relative(j.File, name) }

func relative(file, name string) string {
	dir := filepath.Dir(file)
	switch {
	case filepath.IsAbs(name):
		return name
	case dir != "." && strings.Contains(name, ".."): // going up from a link is up to the system
		return dir + string(filepath.Separator) + name
	}
	return filepath.Join(dir, name)
}
