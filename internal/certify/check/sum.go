package check

import (
	"math/big"

	"warpbound/internal/isa"
	"warpbound/internal/machine"
)

// need is what threads need, at most: cycles of service at the port and of delay behind it, with
// one request for each lane; accesses to memory outside of the SM, and those of them that are
// atomic.
type need struct{ service, delay, accesses, atomics big.Int }

// add adds what something needs that happens so often.
func (n *need) add(times *big.Int, service, delay, accesses, atomics int64) {
	for _, x := range []struct {
		sum   *big.Int
		value int64
	}{{&n.service, service}, {&n.delay, delay}, {&n.accesses, accesses}, {&n.atomics, atomics}} {
		x.sum.Add(x.sum, new(big.Int).Mul(times, big.NewInt(x.value)))
	}
}

// Sum is what no run of the launch takes longer than, in cycles: a sum over blocks of what each
// thread needs there. bounds are those of loops, by block, -1 where there is none. It is false on
// machines of other kinds than those of static/cta and static/llc-*, if the kernel has an
// instruction that it does not know, or goes around in what is no loop.
func (f *Flow) Sum(bounds []int64) (*big.Int, bool) {
	thread, barriers, ok := f.thread(bounds)
	if !ok || f.Kernel.Reconvergence != isa.AtPostDominators {
		return nil, false
	}
	m, grid, block := f.Machine, f.Bound.Job.Grid, f.Bound.Job.Block
	product := func(all [3]int) *big.Int {
		return mul(big.NewInt(int64(all[0])), mul(big.NewInt(int64(all[1])), big.NewInt(int64(all[2]))))
	}
	threads, sms := product(block), big.NewInt(m.SM.Count.Value)
	ctas := new(big.Int).Div(add(product(grid), sms, big.NewInt(-1)), sms) // of an SM, at most
	switch m.Core {
	case machine.Barrel:
		// While the port is free, the warp that retires last waits for a delay of its own, or for
		// one of its CTA before a barrier.
		waits := threads
		if lanes := big.NewInt(m.SM.WarpSize.Value); !barriers && lanes.Cmp(threads) < 0 {
			waits = lanes
		}
		cta := add(big.NewInt(m.SM.Dispatch.Value), mul(threads, &thread.service), mul(waits, &thread.delay))
		return mul(ctas, cta), true
	case machine.Integrated:
		return f.integrated(mul(ctas, threads), ctas, thread), true
	}
	return nil, false
}

// integrated is Sum on a machine whose SMs share a cache with a CPU, with so many threads and CTAs
// of each SM: what it needs one by one, or if accesses are regulated what as many SMs need as there
// are intervals, and the ends of these (docs/methods/llc.md).
func (f *Flow) integrated(threads, ctas *big.Int, thread *need) *big.Int {
	m := f.Machine
	cores := int64(m.Cores())
	oldest := 2*cores*m.Interconnect.Slot.Value + 2*m.Interconnect.Latency.Value + m.LLC.Latency.Value +
		cores*m.DRAM.Slot.Value + m.DRAM.Conflict.Value
	accesses, atomics := mul(threads, &thread.accesses), mul(threads, &thread.atomics)
	sm := add(
		mul(ctas, big.NewInt(m.SM.Dispatch.Value)), mul(threads, add(&thread.service, &thread.delay)),
		mul(accesses, big.NewInt(oldest)), mul(atomics, big.NewInt(m.LLC.Atomic.Value)),
	)
	if !m.Regulated() {
		return sm
	}
	// What is queued begins anew behind an interval: an access, the longest instruction, and the
	// operations of one access.
	longest := int64(0)
	for _, in := range f.Kernel.Instrs {
		longest = max(longest, m.Timing(in.Class()).Latency)
	}
	ended := new(big.Int).Div(accesses, big.NewInt(m.Regulator.Quota.Value))
	sm = add(sm, mul(ended, big.NewInt(oldest+longest+m.SM.WarpSize.Value*m.LLC.Atomic.Value)))
	some := add(ended, big.NewInt(1))
	if sms := big.NewInt(m.SM.Count.Value); sms.Cmp(some) < 0 {
		some = sms
	}
	return add(mul(some, sm), mul(ended, big.NewInt(m.Regulator.Wait.Value+oldest+m.Regulator.Reset.Value+1)))
}

