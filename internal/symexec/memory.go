package symexec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"warpbound/internal/diag"
	"warpbound/internal/fold"
	"warpbound/internal/isa"
	"warpbound/internal/smt"
)

// region is a range of addresses, and how memory holds its bytes: as an array with 64-bit
// indices, which are offsets from the base.
type region struct {
	name     string
	space    isa.Space
	base     uint64
	bytes    int
	readOnly bool

	contents []byte  // when the launch begins
	symbolic []Range // bytes of it whose contents are not known

	cta, thread int // whose it is: of the CTA of a first thread, of a thread; negative if of all
}

// indexBits is the width of offsets and addresses.
const indexBits = 64

// parameters is the region of the parameter block.
const parameters = 0

// isOf reports whether the thread that runs can access the region.
func (r *region) isOf(s *state) bool {
	return (r.cta < 0 || r.cta == s.x.ctas[s.at]) && (r.thread < 0 || r.thread == s.at)
}

// permits reports whether an access in a space may be one to the region. Loads of constants
// may read buffers, whose addresses do not tell them apart.
func (r *region) permits(in *isa.Instr, total int, writes bool) bool {
	space := r.space
	if in.Space == isa.Const && space == isa.Global {
		space = isa.Const
	}
	return total <= r.bytes && (in.Space == isa.Generic || in.Space == space) && !(writes && r.readOnly)
}

// contains reports whether an access of total bytes at an address lies in the region and is
// aligned.
func (r *region) contains(addr uint64, total int) bool {
	at := addr - r.base
	return at <= uint64(r.bytes-total) && at%uint64(total) == 0
}

// within is contains as a term.
func (x *explorer) within(r *region, addr *smt.Term, total int) *smt.Term {
	at := x.b.Sub(addr, x.b.Number(indexBits, r.base))
	inside := x.b.Ule(at, x.b.Number(indexBits, uint64(r.bytes-total)))
	aligned := x.b.Eq(x.b.BvAnd(at, x.b.Number(indexBits, uint64(total-1))), x.b.Number(indexBits, 0))
	return x.b.And(inside, aligned)
}

