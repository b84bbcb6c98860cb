package split

// sharing says what a wavefront has to wait for, at most.
type sharing struct {
	groups   int64 // that are left on the CU
	contexts int64 // that share a port
	wait     int64 // cycles for other accesses to be served, at each access
	rule     rule
}

// rule says what is part of the time of a wavefront. What is not is counted separately: time is
// then that in which nobody has it.
type rule uint8

const (
	countAll     rule = iota // the memory, and the ports
	countPorts               // the ports
	countNeither             // what needs neither
	rules
)

// String returns what is counted separately.
func (r rule) String() string { return [...]string{"nothing", "memory", "memory and ports"}[r] }

// pass returns how long a pass takes.
func (a *analysis) pass(s sharing) int64 { return s.contexts * a.Machine.Split.Pass.Value }

// price returns the cycles that an execution of a block takes, at most.
func (a *analysis) price(d demand, s sharing) int64 {
	sum := d.delay
	if s.rule != countNeither {
		sum = a.add(sum, a.mul(d.passes, a.pass(s)))
	}
	if s.rule == countAll {
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

// share returns what is to wait for while so many workgroups are left.
func (a *analysis) share(groups int64, r rule) sharing {
	s := sharing{groups: groups, contexts: a.resident.contexts(groups), rule: r}
	if r == countAll {
		s.wait = a.mul(a.resident.warpSplits(groups)-1, a.longest)
	}
	return s
}

// group is the bound of one workgroup, from when its wavefronts are ready to the end of the
// last.
type group struct {
	sharing
	cycles int64
	kind   *kind // of the wavefront that takes longest
	path   *Path
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
	service    int64  // of all accesses, if it counts separately
	issue      int64  // of all passes of all ports, if they count separately
	cycles     int64
}

// launch bounds the workgroups of a CU.
//
// If nothing counts separately, everything that a wavefront waits for is part of its time, so that
// a workgroup takes full.cycles at most: at i times that, dispatch included, i times as many
// workgroups are over as there are slots. Else the same is true of the time in which
// memory serves nobody, and no port issues.
func (a *analysis) launch(rule rule) (*launch, error) {
	r := &a.resident
	l := &launch{}
	var err error
	if l.last, err = a.group(a.share(r.last(), rule)); err != nil {
		return nil, err
	}
	dispatch := a.Machine.SM.Dispatch.Value
	l.cycles = a.add(dispatch, l.last.cycles)
	if r.rounds() > 1 {
		if l.full, err = a.group(a.share(r.slots, rule)); err != nil {
			return nil, err
		}
		l.cycles = a.add(l.cycles, a.mul(r.rounds()-1, a.add(dispatch, l.full.cycles)))
	}
	if rule != countAll {
		l.service = a.total.service
	}
	if rule == countNeither {
		l.issue = a.mul(a.total.passes, a.Machine.Split.Pass.Value)
	}
	l.cycles = a.add(l.cycles, l.service, l.issue)
	return l, a.err()
}
