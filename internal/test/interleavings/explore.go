package interleavings

import (
	"errors"
	"slices"
)

// Result is what the threads have written to global memory: Outputs words of each. Unspecified
// words are negative.
type Result [maxThreads][Outputs]int64

// Outcome is what can become of a program.
type Outcome struct {
	// Results are those of all interleavings in which all threads end.
	Results []Result
	// Deadlock is set if threads can come where not all of them ever end, whatever the order of
	// further steps: some of them wait for ever, or go round in loops. Without Results it is
	// certain.
	Deadlock bool
	// Spin is set if they can come to such loops.
	Spin bool
	// Undefined says why nothing is defined of the program, as some interleaving shows; the rest is
	// not known then.
	Undefined string
	// States are those that have been looked at.
	States int
}

// ErrLarge is the error of programs with more states than Explore may look at.
var ErrLarge = errors.New("the program has too many states")

// Has reports whether a result is among those of the outcome, where unspecified words may be
// anything.
func (o *Outcome) Has(r Result) bool {
	return slices.ContainsFunc(o.Results, func(want Result) bool {
		for t := range want {
			for i, x := range want[t] {
				if x >= 0 && x != r[t][i] {
					return false
				}
			}
		}
		return true
	})
}

// Explore follows all interleavings of the steps of threads. It is the error ErrLarge if there are
// more than so many states.
//
// Of steps that no other thread can see or hinder, one is taken alone, as the order of these makes
// no difference (Godefroid, Partial-Order Methods for the Verification of Concurrent Systems, LNCS
// 1032, persistent sets).
func Explore(p *Program, limit int) (Outcome, error) { return explore(p, limit, false) }

// explore is Explore, which follows the orders of all steps if it is told so.
func explore(p *Program, limit int, all bool) (Outcome, error) {
	x := &explorer{Program: p, all: all, numbers: map[state]int{}}
	start := state{}
	for t := p.Warps * p.Lanes; t < maxThreads; t++ {
		start.threads[t].pc = exited
	}
	x.number(&start)
	for i := 0; i < len(x.states); i++ {
		if i >= limit {
			return Outcome{}, ErrLarge
		}
		if why := x.expand(i); why != "" {
			return Outcome{Undefined: string(why), States: len(x.states)}, nil
		}
	}
	return x.judge(), nil
}

// explorer has found some of the states of a program.
type explorer struct {
	*Program
	all     bool // do not take steps alone
	states  []state
	numbers map[state]int
	before  [][]int // of each state, those from which a step leads to it
	ends    []int   // states in which all threads have exited
	stuck   []int   // others without a step
}

// number returns the number of a state.
func (x *explorer) number(s *state) int {
	n, known := x.numbers[*s]
	if !known {
		n = len(x.states)
		x.numbers[*s] = n
		x.states = append(x.states, *s)
		x.before = append(x.before, nil)
	}
	return n
}

// move is a step of a thread, of threads that are gathered at an operation with .sync, or of a warp
// that arrives at a barrier.
type move struct {
	threads []int // one thread, or those that are gathered
	elected int   // of these
	warp    int   // that arrives, if there are no threads
	alone   bool  // no other thread can see or hinder it
}

// expand finds the states to which a step leads from one.
func (x *explorer) expand(i int) undefined {
	moves, why := x.moves(&x.states[i])
	if why != "" {
		return why
	}
	if k := slices.IndexFunc(moves, func(m move) bool { return m.alone }); k >= 0 && !x.all {
		moves = moves[k : k+1]
	}
	for _, m := range moves {
		next := x.states[i]
		if why := x.execute(&next, m); why != "" {
			return why
		}
		n := x.number(&next)
		x.before[n] = append(x.before[n], i)
	}
	if len(moves) > 0 {
		return ""
	}
	for _, th := range x.states[i].threads {
		if th.pc != exited {
			x.stuck = append(x.stuck, i)
			return ""
		}
	}
	x.ends = append(x.ends, i)
	return ""
}

