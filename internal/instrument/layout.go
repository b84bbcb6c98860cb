package instrument

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
)

// Symbol is the module's variable that says where recording code writes: the address of the
// buffer (u64), how many bytes each warp has (u32), a word that is not used, and for each
// lane its first slot and the one after its last (u32 each). The host writes it before every
// launch.
const Symbol = "__warpbound_trace"

// The buffer has a region for each warp of the launch, CTA after CTA: a head and then the
// slots of its lanes, lane after lane, all little-endian. The host fills it with zeros before
// every launch.
//
//	head    0 u32 by lane, the slot after that of its last record, also where it has fewer
//	        slots; 0 if the lane does not exist
//	        128 u32 multiprocessor at the start, 132 u32 at the exit
//	        144 u64 nanoseconds of the global timer at the start, 152 at the exit
//	slot    0 u64 cycles of the multiprocessor's clock
//	        8 u32 number, 12 u32 mask of the lanes that were there
//
// A record is in a slot of the lowest of its lanes, which wrote it.
const (
	symbolBytes = 16 + 8*warpLanes
	headBytes   = 160
	recordBytes = 16
)

// warpLanes is the number of lanes of a warp of every device that executes PTX.
const warpLanes = 32

// maxCapacity keeps the bytes of a warp within 32 bits.
const maxCapacity = (math.MaxUint32 - headBytes) / recordBytes

// Capacity is how many records each lane of a warp has slots for. The lowest of the lanes
// that are together writes the record of all, most often lane 0.
type Capacity [warpLanes]int

// NewCapacity has slots for some records of lane 0, and about as many for all other lanes
// together.
func NewCapacity(lowest int) Capacity {
	var c Capacity
	for lane := range c {
		c[lane] = (lowest + warpLanes - 2) / (warpLanes - 1)
	}
	c[0] = lowest
	return c
}

// Total returns how many records a warp can have.
func (c Capacity) Total() int {
	total := 0
	for _, n := range c {
		total += n
	}
	return total
}

// Layout is the shape of a buffer.
type Layout struct {
	CTAs, Warps int // of the grid; of a CTA
	Capacity    Capacity
}

// NewLayout shapes the buffer of a launch: grid in CTAs, block in threads. A warp makes one
// record for each Ipoint, one at its start and one for every exit that some of its lanes take.
// It is an error if the buffer would have 2^40 bytes or more, and if warps, which the code
// numbers in 32 bits, are more than that.
func NewLayout(grid, block [3]int, capacity Capacity) (Layout, error) {
	ctas, threads := product(grid), product(block)
	l := Layout{CTAs: int(ctas), Warps: int((threads + warpLanes - 1) / warpLanes), Capacity: capacity}
	if ctas < 1 || threads < 1 || ctas > math.MaxInt32 || threads > math.MaxInt32 {
		return Layout{}, fmt.Errorf("no traces of a grid of %v CTAs of %v threads", grid, block)
	}
	left := maxCapacity
	for lane, n := range capacity {
		if n < 0 || n > left {
			return Layout{}, fmt.Errorf("a capacity of %d records for lane %d: a warp can have from 0 to %d", n, lane, maxCapacity)
		}
		left -= n
	}
	warps := uint64(l.CTAs) * uint64(l.Warps)
	high, low := bits.Mul64(warps, uint64(l.region()))
	if high > 0 || low >= 1<<40 || warps > math.MaxUint32 {
		return Layout{}, fmt.Errorf("%d records for each of %d warps do not fit into memory", capacity.Total(), l.CTAs*l.Warps)
	}
	return l, nil
}

// product multiplies extents; 0 stands for what is too large or not positive.
func product(extents [3]int) int64 {
	p := int64(1)
	for _, n := range extents {
		if n < 1 || n > math.MaxInt32 || p > math.MaxInt32 {
			return 0
		}
		p *= int64(n)
	}
	return p
}

