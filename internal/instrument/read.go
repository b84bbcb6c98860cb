package instrument

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// readWarp reads the region of a warp, in which all records fit.
func readWarp(region []byte) (Warp, error) {
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(region[at:]) }
	long := func(at int) uint64 { return binary.LittleEndian.Uint64(region[at:]) }
	w := Warp{SM: int32(word(4)), Start: long(16), End: long(24)}
	for i := range int(word(0)) {
		at := headBytes + i*recordBytes
		w.Records = append(w.Records, Record{Clock: long(at), Number: word(at + 8), Lanes: word(at + 12)})
	}
	if left := word(8); w.SM < 0 || left != word(4) {
		return Warp{}, fmt.Errorf("it started on multiprocessor %d and ended on %d", word(4), left)
	}
	return w, w.check()
}

// check orders the records, and checks that they frame the warp.
func (w *Warp) check() error {
	if len(w.Records) == 0 {
		return errors.New("it has no record")
	}
	// Sides of a branch that run by turns may take their slots in another order than they
	// read the clock.
	slices.SortStableFunc(w.Records, func(a, b Record) int { return cmp.Compare(a.Clock, b.Clock) })
	first := w.Records[0]
	if first.Number != startNumber {
		return errors.New("its first record is not that of its start")
	}
	last, alive := -1, first.Lanes
	for i, r := range w.Records[1:] {
		switch {
		case r.Lanes == 0 || r.Lanes&^alive != 0:
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