// thread adds up what a thread needs in all blocks, each as often as the bounds of the loops around
// it allow. barriers says that it may come to one.
func (f *Flow) thread(bounds []int64) (all *need, barriers, ok bool) {
	all = new(need)
	reached := map[int]bool{0: true}
	for work := []int{0}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, to := range f.Passable(b) {
			around := to != Exit && f.Loops[to] != nil && f.Loops[to].Body[b]
			if to != Exit && f.rank[to] <= f.rank[b] && !around {
				return nil, false, false // there is a way around that is in no loop
			}
			if to != Exit && !reached[to] {
				reached[to] = true
				work = append(work, to)
			}
		}
		times := big.NewInt(1)
		for header, l := range f.Loops {
			if l.Body[b] && bounds[header] < 0 {
				return nil, false, false
			} else if l.Body[b] {
				times = mul(times, add(big.NewInt(bounds[header]), big.NewInt(1)))
			}
		}
		for pc := f.Blocks[b].Start; pc < f.Blocks[b].End; pc++ {
			in := &f.Kernel.Instrs[pc]
			if !known(in) {
				return nil, false, false
			}
			barriers = barriers || in.Op == isa.Bar
			f.execute(all, times, in)
		}
	}
	return all, barriers, true
}

// known reports whether it is known how long the warp of a thread waits that executes an
// instruction.
func known(in *isa.Instr) bool {
	switch in.Op {
	case isa.Ld, isa.St, isa.Atom, isa.Red, isa.LdMatrix, isa.StMatrix, isa.Prefetch:
		return true
	case isa.Bar:
		return in.Barrier != isa.BarrierClusterArrive && in.Barrier != isa.BarrierClusterWait
	case isa.RunSystem, isa.Reconverge, isa.Split, isa.Merge:
		return false
	}
	info := in.Op.Info()
	return info.Unit != isa.UnitMem && info.Effect&isa.Unmodelled == 0
}

// execute adds what a thread needs for an instruction that it executes so often. Whoever else
// executes it at the same time pays as well. A store is as long under way as a load: a fence or the
// end of the warp may wait for it. Who comes to a barrier or exits may let others go.
func (f *Flow) execute(all *need, times *big.Int, in *isa.Instr) {
	t := f.Machine.Timing(in.Class())
	requests, accesses, atomics := int64(1), int64(0), int64(0)
	if words := elements(in); words > 0 {
		requests = words
		if in.Space != isa.Shared && in.Space != isa.Param && in.Space != isa.Const {
			accesses = words
		}
		if in.Op == isa.Atom || in.Op == isa.Red {
			atomics = accesses
		}
	}
	delay := t.Latency - t.Initiation // behind the service
	if in.Op.Info().Effect&(isa.Barriers|isa.Exits) != 0 {
		delay += f.Machine.SM.Barrier.Value
	}
	all.add(times, t.Initiation*requests, delay, accesses, atomics)
}

// elements is in how many requests, or lines, an access of a thread is at most: one for each four
// bytes, since it is aligned to its size and all memories have words of four bytes at least. It is
// 0 of what is no access.
func elements(in *isa.Instr) int64 {
	n := 0
	switch in.Op {
	case isa.Ld, isa.Atom:
		n = max(len(in.Dst), 1)
	case isa.St, isa.Red:
		n = len(in.Src) - 1
	case isa.LdMatrix, isa.StMatrix:
		return isa.MatrixRow / 4 // at the address that the thread gives
	default:
		return 0
	}
	return int64(n*in.Type.Bytes()+3) / 4
}

func add(all ...*big.Int) *big.Int {
	sum := new(big.Int)
	for _, n := range all {
		sum.Add(sum, n)
	}
	return sum
}

func mul(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }
