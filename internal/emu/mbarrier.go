package emu

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// mbarrier is a barrier object in shared memory: its phase is complete when no arrivals and no bytes are
// pending (PTX ISA, Parallel Synchronization and Communication Instructions, mbarrier). The memory holds
// what image gives, so that a write that is none of mbarrier's is found out.
type mbarrier struct {
	addr     uint64
	phase    uint32 // number of the current one
	expected int    // arrivals of a phase
	pending  int    // that are still to come
	bytes    int    // still to be transferred; negative if more were than is expected so far
}

const (
	mbarrierBytes = 8
	mbarrierMax   = 1<<20 - 1 // arrivals, and bytes

	// pollsOfDeadlock is how often each warp of a CTA that does not wait otherwise looks at an mbarrier in vain, without
	// any change to one, until that is a deadlock.
	pollsOfDeadlock = 1 << 14
)

var errMbarrier = errors.New("misuse of an mbarrier")

// image is the object as memory holds it.
func (b *mbarrier) image() uint64 {
	return 1<<62 | uint64(b.phase&1)<<61 | uint64(b.bytes+mbarrierMax)<<40 | uint64(b.expected)<<20 | uint64(b.pending)
}

// state is what an arrival gives: the arrivals that were pending and the number of the phase.
func (b *mbarrier) state() uint64 { return uint64(b.phase)<<32 | uint64(b.pending) }

// expect makes the phase expect bytes, or fewer if n is negative.
func (b *mbarrier) expect(n int) error {
	if b.bytes += n; b.bytes > mbarrierMax || b.bytes < -mbarrierMax {
		return fmt.Errorf("%w: the tx-count becomes %d, and lies between %d and %d", errMbarrier, b.bytes, -mbarrierMax, mbarrierMax)
	}
	return nil
}

// arrive counts arrivals.
func (b *mbarrier) arrive(n int) error {
	if n < 1 || n > b.pending {
		return fmt.Errorf("%w: %d arrivals, where the phase waits for %d more", errMbarrier, n, b.pending)
	}
	b.pending -= n
	return nil
}

// settle begins the next phase if the current one is complete.
func (b *mbarrier) settle() {
	if b.pending == 0 && b.bytes == 0 {
		b.phase++
		b.pending = b.expected
	}
}

// mbarrierOp does something to mbarrier objects, lane after lane.
type mbarrierOp struct {
	access
	does    isa.MbarrierOp
	b       alu.Slot // the second source, if counted
	counted bool
	d       alu.Slot     // the state
	p       alu.MaskSlot // of a test
}

func (op *mbarrierOp) exec(w *Warp, mask uint64, eff *Effect) error {
	op.begin(eff)
	c := cursor{access: &op.access, w: w, eff: eff}
	passed := uint64(0)
	for m := mask; m != 0; m &= m - 1 {
		lane := alu.First(m)
		data, err := c.locate(lane, w.regs.At(op.base, lane))
		if err != nil {
			return err
		}
		if c.r != &w.cta.shared {
			return w.faultf(int32(eff.PC), 1<<lane, "%w: the address 0x%x is not in shared memory", errMbarrier, eff.Access.Addr[lane])
		}
		if op.does == isa.MbarrierInit && w.cta.isMbarrier(eff.Access.Addr[lane]) {
			w.cta.grid.noteUndefined(int32(eff.PC), "an mbarrier is there already: mbarrier.inval has to come first")
		}
		over, err := op.lane(w, lane, eff.Access.Addr[lane], data)
		if err != nil {
			return w.fault(int32(eff.PC), lane, err)
		}
		if over {
			passed |= 1 << lane
		}
	}
	c.end(mask)
	if !op.does.Tests() {
		w.cta.changes++
		return nil
	}
	w.regs.SetMask(op.p, passed, mask)
	return w.poll(passed == mask, int32(eff.PC))
}