// layOut makes the regions of the launch and the arrays that they hold at its start.
func (x *explorer) layOut(buffers []Buffer) error {
	k := x.launch.Kernel()
	paramBytes := 0
	for _, p := range k.Params {
		paramBytes = max(paramBytes, p.Offset+p.Bytes)
	}
	for _, r := range x.Params {
		if r.Offset < 0 || r.Bytes < 0 || r.Bytes > paramBytes-r.Offset {
			return fmt.Errorf("%d bytes at %d are not in the parameter block of %d bytes", r.Bytes, r.Offset, paramBytes)
		}
		if err := r.check(); err != nil {
			return fmt.Errorf("the parameter at %d: %w", r.Offset, err)
		}
	}
	common := func(name string, space isa.Space, base uint64, bytes int) region {
		return region{name: name, space: space, base: base, bytes: bytes, cta: -1, thread: -1}
	}
	block := common(Parameters, isa.Param, fold.ParamAddress(0), paramBytes)
	block.readOnly, block.symbolic = true, x.Params
	x.add(block, x.launch.ReadOnly(fold.ParamAddress(0), paramBytes))
	names := map[string]bool{"": true, Parameters: true}
	for _, b := range buffers {
		if names[b.Name] || strings.ContainsAny(b.Name, `|\`) {
			return fmt.Errorf("a buffer cannot have the name %q, or two buffers have it", b.Name)
		}
		names[b.Name] = true
		contents := x.launch.Contents(b.Address, b.Bytes)
		if contents == nil {
			return fmt.Errorf("there is no buffer %s of %d bytes at 0x%x", b.Name, b.Bytes, b.Address)
		}
		r := common(b.Name, isa.Global, b.Address, b.Bytes)
		if b.Symbolic {
			all := Range{Bytes: b.Bytes, Element: b.Element}
			if err := all.check(); err != nil {
				return fmt.Errorf("the buffer %s: %w", b.Name, err)
			}
			r.symbolic = []Range{all}
		}
		x.add(r, contents)
	}
	x.layOutVariables()
	return nil
}

// check returns an error if the range has no such elements.
func (r Range) check() error {
	if err := r.Element.check(); err != nil || r.Element == (Element{}) {
		return err
	}
	if r.Bytes%r.Element.Bytes != 0 || r.Offset%r.Element.Bytes != 0 {
		return fmt.Errorf("%d bytes from byte %d on are not elements of %d", r.Bytes, r.Offset, r.Element.Bytes)
	}
	return nil
}

// layOutVariables adds the kernel's variables, and the shared and the local memory of threads.
func (x *explorer) layOutVariables() {
	k, localBytes, first := x.launch.Kernel(), 0, x.Threads[0]
	for i := range k.Vars {
		v := &k.Vars[i]
		addr, _ := x.launch.Constant(isa.Operand{Kind: isa.KindVar, Reg: isa.NoReg, Var: int32(i)}, first.CTA, first.Warp, first.Lane)
		switch v.Space {
		case isa.Shared:
		case isa.Local:
			localBytes = max(localBytes, int(addr-fold.LocalBase)+v.Bytes)
		default:
			r := region{name: v.Name, space: v.Space, base: addr, bytes: v.Bytes, readOnly: v.Space == isa.Const, cta: -1, thread: -1}
			x.add(r, x.launch.Contents(addr, v.Bytes))
		}
	}
	shared := x.launch.SharedBytes()
	for i, cta := range x.ctas {
		if i == cta {
			x.add(region{name: "shared memory", space: isa.Shared, base: fold.SharedBase, bytes: shared, cta: cta, thread: -1}, make([]byte, shared))
		}
		x.add(region{name: "local memory", space: isa.Local, base: fold.LocalBase, bytes: localBytes, cta: cta, thread: i}, make([]byte, localBytes))
	}
}

// add adds a region with contents.
func (x *explorer) add(r region, contents []byte) {
	r.contents = contents
	x.regions = append(x.regions, r)
	x.arrays = append(x.arrays, nil)
}

// array returns the contents of a region when the launch begins.
func (x *explorer) array(r int) *smt.Term {
	if x.arrays[r] != nil {
		return x.arrays[r]
	}
	region := &x.regions[r]
	array := x.b.Fill(indexBits, x.b.Number(8, 0))
	isSymbolic := make([]bool, len(region.contents))
	for _, s := range region.symbolic {
		array = x.b.Var(region.name, smt.Array(indexBits, 8))
		for i := range s.Bytes {
			isSymbolic[s.Offset+i] = true
		}
	}
	for i, c := range region.contents {
		if !isSymbolic[i] && (len(region.symbolic) > 0 || c != 0) {
			array = x.b.Store(array, x.b.Number(indexBits, uint64(i)), x.b.Number(8, uint64(c)))
		}
	}
	x.arrays[r] = array
	return array
}

// address returns the address of an access.
func (s *state) address(o isa.Operand) (*smt.Term, bool) {
	b := s.x.b
	base := b.Number(indexBits, o.Imm)
	if o.Kind == isa.KindVarAddr {
		addr, ok := s.constant(o)
		if !ok {
			return nil, false
		}
		base = b.Number(indexBits, addr)
	} else if o.Kind != isa.KindAddr {
		return nil, false
	}
	if o.Reg != isa.NoReg {
		base = b.Add(b.ZeroExt(s.now().regs[o.Reg], indexBits), base)
	}
	if s.x.launch.Kernel().AddressBits == 32 {
		base = b.ZeroExt(b.Extract(base, 0, 32), indexBits)
	}
	return base, true
}

// resolve returns the region in which an access lies for the state's model, and its offset.
// The state is then one for which it lies there; for others it forks. Where the access lies
// in no region the path ends: the index is then negative.
func (s *state) resolve(in *isa.Instr, total int, writes bool) (int, *smt.Term, error) {
	x := s.x
	addr, ok := s.address(in.Src[0])
	if !ok || total&(total-1) != 0 || in.Type.Bytes() < 1 || in.Type.Bytes() > 8 {
		return 0, nil, x.unsupported(in)
	}
	at, found := s.eval().Eval(addr), -1
	var conditions []*smt.Term // of the other regions
	for i := range x.regions {
		r := &x.regions[i]
		switch {
		case !r.isOf(s) || !r.permits(in, total, writes):
		case r.contains(at, total):
			found = i
		default:
			conditions = append(conditions, x.within(r, addr, total))
		}
	}
	if found >= 0 {
		inside := x.within(&x.regions[found], addr, total)
		s.retry(x.b.Not(inside))
		s.assume(inside)
		return found, x.b.Sub(addr, x.b.Number(indexBits, x.regions[found].base)), nil
	}
	for _, c := range conditions {
		s.retry(c)
		s.assume(x.b.Not(c))
	}
	s.fault = diag.Errorf(in.Pos, "%s accesses %d bytes at 0x%x, which is outside of all memory or not aligned", in, total, at)
	return -1, nil, nil
}

// atStart returns bytes of a region as a number, as they are when the launch begins.
func (x *explorer) atStart(r int, offset *smt.Term, bytes int) *smt.Term {
	region := &x.regions[r]
	at, isConst := offset.Const()
	isSymbolic := func(s Range) bool { return at < uint64(s.Offset+s.Bytes) && at+uint64(bytes) > uint64(s.Offset) }
	if !isConst || slices.ContainsFunc(region.symbolic, isSymbolic) || at+uint64(bytes) > uint64(len(region.contents)) {
		return bytesOf(x.b, x.array(r), offset, bytes)
	}
	value := uint64(0)
	for i := range bytes {
		value |= uint64(region.contents[at+uint64(i)]) << (8 * i)
	}
	return x.b.Number(8*bytes, value)
}

// bytesOf returns bytes of an array as a number, the first the least significant.
func bytesOf(b *smt.Builder, array, offset *smt.Term, bytes int) *smt.Term {
	value := b.Select(array, offset)
	for i := 1; i < bytes; i++ {
		value = b.Concat(b.Select(array, b.Add(offset, b.Number(indexBits, uint64(i)))), value)
	}
	return value
}

// load returns bytes of a region as a number, and takes note of the symbolic elements that they
// may be of.
func (s *state) load(r int, offset *smt.Term, bytes int) *smt.Term {
	s.note(r, offset, bytes)
	if s.memory[r] == nil {
		return s.x.atStart(r, offset, bytes)
	}
	return bytesOf(s.x.b, s.memory[r], offset, bytes)
}

// note takes note of a read of symbolic elements, which are in range from then on.
func (s *state) note(r int, offset *smt.Term, bytes int) {
	region, b := &s.x.regions[r], s.x.b
	if len(region.symbolic) == 0 {
		return
	}
	e := region.symbolic[0].Element
	if at, isConst := offset.Const(); isConst {
		i := slices.IndexFunc(region.symbolic, func(r Range) bool { return at >= uint64(r.Offset) && at < uint64(r.Offset+r.Bytes) })
		if i < 0 {
			return
		}
		e = region.symbolic[i].Element
	} else if len(region.symbolic) > 1 { // of the parameters, which are in range already
		e = Element{}
	}
	size := cmp.Or(e.Bytes, bytes)
	first := offset
	if size > bytes {
		first = b.BvAnd(offset, b.Number(indexBits, -uint64(size)))
	}
	for at := 0; at < bytes; at += size {
		offset := b.Add(first, b.Number(indexBits, uint64(at)))
		s.restrict(r, offset, e)
		s.reads = s.reads.with(Read{Array: region.name, Offset: offset, Bytes: size, Thread: s.at})
	}
}

// restrict takes a symbolic element to be in range. An element that is not in the model's
// was not read before, so that the model may be changed there.
func (s *state) restrict(r int, offset *smt.Term, e Element) {
	if e == (Element{}) {
		return
	}
	b := s.x.b
	within := e.within(b, s.x.atStart(r, offset, e.Bytes))
	if s.known(within) {
		return
	}
	at := s.eval().Eval(offset)
	cells, value := s.model.Cells[s.x.regions[r].name], uint64(0)
	for i := range e.Bytes {
		value |= cells[at+uint64(i)] << (8 * i)
	}
	if !e.holds(value) {
		for i := range e.Bytes {
			s.model.SetCell(s.x.regions[r].name, at+uint64(i), e.some()>>(8*i)&0xff)
		}
	}
	if _, isConst := within.Const(); !isConst {
		s.path = s.path.with(condition{within, s.at, true})
		s.assumed = s.assumed.with(uint64(within.ID()), true)
	}
}

// contents returns the array of a region as it is now.
func (s *state) contents(r int) *smt.Term {
	if s.memory[r] == nil {
		return s.x.array(r)
	}
	return s.memory[r]
}

// store writes the bytes of a number to a region.
func (s *state) store(r int, offset, value *smt.Term) {
	b, array := s.x.b, s.contents(r)
	for i := range value.Width() / 8 {
		at := b.Add(offset, b.Number(indexBits, uint64(i)))
		array = b.Store(array, at, b.Extract(value, 8*i, 8))
	}
	s.memory[r] = array
}

// access executes a load, a store or an atomic.
func (s *state) access(in *isa.Instr) error {
	count := cmp.Or(len(in.Dst), len(in.Src)-1)
	switch in.Op {
	case isa.St:
		count = len(in.Src) - 1
	case isa.Atom, isa.Red:
		count = 1
	}
	size := in.Type.Bytes()
	r, offset, err := s.resolve(in, count*size, in.Op != isa.Ld)
	if err != nil || r < 0 {
		return err
	}
	s.track(in, r, offset, count*size)
	b := s.x.b
	at := func(i int) *smt.Term { return b.Add(offset, b.Number(indexBits, uint64(i*size))) }
	switch in.Op {
	case isa.Ld:
		values := make([]*smt.Term, count)
		for i := range values {
			values[i] = s.load(r, at(i), size)
		}
		for i, o := range in.Dst {
			s.assign(in, o, values[i])
		}
		return nil
	case isa.St:
		for i := range count {
			value, err := s.operand(in, in.Src[1+i])
			if err != nil {
				return err
			}
			s.store(r, at(i), fit(b, value, 8*size))
		}
		return nil
	}
	return s.atomic(in, r, offset)
}

// track takes note of who writes what, and of reads of what others wrote.
func (s *state) track(in *isa.Instr, r int, offset *smt.Term, bytes int) {
	if len(s.threads) == 1 || s.x.regions[r].thread >= 0 {
		return
	}
	const most = 40 // bits of an offset
	at := uint64(r)<<most + s.eval().Eval(offset)
	for i := range uint64(bytes) {
		if writer, written := s.writers.get(at + i); written && writer != s.at && len(in.Dst) > 0 {
			s.talks = true
		}
		if in.Op != isa.Ld {
			s.writers = s.writers.with(at+i, s.at)
		}
	}
}

// extended returns a number of an instruction's type in the width of a register.
func extended(b *smt.Builder, in *isa.Instr, value *smt.Term, width int) *smt.Term {
	if in.Type.IsSigned() && width > value.Width() {
		return b.SignExt(value, width)
	}
	return fit(b, value, width)
}

// assign writes a number of the instruction's type to a register.
func (s *state) assign(in *isa.Instr, o isa.Operand, value *smt.Term) {
	if o.Kind == isa.KindReg {
		s.now().regs[o.Reg] = extended(s.x.b, in, value, s.x.launch.Kernel().Regs[o.Reg].Type.Bits())
	}
}

// atomic executes an atomic operation on integers.
func (s *state) atomic(in *isa.Instr, r int, offset *smt.Term) error {
	b, width := s.x.b, in.Type.Bits()
	if in.Type.IsFloat() && in.Atom != isa.AtomExch || in.Type.Class() == isa.Packed || len(in.Dst) > 1 {
		return s.x.unsupported(in)
	}
	var src [3]*smt.Term
	for i, o := range in.Src[1:] {
		value, err := s.operand(in, o)
		if err != nil {
			return err
		}
		src[i] = fit(b, value, width)
	}
	old, x := s.load(r, offset, width/8), src[0]
	less := b.Ult(old, x)
	if in.Type.IsSigned() {
		less = b.Slt(old, x)
	}
	zero := b.Number(width, 0)
	var value *smt.Term
	switch in.Atom {
	case isa.AtomAdd:
		value = b.Add(old, x)
	case isa.AtomMin:
		value = b.Ite(less, old, x)
	case isa.AtomMax:
		value = b.Ite(less, x, old)
	case isa.AtomAnd:
		value = b.BvAnd(old, x)
	case isa.AtomOr:
		value = b.BvOr(old, x)
	case isa.AtomXor:
		value = b.BvXor(old, x)
	case isa.AtomExch:
		value = x
	case isa.AtomCas:
		value = b.Ite(b.Eq(old, x), src[1], old)
	case isa.AtomInc:
		value = b.Ite(b.Ule(x, old), zero, b.Add(old, b.Number(width, 1)))
	case isa.AtomDec:
		value = b.Ite(b.Or(b.Eq(old, zero), b.Ult(x, old)), x, b.Sub(old, b.Number(width, 1)))
	default:
		return s.x.unsupported(in)
	}
	s.store(r, offset, value)
	if len(in.Dst) > 0 {
		s.assign(in, in.Dst[0], old)
	}
	return nil
}
