package emu

import (
	"warpbound/internal/cfg"
	"warpbound/internal/isa"
)

type (
	slot     int32
	constant struct{}
	instr    struct{}
)

// Decode makes a kernel ready for execution. Diverged lanes reconverge at the
// immediate post-dominators of g. An unknown instruction, or an operation that
// has no meaning on its type, is an error with the instruction's position and
// text.
func Decode(k *isa.Kernel, g *cfg.Graph) (*Code, error) {
	return &Code{kernel: k}, nil
}
