package ptx

import (
	"math/bits"
	"slices"

	"warpbound/internal/isa"
)

// Limits of variables, in bytes.
const (
	maxVar    = 1 << 30
	maxFilled = 64 << 20 // of all initialisers of a module
)

var spaceByName = map[string]isa.Space{
	"param": isa.Param, "local": isa.Local, "shared": isa.Shared, "global": isa.Global, "const": isa.Const,
	"tex": isa.Global, "surf": isa.Global, "sampler": isa.Global,
}

// opaque are the types of handles, which are kept as 64 bits without contents.
var opaque = map[string]bool{"texref": true, "samplerref": true, "surfref": true}

// moduleVars notes the variables of a declaration at module scope.
func (l *lowering) moduleVars(d *Decl) {
	if d.Space == "reg" {
		l.regs = append(l.regs, d)
		return
	}
	for i := range d.Names {
		name := &d.Names[i]
		if err := l.moduleVar(d, name); err != nil {
			l.refuseName(name.Name, l.refused(name.Pos, declaration(d, name), err))
		}
	}
}

// moduleVar notes a variable at module scope. A definition replaces extern declarations.
func (l *lowering) moduleVar(d *Decl, name *Declarator) error {
	if d.Space == "param" {
		return l.errorf(name.Pos, "%s: a .%s cannot be declared at module scope", name.Name, d.Space)
	}
	v, err := l.variable(d, name)
	if err != nil {
		return err
	}
	known, ok := l.names[v.Name]
	if !ok {
		l.names[v.Name] = symbol{kind: symVar, index: int32(len(l.program.Vars)), bytes: stride(d, name, &v)}
		l.program.Vars = append(l.program.Vars, v)
		return nil
	}
	switch known.kind {
	case symRefused:
		return l.errorf(name.Pos, "%s is declared twice, first at %s", v.Name, l.bad[known.index].Pos)
	case symFunc:
		return l.errorf(name.Pos, "%s is declared twice, as a function and as a variable", v.Name)
	}
	old := &l.program.Vars[known.index]
	switch {
	case !old.Extern && !v.Extern:
		return l.errorf(name.Pos, "%s is declared twice, first at %s", v.Name, old.Pos)
	case old.Space != v.Space:
		return l.errorf(name.Pos, "%s is .%s here and .%s at %s", v.Name, v.Space, old.Space, old.Pos)
	case !v.Extern:
		*old = v
	}
	return nil
}

// typeNamed gives the type of a declaration.
func (l *lowering) typeNamed(d *Decl) (isa.Type, error) {
	if opaque[d.Type] {
		return isa.B64, nil
	}
	t, ok := isa.TypeByName(d.Type)
	if !ok {
		return t, l.errorf(d.Pos, "unknown type .%s", d.Type)
	}
	return t, nil
}

// variable lays out one variable of a declaration.
func (l *lowering) variable(d *Decl, name *Declarator) (isa.Var, error) {
	t, err := l.typeNamed(d)
	if err != nil {
		return isa.Var{}, err
	}
	if t == isa.Pred && d.Space != "reg" {
		return isa.Var{}, l.errorf(d.Pos, "%s: predicates are registers only, they have no place in .%s", name.Name, d.Space)
	}
	if t.Class() == isa.Packed && d.Space != "reg" {
		return isa.Var{}, l.errorf(d.Pos, "%s: .%s is a type of instructions only; declare bits such as .b32", name.Name, t)
	}
	v := isa.Var{
		Name: name.Name, Space: spaceByName[d.Space], Type: t, Extern: d.Linkage == "extern",
		Bytes: t.Bytes() * max(d.Vector, 1), Pos: l.at(name.Pos),
		WarpSize: name.Init.hasWarpSize() || slices.ContainsFunc(name.Dims, (*Expr).hasWarpSize),
	}
	v.Align = max(v.Bytes, 1)
	if d.Align > 0 {
		v.Align = d.Align
	}
	if v.Align&(v.Align-1) != 0 {
		return v, l.errorf(d.Pos, "alignment %d of %s is not a power of two", v.Align, v.Name)
	}
	elem := v.Bytes
	dims := make([]int, len(name.Dims))
	for i, dim := range name.Dims {
		if dims[i], err = l.dimension(d, name, i, dim); err != nil {
			return v, err
		}
		hi, lo := bits.Mul64(uint64(v.Bytes), uint64(dims[i]))
		if hi != 0 || lo > maxVar {
			return v, l.errorf(name.Pos, "%s is larger than %d MiB", v.Name, maxVar>>20)
		}
		v.Bytes = int(lo)
	}
	if name.Init == nil || opaque[d.Type] {
		return v, nil
	}
	in := &filler{lowering: l, v: &v, elem: elem / max(d.Vector, 1)}
	if d.Vector > 0 {
		dims = append(dims, d.Vector)
	}
	err = in.fill(name.Init, dims, 0, v.Bytes)
	return v, err
}

