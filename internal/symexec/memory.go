package symexec

import (
	"bytes"
	"fmt"
	"strings"

	"warpbound/internal/abi"
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
	nonzero  int     // known bytes that are not zero

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
	block := common(Parameters, isa.Param, abi.ParamAddress(0), paramBytes)
	block.readOnly, block.symbolic = true, x.Params
	x.add(block, x.launch.ReadOnly(abi.ParamAddress(0), paramBytes))
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
			localBytes = max(localBytes, int(addr-abi.LocalBase)+v.Bytes)
		default:
			r := region{name: v.Name, space: v.Space, base: addr, bytes: v.Bytes, readOnly: v.Space == isa.Const, cta: -1, thread: -1}
			x.add(r, x.launch.Contents(addr, v.Bytes))
		}
	}
	shared := x.launch.SharedBytes()
	for i, cta := range x.ctas {
		if i == cta {
			x.add(region{name: "shared memory", space: isa.Shared, base: abi.SharedBase, bytes: shared, cta: cta, thread: -1}, make([]byte, shared))
		}
		x.add(region{name: "local memory", space: isa.Local, base: abi.LocalBase, bytes: localBytes, cta: cta, thread: i}, make([]byte, localBytes))
	}
}

// add adds a region with contents.
func (x *explorer) add(r region, contents []byte) {
	r.contents, r.nonzero = contents, len(contents)-bytes.Count(contents, []byte{0})
	x.regions = append(x.regions, r)
	x.arrays = append(x.arrays, nil)
}
