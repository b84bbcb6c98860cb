package emu

import (
	"fmt"

	"warpbound/internal/alu"
	"warpbound/internal/cfg"
	"warpbound/internal/isa"
)

// decoder makes one Code.
type decoder struct {
	kernel    *isa.Kernel
	graph     *cfg.Graph
	code      *Code
	registers []alu.Slot               // of each register that is no predicate
	masks     []alu.MaskSlot           // of each predicate
	changing  map[isa.Special]alu.Slot // of the special registers of scope ofStep
	joining   []int                    // instructions that name lanes which take part
	slots     map[constant]alu.Slot

	in  *isa.Instr // being decoded
	pc  int
	out *instr
	err error // the first about in
}

// fail notes an error about the current instruction.
func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
}

// note keeps an error about the current instruction, unless it is nil or there is one.
func (d *decoder) note(err error) {
	if d.err == nil {
		d.err = err
	}
}

// unsupported notes that the current operation has no meaning on its types.
func (d *decoder) unsupported() { d.note(alu.Unsupported(d.in)) }
