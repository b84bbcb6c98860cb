package gpu

import (
	"fmt"
	"slices"
	"strings"

	"warpbound/diag"
	"warpbound/internal/isa/ptx"
	"warpbound/internal/job"
	"warpbound/internal/symbol"
)

// dynamic is the variable by whose address kernels find the dynamic shared memory.
const dynamic = "__warpbound_dynamic"

// sharedAlign is the alignment of shared pointers in bytes: that of the widest access.
const sharedAlign = 16

// dynamicShared lays out the dynamic shared memory of a CTA: what the job asks for without
// a name, then its shared pointers. It returns their offsets by parameter, and all bytes.
func dynamicShared(j *job.Job) (offsets []int, bytes int) {
	bytes = j.Shared
	offsets = make([]int, len(j.Params))
	for i, p := range j.Params {
		if p.Kind == job.SharedPtr && p.Arg != job.NoArg {
			offsets[i] = (bytes + sharedAlign - 1) / sharedAlign * sharedAlign
			bytes = offsets[i] + p.Bytes
		}
	}
	return offsets, bytes
}

// Prepare returns the module of a job as devices can run it:
//
//   - A host does not know at which address dynamic shared memory begins. Where a kernel of
//     the job reads a parameter that points to shared memory, it takes the address of a
//     variable there instead.
//   - Variables in global memory can be found by their names, so that they can be set and
//     restored.
//
// Nothing else is changed, and the module that is given is not. It is an error, with the
// place, if a kernel reads such a parameter in another way than as a whole.
func Prepare(m *ptx.Module, j *job.Job) (*ptx.Module, error) {
	if err := ownShared(j); err != nil {
		return nil, err
	}
	out := &ptx.Module{File: m.File, Items: slices.Clone(m.Items), Accept: m.Accept}
	offsets, _ := dynamicShared(j)
	var errs diag.List
	needed, first := false, -1
	for i, item := range m.Items {
		switch x := item.(type) {
		case *ptx.Decl:
			out.Items[i] = visible(x)
		case *ptx.Func:
			if x.Entry && x.Body != nil && isOf(j, x.Name, entries(m)) {
				b := &binder{file: m.File, offsets: pointers(j, x, offsets), errs: &errs}
				if len(b.offsets) > 0 {
					f := *x
					f.Body = b.block(x.Body)
					out.Items[i], needed = &f, true
				}
			}
		default:
			continue
		}
		if first < 0 {
			first = i
		}
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	if needed {
		out.Items = slices.Insert(out.Items, first, ptx.Item(&ptx.Decl{
			Linkage: "extern", Space: "shared", Align: sharedAlign, Type: "b8",
			Names: []ptx.Declarator{{Name: dynamic, Dims: []*ptx.Expr{nil}}},
		}))
	}
	return out, nil
}

// entries returns the symbols of a module's kernels.
func entries(m *ptx.Module) []string {
	var symbols []string
	for _, item := range m.Items {
		if f, ok := item.(*ptx.Func); ok && f.Entry {
			symbols = append(symbols, f.Name)
		}
	}
	return symbols
}

// isOf reports whether a kernel of the module, which has these, is one of the job's.
func isOf(j *job.Job, kernel string, symbols []string) bool {
	return slices.ContainsFunc(j.Runs(), func(l job.Launch) bool {
		return l.Kernel == "" || slices.Contains(symbol.Find(l.Kernel, symbols), kernel)
	})
}

// ownShared is an error if launches have shared pointers elsewhere than the job as a whole: the code of a kernel
// holds one place of each.
func ownShared(j *job.Job) error {
	at := slices.IndexFunc(j.Params, func(p job.Param) bool { return p.Kind == job.SharedPtr })
	if at < 0 || j.Launches == nil {
		return nil
	}
	return diag.Errorf(j.Params[at].Pos, "a device has no pointers to shared memory as arguments of [[launch]] entries: give these shared = N, and the kernels an extern array")
}

// visible makes a variable in global or constant memory one that can be found by its name.
func visible(d *ptx.Decl) *ptx.Decl {
	if d.Linkage != "" || d.Space != "global" && d.Space != "const" {
		return d
	}
	out := *d
	out.Linkage = "visible"
	return &out
}

// pointers returns the offsets of a kernel's shared pointers by the names of its parameters.
func pointers(j *job.Job, f *ptx.Func, offsets []int) map[string]int {
	named := make(map[string]int)
	for i, p := range j.Params {
		if p.Kind == job.SharedPtr && p.Arg != job.NoArg && p.Arg < len(f.Params) {
			named[f.Params[p.Arg].Names[0].Name] = offsets[i]
		}
	}
	return named
}

// binder replaces the reads of shared pointers in the body of a kernel.
type binder struct {
	file    string
	offsets map[string]int // in the dynamic shared memory in bytes, by parameter
	errs    *diag.List
}

func (b *binder) block(in *ptx.Block) *ptx.Block {
	out := &ptx.Block{Pos: in.Pos, Stmts: slices.Clone(in.Stmts)}
	for i, s := range in.Stmts {
		switch x := s.(type) {
		case *ptx.Block:
			out.Stmts[i] = b.block(x)
		case *ptx.Instr:
			out.Stmts[i] = b.instr(x)
		}
	}
	return out
}

// instr makes ld.param.TYPE REGISTER, [PARAMETER] a mov of the address.
func (b *binder) instr(in *ptx.Instr) *ptx.Instr {
	name := b.names(in.Operands)
	if name == "" {
		return in
	}
	load, typ, ok := cutLast(in.Mnemonic)
	if !ok || load != "ld.param" || len(in.Operands) != 2 || in.Operands[0].Kind != ptx.OperandName || !isWhole(&in.Operands[1]) {
		b.errs.Add(diag.Errorf(diag.Pos{File: b.file, Line: in.Pos.Line, Col: in.Pos.Col},
			"%s: a device gives parameter %s, which points to shared memory, to a plain ld.param of it alone", in, name))
		return in
	}
	address := &ptx.Expr{Pos: in.Pos, Kind: ptx.ExprName, Text: dynamic}
	if at := b.offsets[name]; at > 0 {
		offset := &ptx.Expr{Pos: in.Pos, Kind: ptx.ExprInt, Text: fmt.Sprint(at), Bits: uint64(at)}
		address = &ptx.Expr{Pos: in.Pos, Kind: ptx.ExprBinary, Text: "+", Args: []*ptx.Expr{address, offset}}
	}
	out := *in
	out.Mnemonic = "mov." + typ
	out.Operands = []ptx.Operand{in.Operands[0], {Pos: in.Pos, Kind: ptx.OperandExpr, Expr: address}}
	return &out
}

// names returns the shared pointer that operands name, empty if they name none.
func (b *binder) names(operands []ptx.Operand) string {
	var inExpr func(e *ptx.Expr) string
	inExpr = func(e *ptx.Expr) string {
		if e == nil {
			return ""
		}
		if _, ok := b.offsets[e.Text]; ok && (e.Kind == ptx.ExprName || e.Kind == ptx.ExprIndex) {
			return e.Text
		}
		for _, a := range e.Args {
			if name := inExpr(a); name != "" {
				return name
			}
		}
		return ""
	}
	for i := range operands {
		o := &operands[i]
		if _, ok := b.offsets[o.Name]; ok && o.Kind == ptx.OperandName {
			return o.Name
		}
		if name := inExpr(o.Expr); name != "" {
			return name
		}
		if name := b.names(o.List); name != "" {
			return name
		}
	}
	return ""
}

// isWhole reports whether an address is that of a parameter, without an offset.
func isWhole(o *ptx.Operand) bool {
	if o.Kind != ptx.OperandAddr || len(o.List) != 1 {
		return false
	}
	in := &o.List[0]
	return in.Kind == ptx.OperandName || in.Kind == ptx.OperandExpr && in.Expr.Kind == ptx.ExprName
}

// cutLast cuts a mnemonic before its last dot.
func cutLast(mnemonic string) (before, after string, found bool) {
	i := strings.LastIndexByte(mnemonic, '.')
	if i < 0 {
		return "", "", false
	}
	return mnemonic[:i], mnemonic[i+1:], true
}
