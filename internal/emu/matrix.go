package emu

import (
	"encoding/binary"

	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// Lanes that access matrices give the addresses of rows: lane 8*i+j that of row j of matrix i. Each
// is an access to 16 bytes by that lane. A register holds two elements of a row in each of four
// lanes, those of row lane/4 (PTX ISA, ldmatrix, stmatrix).
const matrixRows = 8

// aligned is an operation that all lanes of a warp execute together.
type aligned struct{ alu.Operation }

func (op *aligned) exec(w *Warp, mask uint64, eff *Effect) error {
	if err := alu.CheckAligned(mask); err != nil {
		return w.laneFault(int32(eff.PC), err)
	}
	op.Exec(&w.regs, mask)
	return nil
}

// matrixAccess loads or stores matrices of 8x8 elements of 16 bits.
type matrixAccess struct {
	access
	regs  []alu.Slot // one for each
	rows  int        // of all
	trans bool
}

func (op *matrixAccess) exec(w *Warp, mask uint64, eff *Effect) error {
	if err := alu.CheckAligned(mask); err != nil {
		return w.laneFault(int32(eff.PC), err)
	}
	op.begin(eff)
	var matrices [4]alu.Words
	if op.kind == Store {
		for i, s := range op.regs {
			matrices[i] = *w.regs.Narrow(s, 0)
			op.transpose(&matrices[i])
		}
	}
	c := cursor{access: &op.access, w: w, eff: eff}
	for lane := range op.rows {
		data, err := c.locate(lane, w.regs.At(op.base, lane))
		if err != nil {
			return err
		}
		row := matrices[lane/matrixRows][lane%matrixRows*4:][:4]
		for i := range row {
			if word := data[4*i:][:4]; op.kind == Store {
				binary.LittleEndian.PutUint32(word, row[i])
			} else {
				row[i] = binary.LittleEndian.Uint32(word)
			}
		}
	}
	c.end(alu.LowBits(op.rows))
	for lane := op.rows; lane < len(alu.Words{}); lane++ {
		eff.Access.Addr[lane] = eff.Access.Addr[0]
	}
	if op.kind == Load {
		for i, s := range op.regs {
			op.transpose(&matrices[i])
			w.regs.AssignWords(s, 0, &matrices[i], mask)
		}
	}
	return nil
}

func (op *matrixAccess) transpose(m *alu.Words) {
	if op.trans {
		as := *m
		alu.TransposeMatrix(m, &as)
	}
}

// matrixAccess decodes LdMatrix and StMatrix.
func (d *decoder) matrixAccess() operation {
	in := d.in
	op := &matrixAccess{access: d.address(in.Src[0]), rows: in.MatrixRows(), trans: in.Matrix.Trans}
	op.kind, op.space, op.bytes, op.total = Load, in.Space, isa.MatrixRow, isa.MatrixRow
	if in.Op == isa.StMatrix {
		op.kind = Store
		for i := range in.Src[1:] {
			op.regs = append(op.regs, d.source(i+1, false))
		}
	}
	for i := range in.Dst {
		op.regs = append(op.regs, d.dest(i, 32))
	}
	return op
}
