package symexec

import (
	"slices"

	"warpbound/internal/isa"
	"warpbound/internal/smt"
)

// access executes an access to memory of the threads for which path holds. It returns what is
// loaded, nil if that may be anything.
func (p *prover) access(in *isa.Instr, path *smt.Term, m *merged) ([]*smt.Term, error) {
	writes, uses, count := in.Op != isa.Ld, p.uses(in), len(in.Src)-1
	switch {
	case !writes:
		count = len(in.Dst)
	case in.Atom == isa.AtomCas:
		count /= 2
	}
	size := in.Type.Bytes()
	addr := p.address(in.Src[0], m)
	if addr == nil || size < 1 || size > 8 || count*size&(count*size-1) != 0 || in.Op != isa.St && writes && count > 1 {
		for r := range p.regions {
			if p.regions[r].permits(in, count*size, writes) {
				p.written[r] = p.written[r] || writes
				p.used[r] = p.used[r] || uses
			}
		}
		return nil, nil
	}
	regions, inside, err := p.reached(in, path, addr, count*size)
	if err != nil {
		return nil, err
	}
	for _, r := range regions {
		p.written[r] = p.written[r] || writes
		p.used[r] = p.used[r] || uses
	}
	if writes {
		return nil, nil
	}
	if !inside || p.written[regions[0]] || !p.known(regions[0], addr) {
		return nil, nil
	}
	r := regions[0]
	var results []*smt.Term
	for i, o := range in.Dst {
		offset := p.b.Add(addr, p.b.Number(indexBits, uint64(i*size)-p.regions[r].base))
		p.read(r, path, offset, size)
		v := p.atStart(r, offset, size)
		if o.Kind == isa.KindReg {
			v = extended(p.b, in, v, p.width(o.Reg))
		}
		results = append(results, v)
	}
	return results, nil
}

// address returns the address of an access; nil if it may be any.
func (p *prover) address(o isa.Operand, m *merged) *smt.Term {
	base := p.b.Number(indexBits, o.Imm)
	if o.Kind == isa.KindVarAddr {
		addr, ok := p.launch.Constant(o, [3]int{}, 0, 0)
		if !ok {
			return nil
		}
		base = p.b.Number(indexBits, addr)
	} else if o.Kind != isa.KindAddr {
		return nil
	}
	if o.Reg != isa.NoReg {
		base = p.b.Add(p.b.ZeroExt(m.regs[o.Reg], indexBits), base)
	}
	if p.launch.Kernel().AddressWidth(o) == 32 {
		base = p.b.ZeroExt(p.b.Extract(base, 0, 32), indexBits)
	}
	return base
}

// reached returns the regions in which an access may lie. It is inside of one, that of the constant
// in its address, if that is proved.
func (p *prover) reached(in *isa.Instr, path, addr *smt.Term, total int) (regions []int, inside bool, err error) {
	constant, _ := addr.Const()
	if args := addr.Args(); addr.Op() == smt.BvAdd {
		constant, _ = args[1].Const()
	}
	candidate := slices.IndexFunc(p.regions, func(r region) bool { return constant-r.base < uint64(r.bytes) && r.permits(in, total, in.Op != isa.Ld) })
	if candidate >= 0 {
		outside := p.b.Not(p.within(&p.regions[candidate], addr, total))
		if never, err := p.never(p.b.And(path, outside)); err != nil || never {
			return []int{candidate}, true, err
		}
	}
	for r := range p.regions {
		if !p.regions[r].permits(in, total, in.Op != isa.Ld) {
			continue
		}
		never, err := p.never(p.b.And(path, p.within(&p.regions[r], addr, total)))
		if err != nil {
			return nil, false, err
		}
		if !never {
			regions = append(regions, r)
		}
	}
	return regions, false, nil
}

// known reports whether the contents of a region are those of all threads, and worth a term.
func (p *prover) known(r int, addr *smt.Term) bool {
	const maximum = 1 << 10 // bytes that are known, read at an address that is not
	region := &p.regions[r]
	_, isConst := addr.Const()
	return region.space != isa.Shared && region.space != isa.Local &&
		(isConst || len(region.symbolic) > 0 && r != parameters || len(region.contents) <= maximum)
}

// read takes the elements that threads read to be in range.
func (p *prover) read(r int, path, offset *smt.Term, bytes int) {
	if r == parameters || len(p.regions[r].symbolic) == 0 {
		return
	}
	e := p.regions[r].symbolic[0].Element
	if e == (Element{}) {
		return
	}
	first := offset
	if e.Bytes > bytes {
		first = p.b.BvAnd(offset, p.b.Number(indexBits, -uint64(e.Bytes)))
	}
	for at := 0; at < bytes; at += e.Bytes {
		element := p.atStart(r, p.b.Add(first, p.b.Number(indexBits, uint64(at))), e.Bytes)
		p.assumed = append(p.assumed, p.b.Or(p.b.Not(path), e.within(p.b, element)))
	}
}