// execute makes a step.
func (x *explorer) execute(s *state, m move) undefined {
	if len(m.threads) == 0 {
		return x.arrive(s, m.warp)
	}
	th := &s.threads[m.threads[0]]
	in := &x.Instrs[th.pc]
	if holds, _ := in.Guard.holds(th); holds && classOf(in.Op) == ofWarp {
		return x.synchronise(s, m.threads, m.elected)
	}
	return x.step(s, m.threads[0])
}

// moves returns the steps that can be next.
func (x *explorer) moves(s *state) ([]move, undefined) {
	var list []move
	for w := range x.Warps {
		threads := x.threadsOf(s, w)
		var first *Instr // barrier to which threads have come
		at := 0          // how many
		for _, t := range threads {
			th := &s.threads[t]
			if th.parked {
				continue
			}
			in := &x.Instrs[th.pc]
			holds, ok := in.Guard.holds(th)
			class := classOf(in.Op)
			switch {
			case !ok:
				return nil, "a guard is unspecified"
			case !holds:
				list = append(list, move{threads: []int{t}, alone: true})
			case class == ofBarrier:
				if first == nil {
					first = in
				}
				if in.Object == first.Object && in.Op == first.Op && in.Count == first.Count {
					at++
				}
			case class == ofWarp:
				group, why := x.gathered(s, t)
				if why != "" {
					return nil, why
				}
				if len(group) == 0 || group[0] != t {
					continue
				}
				if in.Op != Elect {
					list = append(list, move{threads: group, alone: true})
					continue
				}
				for _, elected := range x.candidates(s, group) {
					list = append(list, move{threads: group, elected: elected})
				}
			default:
				list = append(list, move{threads: []int{t}, alone: class == ofThread})
			}
		}
		if at > 0 && at == len(threads) {
			list = append(list, move{warp: w})
		}
	}
	return list, ""
}

// candidates returns the threads that elect.sync can elect: any, or the one that the same members
// have elected before.
func (x *explorer) candidates(s *state, group []int) []int {
	members := x.read(s, group[0], x.Instrs[s.threads[group[0]].pc].Members) & (1<<MaxLanes - 1)
	warp := group[0] / x.Lanes
	if leader := int(s.leaders[warp][members]); leader != 0 {
		return []int{warp*x.Lanes + leader - 1}
	}
	return group
}

// judge says what can become of the program, all states of which are known.
func (x *explorer) judge() Outcome {
	o := Outcome{States: len(x.states)}
	for _, i := range x.ends {
		var r Result
		for t := range r {
			for k, word := range x.states[i].threads[t].out {
				r[t][k] = int64(word)
			}
		}
		if !slices.Contains(o.Results, r) {
			o.Results = append(o.Results, r)
		}
	}
	for _, i := range x.stuck {
		if x.splitsAligned(&x.states[i]) {
			return Outcome{Undefined: "threads of a warp do not come to an aligned barrier together", States: o.States}
		}
	}
	canEnd, canStick := x.leadingTo(x.ends), x.leadingTo(x.stuck)
	for i := range x.states {
		o.Deadlock = o.Deadlock || !canEnd[i]
		o.Spin = o.Spin || !canEnd[i] && !canStick[i]
	}
	return o
}

// leadingTo returns the states from which steps lead to one of some states, these among them.
func (x *explorer) leadingTo(list []int) []bool {
	found := make([]bool, len(x.states))
	list = slices.Clone(list)
	for _, i := range list {
		found[i] = true
	}
	for len(list) > 0 {
		i := list[len(list)-1]
		list = list[:len(list)-1]
		for _, k := range x.before[i] {
			if !found[k] {
				found[k] = true
				list = append(list, k)
			}
		}
	}
	return found
}

// splitsAligned reports whether a thread is at an aligned barrier to which others of its warp have
// not come. If these wait elsewhere for ever, threads may not have evaluated the conditions before
// it alike, which aligned barriers demand.
func (x *explorer) splitsAligned(s *state) bool {
	for w := range x.Warps {
		threads := x.threadsOf(s, w)
		for _, t := range threads {
			if in := &x.Instrs[s.threads[t].pc]; classOf(in.Op) != ofBarrier || !in.Aligned {
				continue
			}
			for _, u := range threads {
				if s.threads[u].pc != s.threads[t].pc {
					return true
				}
			}
		}
	}
	return false
}
