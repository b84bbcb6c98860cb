package emu

import (
	"reflect"
	"slices"

	"pgregory.net/rapid"

	"warpbound/internal/abi"
	"warpbound/internal/isa"
)

// once is a warp whose first instruction accesses 64 bytes of a space.
type once struct {
	code  *Code
	cta   CTA
	width int
	start uint64 // address of the bytes
	data  []byte
}

func newOnce(t *rapid.T, code *Code, space isa.Space, width int) *once {
	mem := new(Memory)
	buffer, err := mem.Alloc("buffer", 64)
	if err != nil {
		t.Fatal(err)
	}
	g, err := NewGrid(code, Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{width, 1, 1}, DynamicShared: 64}, mem, width)
	if err != nil {
		t.Fatal(err)
	}
	o := &once{code: code, width: width, start: buffer, data: mem.Bytes(buffer)}
	g.StartCTA(&o.cta, 0)
	switch space {
	case isa.Shared:
		o.start, o.data = abi.SharedBase, o.cta.shared.data
	case isa.Local:
		o.start, o.data = abi.LocalBase, o.cta.Warps[0].local.data
	}
	return o
}

// set sets a register of a lane.
func (o *once) set(register, lane int, value uint64) {
	o.cta.Warps[0].regs.Broadcast(o.code.registers[register], value, 1<<lane)
}

// accessed is what an access did: an error, or all else. Addresses of lanes that were not active
// are zero.
type accessed struct {
	err     string
	effect  Effect
	results []uint64 // register 1
	data    []byte
}

// access executes the instruction.
func (o *once) access(mask uint64) accessed {
	w := &o.cta.Warps[0]
	out := accessed{results: make([]uint64, o.width), data: o.data}
	if err := o.code.instrs[0].op.exec(w, mask, &out.effect); err != nil {
		return accessed{err: err.Error(), data: o.data}
	}
	for i := range out.results {
		out.results[i] = w.regs.At(o.code.registers[1], i)
		if mask>>i&1 == 0 {
			out.effect.Access.Addr[i] = 0
		}
	}
	return out
}

// equal compares what was done in two ways.
func (got accessed) equal(t *rapid.T, want accessed) {
	if got.err != want.err {
		t.Fatalf("error %q, want %q", got.err, want.err)
	}
	if !reflect.DeepEqual(got.effect, want.effect) {
		t.Fatalf("apart %#x, want %#x; %+v, want %+v", got.effect.Access.AddrDiff, want.effect.Access.AddrDiff, got.effect, want.effect)
	}
	if !slices.Equal(got.results, want.results) || string(got.data) != string(want.data) {
		t.Fatalf("results %v, want %v; memory %x, want %x", got.results, want.results, got.data, want.data)
	}
}
