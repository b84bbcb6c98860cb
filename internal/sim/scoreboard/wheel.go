package scoreboard

import (
	"math/bits"

	"warpbound/internal/causes"
)

// none is the index of no request.
const none = -1

// request is a message on its way: from an SM to memory and back, or from an L2
// partition to DRAM and back. At any time it is in the wheel or in one list.
type request struct {
	at    int64 // cycle of the next arrival, while in the wheel
	next  int32 // in the list that it is in
	stage stage
	kind  requestKind
	full  bool      // a write that covers the whole line
	way   way       // where it is if the L2 has two halves
	sm    int16     // where it comes from
	part  int16     // partition of the memory
	cause causes.ID // the event that it follows from, if the chain of causes is wanted
	line  uint64    // address of the line within the partition
	// What it is about: the MSHR of the L1 (fill), the operation of the SM (read,
	// write, atomic), the MSHR of the L2 (dramRead), the warp that leaves or the
	// CTA that begins.
	target int32
	flits  int32 // on the way there
	reply  int32 // flits on the way back; 0 if nothing comes back
	cost   int32 // cycles that an atomic operation takes at the L2
}

// requestKind says what a request is for.
type requestKind uint8

const (
	fill      requestKind = iota // a line for the L1
	read                         // a load that bypasses the L1
	write                        // a store
	atomic                       // an atomic operation
	writeBack                    // a dirty line of the L1; nobody waits for it
	dramRead                     // a line for the L2
	dramWrite                    // a dirty line of the L2
)

// stage is where a request arrives next. The first stages belong to the memory,
// the others to an SM.
type stage uint8

const (
	atPartition stage = iota // head of the packet at the partition's port
	atL2                     // at the tags of the L2
	atDRAM                   // at the DRAM's queue
	fromDRAM                 // the line is back at the L2
	reply                    // the L2 has done its work
	recrossed                // what the other half of the L2 answers is back in the half of the SM

	atSM  // head of the packet at the SM's port
	atEnd // all of it has come through the port
	leave // the last instruction of a warp is over
	begin // a CTA is handed out
)

// slots is the number of buckets of a wheel, a power of two. Requests that are
// due later than that stay in their bucket for another turn.
const slots = 1 << 8

// wheel holds the requests that are under way by the time of their arrival.
// Those of the same time arrive in the order in which they were sent.
type wheel struct {
	reqs  []request
	free  int32
	size  int          // requests in buckets
	next  int64        // a cycle before which nothing arrives, never if nothing is under way
	heads [slots]int32 // of buckets that are not empty
	tails [slots]int32
	used  [slots / 64]uint64 // those
}

// reset removes all requests.
func (w *wheel) reset() {
	w.reqs, w.free, w.size, w.next = w.reqs[:0], none, 0, never
	w.used = [slots / 64]uint64{}
}

// alloc makes a copy of q in free storage and returns its index. It invalidates
// pointers to other requests.
func (w *wheel) alloc(q request) int32 {
	r := w.free
	if r == none {
		w.reqs = append(w.reqs, q)
		return int32(len(w.reqs) - 1)
	}
	w.free = w.reqs[r].next
	w.reqs[r] = q
	return r
}

// release gives the storage of a request back.
func (w *wheel) release(r int32) {
	w.reqs[r].next = w.free
	w.free = r
}

// send lets a request arrive at a stage in a cycle that is still to come.
func (w *wheel) send(r int32, to stage, at int64) {
	q := &w.reqs[r]
	q.stage, q.at, q.next = to, at, none
	w.next = min(w.next, at)
	w.push(r, uint64(at)%slots)
}

// push appends a request to a bucket.
func (w *wheel) push(r int32, b uint64) {
	if bit := uint64(1) << (b % 64); w.used[b/64]&bit == 0 {
		w.heads[b] = r
		w.used[b/64] |= bit
	} else {
		w.reqs[w.tails[b]].next = r
	}
	w.tails[b] = r
	w.size++
}

// due removes the requests that arrive in this cycle and returns their list. No
// request may have been due before.
func (w *wheel) due(now int64) int32 {
	if now < w.next {
		return none
	}
	b := uint64(now) % slots
	bit := uint64(1) << (b % 64)
	if w.used[b/64]&bit == 0 {
		w.next = w.after(now)
		return none
	}
	head, n := w.heads[b], 0
	w.used[b/64] &^= bit
	for r := head; r != none; n++ {
		q := &w.reqs[r]
		if q.at != now {
			head, n = w.part(head, now, b), 0
			break
		}
		r = q.next
	}
	w.size -= n
	w.next = w.after(now)
	return head
}

// part returns the list of those requests of a bucket that arrive now, and puts the others back.
func (w *wheel) part(r int32, now int64, b uint64) int32 {
	first, last := int32(none), int32(none)
	for r != none {
		q := &w.reqs[r]
		next := q.next
		q.next = none
		w.size--
		switch {
		case q.at != now:
			w.push(r, b)
		case first == none:
			first, last = r, r
		default:
			w.reqs[last].next = r
			last = r
		}
		r = next
	}
	return first
}

// after returns the cycle of the next bucket that is not empty.
func (w *wheel) after(now int64) int64 {
	if w.size == 0 {
		return never
	}
	start := int((now + 1) % slots)
	word := start / 64
	left := w.used[word] &^ (1<<(start%64) - 1)
	for left == 0 {
		word = (word + 1) % len(w.used)
		left = w.used[word]
	}
	b := word*64 + bits.TrailingZeros64(left)
	return now + 1 + int64((b-start+slots)%slots)
}
