package greedy

import (
	"math/bits"

	"warpbound/internal/absexec"
	"warpbound/internal/isa"
)

// localWord is the size in bytes of a word of local memory, the words of which that lanes have at one address lie side by side.
const localWord = 4

// lines are the lines of the L1 that an access touches at most.
type lines struct {
	all     int64
	local   int64 // of local memory
	service int64 // cycles of the tags and banks of a unit with buffers
}

// divide returns for how many passes an access occupies the shared memory or the cache of constants, and which lines it touches, both at most.
func (a *analysis) divide(s *absexec.Step) (passes int64, l lines) {
	if s.Access == nil || s.May == 0 {
		return 0, lines{}
	}
	acc := s.Access
	atomic := s.Instr.Op == isa.Atom || s.Instr.Op == isa.Red
	open := s.May &^ acc.Known
	known := func(space isa.Space) uint64 { return acc.Lanes[space] & s.May }
	lanes := int64(bits.OnesCount64(open))
	if any := acc.Space == isa.Generic; any || acc.Space == isa.Shared || s.Instr.Op == isa.CpAsync {
		if atomic {
			passes += (a.collisions(acc, known(isa.Shared)) + lanes) * a.Shared.AtomicPass.Value
		} else {
			passes += a.passes(acc, known(isa.Shared)) + lanes*a.rows(acc)
		}
	}
	if any := acc.Space == isa.Generic; any || acc.Space == isa.Const || acc.Space == isa.Param {
		for _, space := range []isa.Space{isa.Const, isa.Param} {
			passes += a.distinct(acc, known(space))
		}
		passes += min(lanes, int64(acc.Different(open)))
	}
	switch acc.Space {
	case isa.Generic, isa.Global, isa.Local:
	default:
		return passes, lines{}
	}
	line := a.L1.Line.Value
	global, local := known(isa.Global), known(isa.Local)
	l.local = a.localLines(acc, local)
	l.all = a.counter.Lines(s, s.Box) + l.local
	each := (int64(acc.Bytes)-1)/line + 1
	different := int64(acc.Different(open))
	if acc.Space != isa.Local {
		l.all += different * each
	}
	if acc.Space != isa.Global {
		l.local += lanes * max(int64(acc.Bytes)/localWord, 1)
		l.all += lanes * max(int64(acc.Bytes)/localWord, 1)
	}
	if a.queued && l.all > 0 {
		banks := int64(1)
		if acc.Space == isa.Global && s.Instr.Op != isa.St && !atomic {
			banks = a.passes(acc, global) + different*a.rows(acc)
		}
		tags := l.all
		l.service = max(banks, (tags+a.LSU.Tags.Value-1)/a.LSU.Tags.Value+1)
	}
	return passes, l
}

// rows is how many passes an element takes of which the address is not known.
func (a *analysis) rows(acc *absexec.Access) int64 {
	return max(int64(acc.Bytes)/(a.Shared.Banks.Value*a.Shared.BankBytes.Value), 1)
}

// passes returns how often the banks are accessed for some lanes, whose addresses are known: lanes that together want more words than there are
// banks are served in groups that do not, and a group takes as many passes as it wants different words of one bank.
func (a *analysis) passes(acc *absexec.Access, mask uint64) int64 {
	if mask == 0 {
		return 0
	}
	if !a.together(acc, mask) {
		return int64(bits.OnesCount64(mask)) * a.rows(acc)
	}
	width, banks := uint64(a.Shared.BankBytes.Value), uint64(a.Shared.Banks.Value)
	each := max(uint64(acc.Bytes)/width, 1)
	group := int(max(banks/each, 1))
	total := int64(0)
	for first := 0; first < 64 && mask>>first != 0; first += group {
		set := mask >> first
		if group < 64 {
			set &= 1<<group - 1
		}
		total += a.ofGroup(acc, set<<first, width, each)
	}
	return total
}

