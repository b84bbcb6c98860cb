package instrument_test

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"strings"
	"testing"

	"warpbound/internal/instrument"
	"warpbound/internal/method"
	"warpbound/internal/trace"
)

const (
	startNumber = 1<<32 - 1
	exitNumber  = 1<<32 - 2
)

// rec is a record as recording code writes it.
type rec struct {
	clock         uint64
	number, lanes uint32
}

// room is room for as many records of each lane as lanes.
func room(lanes ...int) instrument.Capacity {
	var c instrument.Capacity
	copy(c[:], lanes)
	return c
}

// region writes the region of a warp: each record into a slot of its lowest lane.
func region(capacity instrument.Capacity, sm, left uint32, records ...rec) []byte {
	b := make([]byte, 160+16*capacity.Total())
	binary.LittleEndian.PutUint32(b[128:], sm)
	binary.LittleEndian.PutUint32(b[132:], left)
	slot := 0
	for lane, n := range capacity {
		next := slot
		for _, r := range records {
			if bits.TrailingZeros32(r.lanes) != lane {
				continue
			}
			if next < slot+n {
				at := b[160+16*next:]
				binary.LittleEndian.PutUint64(at, r.clock)
				binary.LittleEndian.PutUint32(at[8:], r.number)
				binary.LittleEndian.PutUint32(at[12:], r.lanes)
			}
			next++
		}
		binary.LittleEndian.PutUint32(b[4*lane:], uint32(next))
		slot += n
	}
	return b
}

