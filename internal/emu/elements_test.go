package emu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"warpbound/internal/abi"
	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// TestElements compares accesses that look at all lanes together with those that go lane by lane: of elements of every
// size, alone and in vectors, extended or not, to one place, to places in a row and to any, by all lanes or some, in warps
// of 32 and 64 lanes, also where an address is not possible.
func TestElements(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, typ := range []isa.Type{isa.U8, isa.S8, isa.U16, isa.S16, isa.B32, isa.S32, isa.U64} {
		for n := 1; n <= 4 && n*typ.Bytes() <= 16; n *= 2 {
			for _, register := range []isa.Type{isa.B16, isa.B32, isa.B64} {
				if register.Bits() < typ.Bits() {
					continue
				}
				for _, space := range []isa.Space{isa.Shared, isa.Local} {
					for _, width := range []int{32, 64} {
						name := fmt.Sprintf("%s v%d %s %s %d", typ, n, register, space, width)
						t.Run(name, func(t *testing.T) { testElements(t, r, typ, n, register, space, width) })
					}
				}
			}
		}
	}
}

// accesses are a warp and a load and a store of it.
type accesses struct {
	warp  *Warp
	load  *load
	store *store
	addr  alu.Slot
	data  []alu.Slot
	bytes []byte
}

func testElements(t *testing.T, r *rand.Rand, typ isa.Type, n int, register isa.Type, space isa.Space, width int) {
	var a [2]accesses // together, and lane by lane
	for i := range a {
		a[i] = newAccesses(t, typ, n, register, space, width)
	}
	for _, op := range []*access{&a[1].load.access, &a[1].store.access} {
		op.indexed, op.index = true, a[1].zero()
	}
	total := uint64(n * typ.Bytes())
	for round := range 60 {
		base := map[isa.Space]uint64{isa.Shared: abi.SharedBase, isa.Local: abi.LocalBase}[space]
		mask := a[0].warp.Alive()
		if round%2 == 1 {
			mask &= r.Uint64() | 1<<r.IntN(width)
		}
		kind, place, wrong := r.IntN(3), r.Uint64N(8)*total, r.IntN(12)
		for lane := range width {
			at := base + place
			switch kind {
			case 1:
				at = base + uint64(lane)*total%256
			case 2:
				at = base + r.Uint64N(256/total)*total
			}
			if wrong == lane {
				at += []uint64{1, 1 << 12}[round/2%2]
			}
			values := make([]uint64, n)
			for i := range values {
				values[i] = r.Uint64() & alu.LowBits(register.Bits())
			}
			for k := range a {
				a[k].warp.regs.Set(a[k].addr, lane, at)
				for i, x := range values {
					a[k].warp.regs.Set(a[k].data[i], lane, x)
				}
			}
		}
		var effects [2]Effect
		var errs [2]error
		for k := range a {
			if round%4 < 2 {
				errs[k] = a[k].load.exec(a[k].warp, mask, &effects[k])
			} else {
				errs[k] = a[k].store.exec(a[k].warp, mask, &effects[k])
			}
		}
		if fmt.Sprint(errs[0]) != fmt.Sprint(errs[1]) {
			t.Fatalf("round %d: error %v, want %v", round, errs[0], errs[1])
		}
		if errs[0] != nil {
			for k := range a {
				copy(a[k].bytes, a[0].bytes) // what was done before the error does not matter
			}
			continue
		}
		compareAccesses(t, a, effects, mask, width)
	}
}

func compareAccesses(t *testing.T, a [2]accesses, effects [2]Effect, mask uint64, width int) {
	t.Helper()
	for lane := range width {
		for i := range a[0].data {
			got, want := a[0].warp.regs.At(a[0].data[i], lane), a[1].warp.regs.At(a[1].data[i], lane)
			if got != want && (mask>>lane&1 != 0 || mask != a[0].warp.regs.Full) {
				t.Fatalf("element %d of lane %d is %x, want %x (mask %x)", i, lane, got, want, mask)
			}
		}
		if mask>>lane&1 != 0 && effects[0].Access.Addr[lane] != effects[1].Access.Addr[lane] {
			t.Fatalf("the address of lane %d is %x, want %x", lane, effects[0].Access.Addr[lane], effects[1].Access.Addr[lane])
		}
	}
	if !slices.Equal(a[0].bytes, a[1].bytes) {
		t.Fatalf("memory is %x, want %x", a[0].bytes, a[1].bytes)
	}
	for k := range effects {
		effects[k].Access.Addr = [alu.MaxWidth]uint64{}
	}
	if effects[0].Access != effects[1].Access {
		t.Fatalf("the access is %+v, want %+v", effects[0].Access, effects[1].Access)
	}
}

// newAccesses makes a warp with a load and a store of n elements in a space of 256 bytes.
func newAccesses(t *testing.T, typ isa.Type, n int, register isa.Type, space isa.Space, width int) accesses {
	t.Helper()
	k := &isa.Kernel{Name: "k", AddressBits: 64, Regs: regs(isa.U64, isa.U64)}
	k.Vars = []isa.Var{{Name: "place", Space: space, Bytes: 256, Align: 16}}
	ld := isa.Instr{Op: isa.Ld, Type: typ, Space: space, Src: ops(at(0, 0))}
	st := isa.Instr{Op: isa.St, Type: typ, Space: space, Src: ops(at(0, 0))}
	for i := range n {
		r := reg(isa.Reg(2 + i))
		k.Regs = append(k.Regs, regs(register)...)
		ld.Dst, st.Src = append(ld.Dst, r), append(st.Src, r)
	}
	k.Instrs = []isa.Instr{{Op: isa.Mov, Type: isa.U64, Dst: ops(reg(1)), Src: ops(imm(0))}, {Op: isa.Mov, Type: isa.U64, Dst: ops(reg(0)), Src: ops(imm(0))},
		ld, st, {Op: isa.St, Type: isa.U64, Space: space, Src: ops(at(0, 0), reg(1))}, {Op: isa.Exit}}
	c := decode(t, k)
	g, err := NewGrid(c, Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{width, 1, 1}}, new(Memory), width)
	if err != nil {
		t.Fatal(err)
	}
	cta := new(CTA)
	g.StartCTA(cta, 0)
	a := accesses{warp: &cta.Warps[0], load: c.instrs[2].op.(*load), store: c.instrs[3].op.(*store), addr: c.registers[0]}
	for i := range n {
		a.data = append(a.data, c.registers[2+i])
	}
	a.bytes = cta.shared.data
	if space == isa.Local {
		a.bytes = a.warp.local.data
	}
	r := rand.New(rand.NewPCG(13, 14))
	for i := range a.bytes {
		a.bytes[i] = byte(r.Uint32())
	}
	return a
}

// zero returns the place of a register that is zero in all lanes.
func (a *accesses) zero() alu.Slot {
	s := a.warp.code.registers[1]
	for lane := range lanes * a.warp.regs.Chunks {
		a.warp.regs.Set(s, lane, 0)
	}
	return s
}