// region is the size of the region of a warp in bytes.
func (l Layout) region() int { return headBytes + l.Capacity.Total()*recordBytes }

// Bytes returns the size of the buffer in bytes. Its address must be a multiple of 16.
func (l Layout) Bytes() int { return l.CTAs * l.Warps * l.region() }

// Symbol returns what the host writes to the variable Symbol if the buffer is at an address.
func (l Layout) Symbol(address uint64) []byte {
	b := binary.LittleEndian.AppendUint64(nil, address)
	b = binary.LittleEndian.AppendUint32(b, uint32(l.region()))
	b = binary.LittleEndian.AppendUint32(b, 0)
	slot := 0
	for _, n := range l.Capacity {
		b = binary.LittleEndian.AppendUint32(b, uint32(slot))
		slot += n
		b = binary.LittleEndian.AppendUint32(b, uint32(slot))
	}
	return b
}

// OverflowError says that lanes made more records than they have slots.
type OverflowError struct {
	Warps    int      // in which they did
	Lane     int      // the one with most records of those that did
	Max      Capacity // would have done, and is nowhere less than there was
	Capacity Capacity
}

// Error says how many records there were, and how many fit.
func (e *OverflowError) Error() string {
	return fmt.Sprintf("in %d warps a lane made more records than fit, lane %d up to %d where %d do: take a larger capacity, or fewer ipoints",
		e.Warps, e.Lane, e.Max[e.Lane], e.Capacity[e.Lane])
}

// Recording is what recording code wrote in one launch.
type Recording struct {
	Warps []Warp // in the order of CTAs and of their warps
}

// Warp is what it wrote for one warp.
type Warp struct {
	CTA, Warp  int32
	SM         int32
	Start, End uint64   // nanoseconds of the global timer; zero if the code does not read it
	Records    []Record // in the order of their cycles
}

// Record says that lanes of a warp were at a place of the code.
type Record struct {
	Clock  uint64 // cycles of the multiprocessor, from an origin of its own
	Number uint32 // of the place
	Lanes  uint32 // a mask
}

// Read reads a buffer after the launch. The error is an *OverflowError if records did not
// fit. Other errors say that a warp cannot have run from its start to its exit on one multiprocessor: the
// launch failed, or the buffer was not zero before.
func (l Layout) Read(buffer []byte) (*Recording, error) {
	if len(buffer) != l.Bytes() {
		return nil, fmt.Errorf("a buffer of %d bytes, want %d", len(buffer), l.Bytes())
	}
	if err := l.overflow(buffer); err != nil {
		return nil, err
	}
	r := &Recording{Warps: make([]Warp, 0, l.CTAs*l.Warps)}
	for i := range l.CTAs * l.Warps {
		w, err := l.readWarp(buffer[i*l.region():][:l.region()])
		if err != nil {
			return nil, fmt.Errorf("trace of CTA %d, warp %d: %w", i/l.Warps, i%l.Warps, err)
		}
		w.CTA, w.Warp = int32(i/l.Warps), int32(i%l.Warps)
		r.Warps = append(r.Warps, w)
	}
	return r, nil
}

// overflow returns an *OverflowError if records did not fit.
func (l Layout) overflow(buffer []byte) error {
	e := OverflowError{Max: l.Capacity, Capacity: l.Capacity}
	maximum := 0
	for i := range l.CTAs * l.Warps {
		over, first := false, 0
		for lane, capacity := range l.Capacity {
			n := int(binary.LittleEndian.Uint32(buffer[i*l.region()+4*lane:])) - first
			first += capacity
			if n <= capacity {
				continue
			}
			over = true
			e.Max[lane] = max(e.Max[lane], n)
			if n > maximum {
				maximum, e.Lane = n, lane
			}
		}
		if over {
			e.Warps++
		}
	}
	if e.Warps > 0 {
		return &e
	}
	return nil
}
