package interleavings

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Sources of threads.
var (
	lane = Operand{Kind: Lane}
	warp = Operand{Kind: Warp}
)

// join returns programs one after the other. The targets of each are from its own beginning.
func join(parts ...[]Instr) []Instr {
	var all []Instr
	for _, part := range parts {
		begin := len(all)
		for _, in := range part {
			in.Target += begin
			all = append(all, in)
		}
	}
	return all
}

// one returns a program of some instructions.
func one(list ...Instr) []Instr { return list }

// either returns a program in which the threads with a source less than a bound go one way and the
// others another.
func either(of Operand, bound uint32, less, others []Instr) []Instr {
	skip := Instr{Op: Branch, Guard: Guard{Set: true, Not: true, Reg: 5}, Target: 1 + len(less) + 1}
	over := Instr{Op: Branch, Target: len(others) + 1}
	return join(one(Instr{Op: Less, D: 5, A: of, B: Imm(bound)}), one(skip), less, one(over), others)
}

// until returns a loop that repeats a test until its result is not zero.
func until(test Instr) []Instr {
	test.D = 5
	return one(test, Instr{Op: Branch, Guard: Guard{Set: true, Not: true, Reg: 5}})
}

// show returns a program that outputs register 0 and ends.
func show() []Instr { return one(Instr{Op: Output, A: Reg(0)}, Instr{Op: Exit}) }

// results returns the first words of threads, result after result, with a question mark for what is
// unspecified.
func (o *Outcome) results(threads int) string {
	var list []string
	for _, r := range o.Results {
		var words []string
		for t := range threads {
			words = append(words, strings.ReplaceAll(fmt.Sprint(r[t][0]), "-1", "?"))
		}
		list = append(list, strings.Join(words, " "))
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), ", ")
}

