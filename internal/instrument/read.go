package instrument

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// readWarp reads the region of a warp, in which all records fit.
func (l Layout) readWarp(region []byte) (Warp, error) {
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(region[at:]) }
	long := func(at int) uint64 { return binary.LittleEndian.Uint64(region[at:]) }
	w := Warp{SM: int32(word(128)), Start: long(144), End: long(152)}
	first := 0
	for lane, capacity := range l.Capacity {
		end := int(word(4 * lane))
		if end > 0 && end < first {
			return Warp{}, fmt.Errorf("lane %d ended at slot %d, but its first is %d", lane, end, first)
		}
		for slot := first; slot < end; slot++ {
			at := headBytes + slot*recordBytes
			r := Record{Clock: long(at), Number: word(at + 8), Lanes: word(at + 12)}
			if bits.TrailingZeros32(r.Lanes) != lane {
				return Warp{}, fmt.Errorf("lane %d has a record of lanes %08x, of which it is not the lowest", lane, r.Lanes)
			}
			w.Records = append(w.Records, r)
		}
		first += capacity
	}
	if left := word(132); w.SM < 0 || left != word(128) {
		return Warp{}, fmt.Errorf("it started on multiprocessor %d and ended on %d", word(128), left)
	}
	return w, w.check()
}

// check orders the records, and checks that they frame the warp.
func (w *Warp) check() error {
	if len(w.Records) == 0 {
		return errors.New("it has no record")
	}
	// Each lane's records are in order, and two of a warp never read the clock in one cycle.
	slices.SortStableFunc(w.Records, func(a, b Record) int { return cmp.Compare(a.Clock, b.Clock) })
	first := w.Records[0]
	if first.Number != startNumber {
		return errors.New("its first record is not that of its start")
	}
	last, alive := -1, first.Lanes
	for i, r := range w.Records[1:] {
		switch {
		case r.Lanes&^alive != 0:
			return fmt.Errorf("record %d is of lanes %08x, of which only %08x can run", i+1, r.Lanes, alive)
		case r.Number == startNumber:
			return fmt.Errorf("record %d is a second start", i+1)
		case r.Number == exitNumber:
			alive &^= r.Lanes
			last = i + 1
		}
	}
	if alive != 0 {
		return fmt.Errorf("lanes %08x have no exit", alive)
	}
	if last != len(w.Records)-1 {
		return errors.New("its last record is not that of its exit")
	}
	return nil
}

// Nanoseconds returns the time from the first start to the last exit by the global timer, whose
// steps may be longer than a short kernel takes. It reports false if the code does not read it.
func (r *Recording) Nanoseconds() (ns int64, timed bool) {
	first, last := uint64(math.MaxUint64), uint64(0)
	for _, w := range r.Warps {
		first, last = min(first, w.Start), max(last, w.End)
	}
	if first == 0 || last < first {
		return 0, false
	}
	return int64(last - first), true
}
