package job

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"warpbound/diag"
	"warpbound/internal/isa"
	"warpbound/internal/symbol"
)

// Bound is a launch of a job matched with its kernel: Job makes that launch alone, and Job.Args[i]
// is the argument for Kernel.Params[i].
type Bound struct {
	Job        *Job
	Kernel     *isa.Kernel
	ParamBytes int // size of the parameter block
	Symbols    []BoundSymbol
	Loops      []BoundLoop
	Facts      []BoundFact
	Branches   []BoundBranch
	Then       []*Bound // of the launches that follow, by Job.Runs
}

// BoundSymbol is the initial contents of the kernel's variable Vars[Var].
type BoundSymbol struct {
	Var  int
	Data []byte
}

// BoundLoop is the annotation of the innermost loop around each of the
// instructions Instrs: several where the code of a called function was expanded
// several times.
type BoundLoop struct {
	Instrs []int
	Bound  int64
	Pos    diag.Pos
	Source Place // instead of Instrs: the loop of the source around a line of its body, whose iterations Bound limits
}

// BoundFact is a Fact over the blocks that hold instructions.
type BoundFact struct {
	Sum []BoundTerm
	Min *int64
	Max *int64
	Pos diag.Pos
}

// BoundTerm is Coef times the executions of the block that holds Instr, or else of a line of the source.
type BoundTerm struct {
	Instr  int
	Source Place
	Coef   int64
}

// BoundBranch is a place of Split.Branches: the instructions in whose blocks the branches
// are the last, one for each copy of an expanded function.
type BoundBranch struct {
	Place  Place
	Instrs []int
}

// Link links the kernel of the job's first launch out of its module: the one that it names, or
// the only one of the module.
func (j *Job) Link(p *isa.Program) (*isa.Kernel, error) { return j.linkKernel(p, &j.Runs()[0]) }

// linkKernel links the kernel of a launch.
func (j *Job) linkKernel(p *isa.Program, l *Launch) (*isa.Kernel, error) {
	name := l.Kernel
	switch entries := p.Entries(); {
	case len(entries) == 0:
		return nil, diag.Errorf(j.Pos.Module, "module %s has no kernel", p.File)
	case name == "" && len(entries) > 1:
		return nil, diag.Errorf(l.Pos.Kernel, "kernel is missing; module %s has %s", p.File, p.KernelNames())
	case name == "":
		name = entries[0].Name
	}
	f, err := p.Kernel(name)
	if err != nil {
		return nil, diag.Errorf(l.Pos.Kernel, "%w", err)
	}
	return isa.Link(p, f.Name)
}

// Bind matches the job with the kernel of its first launch, and with those of the others (LinkThen).
// The error lists everything that does not fit, with the places in both files.
func (j *Job) Bind(k *isa.Kernel, then ...*isa.Kernel) (*Bound, error) {
	var errs diag.List
	var all []*binder
	launches := j.Runs()
	for i, k := range append([]*isa.Kernel{k}, then...) {
		m := &binder{Bound: Bound{Job: j.alone(&launches[i], k, &errs), Kernel: k}, errs: &errs}
		m.launch()
		all = append(all, m)
	}
	bindAnnotations(all)
	bindSymbols(all)
	bindBranches(all)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	first := &all[0].Bound
	for _, m := range all[1:] {
		first.Then = append(first.Then, &m.Bound)
	}
	return first, nil
}

type binder struct {
	Bound
	errs *diag.List
}

// launch checks the block and the arguments.
func (m *binder) launch() {
	m.block()
	m.params()
}

func (m *binder) errorf(pos diag.Pos, format string, args ...any) {
	m.errs.Add(diag.Errorf(pos, format, args...))
}

// block checks the launch against the kernel's .reqntid, .maxntid and
// .reqnctapercluster. The second limits the number of threads, not each dimension.
func (m *binder) block() {
	block, bounds := m.Job.Block, m.Kernel.Bounds
	if req := dims(bounds.ReqNtid); bounds.ReqNtid[0] > 0 && block != req {
		m.errorf(m.Job.Pos.Block, "kernel %s requires block = [%d, %d, %d] (.reqntid at %v)",
			m.Kernel.Readable(), req[0], req[1], req[2], m.Kernel.Pos)
	}
	threads := volume(block)
	if maximum := volume(dims(bounds.MaxNtid)); bounds.MaxNtid[0] > 0 && threads > maximum {
		m.errorf(m.Job.Pos.Block, "block has %d threads; kernel %s allows %d (.maxntid at %v)",
			threads, m.Kernel.Readable(), maximum, m.Kernel.Pos)
	}
	if c := dims(bounds.Cluster); volume(c) > 1 {
		m.errorf(m.Job.Pos.Grid, "kernel %s requires clusters of [%d, %d, %d] CTAs (.reqnctapercluster at %v); only clusters of one CTA are modelled",
			m.Kernel.Readable(), c[0], c[1], c[2], m.Kernel.Pos)
	}
}

