package greedy

import (
	"math/bits"

	"warpbound/internal/abi"
	"warpbound/internal/absexec"
	"warpbound/internal/isa"
)

// place is a line of local memory of a warp: that of a word, and which one if several hold the words of its lanes.
type place struct {
	word  uint64
	group int
}

// stack tells which lines of local memory a warp has surely loaded: an instruction that needs what a load gave has issued, so that the line has come.
// What is only known within alternatives, or within an iteration, is forgotten behind them.
type stack struct {
	present []place
	index   map[place]bool
	pending map[isa.Reg][]place // by register into which they are loaded
}

// mark returns how much is known, for back to return to, before what may not be executed begins.
func (k *stack) mark() int {
	clear(k.pending)
	return len(k.present)
}

// back forgets what has become known since mark.
func (k *stack) back(mark int) {
	clear(k.pending)
	for _, at := range k.present[mark:] {
		delete(k.index, at)
	}
	k.present = k.present[:mark]
}

// follow takes note of a step that has been executed.
func (r *recorder) follow(s *absexec.Step) {
	k := &r.stack
	if len(k.pending) > 0 {
		if s.Certain {
			s.Instr.Reads(func(reg isa.Reg) {
				for _, at := range k.pending[reg] {
					if !k.index[at] {
						k.index[at] = true
						k.present = append(k.present, at)
					}
				}
				delete(k.pending, reg)
			})
		}
		s.Instr.Writes(func(reg isa.Reg) { delete(k.pending, reg) })
	}
	if s.Access == nil || !s.Certain || s.Instr.Op != isa.Ld || s.Access.Moves() {
		return
	}
	lanes := s.Access.Lanes[isa.Local] & s.Must & s.May
	if lanes == 0 {
		return
	}
	places := r.places(s.Access, lanes)
	if k.pending == nil {
		k.pending, k.index = make(map[isa.Reg][]place), make(map[place]bool)
	}
	s.Instr.Writes(func(reg isa.Reg) { k.pending[reg] = places })
}

// absorbs reports whether a step stores only to lines of local memory that are surely there, if none of them has to make room for another.
func (r *recorder) absorbs(s *absexec.Step) bool {
	acc := s.Access
	if s.Instr.Op != isa.St || len(r.stack.present) == 0 || acc.Lanes[isa.Local]&s.May != s.May || acc.Moves() {
		return false
	}
	for _, at := range r.places(acc, s.May) {
		if !r.stack.index[at] {
			return false
		}
	}
	return true
}

// places returns the lines of local memory that some lanes of a warp touch, whose addresses are known and the same in all CTAs. Words of
// lanes fill lines evenly, since both are powers of two.
func (r *recorder) places(acc *absexec.Access, lanes uint64) []place {
	group := int(min(r.L1.Line.Value, r.SM.WarpSize.Value*localWord) / localWord)
	seen := make(map[place]bool)
	var all []place
	for at, of := range byAddress(acc, lanes) {
		for ; of != 0; of &= of - 1 {
			for k := range wordsOf(acc) {
				p := place{(at.base-abi.LocalBase)/localWord + k, bits.TrailingZeros64(of) / group}
				if !seen[p] {
					seen[p] = true
					all = append(all, p)
				}
			}
		}
	}
	return all
}
