package llc

import (
	"encoding/binary"

	"warpbound/internal/absexec"
	"warpbound/internal/isa"
	"warpbound/internal/saturating"
)

// This file finds which lines an SM touches, in whatever order it issues. Where all lines of a set that it may touch
// fit into the set, none of them is displaced by another one, so that each is fetched once
// (docs/methods/llc.md).

// footprint is what a path touches of global and local memory.
type footprint struct {
	patterns []pattern
	at       map[string]int32 // of patterns, by what tells them apart
	key      []byte           // scratch
	unknown  []unknownLines   // by pool; those behind the last one are of no lines
	given    bool             // up: there are too many patterns
}

// pattern is an access that is made so many times, at most.
type pattern struct {
	access access
	times  saturating.Int
	surely bool // in every execution by all lanes that are not optional
}

// unknownLines are touches of lines of which it is only known that they are in a pool.
type unknownLines struct {
	reads saturating.Int // by loads that look the L1 up, at most
	sent  saturating.Int // by others, at most
	drops bool           // some are atomic
}

// all returns how many there are.
func (u *unknownLines) all() saturating.Int { return u.reads.Add(u.sent) }

// plus adds what v touches.
func (u *unknownLines) plus(v *unknownLines) {
	u.reads, u.sent, u.drops = u.reads.Add(v.reads), u.sent.Add(v.sent), u.drops || v.drops
}

// allPools adds what is touched of all pools.
func allPools(to, from []unknownLines) []unknownLines {
	for len(to) < len(from) {
		to = append(to, unknownLines{})
	}
	for i := range from {
		to[i].plus(&from[i])
	}
	return to
}

// maxPatterns limits the patterns of a path.
const maxPatterns = 1 << 15

// add adds an access that is made so many times; surely says that lanes make it that are not optional.
func (f *footprint) add(a *access, times saturating.Int, surely bool) {
	if a.open > 0 {
		n := saturating.Of(a.open).Mul(times)
		if a.space != isa.Local {
			f.anywhere(a.sort, int(a.pool), n)
		}
		if a.space == isa.Local || a.space == isa.Generic && a.pool == anyGlobal {
			f.anywhere(a.sort, ofLocal, n)
		}
	}
	for i := range a.parts {
		f.part(access{sort: a.sort, bytes: a.bytes, parts: a.parts[i : i+1]}, times, surely)
	}
}

// addStep adds an access of a step in loops that are summarised, which is made so many times. It stands for several, of
// which the addresses may differ.
func (f *footprint) addStep(l *layout, a *access, s *absexec.Step, times saturating.Int, surely bool) {
	known := *a
	known.parts = nil
	for i := range a.parts {
		if p := &a.parts[i]; moves(s, p) {
			pool := int(a.pool)
			if p.local {
				pool = ofLocal
			}
			f.anywhere(a.sort, pool, saturating.Of(l.each(s, p.local)).Mul(saturating.Of(len(p.lanes))).Mul(times))
		} else {
			known.parts = append(known.parts, *p)
		}
	}
	f.add(&known, times, surely)
}

// anywhere adds touches of lines of a pool.
func (f *footprint) anywhere(sort sort, pool int, n saturating.Int) {
	u := unknownLines{drops: sort == atomic}
	if sort == read {
		u.reads = n
	} else {
		u.sent = n
	}
	all := make([]unknownLines, pool+1)
	all[pool] = u
	f.unknown = allPools(f.unknown, all)
}

// moves reports whether lanes access other addresses in other iterations of a loop that is summarised.
func moves(s *absexec.Step, p *part) bool {
	for i := range p.lanes {
		_, step := s.Access.Address(p.lanes[i].number)
		for axis := len(p.lanes[i].step); axis < absexec.Axes; axis++ {
			if step[axis] != 0 && !s.Box.Fixed(axis) {
				return true
			}
		}
	}
	return false
}

// part adds an access of one part likewise.
func (f *footprint) part(a access, times saturating.Int, surely bool) {
	if f.given {
		return
	}
	key := binary.LittleEndian.AppendUint64(append(f.key[:0], byte(a.sort), 0), a.bytes)
	if a.parts[0].local {
		key[1] = 1
	}
	for i := range a.parts[0].lanes {
		l := &a.parts[0].lanes[i]
		key = binary.LittleEndian.AppendUint64(append(key, byte(l.number)), l.base)
		for _, step := range l.step {
			key = binary.LittleEndian.AppendUint64(key, step)
		}
	}
	f.key = key
	if i, ok := f.at[string(key)]; ok {
		p := &f.patterns[i]
		p.times = p.times.Add(times)
		if surely && !p.surely {
			p.access, p.surely = a, true
		}
		return
	}
	if len(f.patterns) == maxPatterns {
		*f = footprint{given: true}
		return
	}
	if f.at == nil {
		f.at = make(map[string]int32)
	}
	f.at[string(key)] = int32(len(f.patterns))
	f.patterns = append(f.patterns, pattern{a, times, surely})
}