// dims replaces what a directive leaves out by 1.
func dims(d [3]int) [3]int {
	for i := range d {
		d[i] = max(d[i], 1)
	}
	return d
}

// volume is the product of the dimensions, or the largest int if that overflows.
func volume(d [3]int) int {
	product := d[0]
	for _, n := range d[1:] {
		if product > math.MaxInt/n {
			return math.MaxInt
		}
		product *= n
	}
	return product
}

// params checks the arguments one by one and their number.
func (m *binder) params() {
	given, wanted := m.Job.Args, m.Kernel.Params
	for i := range wanted {
		v := &wanted[i]
		m.ParamBytes = max(m.ParamBytes, v.Offset+v.Bytes)
		if i >= len(given) {
			m.missing(v)
			continue
		}
		if p := m.Job.argument(i); !m.fits(&p, v) {
			m.errorf(given[i].Pos, "param %q is %s, but parameter %s of kernel %s needs %s",
				given[i].Name, p.describe(), where(v), m.Kernel.Readable(), m.wants(v))
		}
	}
	for _, a := range given[min(len(wanted), len(given)):] {
		m.errorf(a.Pos, "param %q is one too many: kernel %s (%v) has %d parameters",
			a.Name, m.Kernel.Readable(), m.Kernel.Pos, len(wanted))
	}
	m.pointers()
}

// argument returns an argument as one parameter.
func (j *Job) argument(i int) Param {
	if a := &j.Args[i]; a.Struct {
		return Param{Name: a.Name, Kind: Struct, Bytes: a.Bytes, Pos: a.Pos}
	}
	return j.Params[slices.IndexFunc(j.Params, func(p Param) bool { return p.Arg == i })]
}

// pointers checks that addresses in structs and in buffers are as wide as the module's.
func (m *binder) pointers() {
	if m.Kernel.AddressBits == 8*pointerBytes {
		return
	}
	for i := range m.Job.Params {
		p := &m.Job.Params[i]
		inStruct := p.Arg != NoArg && m.Job.Args[p.Arg].Struct && p.isAddress()
		if inStruct || len(p.Content.Pointers) > 0 {
			m.errorf(p.Pos, "param %q has pointers of %d bits, and the module of kernel %s addresses of %d", p.Name, 8*pointerBytes, m.Kernel.Readable(), m.Kernel.AddressBits)
		}
	}
}

// missing reports that a parameter has no argument.
func (m *binder) missing(v *isa.Var) {
	pos, of := m.Job.Pos.Kernel, "[[param]]: the job"
	if m.Job.From != nil {
		pos, of = m.Job.Arguments, "argument: the launch"
	}
	m.errorf(pos, "parameter %s of kernel %s has no %s has %d, the kernel %d; it needs %s",
		where(v), m.Kernel.Readable(), of, len(m.Job.Args), len(m.Kernel.Params), m.wants(v))
}

// where names a variable with its place in the module.
func where(v *isa.Var) string { return fmt.Sprintf("%s (%v)", v.Name, v.Pos) }

// isArray reports whether a parameter is bytes passed by value.
func isArray(v *isa.Var) bool { return v.Bytes != v.Type.Bytes() }

// fits tells whether an argument has the size and class of a parameter.
func (m *binder) fits(p *Param, v *isa.Var) bool {
	switch p.Kind {
	case Struct:
		return p.Bytes == v.Bytes && (isArray(v) || v.Type == isa.B8)
	case Buffer, View:
		return m.holdsAddress(v) && v.Bytes*8 == m.Kernel.AddressBits
	case SharedPtr: // 32 bits suffice for shared memory in any module
		return m.holdsAddress(v) && (v.Bytes*8 == m.Kernel.AddressBits || v.Bytes == 4)
	}
	return !isArray(v) && sameClass(p.Type, v.Type) && p.Bytes == v.Bytes
}

func (m *binder) holdsAddress(v *isa.Var) bool { return !isArray(v) && !v.Type.IsFloat() }

