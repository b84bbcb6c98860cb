package race

// chain is the strong writes to a word that who reads the last of them observes: each but the first is an atomic operation that
// has read the one before. The strong writes to a word are numbered.
type chain struct {
	first, last uint32
	by          record // the last
}

// span is some strong writes to a word, by number; none if the first is greater.
type span struct{ first, last uint32 }

func (s span) has(number uint32) bool { return number != 0 && s.first <= number && number <= s.last }

// reads returns what a strong read of a word observes.
func (u *use) reads(c *cell) span {
	if !u.strong || !u.Load || c.chain == nil || !u.permitted(&c.chain.by) {
		return span{}
	}
	return span{c.chain.first, c.chain.last}
}

// writes notes what later strong reads of a word observe: a strong write, with what that has read, or nothing behind an ordinary
// one.
func (u *use) writes(c *cell) {
	if !u.strong {
		if c.chain != nil {
			c.chain.first = c.chain.last + 1
		}
		return
	}
	if c.chain == nil {
		c.chain = &chain{}
	}
	c.chain.last++
	if u.number = c.chain.last; !u.read.has(u.number - 1) {
		c.chain.first = u.number
	}
	c.chain.by = u.record
}

// follows reports whether a strong write was observed by accesses that are ordered before all lanes of this one, which is then behind
// it ("Causality Order" in the PTX manual).
func (u *use) follows(records []record, r *record) bool {
	if r.number == 0 {
		return false
	}
	for m := u.lanes; m != 0; m &= m - 1 {
		one := *u
		one.lanes = m & -m
		if !one.behindObserver(records, r) {
			return false
		}
	}
	return true
}

// behindObserver reports whether a lane that has observed a strong write did so before the access.
func (u *use) behindObserver(records []record, r *record) bool {
	for i := range records {
		if z := &records[i]; z.observed.has(r.number) {
			for m := z.lanes; m != 0; m &= m - 1 {
				one := *z
				if one.lanes = m & -m; u.after(&one) {
					return true
				}
			}
		}
	}
	return false
}

// witness reports whether a record has observed another of the word, so that it must be known as long as that.
func (r *record) witness(records []record) bool {
	for i := range records {
		if r.observed.has(records[i].number) {
			return true
		}
	}
	return false
}
