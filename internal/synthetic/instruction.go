package synthetic

import (
	"fmt"
	"math/rand/v2"
)

// op is what an instruction does.
type op uint8

const (
	load op = iota
	store
	add
	sub
	xor
	maximum
	ops
)

// mnemonics are the operations in PTX. Arithmetic ones all belong to one class of timing, so
// that equal numbers of them take equal times.
var mnemonics = [ops]string{
	load: "ld.global.u32", store: "st.global.u32",
	add: "add.u32", sub: "sub.u32", xor: "xor.b32", maximum: "max.u32",
}

func (o op) memory() bool { return o == load || o == store }

// The number of registers on which instructions compute, and of elements that each work-item
// has of the buffer from which it loads and of that to which it stores. One element more
// of the latter holds what the registers are at the end.
const (
	registers = 8
	slots     = 16
)

// instruction is one instruction of a part: to = to op other, to = in[slot], or
// out[slot] = to. other is a register unless it is negative: then it is value.
type instruction struct {
	op    op
	to    int
	other int
	value uint32
	slot  int
}

// draw draws the instructions of a part. The share of those that access memory is as
// even as it can be along the part.
func (c *Config) draw(src *rand.Rand, n int) []instruction {
	list := make([]instruction, n)
	for i := range list {
		in := instruction{to: src.IntN(registers)}
		if (i+1)*c.Memory/100 > i*c.Memory/100 {
			in.op, in.slot = op(src.IntN(int(store)+1)), src.IntN(slots)
		} else {
			in.op = add + op(src.IntN(int(ops-add)))
			in.other, in.value = src.IntN(2*registers), src.Uint32()
			if in.other >= registers {
				in.other = -1
			}
		}
		list[i] = in
	}
	return list
}

// text is the instruction in PTX. Elements of one slot are stride bytes from those of the next.
func (in instruction) text(stride int) string {
	name := mnemonics[in.op]
	switch {
	case in.op == load:
		return fmt.Sprintf("%s %%w%d, [%%in+%d]", name, in.to, in.slot*stride)
	case in.op == store:
		return fmt.Sprintf("%s [%%out+%d], %%w%d", name, in.slot*stride, in.to)
	case in.other >= 0:
		return fmt.Sprintf("%s %%w%d, %%w%d, %%w%d", name, in.to, in.to, in.other)
	}
	return fmt.Sprintf("%s %%w%d, %%w%d, %d", name, in.to, in.to, in.value)
}