func TestExplore(t *testing.T) {
	const all = 1<<32 - 1
	exit := one(Instr{Op: Exit})
	one1 := Instr{Op: Move, D: 1, A: Imm(1)}
	vote := func(op Op, members uint32) []Instr { return one(Instr{Op: op, A: lane, Members: Imm(members)}) }
	barrier := func(op Op, id, warps int) []Instr { return one(Instr{Op: op, Object: id, Count: warps, A: Imm(1)}) }
	aligned := func(op Op, id, warps int) []Instr {
		return one(Instr{Op: op, Object: id, Count: warps, A: Imm(1), Aligned: true})
	}
	load := func(word int) []Instr { return one(Instr{Op: Load, Object: word}) }
	store := func(word int, x uint32) []Instr { return one(Instr{Op: Store, A: Imm(x), Object: word}) }
	initialised := func(arrivals int) []Instr {
		return join(either(lane, 1, one(Instr{Op: Init, Count: arrivals}), nil), vote(WarpSync, all))
	}
	arrival := one(Instr{Op: Arrive})
	swap := Instr{Op: ShflBfly, A: lane, B: Imm(1), P: 1, Members: Imm(all)}
	groups := Instr{Op: MatchAny, D: 1, A: Reg(2), Members: Imm(all)}
	elect := Instr{Op: Elect, P: 1, Members: Imm(3)}
	for _, c := range []struct {
		name         string
		warps, lanes int
		instrs       []Instr
		want         string // results
		end          string // what else can happen
	}{
		// vote.sync waits for the members, not for a place, and all members get the votes of all.
		{"a vote at two places", 1, 4,
			join(either(lane, 2, vote(VoteBallot, all), vote(VoteBallot, all)), show()),
			"14 14 14 14", ""},
		{"a vote of two lanes each", 1, 4,
			join(either(lane, 2, vote(VoteBallot, 3), vote(VoteBallot, 12)), show()),
			"2 2 12 12", ""},
		{"a vote before another", 1, 2,
			join(either(lane, 1, join(vote(VoteAny, 1), vote(VoteAll, 3)), vote(VoteAll, 3)), show()),
			"0 0", ""},
		// "with the same qualifiers and same membermask value".
		{"votes with other masks", 1, 2,
			join(either(lane, 1, vote(VoteAny, 3), vote(VoteAny, all)), show()),
			"", "deadlock"},
		{"other votes", 1, 2, join(either(lane, 1, vote(VoteAny, 3), vote(VoteAll, 3)), show()), "", "deadlock"},
		// "all non-exited threads".
		{"a vote without those that exited", 1, 4,
			join(either(lane, 2, exit, vote(VoteBallot, all)), show()),
			"0 0 12 12", ""},
		{"a vote of one that is left", 1, 4, join(either(lane, 3, exit, vote(VoteAll, all)), show()), "0 0 0 1", ""},
		{"a member votes elsewhere and exits", 1, 3,
			join(either(lane, 1, vote(VoteBallot, 3), vote(VoteBallot, 6)), show()),
			"0 6 6", ""},
		{"a uniform vote", 1, 3, join(either(lane, 1, exit, vote(VoteUni, all)), show()), "0 1 1", ""},
		{"a vote that is not uniform", 1, 3, join(vote(VoteUni, all), show()), "0 0 0", ""},
		// "The behavior is undefined if the executing thread is not in the membermask."
		{"a vote of others", 1, 2, join(vote(VoteAny, 1), show()), "", "undefined: thread 1 executes"},
		// shfl.sync: pairs, lanes out of range, and lanes that do not take part.
		{"a shuffle of pairs", 1, 4, join(one(swap), show()), "1 0 3 2", ""},
		{"a shuffle up", 1, 3,
			join(one(Instr{Op: ShflUp, A: lane, B: Imm(2), D: 1, P: 0, Members: Imm(all)}), show()),
			"0 0 1", ""},
		{"a shuffle from beyond the warp", 1, 3, join(one(swap), show()), "1 0 ?", ""},
		{"a shuffle from one that exited", 1, 2, join(either(lane, 1, exit, one(swap)), show()), "0 ?", ""},
		{"a branch on what is unspecified", 1, 1,
			join(one(swap, Instr{Op: Exit, Guard: Guard{Set: true}}), show()),
			"", "undefined: a guard"},
		// match.sync and redux.sync; masks may differ among the lanes of one instruction.
		{"a sum of each group", 1, 4,
			join(one(Instr{Op: And, D: 2, A: lane, B: Imm(1)}, groups, Instr{Op: ReduxAdd, A: lane, Members: Reg(1)}),
				show()),
			"2 4 2 4", ""},
		{"a match of all", 1, 2,
			join(one(Instr{Op: MatchAll, A: Imm(7), P: 1, Members: Imm(all)}), show()),
			"3 3", ""},
		{"no match of all", 1, 2,
			join(one(Instr{Op: MatchAll, A: lane, P: 1, Members: Imm(all)}), show()),
			"0 0", ""},
		{"a minimum at two places", 1, 3,
			join(either(lane, 1, one(Instr{Op: ReduxMin, A: Imm(9), Members: Imm(all)}),
				one(Instr{Op: ReduxMin, A: lane, Members: Imm(all)})), show()),
			"1 1 1", ""},
		// elect.sync elects any member, but "the same leader thread is elected for the same
		// membermask every time".
		{"an election", 1, 2, join(one(elect), show()), "0 0, 1 1", ""},
		{"two elections", 1, 2,
			join(one(elect, Instr{Op: Move, D: 2, A: Reg(0)}, elect, Instr{Op: Xor, D: 0, A: Reg(0), B: Reg(2)}),
				show()),
			"0 0", ""},
		{"the leader is one", 1, 2,
			join(one(elect, Instr{Op: ReduxAdd, A: Reg(1), Members: Imm(3)}), show()),
			"1 1", ""},
		// barrier without .aligned "causes executing thread to wait for all non-exited threads from
		// its warp", wherever they are.
		{"a barrier at two places", 1, 4,
			join(either(lane, 1, barrier(BarrierPopc, 0, 0), barrier(BarrierPopc, 0, 0)), show()),
			"4 4 4 4", ""},
		{"barriers crosswise", 1, 2,
			join(either(lane, 1, join(barrier(BarrierSync, 0, 0), barrier(BarrierSync, 1, 0)),
				join(barrier(BarrierSync, 1, 0), barrier(BarrierSync, 0, 0))),
				show()),
			"", "deadlock"},
		{"a barrier without those that exited", 2, 2,
			join(either(lane, 1, exit, barrier(BarrierPopc, 0, 0)), show()),
			"0 2 0 2", ""},
		{"a barrier and a vote", 1, 2,
			join(either(lane, 1, barrier(BarrierSync, 0, 0), vote(VoteAny, all)), show()),
			"", "deadlock"},
		{"an arrival waits for its warp", 1, 2,
			join(either(lane, 1, join(barrier(BarrierArrive, 0, 1), vote(VoteAny, 1)),
				join(vote(VoteAny, 3), barrier(BarrierArrive, 0, 1))),
				show()),
			"", "deadlock"},
		// "all threads in CTA will execute the same barrier instruction ... otherwise behavior is
		// undefined".
		{"an aligned barrier at two places", 1, 2,
			join(either(lane, 1, aligned(BarrierSync, 0, 0), aligned(BarrierSync, 0, 0)), show()),
			"", "undefined: warp 0 arrives"},
		{"an aligned barrier and a vote", 1, 2,
			join(either(lane, 1, aligned(BarrierSync, 0, 0), vote(VoteAny, all)), show()),
			"", "undefined: threads of a warp"},
		{"an aligned barrier and another", 1, 2,
			join(either(lane, 1, aligned(BarrierSync, 0, 0), aligned(BarrierSync, 1, 0)), show()),
			"", "undefined: threads of a warp"},
		{"an aligned barrier behind a loop", 1, 2,
			join(either(lane, 1, until(Instr{Op: Load}), nil), aligned(BarrierSync, 0, 0), show()),
			"", "deadlock in loops"},
		// exit: "If the exiting threads are holding up the barrier, the barrier is released." One
		// for a number of threads is not.
		{"a warp exits", 2, 2, join(either(warp, 1, exit, barrier(BarrierPopc, 0, 0)), show()), "0 0 2 2", ""},
		{"a warp exits that was counted", 2, 2,
			join(either(warp, 1, exit, barrier(BarrierPopc, 0, 2)), show()),
			"", "deadlock"},
		{"a barrier for one warp", 2, 2,
			join(either(warp, 1, exit, barrier(BarrierPopc, 0, 1)), show()),
			"0 0 2 2", ""},
		// Producers and consumers, as in the examples of the manual.
		{"a value handed over", 2, 1,
			join(either(warp, 1, join(store(0, 7), barrier(BarrierArrive, 0, 2), barrier(BarrierSync, 1, 2), load(0)),
				join(barrier(BarrierSync, 0, 2), load(0), store(0, 9), barrier(BarrierArrive, 1, 2))), show()),
			"9 7", ""},
		{"nobody produces", 2, 1,
			join(either(warp, 1, barrier(BarrierSync, 1, 2), barrier(BarrierSync, 0, 2)), show()),
			"", "deadlock"},
		// What the manual forbids at an active barrier.
		{"two arrivals of a warp", 2, 1,
			join(either(warp, 1, join(barrier(BarrierArrive, 0, 2), barrier(BarrierArrive, 0, 2)),
				barrier(BarrierSync, 0, 2)),
				show()),
			"", "undefined: warp 0 arrives"},
		{"other numbers of threads", 2, 1,
			join(either(warp, 1, barrier(BarrierSync, 0, 0), barrier(BarrierSync, 0, 2)), show()),
			"", "undefined: barrier 0 is for"},
		{"a reduction and a wait", 2, 1,
			join(either(warp, 1, barrier(BarrierAnd, 0, 0), barrier(BarrierSync, 0, 0)), show()),
			"", "undefined: reductions"},
		{"a reduction in one warp and a wait", 1, 2,
			join(either(lane, 1, barrier(BarrierAnd, 0, 0), barrier(BarrierSync, 0, 0)), show()),
			"", "deadlock"},
		{"an arrival in one warp and a wait", 1, 2,
			join(either(lane, 1, barrier(BarrierArrive, 0, 1), barrier(BarrierSync, 0, 1)), show()),
			"", "deadlock"},
		{"a reduction by or", 2, 2, join(one(Instr{Op: BarrierOr, A: warp}), show()), "1 1 1 1", ""},
		{"a reduction by and", 2, 2, join(one(Instr{Op: BarrierAnd, A: warp}), show()), "0 0 0 0", ""},
		// mbarrier: a phase is complete when no arrivals are pending.
		{"a phase", 1, 2,
			join(initialised(2), arrival, until(Instr{Op: TestState}), one(Instr{Op: Move, A: Reg(5)}), show()),
			"1 1", ""},
		{"a lane waits for another", 1, 2,
			join(initialised(1), either(lane, 1, until(Instr{Op: TryParity}), arrival), show()),
			"0 0", ""},
		{"too few arrive", 1, 2,
			join(initialised(3), arrival, until(Instr{Op: TestParity}), show()),
			"", "deadlock in loops"},
		{"one phase after the other", 1, 1,
			join(initialised(1), arrival, until(Instr{Op: TryState}), arrival,
				until(Instr{Op: TestParity, A: Imm(1)}), one(Instr{Op: TestParity}), show()),
			"0", ""},
		{"a phase long ago", 1, 2,
			join(initialised(1),
				either(lane, 1, join(arrival, vote(WarpSync, 3), until(Instr{Op: TestState})),
					join(vote(WarpSync, 3), arrival)),
				show()),
			"", "undefined: mbarrier 0 is asked"},
		{"no mbarrier", 1, 1, join(arrival, show()), "", "undefined: mbarrier 0 is not initialised"},
		{"an mbarrier twice", 1, 2,
			join(one(Instr{Op: Init, Count: 1}), show()),
			"", "undefined: mbarrier 0 is initialised"},
		// Shared words.
		{"store, then load", 1, 2,
			join(either(lane, 1, join(store(0, 1), load(1)), join(store(1, 1), load(0))), show()),
			"0 1, 1 0, 1 1", ""},
		{"tickets", 1, 3,
			join(one(Instr{Op: AtomicAdd, A: Imm(1)}), show()),
			"0 1 2, 0 2 1, 1 0 2, 1 2 0, 2 0 1, 2 1 0", ""},
		{"a lost update", 1, 2,
			join(load(0), one(Instr{Op: Add, A: Reg(0), B: Imm(1)}, Instr{Op: Store, A: Reg(0)}), vote(WarpSync, 3),
				load(0), show()),
			"1 1, 2 2", ""},
		{"a flag", 1, 2, join(either(lane, 1, until(Instr{Op: Load}), store(0, 1)), show()), "0 0", ""},
		{"a flag of nobody", 1, 2,
			join(either(lane, 1, until(Instr{Op: Load}), nil), show()),
			"", "deadlock in loops"},
		{"a flag behind the loop", 1, 2, join(until(Instr{Op: Load}), store(0, 1), show()), "", "deadlock in loops"},
		{"a wait that a race leads to", 1, 2,
			join(either(lane, 1, join(load(0), one(Instr{Op: Exit, Guard: Guard{Set: true}}),
				barrier(BarrierSync, 0, 2)), store(0, 1)),
				show()),
			"0 0", "deadlock"},
		// Others.
		{"a guard", 1, 3,
			join(one(Instr{Op: Less, D: 5, A: lane, B: Imm(2)}, one1,
				Instr{Op: VoteBallot, A: Reg(1), Members: Imm(3), Guard: Guard{Set: true, Reg: 5}}),
				show()),
			"3 3 0", ""},
		{"a loop", 1, 2,
			join(one(Instr{Op: Add, D: 1, A: lane, B: Imm(1)}),
				one(Instr{Op: Add, D: 0, A: Reg(0), B: Imm(3)},
					Instr{Op: Add, D: 1, A: Reg(1), B: Imm(1<<32 - 1)},
					Instr{Op: Branch, Guard: Guard{Set: true, Reg: 1}}),
				show()),
			"3 6", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &Program{Warps: c.warps, Lanes: c.lanes, Instrs: c.instrs}
			for _, every := range []bool{false, true} {
				o, err := explore(p, 1e5, every)
				if err != nil {
					t.Fatal(err)
				}
				end := ""
				switch {
				case o.Undefined != "":
					end = "undefined: " + o.Undefined
				case o.Spin:
					end = "deadlock in loops"
				case o.Deadlock:
					end = "deadlock"
				}
				got := o.results(c.warps * c.lanes)
				if got != c.want || c.end == "" && end != "" || !strings.HasPrefix(end, c.end) {
					t.Errorf("every order %v: results %q, %s; want %q, %s\n%s", every, got, end, c.want, c.end, p.PTX())
				}
			}
		})
	}
}

