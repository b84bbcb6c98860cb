package split

import "warpbound/internal/saturating"

// sharing says what a wavefront has to wait for, at most.
type sharing struct {
	groups   saturating.Int // that are left on the CU
	contexts saturating.Int // that share a port
	wait     saturating.Int // cycles for other accesses to be served, at each access
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
func (a *analysis) pass(s sharing) saturating.Int { return s.contexts.Mul(a.timing.pass()) }

// price returns the cycles that an execution of a block takes, at most.
func (a *analysis) price(d demand, s sharing) saturating.Int {
	sum := d.delay
	if s.rule != countNeither {
		sum = sum.AddMul(d.passes, a.pass(s))
	}
	if s.rule == countAll {
		sum = sum.Add(d.service).AddMul(d.accesses, s.wait)
	}
	return sum
}

// prices returns the cycles that executions of the blocks take, at most.
func (a *analysis) prices(k *kind, s sharing) []saturating.Int {
	prices := make([]saturating.Int, len(k.demands))
	for b, d := range k.demands {
		prices[b] = a.price(d, s)
	}
	return prices
}

// share returns what is to wait for while so many workgroups are left.
func (a *analysis) share(groups saturating.Int, r rule) sharing {
	s := sharing{groups: groups, contexts: a.resident.contexts(groups), rule: r}
	if r == countAll {
		s.wait = a.resident.warpSplits(groups).Sub(1).Mul(a.longest)
	}
	return s
}

// group is the bound of one workgroup, from when its wavefronts are ready to the end of the
// last.
type group struct {
	sharing
	cycles  saturating.Int
	kind    *kind          // of the wavefront that takes longest
	longest saturating.Int // cycles of that
	done    []work         // by block: on the longest path, or whatever the wavefront does if that is less
}

// on returns what a wavefront of a kind does on a path, by block.
func (a *analysis) on(k *kind, p *Path) []work {
	all := make([]work, len(p.Executions))
	for b, n := range p.Executions {
		d := k.demands[b]
		all[b] = work{times: n, demand: d.times(n)}
		if k.parts[b] && a.mayDivide(b) {
			all[b].divided = n
		}
	}
	return all
}

// wavefront bounds a wavefront of a kind: by the longest path, and by all that abstract execution shows of it, whatever the paths.
// The latter is less where lanes leave a loop at different times, which the longest path pays for each lane.
func (a *analysis) wavefront(k *kind, s sharing) (cycles saturating.Int, done []work, err error) {
	path := k.paths[s]
	if path == nil {
		if path, err = a.path(k, a.prices(k, s)); err != nil {
			return 0, nil, err
		}
		k.paths[s] = path
	}
	sum := saturating.Int(0)
	for _, d := range k.done {
		sum = sum.Add(a.price(d.demand, s))
	}
	if k.done != nil && sum < path.Cycles {
		return sum, k.done, nil
	}
	return path.Cycles, a.on(k, path), nil
}

// group bounds a workgroup of a class.
func (a *analysis) group(c *class, s sharing) (*group, error) {
	g := &group{sharing: s}
	sum := saturating.Int(0)
	for i, k := range c.kinds {
		cycles, done, err := a.wavefront(k, s)
		if err != nil {
			return nil, err
		}
		sum = sum.AddMul(c.wavefronts[i], cycles)
		if g.kind == nil || cycles > g.longest {
			g.longest, g.kind, g.done = cycles, k, done
		}
	}
	g.cycles = g.longest
	if a.barriers == anyhow {
		g.cycles = sum
	}
	return g, nil
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
