package ptx

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warpbound/diag"
	"warpbound/internal/isa"
)

// Lower makes a program of a module. Instructions that no form matches become
// isa.Opaque, isa.OpaqueAccess or isa.Unknown, with a warning "unknown-instruction"
// for each form in a function, statements that are wrong in themselves, such as those with
// names that nothing declares, isa.Unknown with a warning "refused-statement" (see
// lower_refuse.go). Calls of functions and variables that the module only
// declares get a warning "unresolved-extern". It is an error, and the program is nil, if the
// directives of the module are missing or wrong.
//
// An instruction that the .version or the .target of the module does not have, as NVIDIA's
// assembler tells it, becomes one that cannot be executed, likewise with a warning
// "unknown-instruction", unless the module accepts its mnemonic or the name of the special
// register; see gates.go.
func Lower(m *Module) (*isa.Program, error) {
	l := &lowering{
		Module:  m,
		program: &isa.Program{File: m.File, Language: "PTX"},
		names:   make(map[string]symbol),
		files:   make(map[int]string),
		matched: make(map[string][]candidate),
		needs:   make(map[gateKey]level),
	}
	l.header()
	l.address = map[int]isa.Type{32: isa.U32, 64: isa.U64}[l.program.AddressBits]
	for _, item := range m.Items {
		switch x := item.(type) {
		case *Decl:
			if x.Space != "sreg" { // the special registers are known
				l.moduleVars(x)
			}
		case *Func:
			if err := l.declare(x); err != nil {
				l.refuseFunc(x.Name, x.Entry, l.refused(x.Pos, heading(x), err))
			}
		case *Refused:
			l.refuseItem(x)
		}
	}
	for _, item := range m.Items {
		if d, ok := item.(*Directive); ok && d.Name == "alias" {
			if err := l.alias(d); err != nil {
				l.refuseName(d.Args[0], l.refused(d.Pos, ".alias "+d.Args[0]+", "+d.Args[1], err))
			}
		}
	}
	l.refuseInitialised()
	l.checkExterns()
	for _, item := range m.Items {
		if f, ok := item.(*Func); ok && f.Body != nil {
			l.body(f)
		}
	}
	if err := l.errs.Err(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(l.program.Warnings, func(a, b diag.Warning) int { return a.Pos.Compare(b.Pos) })
	return l.program, nil
}

// lowering is the state of one Lower.
type lowering struct {
	*Module
	program *isa.Program
	address isa.Type // unsigned, as wide as an address
	names   map[string]symbol
	sigs    []signature // of program.Funcs
	files   map[int]string
	filled  int // bytes of initialisers so far
	matched map[string][]candidate
	dialect dialect
	level   level
	needs   map[gateKey]level // of what was lowered so far
	regs    []*Decl           // registers at module scope
	bad     []isa.Instr       // why names cannot be used: symbols of symRefused index them
	spoilt  []isa.Instr       // what the whole module suffers from
	errs    diag.List
}

// symbol is what a name stands for.
type symbol struct {
	kind  symbolKind
	reg   isa.Reg
	index int32 // variable, label, target list or function
	bytes int   // size of a parameter, or of the elements of an array
	off   int   // of an entry parameter in its block, in bytes
}

type symbolKind uint8

const (
	symNone      symbolKind = iota
	symReg                  // register reg
	symWide                 // register of 128 bits: reg holds the low half and the next the high
	symVector               // vector of registers: index of them from reg on
	symVar                  // variable index, as operands count them
	symEntry                // parameter of an entry at off
	symScalar               // scalar parameter of a function or call, in register reg
	symPointed              // aggregate parameter of a function, whose address is in reg
	symAggregate            // aggregate parameter of calls, in the local variable index
	symLabel                // label index
	symTargets              // list of labels index
	symFunc                 // function index
	symProto                // prototype index
	symRefused              // cannot be used; index of the reason
)

func (l *lowering) failed(err error) {
	var e *diag.Error
	if errors.As(err, &e) && l.errs.Len() < maxErrors {
		l.errs.Add(e)
	}
}

func (l *lowering) warn(p Pos, id, format string, args ...any) {
	l.program.Warnings = append(l.program.Warnings, diag.Warning{Pos: l.at(p), ID: id, Text: fmt.Sprintf(format, args...)})
}

// header reads the directives of the module.
func (l *lowering) header() {
	var begin Pos // of .version, behind which .target belongs
	for _, item := range l.Items {
		switch x := item.(type) {
		case *File:
			l.files[x.Index] = fileName(x)
		case *Directive:
			l.strayMark(x)
			switch x.Name {
			case "version":
				l.program.Version, begin = x.Args[0], x.Pos
			case "target":
				l.program.Target, l.program.TargetPos = x.Args[0], l.at(x.Pos)
				l.dialect = dialectOf(l.program.Version, x.Args)
				l.level = levelOf(l.program.Version, x.Args[0])
			case "address_size":
				l.program.AddressBits, _ = strconv.Atoi(x.Args[0])
				if x.Args[0] != "32" && x.Args[0] != "64" {
					l.failed(l.errorf(x.Pos, "address size %s is not 32 or 64", x.Args[0]))
				}
			}
		}
	}
	if l.program.Target == "" {
		l.failed(l.errorf(begin, "the directive .target is missing; write for example .target sm_70 behind .version"))
	}
	if l.program.AddressBits == 0 {
		l.program.AddressBits = l.impliedAddressBits()
	}
}

// fileName gives the name of a .file, escapes resolved, without a leading "./" and behind the
// directory unless that has the name already.
func fileName(f *File) string {
	dir, name := unescaped(f.Dir), strings.TrimPrefix(unescaped(f.Name), "./")
	if dir == "" || strings.HasPrefix(name, "/") {
		return name
	}
	return strings.TrimSuffix(dir, "/") + "/" + name
}

// unescaped resolves the escapes of a string.
func unescaped(raw string) string {
	if text, err := strconv.Unquote(`"` + raw + `"`); err == nil && strings.Contains(raw, `\`) {
		return text
	}
	return raw
}

// signature says how a function takes its parameters.
type signature struct {
	params, results []param
}

// param is a parameter of a function that is not an entry. An aggregate is
// passed as an address.
type param struct {
	typ       isa.Type // of a scalar
	aggregate bool
	bytes     int
}

// equal reports whether one function may be called as if it were another.
func (s signature) equal(t signature) bool {
	same := func(p, q param) bool { return p.aggregate == q.aggregate && p.bytes == q.bytes }
	return slices.EqualFunc(s.params, t.params, same) && slices.EqualFunc(s.results, t.results, same)
}

// declare notes a function. A definition replaces earlier declarations.
func (l *lowering) declare(f *Func) error {
	fn := &isa.Func{Name: f.Name, Entry: f.Entry, Extern: f.Body == nil, Pos: l.at(f.Pos)}
	var sig signature
	var err error
	if fn.Params, sig.params, err = l.parameters(l.paramsOf(f), f.Entry); err != nil {
		return err
	}
	if fn.Results, sig.results, err = l.parameters(f.Results, f.Entry); err != nil {
		return err
	}
	if fn.Bounds, err = l.bounds(f.Limits); err != nil {
		return err
	}
	known, ok := l.names[f.Name]
	if ok && known.kind == symRefused {
		return l.errorf(f.Pos, "%s is declared twice, first at %s", f.Name, l.bad[known.index].Pos)
	}
	if !ok {
		l.names[f.Name] = symbol{kind: symFunc, index: int32(len(l.sigs))}
		l.program.Funcs = append(l.program.Funcs, fn)
		l.sigs = append(l.sigs, sig)
		return nil
	}
	if known.kind != symFunc {
		return l.errorf(f.Pos, "%s is declared twice, as a variable and as a function", f.Name)
	}
	old := l.program.Funcs[known.index]
	switch {
	case !old.Extern && !fn.Extern:
		return l.errorf(f.Pos, "function %s is defined twice, first at %s", fn.Readable(), old.Pos)
	case len(old.Params) != len(fn.Params) || len(old.Results) != len(fn.Results) || old.Entry != fn.Entry:
		return l.errorf(f.Pos, "function %s is declared differently at %s", fn.Readable(), old.Pos)
	case !fn.Extern:
		l.program.Funcs[known.index], l.sigs[known.index] = fn, sig
	}
	return nil
}

// alias gives a function a second name.
func (l *lowering) alias(d *Directive) error {
	name, function := d.Args[0], l.names[d.Args[1]]
	known, declared := l.names[name]
	switch {
	case function.kind != symFunc || l.program.Funcs[function.index].Extern:
		return l.errorf(d.Pos, "%s is no function that the module defines", d.Args[1])
	case declared && (known.kind != symFunc || !l.program.Funcs[known.index].Extern):
		return l.errorf(d.Pos, "%s is defined already, so it is no alias", name)
	}
	l.names[name] = function
	for i := range l.program.Vars {
		for j := range l.program.Vars[i].Relocs {
			if r := &l.program.Vars[i].Relocs[j]; r.Var == name {
				r.Var = l.program.Funcs[function.index].Name
			}
		}
	}
	return nil
}

// maxParams is the largest parameter block of an entry, in bytes.
const maxParams = 32764

// parameters lays out parameters in a block, each aligned as it wants.
func (l *lowering) parameters(decls []*Decl, entry bool) ([]isa.Var, []param, error) {
	var vars []isa.Var
	var params []param
	end := 0
	decls, err := l.flattened(decls)
	if err != nil {
		return nil, nil, err
	}
	for _, d := range decls {
		if entry && d.Space == "reg" {
			return nil, nil, l.errorf(d.Pos, "parameter %s of an entry is a register; write .param", d.Names[0].Name)
		}
		v, err := l.variable(d, &d.Names[0])
		if err != nil {
			return nil, nil, err
		}
		v.Offset = (end + v.Align - 1) &^ (v.Align - 1)
		end = v.Offset + v.Bytes
		if end > maxParams {
			return nil, nil, l.errorf(d.Pos, "parameters take more than %d bytes", maxParams)
		}
		vars = append(vars, v)
		params = append(params, param{typ: scalarReg(v.Type), aggregate: isAggregate(d), bytes: v.Bytes})
	}
	return vars, params, nil
}

// flattened replaces each parameter that is a vector of registers by its elements.
func (l *lowering) flattened(decls []*Decl) ([]*Decl, error) {
	var flat []*Decl
	for _, d := range decls {
		if d.Space != "reg" || d.Vector == 0 {
			flat = append(flat, d)
			continue
		}
		if _, err := l.registerType(d, d.Names[0]); err != nil {
			return nil, err
		}
		for i := range d.Vector {
			element := *d
			element.Vector = 0
			element.Names = []Declarator{{Pos: d.Names[0].Pos, Name: d.Names[0].Name + "." + elementNames[i:i+1]}}
			flat = append(flat, &element)
		}
	}
	return flat, nil
}

// isAggregate reports whether a parameter is passed as an address.
func isAggregate(d *Decl) bool { return d.Vector > 0 || d.Type == "b128" || len(d.Names[0].Dims) > 0 }

// scalarReg gives the type of the register that holds a scalar parameter:
// registers have at least 16 bits.
func scalarReg(t isa.Type) isa.Type {
	switch t {
	case isa.B8:
		return isa.B16
	case isa.U8:
		return isa.U16
	case isa.S8:
		return isa.S16
	}
	return t
}

// bounds reads what a function demands of its launch.
func (l *lowering) bounds(limits []*Directive) (isa.LaunchBounds, error) {
	var b isa.LaunchBounds
	for _, d := range limits {
		var n [3]int
		if d.Name == "maxntid" || d.Name == "reqntid" || d.Name == "reqnctapercluster" {
			n = [3]int{1, 1, 1}
		}
		for i, arg := range d.Args {
			v, err := parseInt(arg)
			if directives["."+d.Name].arg == tokInt && (err != nil || v < 1 || v > 1<<30) {
				return b, l.errorf(d.Pos, ".%s %s is not in the range from 1 to %d", d.Name, arg, 1<<30)
			}
			if i < len(n) {
				n[i] = int(v)
			}
		}
		switch d.Name {
		case "reqntid":
			b.ReqNtid = n
		case "maxntid":
			b.MaxNtid = n
		case "minnctapersm":
			b.MinCTAs = n[0]
		case "maxnreg":
			b.MaxRegs = n[0]
		case "reqnctapercluster":
			b.Cluster, b.ExplicitCluster = n, true
		case "explicitcluster":
			b.ExplicitCluster = true
		}
	}
	return b, nil
}

// checkExterns warns of variables that the module declares but does not define.
// Extern arrays in shared memory are fixed by the launch.
func (l *lowering) checkExterns() {
	for i := range l.program.Vars {
		if v := &l.program.Vars[i]; v.Extern && v.Space != isa.Shared {
			l.warn(Pos{v.Pos.Line, v.Pos.Col}, "unresolved-extern", "variable %s is declared but not defined", v.Name)
		}
	}
}