// TestExploreLimit: a program with more states than the limit is an error.
func TestExploreLimit(t *testing.T) {
	p := &Program{Warps: 1, Lanes: 3, Instrs: join(one(Instr{Op: AtomicAdd, A: Imm(1)}), show())}
	o, err := Explore(p, 1e4)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Explore(p, o.States); err != nil {
		t.Errorf("limit %d: %v", o.States, err)
	}
	if _, err := Explore(p, o.States-1); !errors.Is(err, ErrLarge) {
		t.Errorf("limit %d: %v", o.States-1, err)
	}
}

// TestStepsAlone: the outcomes of small random programs are the same whether or not steps are taken
// alone.
func TestStepsAlone(t *testing.T) {
	compared := 0
	for seed := range uint64(120) {
		src := rand.New(rand.NewPCG(seed, 2))
		p := Random(src, Features(src.Uint32()))
		p.Warps, p.Lanes = 1+int(seed%2), 2-int(seed%2)
		few, err := Explore(p, 4000)
		if err != nil {
			continue
		}
		every, err := explore(p, 4000, true)
		if err != nil {
			continue
		}
		compared++
		few.States, every.States = 0, 0
		if few.Undefined != "" && every.Undefined != "" {
			continue
		}
		compare := func(a, b Result) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }
		slices.SortFunc(few.Results, compare)
		slices.SortFunc(every.Results, compare)
		if !reflect.DeepEqual(few, every) {
			t.Errorf("seed %d: %+v, in every order %+v\n%s", seed, few, every, p.PTX())
		}
	}
	if compared < 90 {
		t.Errorf("%d programs compared", compared)
	}
}
