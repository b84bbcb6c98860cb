package absexec

import (
	"math/bits"
	"slices"
)

// granule is the number of bytes of local memory that are found together: no element
// of an access lies in two of them, since elements are aligned to their size.
const granule = 8

// place is an element of local memory: what lanes have stored at an address with a
// size. Places may overlap; a lane knows the contents of one of them at most.
type place struct {
	at    uint64
	bytes int
	v     *value
}

func (p place) overlaps(at uint64, bytes int) bool {
	return p.at < at+uint64(bytes) && at < p.at+uint64(p.bytes)
}

// store puts v at an address in the lanes of mask, for certain in those of must.
func (s *state) store(at uint64, bytes int, v *value, must, mask, owners uint64) {
	old := s.local[at/granule]
	places := make([]place, 0, len(old)+1)
	here := place{at, bytes, unknown}
	for _, p := range old {
		switch {
		case p.at == at && p.bytes == bytes:
			here = p
		case !p.overlaps(at, bytes):
			places = append(places, p)
		default:
			if p.v = p.v.forget(mask); (p.v.known|p.v.nonAffine|p.v.alike)&owners != 0 {
				places = append(places, p)
			}
		}
	}
	here.v = assign(here.v, v, must, mask, owners)
	s.local[at/granule] = append(places, here)
}

// forgetLocal makes all local memory of the lanes of mask unknown.
func (s *state) forgetLocal(mask uint64) {
	for g, places := range s.local {
		forgotten := slices.Clone(places)
		for i := range forgotten {
			forgotten[i].v = forgotten[i].v.forget(mask)
		}
		s.local[g] = forgotten
	}
}

// load returns an element of local memory as the lanes of mask know it, of n lanes of
// the warp.
func (s *state) load(at uint64, bytes int, mask uint64, n int) *value {
	places := s.local[at/granule]
	v := unknown
	for _, p := range places {
		if p.at == at && p.bytes == bytes {
			v = p.v
		}
	}
	rest := mask &^ (v.known | v.nonAffine)
	if rest == 0 || len(places) == 0 {
		return v
	}
	joined := &value{base: vectors(n)}
	for ; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros64(rest)
		if x, ok := joinBytes(places, at, bytes, lane); ok {
			joined.known |= 1 << lane
			set(joined.base, lane, x)
		}
	}
	if joined.known == 0 {
		return v
	}
	return mix(v, joined, joined.known)
}

// joinBytes makes an element of places of other sizes in one lane.
func joinBytes(places []place, at uint64, bytes, lane int) (x uint64, ok bool) {
	var found uint
	for _, p := range places {
		if p.v.known>>lane&1 == 0 || !p.overlaps(at, bytes) {
			continue
		}
		l := p.v.lane(lane)
		if l.moves() {
			return 0, false
		}
		for i := range uint64(p.bytes) {
			if a := p.at + i; a >= at && a < at+uint64(bytes) {
				x |= l.base >> (8 * i) & 0xff << (8 * (a - at))
				found |= 1 << (a - at)
			}
		}
	}
	return x, found == 1<<bytes-1
}

// mergeLocal joins the local memories of s and t.
func (m *state) mergeLocal(s, t *state, here, from uint64, by choice) {
	for g, places := range s.local {
		other := t.local[g]
		if len(places) > 0 && len(other) > 0 && &places[0] == &other[0] { // a list is never changed, so that those with one beginning are the same
			m.local[g] = places
			continue
		}
		for _, p := range places {
			q := find(other, p.at, p.bytes)
			m.local[g] = append(m.local[g], place{p.at, p.bytes, merge(p.v, q, here, from, by)})
		}
	}
	for g, places := range t.local {
		for _, p := range places {
			if !slices.ContainsFunc(m.local[g], func(q place) bool { return q.at == p.at && q.bytes == p.bytes }) {
				m.local[g] = append(m.local[g], place{p.at, p.bytes, merge(unknown, p.v, here, from, by)})
			}
		}
	}
}

// find returns the value of a place, unknown if there is none.
func find(places []place, at uint64, bytes int) *value {
	for _, p := range places {
		if p.at == at && p.bytes == bytes {
			return p.v
		}
	}
	return unknown
}