// together reports whether the addresses of some lanes go on by the same number of words from one CTA to the next: then which of them share a bank
// does not change.
func (a *analysis) together(acc *absexec.Access, mask uint64) bool {
	if !acc.Moves() || mask == 0 {
		return true
	}
	_, step := acc.Address(bits.TrailingZeros64(mask))
	for _, d := range step {
		if d%uint64(a.Shared.BankBytes.Value) != 0 {
			return false
		}
	}
	for ; mask != 0; mask &= mask - 1 {
		if _, other := acc.Address(bits.TrailingZeros64(mask)); other != step {
			return false
		}
	}
	return true
}

// ofGroup returns the passes of one group of lanes.
func (a *analysis) ofGroup(acc *absexec.Access, mask, width, each uint64) int64 {
	banks := uint64(a.Shared.Banks.Value)
	words := make(map[uint64]bool)
	count := make(map[uint64]int64)
	maximum := int64(0)
	for ; mask != 0; mask &= mask - 1 {
		addr, _ := acc.Address(bits.TrailingZeros64(mask))
		for k := range each {
			if w := addr/width + k; !words[w] {
				words[w] = true
				count[w%banks]++
				maximum = max(maximum, count[w%banks])
			}
		}
	}
	return maximum
}

// collisions returns the passes of an atomic access: no two lanes share one.
func (a *analysis) collisions(acc *absexec.Access, mask uint64) int64 {
	if !a.together(acc, mask) {
		return int64(bits.OnesCount64(mask))
	}
	count := make(map[uint64]int64)
	maximum := int64(0)
	for ; mask != 0; mask &= mask - 1 {
		addr, _ := acc.Address(bits.TrailingZeros64(mask))
		bank := addr / uint64(a.Shared.BankBytes.Value) % uint64(a.Shared.Banks.Value)
		count[bank]++
		maximum = max(maximum, count[bank])
	}
	return maximum
}

// address is the address of a lane, and how it goes on from one CTA to the next.
type address struct {
	base uint64
	step [absexec.Axes]uint64
}

// distinct returns how many different addresses some lanes access, which are known.
func (a *analysis) distinct(acc *absexec.Access, mask uint64) int64 {
	return int64(len(byAddress(acc, mask)))
}

// byAddress returns the lanes at each address.
func byAddress(acc *absexec.Access, mask uint64) map[address]uint64 {
	same := make(map[address]uint64)
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask)
		base, step := acc.Address(lane)
		same[address{base, step}] |= 1 << lane
	}
	return same
}

// localLines returns how many lines of local memory some lanes touch, whose addresses are known.
func (a *analysis) localLines(acc *absexec.Access, mask uint64) int64 {
	n := int64(0)
	for _, lanes := range byAddress(acc, mask) {
		n += a.ofOneWord(lanes)
	}
	return n * max(int64(acc.Bytes)/localWord, 1)
}

// ofOneWord returns in how many lines the words lie that lanes of a warp have at one address.
func (a *analysis) ofOneWord(lanes uint64) int64 {
	line, warp := a.L1.Line.Value, a.SM.WarpSize.Value*localWord
	switch {
	case line%warp == 0:
		return 1
	case warp%line != 0:
		return int64(bits.OnesCount64(lanes))
	}
	n := int64(0)
	for group := line / localWord; lanes != 0; lanes >>= group {
		if lanes&(1<<group-1) != 0 {
			n++
		}
	}
	return n
}

// conflicts returns how many lanes of an atomic access operate on one address, at most.
func (a *analysis) conflicts(s *absexec.Step) int64 {
	open, known := s.May&^s.Access.Known, s.May&s.Access.Known
	maximum, first := int64(0), true
	var step [absexec.Axes]uint64
	for at, lanes := range byAddress(s.Access, known) {
		if !first && at.step != step { // what is apart here may be together in another CTA
			return int64(bits.OnesCount64(s.May))
		}
		step, first = at.step, false
		maximum = max(maximum, int64(bits.OnesCount64(lanes)))
	}
	return maximum + int64(bits.OnesCount64(open))
}