// dimension gives the i-th dimension of an array. It may be open: it is then fixed
// by the initialiser, or, the first of an extern array, by the launch.
func (l *lowering) dimension(d *Decl, name *Declarator, i int, dim *Expr) (int, error) {
	switch {
	case dim != nil:
	case name.Init != nil && name.Init.Expr == nil:
		return longest(name.Init, i), nil
	case i > 0:
		return 0, l.errorf(name.Pos, "only the first dimension of %s may be open", name.Name)
	case d.Linkage == "extern" || d.Space == "param":
		return 0, nil
	default:
		return 0, l.errorf(name.Pos, "%s needs a size or an initialiser", name.Name)
	}
	v, err := l.eval(dim)
	if err != nil {
		return 0, err
	}
	if v.float || v.name != "" {
		return 0, l.errorf(dim.Pos, "a dimension of %s is no integer", name.Name)
	}
	if v.bits > maxVar {
		return 0, l.errorf(dim.Pos, "%s is larger than %d MiB", name.Name, maxVar>>20)
	}
	return int(v.bits), nil
}

// longest gives the number of elements of the longest list at a depth.
func longest(in *Init, depth int) int {
	if depth == 0 {
		return len(in.List)
	}
	n := 0
	for _, e := range in.List {
		n = max(n, longest(e, depth-1))
	}
	return n
}

// filler writes an initialiser into a variable.
type filler struct {
	*lowering
	v    *isa.Var
	elem int // bytes of one element
}

// fill writes in to the bytes from at to end. dims are the dimensions inside.
func (f *filler) fill(in *Init, dims []int, at, end int) error {
	if in.Expr != nil {
		return f.scalar(in.Expr, at, end)
	}
	if len(dims) == 0 {
		if len(in.List) == 1 { // braces around a scalar
			return f.fill(in.List[0], nil, at, end)
		}
		return f.errorf(in.Pos, "%s has braces where a single value is wanted", f.v.Name)
	}
	if len(in.List) > dims[0] {
		return f.errorf(in.Pos, "%s has %d initialisers for %d elements", f.v.Name, len(in.List), dims[0])
	}
	for i, e := range in.List {
		size := (end - at) / dims[0]
		if err := f.fill(e, dims[1:], at+i*size, at+(i+1)*size); err != nil {
			return err
		}
	}
	return nil
}

// scalar writes one element.
func (f *filler) scalar(e *Expr, at, end int) error {
	v, err := f.eval(e)
	if err != nil {
		return err
	}
	if at+f.elem > end {
		return f.errorf(e.Pos, "%s has an initialiser but no elements", f.v.Name)
	}
	if more := at + f.elem - len(f.v.Init); more > 0 {
		if f.filled += more; f.filled > maxFilled {
			return f.errorf(e.Pos, "initialisers fill more than %d MiB", maxFilled>>20)
		}
		f.v.Init = append(f.v.Init, make([]byte, more)...)
	}
	if v.name != "" {
		return f.relocate(e, v, at)
	}
	imm, err := immediate(v, f.v.Type)
	if err != nil {
		return f.errorf(e.Pos, "initialiser of %s is %w", f.v.Name, err)
	}
	f.store(at, imm)
	return nil
}

func (f *filler) store(at int, v uint64) {
	for i := range min(f.elem, 8) {
		f.v.Init[at+i] = byte(v >> (8 * i))
	}
}

// relocate notes that an element holds an address or, with a mask, one byte of it.
func (f *filler) relocate(e *Expr, v value, at int) error {
	r := isa.Reloc{Offset: at, Size: f.elem, Var: v.name, Addend: int64(v.bits), Generic: v.generic}
	switch t := f.v.Type; {
	case v.mask != 0:
		r.Shift = bits.TrailingZeros64(v.mask)
		if v.mask>>r.Shift != 0xff || f.elem != 1 {
			return f.errorf(e.Pos, "mask %#x in %s does not select the byte of an element", v.mask, f.v.Name)
		}
	case t.IsFloat() || f.elem < 4 || f.elem > 8:
		return f.errorf(e.Pos, "an address does not fit into the elements of %s, which are .%s", f.v.Name, t)
	}
	if s := f.names[v.name]; s.kind == symFunc { // perhaps by an alias
		r.Var = f.program.Funcs[s.index].Name
	}
	f.v.Relocs = append(f.v.Relocs, r)
	return nil
}