// lane executes the operation for one lane on the object at an address, and reports for a test whether the phase is over.
func (op *mbarrierOp) lane(w *Warp, lane int, addr uint64, data []byte) (over bool, err error) {
	n := 1
	second := uint64(0)
	if op.counted {
		second = w.regs.At(op.b, lane)
		n = int(uint32(second))
	}
	if op.does == isa.MbarrierInit {
		if n < 1 || n > mbarrierMax {
			return false, fmt.Errorf("%w: it is to expect %d arrivals, which are 1 to %d", errMbarrier, n, mbarrierMax)
		}
		b := mbarrier{addr: addr, expected: n, pending: n}
		w.cta.forgetMbarrier(addr)
		w.cta.mbarriers = append(w.cta.mbarriers, b)
		binary.LittleEndian.PutUint64(data, b.image())
		return false, nil
	}
	b, err := w.cta.mbarrier(addr, binary.LittleEndian.Uint64(data))
	if err != nil {
		return false, err
	}
	before := b.state()
	switch op.does {
	case isa.MbarrierInval:
		w.cta.forgetMbarrier(addr)
		return false, nil
	case isa.MbarrierArrive, isa.MbarrierArriveOnly, isa.MbarrierDrop, isa.MbarrierDropOnly:
		err = b.arrive(n)
	case isa.MbarrierArriveExpect, isa.MbarrierDropExpect:
		if err = b.expect(n); err == nil {
			n = 1
			err = b.arrive(n)
		}
	case isa.MbarrierExpect:
		err = b.expect(n)
	case isa.MbarrierComplete:
		err = b.expect(-n)
	case isa.MbarrierCopies: // what it makes the phase expect has arrived: copies are done at once
		if b.pending == mbarrierMax {
			err = fmt.Errorf("%w: it waits for %d arrivals, and cannot for one more", errMbarrier, b.pending)
		}
	case isa.MbarrierCopiesExpected:
		err = b.arrive(1)
	case isa.MbarrierTest, isa.MbarrierTry:
		switch uint32(second>>32) - b.phase {
		case 0:
			return false, nil
		case ^uint32(0):
			return true, nil
		}
		return false, fmt.Errorf("%w: the state is that of phase %d, and only the current phase %d and the one before can be asked for", errMbarrier, uint32(second>>32), b.phase)
	case isa.MbarrierTestParity, isa.MbarrierTryParity:
		if n > 1 {
			return false, fmt.Errorf("%w: parity %d, which is 0 or 1", errMbarrier, n)
		}
		return uint32(n) != b.phase&1, nil
	}
	if err != nil {
		return false, err
	}
	switch op.does {
	case isa.MbarrierDrop, isa.MbarrierDropExpect, isa.MbarrierDropOnly:
		if b.expected -= n; b.expected < 0 {
			return false, fmt.Errorf("%w: %d arrivals fewer are expected than none", errMbarrier, -b.expected)
		}
	}
	phase := b.phase
	b.settle()
	if b.phase != phase && (op.does == isa.MbarrierArriveOnly || op.does == isa.MbarrierDropOnly) {
		return false, fmt.Errorf("%w: the arrival completes the phase, which .noComplete excludes", errMbarrier)
	}
	binary.LittleEndian.PutUint64(data, b.image())
	if op.does.Arrives() {
		w.regs.Set(op.d, lane, before)
	}
	return false, nil
}

// mbarrier returns the object at an address where memory holds a number.
func (c *CTA) mbarrier(addr, image uint64) (*mbarrier, error) {
	for i := range c.mbarriers {
		b := &c.mbarriers[i]
		if b.addr != addr {
			continue
		}
		if b.image() != image {
			return nil, fmt.Errorf("%w: its memory at 0x%x was written by other instructions%s", errMbarrier, addr, c.grid.place(&c.shared, addr))
		}
		return b, nil
	}
	return nil, fmt.Errorf("%w: there is none at 0x%x%s: mbarrier.init has to come first", errMbarrier, addr, c.grid.place(&c.shared, addr))
}

// isMbarrier reports whether there is an object at an address.
func (c *CTA) isMbarrier(addr uint64) bool {
	return slices.ContainsFunc(c.mbarriers, func(b mbarrier) bool { return b.addr == addr })
}

// forgetMbarrier forgets the object at an address if there is one.
func (c *CTA) forgetMbarrier(addr uint64) {
	for i := range c.mbarriers {
		if c.mbarriers[i].addr == addr {
			c.mbarriers[i] = c.mbarriers[len(c.mbarriers)-1]
			c.mbarriers = c.mbarriers[:len(c.mbarriers)-1]
			return
		}
	}
}

// Polled reports whether the warp, but for its warp-splits, has looked in vain whether the phase of an mbarrier is
// complete, since the last call: it is others' turn then.
func (w *Warp) Polled() bool {
	polled := w.polled
	w.polled = false
	return polled
}

// poll notes that a warp has looked at mbarriers, of which all lanes found the phase over or not. It is a
// deadlock if no warp of the CTA has anything left but to look again.
func (w *Warp) poll(over bool, pc int32) error {
	root := w
	for root.parent != nil {
		root = root.parent
	}
	c := w.cta
	if over {
		c.changes++
		root.polls = 0
		return nil
	}
	if root.seen != c.changes {
		root.polls, root.seen = 0, c.changes
	}
	root.polls++
	root.polled = true
	if root.polls < pollsOfDeadlock {
		return nil
	}
	for i := range c.Warps {
		other := &c.Warps[i]
		if !other.Done() && !other.waiting && (other.seen != c.changes || other.polls < pollsOfDeadlock) {
			return nil
		}
	}
	return w.fault(pc, alu.First(w.Active()), fmt.Errorf("%w: every warp of the CTA waits, and none can complete the phase of the mbarrier%s", ErrDeadlock, c.lacking(w)))
}

// lacking says what else waits, and what the mbarriers of the CTA still wait for.
func (c *CTA) lacking(w *Warp) string {
	text := ""
	if w.Active() != w.alive {
		text = "; other lanes of the warp go on where these reconverge with them"
	}
	for i := range c.mbarriers {
		b := &c.mbarriers[i]
		text += fmt.Sprintf("; that at 0x%x%s waits for %d arrivals and %d bytes", b.addr, c.grid.place(&c.shared, b.addr), b.pending, b.bytes)
	}
	return text
}

// mbarrier decodes an operation on mbarrier objects.
func (d *decoder) mbarrier() operation {
	in := d.in
	if in.Space != isa.Shared && in.Space != isa.Generic {
		d.unsupported()
		return nil
	}
	op := &mbarrierOp{access: d.access(Atomic, 1), does: in.Mbarrier, d: alu.SlotSink, p: alu.MaskSink}
	if len(in.Src) > 1 {
		wide := in.Mbarrier == isa.MbarrierTest || in.Mbarrier == isa.MbarrierTry
		op.b, op.counted = d.source(1, wide), true
	}
	switch {
	case in.Mbarrier.Tests():
		op.p = d.maskDest(0)
	case len(in.Dst) > 0:
		op.d = d.dest(0, 64)
	}
	return op
}
