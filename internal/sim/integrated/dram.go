package integrated

import (
	"math/bits"

	"warpbound/internal/machine"
	"warpbound/internal/sim"
)

// dram is the banks of the memory behind the shared cache.
type dram struct {
	banks []bank
	shift int   // log2 of the lines of a row
	open  int64 // cycles from an open row to a line
	close int64 // cycles before that while the bank closes one row and opens another
}

// bank is a bank of the memory.
type bank struct {
	row  int64 // that is open, or closed
	from int64 // when it was open
}

// closed is the row of a bank that has none open.
const closed = -1

func newDRAM(m *machine.Machine) dram {
	d := &m.DRAM
	return dram{
		banks: make([]bank, d.Banks.Value),
		shift: bits.TrailingZeros64(uint64(d.Row.Value / m.L1.Line.Value)),
		open:  d.Open.Value, close: d.Conflict.Value - d.Open.Value,
	}
}

func (d *dram) reset() {
	for i := range d.banks {
		d.banks[i] = bank{row: closed}
	}
}

// place returns the bank of a line and the row in it: consecutive rows lie in consecutive
// banks.
func (d *dram) place(line uint64) (*bank, int64) {
	at := int64(line >> d.shift)
	n := int64(len(d.banks)) // a power of two
	return &d.banks[at&(n-1)], at / n
}

// read opens the row of a line and returns when the line has been read.
func (d *dram) read(line uint64, now int64, count *sim.Counters) int64 {
	b, row := d.place(line)
	count.DRAMReads++
	if b.row == row {
		count.RowHits++
	} else {
		count.RowMisses++
		b.row, b.from = row, now+d.close
	}
	return max(now, b.from) + d.open
}

// write closes the bank of a line that is written back.
func (d *dram) write(line uint64, count *sim.Counters) {
	b, _ := d.place(line)
	count.DRAMWrites++
	b.row = closed
}
