package isa

import (
	"fmt"
	"strings"

	"warpbound/diag"
	"warpbound/internal/suggest"
	"warpbound/internal/symbol"
)

// Program is a parsed module. It is not changed after its front end made it.
type Program struct {
	File          string // name of the module, for messages
	Language      string // of the module, for messages
	Version       string // language version, for example "6.3"
	Target        string // for example "sm_70"
	TargetPos     diag.Pos
	AddressBits   int // 32 or 64
	Reconvergence Reconvergence
	Vars          []Var // module-scope variables
	Funcs         []*Func
	Warnings      []diag.Warning
	Accepted      []Accepted // in the order of the module
}

// Accepted is an instruction, or a special register that one reads, that neither the version nor
// the target of the module has and that was lowered all the same.
type Accepted struct {
	Name string // the mnemonic, or the register
	Pos  diag.Pos
}

// Reconvergence is the discipline by which lanes of a warp that diverged reconverge.
type Reconvergence uint8

const (
	// AtPostDominators lets them reconverge where the flow graph says (cfg.Flow.Reconverge).
	AtPostDominators Reconvergence = iota
	// AtSyncs lets them reconverge at Reconverge instructions, one for each branch with a
	// guard, which all lanes that come to the branch execute behind it.
	AtSyncs
)

// Func looks a function up by name; nil if there is none.
func (p *Program) Func(name string) *Func {
	for _, f := range p.Funcs {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Kernel finds the entry function that a name means: its symbol, or its name in the source as far as no
// other has it (symbol.Find). It is an error if there is none, or if there are several.
func (p *Program) Kernel(name string) (*Func, error) {
	if f := p.Func(name); f != nil && f.Entry {
		return f, nil
	}
	var symbols []string
	for _, f := range p.Entries() {
		symbols = append(symbols, f.Name)
	}
	found := symbol.Find(name, symbols)
	switch {
	case symbols == nil:
		return nil, fmt.Errorf("module %s has no kernel", p.File)
	case len(found) == 0:
		return nil, fmt.Errorf("module %s has no kernel %q%s", p.File, name, suggest.HintOf("it has", name, symbol.ReadableAll(symbols)))
	case len(found) > 1:
		return nil, fmt.Errorf("module %s has several kernels %q: %s; give one of these names", p.File, name, strings.Join(symbol.ReadableAll(found), ", "))
	}
	return p.Func(found[0]), nil
}

// KernelNames lists the entry functions for a message.
func (p *Program) KernelNames() string {
	var symbols []string
	for _, f := range p.Entries() {
		symbols = append(symbols, f.Name)
	}
	return strings.Join(symbol.ReadableAll(symbols), ", ")
}

// Entries returns the entry functions in the order of the module.
func (p *Program) Entries() []*Func {
	var entries []*Func
	for _, f := range p.Funcs {
		if f.Entry {
			entries = append(entries, f)
		}
	}
	return entries
}

// Func is one function of a module. Var operands index the program's Vars
// first, then Vars: index len(Program.Vars)+i names Vars[i].
//
// The parameters of an entry function are a block of memory, read with Ld in
// the space Param at an operand whose Var is ParamVar. Any other function gets
// its arguments in the registers ParamRegs and leaves its results in
// ResultRegs; an aggregate is passed as the address of a Local variable of the
// caller, a result aggregate likewise as one more argument after the others.
type Func struct {
	Name    string
	Entry   bool
	Extern  bool // declared, not defined
	Params  []Var
	Results []Var

	ParamRegs  []Reg
	ResultRegs []Reg

	Regs   []RegDecl
	Vars   []Var // function-scope variables
	Instrs []Instr
	Labels []Label
	Bounds LaunchBounds
	Pos    diag.Pos
}

// Readable returns the name that the function has in its source, for messages.
func (f *Func) Readable() string { return symbol.Readable(f.Name) }

// RegDecl is the declaration of a virtual register.
type RegDecl struct {
	Name string
	Type Type
}

// Label names the instruction at Index; Index may be len(Instrs).
type Label struct {
	Name  string
	Index int
	Pos   diag.Pos
}

// LaunchBounds is what a kernel demands of its launch; zero means nothing.
type LaunchBounds struct {
	ReqNtid [3]int // exact threads per CTA in x, y, z
	MaxNtid [3]int // at most so many
	MinCTAs int    // CTAs per SM
	MaxRegs int    // registers per thread
	Cluster [3]int // exact CTAs per cluster in x, y, z
	// ExplicitCluster says that the launch gives the size of its clusters, if not
	// the kernel itself.
	ExplicitCluster bool
}

// Var is a variable in memory: of the module, of a function, or a parameter.
type Var struct {
	Name   string
	Space  Space
	Type   Type
	Bytes  int // size; 0 for an extern array whose size the launch fixes
	Align  int // bytes, a power of two
	Offset int // parameters: bytes from the start of the parameter block
	Extern bool
	// WarpSize says that its size or contents were computed from the number of threads of a
	// warp, 32.
	WarpSize bool
	Init     []byte  // initial bytes, or nil for zeros; shorter than Bytes is padded with zeros
	Relocs   []Reloc // addresses to be put into Init
	Pos      diag.Pos
}

// Reloc says that Init holds at Offset the address of a variable plus Addend,
// Size bytes wide.
type Reloc struct {
	Offset  int
	Size    int
	Shift   int // bits by which the address is shifted right before it is cut to Size
	Var     string
	Addend  int64
	Generic bool
}

// Kernel is an entry function made self-contained by Link: calls remain only
// where Obstacles says so. Var operands index Vars.
type Kernel struct {
	Name          string
	File          string
	Target        string // the program's
	AddressBits   int
	Reconvergence Reconvergence
	Params        []Var // also parameters of the launch, in order
	Vars          []Var // every variable that an operand names, parameters excluded
	Regs          []RegDecl
	Instrs        []Instr
	Labels        []Label
	Bounds        LaunchBounds
	Pos           diag.Pos

	// LocalSeparate says that accesses to generic addresses are surely to other than local memory. Link does not know;
	// see flow/promote.
	LocalSeparate bool
}

// Readable returns the name that the kernel has in its source, for messages.
func (k *Kernel) Readable() string { return symbol.Readable(k.Name) }

// ParamVar is the value of Operand.Var that names the whole parameter block;
// Imm is then the offset into it in bytes.
const ParamVar int32 = -1