func mustLayout(t *testing.T, grid, block [3]int, capacity instrument.Capacity) instrument.Layout {
	t.Helper()
	l, err := instrument.NewLayout(grid, block, capacity)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLayout(t *testing.T) {
	l := mustLayout(t, [3]int{3, 2, 1}, [3]int{10, 5, 2}, room(4, 0, 3))
	if l.CTAs != 6 || l.Warps != 4 || l.Bytes() != 6*4*(160+7*16) {
		t.Errorf("%+v of %d bytes", l, l.Bytes())
	}
	symbol := l.Symbol(0x1122334455667788)
	if len(symbol) != 16+32*8 || binary.LittleEndian.Uint64(symbol) != 0x1122334455667788 || binary.LittleEndian.Uint32(symbol[8:]) != 160+7*16 {
		t.Errorf("symbol %x", symbol)
	}
	for lane, want := range [][2]uint32{{0, 4}, {4, 4}, {4, 7}, {7, 7}} {
		at := symbol[16+8*lane:]
		if got := [2]uint32{binary.LittleEndian.Uint32(at), binary.LittleEndian.Uint32(at[4:])}; got != want {
			t.Errorf("lane %d has slots %d, want %d", lane, got, want)
		}
	}
	if c := instrument.NewCapacity(63); c[0] != 63 || c[1] != 3 || c[31] != 3 || c.Total() != 63+31*3 {
		t.Errorf("capacity %d", c)
	}
	for name, launch := range map[string]struct {
		grid, block [3]int
		capacity    instrument.Capacity
	}{
		"no CTA":        {[3]int{0, 1, 1}, [3]int{1, 1, 1}, room(1)},
		"many CTAs":     {[3]int{1 << 20, 1 << 20, 1 << 20}, [3]int{1, 1, 1}, room(1)},
		"less than no":  {[3]int{1, 1, 1}, [3]int{1, 1, 1}, room(5, -1)},
		"much capacity": {[3]int{1, 1, 1}, [3]int{1, 1, 1}, room(1<<27, 1<<27)},
		"many warps":    {[3]int{1 << 30, 1, 1}, [3]int{160, 1, 1}, room(1)},
		"memory":        {[3]int{1 << 30, 1, 1}, [3]int{1024, 1, 1}, room(1 << 20)},
	} {
		if _, err := instrument.NewLayout(launch.grid, launch.block, launch.capacity); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestReadErrors(t *testing.T) {
	noLanes := region(room(4, 4), 0, 0, rec{1, startNumber, 3}, rec{2, 0, 3})
	clear(noLanes[160+16+12:])
	misplaced := region(room(4, 4), 0, 0, rec{1, startNumber, 3}, rec{2, exitNumber, 3})
	misplaced[4] = 3
	for _, tt := range []struct {
		name string
		data []byte
		want string
	}{
		{"size", make([]byte, 9), "a buffer of 9 bytes, want 288"},
		{"never ran", region(room(4, 4), 0, 0), "trace of CTA 0, warp 0: it has no record"},
		{"no start", region(room(4, 4), 0, 0, rec{1, 0, 1}), "not that of its start"},
		{"two starts", region(room(4, 4), 0, 0, rec{1, startNumber, 3}, rec{2, startNumber, 3}), "second start"},
		{"no exit", region(room(4, 4), 0, 0, rec{1, startNumber, 3}, rec{2, exitNumber, 1}), "lanes 00000002 have no exit"},
		{"dead lanes", region(room(4, 4), 0, 0, rec{1, startNumber, 3}, rec{2, exitNumber, 1}, rec{3, 0, 1}), "only 00000002 can run"},
		{"no lanes", noLanes, "lane 0 has a record of lanes 00000000, of which it is not the lowest"},
		{"misplaced", misplaced, "lane 1 ended at slot 3, but its first is 4"},
		{"moved", region(room(4, 4), 3, 5, rec{1, startNumber, 3}, rec{2, exitNumber, 3}), "started on multiprocessor 3 and ended on 5"},
	} {
		_, err := mustLayout(t, [3]int{1, 1, 1}, [3]int{2, 1, 1}, room(4, 4)).Read(tt.data)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestOverflow: too small a buffer is an error that says what size would do.
func TestOverflow(t *testing.T) {
	b := mustJob(t, jobText, kernel("6.3", "sm_70", "", bodies["loop"].body))
	_, err := b.record(method.EveryBlock(), room(3))
	var overflow *instrument.OverflowError
	if !errors.As(err, &overflow) || overflow.Capacity != room(3) || overflow.Warps == 0 || overflow.Max[overflow.Lane] < 4 {
		t.Fatalf("error %v", err)
	}
	if _, err := b.record(method.EveryBlock(), overflow.Max); err != nil {
		t.Fatal(err)
	}
	for lane, n := range overflow.Max {
		less := overflow.Max
		less[lane]--
		if n == 0 || lane == 0 && n == 3 {
			continue
		}
		var again *instrument.OverflowError
		if _, err := b.record(method.EveryBlock(), less); !errors.As(err, &again) || again.Lane != lane || again.Max != overflow.Max {
			t.Errorf("without a slot of lane %d: %v", lane, err)
		}
	}
}

// pairs is a graph of some transitions.
type pairs []instrument.Transition

func (p pairs) Follows(from, to trace.Ipoint) bool {
	for _, t := range p {
		if t.From == from && t.To == to {
			return true
		}
	}
	return false
}

// TestUnknown: paths of a branch that run by turns give transitions that are counted, and the
// order of records is that of the clock.
func TestUnknown(t *testing.T) {
	b := mustJob(t, jobText, kernel("6.3", "sm_70", "", `setp.lt.u32 %p1, %t, 7; @%p1 bra a; mov.u32 %r1, 1; bra c;
		a: mov.u32 %r1, 2; c: st.global.u32 [%at], %r1; ret;`))
	code, err := b.points.Choose([]bool{true, true, true, true})
	if err != nil {
		t.Fatal(err)
	}
	layout := mustLayout(t, [3]int{2, 1, 1}, [3]int{32, 1, 1}, room(9, 0, 0, 0, 0, 0, 0, 9))
	all, low := uint32(1<<32-1), uint32(0x7f)
	warp := func(sm uint32, origin uint64) []byte {
		return region(room(9, 0, 0, 0, 0, 0, 0, 9), sm, sm,
			rec{origin, startNumber, all}, rec{origin + 5, 0, all}, rec{origin + 10, 1, all &^ low}, rec{origin + 30, 3, all &^ low},
			rec{origin + 20, 2, low}, rec{origin + 40, 3, low}, rec{origin + 50, exitNumber, low}, rec{origin + 60, exitNumber, all &^ low})
	}
	recording, err := layout.Read(append(warp(4, 1000), warp(2, 70)...))
	if err != nil {
		t.Fatal(err)
	}
	g := pairs{{trace.Start, 0}, {0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}, {3, trace.Exit}}
	var run trace.Run
	following, err := recording.Trace(code, g, &run)
	if err != nil {
		t.Fatal(err)
	}
	if following.Total() != 2 || following.Unknown[instrument.Transition{From: 3, To: 3}] != 2 || following.Ambiguous != 0 {
		t.Errorf("%+v", following)
	}
	if run.End != 60 || len(run.Records) != 14 || following.Records != 14 || run.Records[0].Cycle != 0 || run.Records[1].Cycle != 0 {
		t.Errorf("%+v", run)
	}
	recording.Warps[0].Records[2].Number = 99
	if _, err := recording.Trace(code, g, &run); err == nil || !strings.Contains(err.Error(), "the code has no record 99") {
		t.Errorf("error %v", err)
	}
}

func TestNanoseconds(t *testing.T) {
	r := instrument.Recording{Warps: []instrument.Warp{{Start: 500, End: 700}, {Start: 450, End: 650}}}
	if ns, timed := r.Nanoseconds(); ns != 250 || !timed {
		t.Error(ns, timed)
	}
	r.Warps = []instrument.Warp{{Start: 500, End: 500}} // within a step of the timer
	if ns, timed := r.Nanoseconds(); ns != 0 || !timed {
		t.Error(ns, timed)
	}
	r.Warps[0] = instrument.Warp{}
	if ns, timed := r.Nanoseconds(); ns != 0 || timed {
		t.Error(ns, timed)
	}
}

// FuzzRead: whatever is in a buffer, reading it gives a trace or an error.
func FuzzRead(f *testing.F) {
	b, err := jobOf(jobText, kernel("6.3", "sm_70", "", bodies["loop"].body))
	if err != nil {
		f.Fatal(err)
	}
	code, err := b.points.Choose([]bool{true, true, true})
	if err != nil {
		f.Fatal(err)
	}
	layout, err := instrument.NewLayout([3]int{1, 1, 1}, [3]int{32, 1, 1}, room(4, 4))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(region(room(4, 4), 1, 1, rec{5, startNumber, 3}, rec{7, 0, 3}, rec{1 << 63, exitNumber, 3}))
	f.Add(region(room(4, 4), 1, 1, rec{5, startNumber, 3}, rec{7, 1, 1}, rec{8, 2, 1}, rec{9, exitNumber, 3}))
	f.Fuzz(func(t *testing.T, data []byte) {
		recording, err := layout.Read(data)
		if err != nil {
			return
		}
		var run trace.Run
		if _, err := recording.Trace(code, pairs{{0, 1}, {1, 1}}, &run); err != nil {
			return
		}
		last := run.Records[len(run.Records)-1]
		if last.Ipoint != trace.Exit || last.Cycle != run.End || run.Records[0].Cycle != 0 {
			t.Errorf("%+v", run)
		}
	})
}
