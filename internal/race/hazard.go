package race

// hazardous reports whether an access and one before it may be concurrent, so that they do not
// race, and nothing but lock-step orders them: both are volatile or relaxed, by lanes of one warp
// of which one executed both instructions if the lanes were together. So a warp exchanged values
// before sm_70, without bar.warp.sync. It is no hazard if
//
//   - one of the two is atomic, acquires or releases: these synchronise, or do not depend on their order;
//   - the read is one that is repeated until it gives something else (Access.Awaits);
//   - both write the same;
//   - the lanes were on different paths at both, which lock-step does not order.
func (u *use) hazardous(records []record, r *record) bool {
	if u.cta.d.lockStep || !u.exchanges || !r.exchanges || !u.permitted(r) ||
		int(r.cta) != u.cta.index || r.warp != u.warp || r.time == u.time || u.kind(r) == EqualWrites {
		return false
	}
	// Those lanes of the first access that are together with all of the second, and the other way
	// round.
	first, second := *r, *u
	first.lanes &= u.Active
	second.lanes &= r.active
	return first.lanes != 0 && !u.ordered(records, &first) || second.lanes != 0 && !second.ordered(records, r)
}

// ordered reports whether all that the record stands for is ordered before the access, or observed
// before it.
func (u *use) ordered(records []record, r *record) bool { return u.after(r) || u.follows(records, r) }
