package scoreboard

import "warpbound/internal/machine"

// background is what others than the kernel ask of the DRAM of a partition: a stream of lines, one after the other, at fixed
// intervals. The lines go to the partitions in turn, and in each of them through one row of a bank and then one of the next bank.
//
// Nothing happens for its sake: what was due since the controller acted last is served when the kernel has something for it
// to do. Between two acts of the controller the kernel changes nothing, so that this is the same as serving it in time, and a
// machine on which nothing can ever issue again is found as without others.
type background struct {
	per    int64 // the DRAM cycle of the n-th line of all partitions is n*cycles/per, rounded up; 0 if there are no others
	cycles int64
	first  int64 // number of the first line of this partition among those of all
	step   int64 // from one of its lines to the next
	lines  int64 // of a row
	sent   int64 // lines of this partition so far
}

func newBackground(m *machine.Machine, partition int) background {
	if !m.SharesDRAM() {
		return background{}
	}
	return background{
		per: m.DRAM.Background.Value, cycles: m.L2.Line.Value * m.Clock.DRAM.Value,
		first: int64(partition), step: m.L2.Partitions.Value, lines: m.DRAM.Row.Value / m.L2.Line.Value,
	}
}

// due returns the DRAM cycle of the next line.
func (b *background) due() int64 {
	if b.per == 0 {
		return never
	}
	return scale(b.first+b.sent*b.step, b.cycles, b.per)
}

// serveOthers serves what others have asked for until the cycle t: before the kernel, but for accesses that have begun. A line
// takes the bus when the data of the quicker of read and write would: if they reserved it further ahead than an access of the
// kernel can, they would keep that from it forever.
func (d *dram) serveOthers(t int64) {
	lead := min(d.m.DRAM.CL.Value, d.m.DRAM.WL.Value)
	for at := d.others.due(); at <= t; at = d.others.due() {
		d.closeFor(at)
		d.busFree = max(d.busFree, at+lead) + d.burst
		d.others.sent++
	}
}

// closeFor opens the row of the next line of others, if the bank has another. It leaves the kernel a row that was
// opened for it and that it has not accessed yet, or neither would ever get anywhere in a bank for which both compete. What others wait for
// their row does not keep the bus: they have many requests under way.
func (d *dram) closeFor(at int64) {
	b := &d.banks[d.others.sent/d.others.lines%int64(len(d.banks))]
	if b.row == foreignRow || b.row != noRow && !b.used {
		return
	}
	closing := int64(0)
	if b.row != noRow {
		closing = d.m.DRAM.RP.Value
	}
	ready := max(at, b.close, b.activate-closing, d.opened+d.m.DRAM.RRD.Value-closing)
	d.open(b, foreignRow, ready+closing)
	d.showAll()
}
