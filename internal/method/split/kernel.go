package split

// sharing says what a wavefront has to wait for, at most.
type sharing struct {
	groups   int64 // that are left on the CU
	contexts int64 // that share a port
	wait     int64 // cycles for other accesses to be served, at each access
	memory   bool  // whether its own accesses count: if not, time is that in which memory serves nobody
}

// pass returns how long a pass takes.
func (a *analysis) pass(s sharing) int64 { return s.contexts * a.Machine.Split.Pass.Value }

// price returns the cycles that an execution of a block takes, at most.
func (a *analysis) price(d demand, s sharing) int64 {
	sum := a.add(a.mul(d.passes, a.pass(s)), d.delay)
	if s.memory {
		sum = a.add(sum, d.service, a.mul(d.accesses, s.wait))
	}
	return sum
}

// prices returns the cycles that executions of the blocks take, at most.
func (a *analysis) prices(k *kind, s sharing) []int64 {
	prices := make([]int64, len(k.demands))
	for b, d := range k.demands {
		prices[b] = a.price(d, s)
	}
	return prices
}

// share returns what is to wait for while so many workgroups are left: for the memory at
// each access, or not at all if that is counted apart.
func (a *analysis) share(groups int64, memory bool) sharing {
	s := sharing{groups: groups, contexts: a.resident.contexts(groups), memory: memory}
	if memory {
		s.wait = a.mul(a.resident.strands(groups)-1, a.longest)
	}
	return s
}

// group is the bound of one workgroup, from when its wavefronts are ready to the end of the
// last.
type group struct {
	sharing
	cycles int64
	kind   *kind // of the wavefront that takes longest
	path   *Bound
}

// group bounds a workgroup.
func (a *analysis) group(s sharing) (*group, error) {
	g := &group{sharing: s}
	sum, longest := int64(0), int64(-1)
	for _, k := range a.kinds {
		path, err := a.path(k, a.prices(k, s))
		if err != nil {
			return nil, err
		}
		sum = a.add(sum, a.mul(k.wavefronts, path.Cycles))
		if path.Cycles > longest {
			longest, g.kind, g.path = path.Cycles, k, path
		}
	}
	g.cycles = longest
	if a.barriers == anyhow {
		g.cycles = sum
	}
	return g, a.err()
}

// launch is a bound of all workgroups of a CU.
type launch struct {
	full, last *group // a workgroup in all rounds but the last, and there
	service    int64  // of all accesses, if it counts apart
	cycles     int64
}

// launch bounds the workgroups of a CU.
//
// With memory, everything that a wavefront waits for is part of its time, so that a
// workgroup takes full.cycles at most: at i times that, dispatch included, i times as many
// workgroups are over as there are slots. Without, the same is true of the time in which
// memory serves nobody.
func (a *analysis) launch(memory bool) (*launch, error) {
	r := &a.resident
	l := &launch{}
	var err error
	if l.last, err = a.group(a.share(r.last(), memory)); err != nil {
		return nil, err
	}
	dispatch := a.Machine.SM.Dispatch.Value
	l.cycles = a.add(dispatch, l.last.cycles)
	if r.rounds() > 1 {
		if l.full, err = a.group(a.share(r.slots, memory)); err != nil {
			return nil, err
		}
		l.cycles = a.add(l.cycles, a.mul(r.rounds()-1, a.add(dispatch, l.full.cycles)))
	}
	if !memory {
		l.service = a.service
		l.cycles = a.add(l.cycles, l.service)
	}
	return l, a.err()
}