// sameClass reports whether a value of one type can stand for the other: plain
// bits for anything, integers for each other, floats for their own type.
func sameClass(a, b isa.Type) bool {
	if a.Class() == isa.Bits || b.Class() == isa.Bits {
		return true
	}
	if a.IsFloat() || b.IsFloat() {
		return a == b
	}
	return true
}

// describe says what an argument is, for messages.
func (p *Param) describe() string {
	switch p.Kind {
	case Struct:
		return fmt.Sprintf("a struct of %d bytes", p.Bytes)
	case Buffer:
		return fmt.Sprintf("a buffer of %s", p.Type)
	case SharedPtr:
		return "a pointer to shared memory"
	case View:
		return "a view of a buffer"
	case Array:
		return fmt.Sprintf("an array of %s", p.Type)
	}
	return fmt.Sprintf("a number of type %s", p.Type)
}

// wants says what a job must give for a parameter.
func (m *binder) wants(v *isa.Var) string {
	if isArray(v) {
		return fmt.Sprintf(`a struct: type = "u8", bytes = %d, or type = "struct" with fields of as many`, v.Bytes)
	}
	want := fmt.Sprintf("a number of %d bits (.%s)", v.Type.Bits(), v.Type)
	if m.fits(&Param{Kind: Buffer}, v) {
		return want + " or a buffer, that is, a param with count"
	}
	return want
}

// bindSymbols finds the variables that the job sets, each in one of the kernels at least.
func bindSymbols(kernels []*binder) {
	var names []string
	for _, m := range kernels {
		names = append(names, m.settable()...)
	}
	set := make(map[string]diag.Pos)
	for _, s := range kernels[0].Job.Symbols {
		found := symbol.Find(s.Name, names)
		if len(found) != 1 {
			noSymbol(kernels, &s, found)
			continue
		}
		if other, again := set[found[0]]; again {
			kernels[0].errorf(s.Pos, "symbol %q is the variable that %s sets already", s.Name, other)
			continue
		}
		set[found[0]] = s.Pos
		for _, m := range kernels {
			m.symbol(&s, found[0])
		}
	}
}

// noSymbol reports a symbol that is none of the variables that the kernels use, or several.
func noSymbol(kernels []*binder, s *Symbol, found []string) {
	first := kernels[0]
	if len(found) > 1 {
		first.errorf(s.Pos, "there are several variables %q: %s", s.Name, strings.Join(symbol.ReadableAll(found), ", "))
		return
	}
	text := fmt.Sprintf("kernel %s uses no .const or .global variable %q; it uses %s", first.Kernel.Readable(), s.Name, listed(first.settable()))
	for _, m := range kernels[1:] {
		text += fmt.Sprintf("; kernel %s uses %s", m.Kernel.Readable(), listed(m.settable()))
	}
	first.errorf(s.Pos, "%s", text)
}

// symbol sets the kernel's variable of that name, if it has it.
func (m *binder) symbol(s *Symbol, name string) {
	i := slices.IndexFunc(m.Kernel.Vars, func(v isa.Var) bool { return settable(&v) && v.Name == name })
	if i < 0 {
		return
	}
	v := &m.Kernel.Vars[i]
	if len(s.Data) != v.Bytes {
		m.errorf(s.Pos, "symbol %q has %d bytes; the variable %s has %d", s.Name, len(s.Data), where(v), v.Bytes)
	}
	if !sameElement(s.Type, v) {
		m.errorf(s.Pos, "symbol %q has elements of type %s; the variable %s has .%s", s.Name, s.Type, where(v), v.Type)
	}
	m.Symbols = append(m.Symbols, BoundSymbol{Var: i, Data: s.Data})
}

// sameElement compares element types; an array of bytes may hold anything.
func sameElement(t isa.Type, v *isa.Var) bool {
	return v.Type.Bytes() == 1 || t.Bytes() == v.Type.Bytes() && sameClass(t, v.Type)
}

func settable(v *isa.Var) bool { return v.Space == isa.Const || v.Space == isa.Global }

// settable returns the names of the variables that a job can set.
func (m *binder) settable() []string {
	var names []string
	for i := range m.Kernel.Vars {
		if settable(&m.Kernel.Vars[i]) {
			names = append(names, m.Kernel.Vars[i].Name)
		}
	}
	return names
}

func listed(symbols []string) string {
	if symbols == nil {
		return "none"
	}
	return strings.Join(symbol.ReadableAll(symbols), ", ")
}
