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
	cycles  int64
	kind    *kind  // of the wavefront that takes longest
	longest int64  // cycles of that
	done    []work // by block: on the longest path, or whatever the wavefront does if that is less
}

// on returns what a wavefront of a kind does on a path, by block.
func (k *kind) on(p *Path) []work {
	all := make([]work, len(p.Executions))
	for b, n := range p.Executions {
		d := k.demands[b]
		all[b] = work{n, demand{times(n, d.passes), times(n, d.delay), times(n, d.accesses), times(n, d.service)}}
	}
	return all
}

// wavefront bounds a wavefront of a kind: by the longest path, and by all that abstract execution shows of it, whatever the paths.
// The latter is less where lanes leave a loop at different times, which the longest path pays for each lane.
func (a *analysis) wavefront(k *kind, s sharing) (cycles int64, done []work, err error) {
	path := k.paths[s]
	if path == nil {
		if path, err = a.path(k, a.prices(k, s)); err != nil {
			return 0, nil, err
		}
		k.paths[s] = path
	}
	sum := int64(0)
	for _, d := range k.done {
		sum = a.add(sum, a.price(d.demand, s))
	}
	if k.done != nil && sum < path.Cycles {
		return sum, k.done, nil
	}
	return path.Cycles, k.on(path), nil
}

// group bounds a workgroup of a class.
func (a *analysis) group(c *class, s sharing) (*group, error) {
	g := &group{sharing: s}
	sum := int64(0)
	for i, k := range c.kinds {
		cycles, done, err := a.wavefront(k, s)
		if err != nil {
			return nil, err
		}
		sum = a.add(sum, a.mul(c.wavefronts[i], cycles))
		if g.kind == nil || cycles > g.longest {
			g.longest, g.kind, g.done = cycles, k, done
		}
	}
	g.cycles = g.longest
	if a.barriers == anyhow {
		g.cycles = sum
	}
	return g, a.err()
}

// groups bounds a workgroup of each class.
func (a *analysis) groups(s sharing) ([]*group, error) {
	all := make([]*group, len(a.classes))
	for i, c := range a.classes {
		var err error
		if all[i], err = a.group(c, s); err != nil {
			return nil, err
		}
	}
	return all, nil
}
