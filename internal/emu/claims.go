package emu

import (
	"math/bits"
	"slices"
	atomics "sync/atomic"

	"warpbound/internal/abi"
	"warpbound/internal/alu"
	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// Claims let several parties execute CTAs of one launch at a time as long as they exchange
// nothing through memory: a word in global memory that one of them writes is accessed by no
// other. Every word is claimed before it is accessed, so that a claim that is refused leaves
// the data alone and parties never race for them. What they wrote can be taken back.
//
// A claim holds until the next Begin. So whether one is refused depends on what the CTAs of
// the launch access, and not on which party comes first.
type Claims struct {
	mem     *Memory
	parties []Party

	// Of each word a few bits say who has claimed it: from the lowest on one that is set if it was
	// written, and the number of the party; all are zero if nobody has. Those of a line are in one
	// number, which changes as a whole.
	lines []atomics.Uint64
	bits  uint64 // of a word, 8 or 16
	ones  uint64 // the lowest of each word
	shift uint64 // log2 of the bytes of a line
}

// claimBytes is the size of a word, which is what is claimed.
const claimBytes = 4

// all stands for several parties, which have read words: in the place of a party's number it has
// all bits set. It repeats what says so of a word.
func (c *Claims) all() uint64 { return ^c.ones }

// Party is who claims words. It may be used by one goroutine at a time.
type Party struct {
	claims *Claims
	reads  uint64 // what it leaves where it reads, for each word
	undo   []savedLine
}

// savedLine holds what a party found in words of a line before it wrote them.
type savedLine struct {
	line  uint64
	words uint64 // all bits of theirs in a number of Claims.lines
	data  [32]byte
}

// Begin gives back all claims and begins new ones on the memory by so many parties, which keep
// what they overwrite. It invalidates the parties of the last time.
func (c *Claims) Begin(mem *Memory, parties int) {
	c.mem = mem
	c.bits, c.ones, c.shift = 8, 0x0101010101010101, 5
	if parties > 126 {
		c.bits, c.ones, c.shift = 16, 0x0001000100010001, 4
	}
	c.lines = sized(c.lines, len(mem.owner)*granule>>c.shift)
	clear(c.lines)
	c.parties = sized(c.parties, parties)
	for i := range c.parties {
		p := &c.parties[i]
		*p = Party{claims: c, reads: c.ones * uint64(i+1) << 1, undo: p.undo[:0]}
	}
}

// Party returns one of the parties, counted from 0.
func (c *Claims) Party(i int) *Party { return &c.parties[i] }

// claim claims words of a line, of which all bits are set in words. It is an error if that is refused.
func (p *Party) claim(line, words uint64, write bool) error {
	c := p.claims
	at, reads, writes := &c.lines[line], p.reads, p.reads|c.ones
	for {
		old := at.Load()
		if (old^writes)&words == 0 || !write && ((old^reads)&words == 0 || (old^c.all())&words == 0) {
			return nil
		}
		now := old
		if old&words == 0 {
			now |= words & reads
			if write {
				now |= words & writes
			}
		} else {
			for set := words & c.ones; set != 0; set &= set - 1 {
				word := (1<<c.bits - 1) * (set & -set)
				switch was := old & word; {
				case was == writes&word:
				case write && (was == 0 || was == reads&word):
					now = now&^word | writes&word
				case write || was&c.ones != 0:
					return SharesData
				case was == 0:
					now |= reads & word
				case was != reads&word:
					now = now&^word | c.all()&word
				}
			}
		}
		if at.CompareAndSwap(old, now) {
			if write {
				p.save(line, words&^(old&c.ones*(1<<c.bits-1)))
			}
			return nil
		}
	}
}

// save keeps what words of a line hold, which the party is the first to write.
func (p *Party) save(line, words uint64) {
	r, at := p.claims.line(line)
	if r == nil {
		return // no access to it succeeds
	}
	p.undo = append(p.undo, savedLine{line: line, words: words})
	s := &p.undo[len(p.undo)-1]
	if words == ^uint64(0) {
		copy(s.data[:1<<p.claims.shift], r.data[at:])
		return
	}
	for set := words & p.claims.ones; set != 0; set &= set - 1 {
		w := p.claims.offset(set)
		copy(s.data[w:w+claimBytes], r.data[min(at+w, len(r.data)):])
	}
}

// Undo takes back all that the parties have written.
func (c *Claims) Undo() {
	for i := range c.parties {
		for k := range c.parties[i].undo {
			s := &c.parties[i].undo[k]
			r, at := c.line(s.line)
			for set := s.words & c.ones; set != 0; set &= set - 1 {
				w := c.offset(set)
				copy(r.data[min(at+w, len(r.data)):], s.data[w:w+claimBytes])
			}
		}
	}
}

// line returns the buffer that a line lies in and where it begins there; nil if there is no such
// buffer.
func (c *Claims) line(line uint64) (*region, int) {
	addr := abi.GlobalBase + line<<c.shift
	r := c.mem.find(addr)
	if r == nil {
		return nil, 0
	}
	return r, int(addr - r.base)
}

// offset returns where the first word of a set begins in its line.
func (c *Claims) offset(set uint64) int {
	return bits.TrailingZeros64(set) / int(c.bits) * claimBytes
}

// AloneError is the error of a party that cannot go on beside others, although one goroutine
// alone can execute the launch. It says what the kernel does, as in "uses atomics".
type AloneError string

// Error implements error.
func (e AloneError) Error() string { return string(e) }

// What parties find out while they execute CTAs. If there is SharesData in an execution, other errors of
// parties can depend on which of them claims first.
const (
	SharesData   AloneError = "shares data between SMs that one of them writes"
	notWritten   AloneError = "reads memory that nothing has written"
	callsRuntime AloneError = "calls the runtime"
)

// Alone is an error if parties cannot execute the launch whatever it does, nil if they may try.
func (g *Grid) Alone() error {
	if g.objects {
		return AloneError("finds global memory without contents")
	}
	for pc := range g.code.instrs {
		switch in := g.code.Instr(pc); {
		case (in.Op == isa.Atom || in.Op == isa.Red) && in.Space != isa.Shared:
			return AloneError("uses atomics")
		case in.Op == isa.BulkCopy:
			return AloneError("copies in bulk")
		case in.Op == isa.RunSystem && in.System != isa.SysAssert && in.System != isa.SysStop:
			return callsRuntime
		case slices.ContainsFunc(g.code.instrs[pc].reads, volatile.isTime):
			return AloneError("reads a clock")
		}
	}
	return nil
}

// isTime reports whether what is read is a clock.
func (v volatile) isTime() bool { return v.special != isa.SmID && v.special != isa.NsmID }

// claimer is an operation that accesses memory, or else what all CTAs have in common.
type claimer interface {
	// claim claims for the warp's party what the operation is going to access for the lanes of
	// mask.
	claim(w *Warp, mask uint64) error
}

// claim claims what an operation is going to access.
func (w *Warp) claim(op operation, mask uint64) error {
	if c, ok := op.(claimer); ok {
		return c.claim(w, mask)
	}
	return nil
}

// claim implements claimer: it claims the words in global memory, line by line. What lies outside
// of all buffers is left to the access to find.
func (op *access) claim(w *Warp, mask uint64) error {
	switch op.space {
	case isa.Shared, isa.Local, isa.Param:
		return nil
	}
	size := 1 << w.cta.Party.claims.shift
	for first := 0; first < op.total; first += size {
		if err := op.claimLines(w, mask, op.offset+uint64(first), uint64(min(op.total, size))); err != nil {
			return err
		}
	}
	return nil
}

// claimLines claims, for each lane, so many bytes of one line.
func (op *access) claimLines(w *Warp, mask, offset, size uint64) error {
	p := w.cta.Party
	c := p.claims
	lines, shift, width, write := uint64(len(c.lines)), c.shift, c.bits, op.kind != Load
	within := uint64(1)<<shift - 1
	own := ^uint64(0) >> (64 - max(size/claimBytes, 1)*width) // the words of a lane, were they the first of the line
	line, words := uint64(0), uint64(0)
	var room vec.Vector
	for k := range w.regs.Chunks {
		base := op.bases(w, k, &room)
		for m := alu.Half(mask, k); m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) % lanes
			addr := base[i] + offset
			if op.indexed {
				addr += w.regs.At(op.index, k*lanes+i)
			}
			at := addr&op.wrap - abi.GlobalBase
			if at>>shift != line && words != 0 {
				if err := p.claim(line, words, write); err != nil {
					return err
				}
				words = 0
			}
			if line = at >> shift; line < lines {
				words |= own << (at & within / claimBytes * width)
			}
		}
	}
	if words == 0 {
		return nil
	}
	return p.claim(line, words, write)
}

// claim implements claimer.
func (op *checked) claim(w *Warp, mask uint64) error {
	if c, ok := op.operation.(claimer); ok {
		return c.claim(w, mask)
	}
	return nil
}

// claim implements claimer: functions of the runtime read memory and write what is common to all,
// or end the launch.
func (op *system) claim(*Warp, uint64) error { return callsRuntime }
