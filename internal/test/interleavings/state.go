package interleavings

import "fmt"

// value is a number of 32 bits, or unspecified.
type value int64

// unspecified is a value that the manual leaves open. What is computed of it is unspecified, and
// nothing is defined of a program whose control depends on it.
const unspecified value = -1

// thread is what a thread has of its own.
type thread struct {
	pc     int16 // exited if it has
	parked bool  // it waits until the barrier at pc completes, at which its warp has arrived
	phase  int16 // of the last arrival at an mbarrier
	regs   [Registers]value
	out    [Outputs]value
}

const exited = -1

// barrier is a named barrier of the CTA. It is as new when it completes.
type barrier struct {
	arrived uint8 // warps
	count   int8  // of the first arrival
	op      Op    // of the first arrival, Sync for Arrive
	votes   int8  // threads of a reduction in which the predicate holds; unknown if a predicate is unspecified
	voters  int8
}

const unknown = -1

// mbarrier is an mbarrier object. Its memory holds none before Init.
type mbarrier struct {
	valid                    bool
	phase, expected, pending int16
}

// state is what threads, barriers and memory are at a time. Equal states have equal futures.
type state struct {
	threads   [maxThreads]thread
	words     [Words]value
	barriers  [Barriers]barrier
	mbarriers [Mbarriers]mbarrier
	leaders   [MaxWarps][1 << MaxLanes]int8 // 1 + the lane that elect.sync elects, by warp and members; 0 if it has not
}

// undefined is why nothing is defined of a program.
type undefined string

func undefinedf(format string, args ...any) undefined { return undefined(fmt.Sprintf(format, args...)) }

// threadsOf returns the numbers of the threads of a warp that have not exited.
func (p *Program) threadsOf(s *state, warp int) []int {
	var list []int
	for lane := range p.Lanes {
		if t := warp*p.Lanes + lane; s.threads[t].pc != exited {
			list = append(list, t)
		}
	}
	return list
}

// read returns what a source holds in a thread.
func (p *Program) read(s *state, t int, o Operand) value {
	switch o.Kind {
	case Register:
		return s.threads[t].regs[o.Value]
	case Lane:
		return value(t % p.Lanes)
	case Warp:
		return value(t / p.Lanes)
	}
	return value(o.Value)
}

// holds reports whether the guard of an instruction holds in a thread, and ok whether that is
// defined.
func (g Guard) holds(th *thread) (holds, ok bool) {
	if !g.Set {
		return true, true
	}
	x := th.regs[g.Reg]
	return (x != 0) != g.Not, x != unspecified
}

// step executes the next instruction of a thread, which is of class ofThread or ofMemory, or one
// whose guard does not hold.
func (p *Program) step(s *state, t int) undefined {
	th := &s.threads[t]
	in := &p.Instrs[th.pc]
	th.pc++
	if holds, _ := in.Guard.holds(th); !holds {
		return ""
	}
	a, b := p.read(s, t, in.A), p.read(s, t, in.B)
	switch in.Op {
	case Move:
		th.regs[in.D] = a
	case Add, And, Xor, Less, Equal:
		th.regs[in.D] = compute(in.Op, a, b)
	case Branch:
		th.pc = int16(in.Target)
	case Exit:
		th.pc = exited
		p.completeBarriers(s)
	case Output:
		th.out[in.Object] = a
	case Load:
		th.regs[in.D] = s.words[in.Object]
	case Store:
		s.words[in.Object] = a
	case AtomicAdd:
		before := s.words[in.Object]
		s.words[in.Object] = compute(Add, before, a)
		th.regs[in.D] = before
	default:
		return p.stepMbarrier(s, th, in, a)
	}
	return ""
}

// compute returns the result of an operation on two numbers.
func compute(op Op, a, b value) value {
	if a == unspecified || b == unspecified {
		return unspecified
	}
	switch op {
	case Add:
		return value(uint32(a + b))
	case And:
		return a & b
	case Xor:
		return a ^ b
	case Less:
		return truth(a < b)
	}
	return truth(a == b)
}

func truth(holds bool) value {
	if holds {
		return 1
	}
	return 0
}

// stepMbarrier executes an operation on an mbarrier. A phase is complete when no arrivals are
// pending, and the next one begins. Threads may ask for the current phase and the one before.
// try_wait may suspend the thread before it answers: that is an interleaving in which it asks
// later.
func (p *Program) stepMbarrier(s *state, th *thread, in *Instr, a value) undefined {
	b := &s.mbarriers[in.Object]
	if in.Op == Init {
		if b.valid {
			return undefinedf("mbarrier %d is initialised where there is one", in.Object)
		}
		*b = mbarrier{valid: true, expected: int16(in.Count), pending: int16(in.Count)}
		return ""
	}
	if !b.valid {
		return undefinedf("mbarrier %d is not initialised", in.Object)
	}
	switch in.Op {
	case Arrive:
		th.phase = b.phase
		if b.pending--; b.pending == 0 {
			b.phase++
			b.pending = b.expected
		}
	case TestState, TryState:
		if age := b.phase - th.phase; age < 0 || age > 1 {
			return undefinedf("mbarrier %d is asked for phase %d in phase %d", in.Object, th.phase, b.phase)
		}
		th.regs[in.D] = truth(b.phase > th.phase)
	case TestParity, TryParity:
		if a != 0 && a != 1 {
			return undefinedf("mbarrier %d is asked for parity %d", in.Object, a)
		}
		th.regs[in.D] = truth(value(b.phase&1) != a)
	}
	return ""
}
