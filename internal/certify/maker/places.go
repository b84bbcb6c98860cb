package maker

import (
	"fmt"
	"math"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/certify"
	"warpbound/internal/certify/check"
	"warpbound/internal/certify/loops"
	"warpbound/internal/certify/words"
	"warpbound/internal/isa"
	"warpbound/internal/method"
)

// maxWork limits the instructions times registers of kernels of which invariants are written down, at effort 1.
const maxWork = 1 << 24

// Places are the facts about blocks: what the analysis of values knows of registers there, weakened until the checker can
// follow it; bounds of loops with ranking functions where there are some; the longest path of a thread with its dual
// solution; and the sum over blocks. Where there are none, omitted says why.
func Places(p *method.Problem, s *check.Subject) (facts []certify.Fact, omitted string) {
	if work, limit := int64(len(s.Kernel.Instrs))*int64(len(s.Kernel.Regs)), p.Effort.Of(maxWork); work > limit {
		return nil, fmt.Sprintf("instructions times registers are %d, more than %d", work, limit)
	}
	program, err := check.NewProgram(s)
	switch {
	case err != nil:
		return nil, err.Error()
	case p.Values == nil:
		return nil, "what registers can hold was not found"
	}
	m := &placer{Problem: p, program: program}
	m.invariants()
	for b := range program.Blocks {
		m.add(certify.Time, b, program.Time(b))
		m.invariant(b)
	}
	bounded := true
	for b := range program.Blocks {
		if program.Loops[b] != nil {
			bounded = m.loop(b) && bounded
		}
	}
	if bounded {
		m.path()
		m.sum()
	}
	return m.facts, ""
}

type placer struct {
	*method.Problem
	program *check.Program
	sets    check.Invariants
	flow    *check.Flow
	facts   []certify.Fact
}

// add adds a fact about a block, or about the exit.
func (m *placer) add(kind certify.Kind, b int, value int64) *certify.Fact {
	pc, at := len(m.Graph.Kernel.Instrs), "exit"
	if b < len(m.program.Blocks) {
		pc = m.program.Blocks[b].Start
		at = certify.Place(m.Graph.Kernel.Instrs[pc].Pos)
	}
	m.facts = append(m.facts, certify.Fact{Kind: kind, At: at, PC: &pc, Value: value, Evidence: estimate.Proven})
	return &m.facts[len(m.facts)-1]
}

// maxOdd is the largest number of steps of a set whose step is no power of two.
const maxOdd = 8

// patience is how often an invariant is weakened to what comes along an edge before it is given up.
const patience = 4

// invariants finds what of the values of registers is inductive for the checker.
func (m *placer) invariants() {
	m.sets = make(check.Invariants, len(m.program.Blocks))
	for b := range m.program.Blocks {
		m.sets[b] = make(map[isa.Reg]words.Set)
		block := m.Graph.BlockOf(m.program.Blocks[b].Start)
		for r := range m.Graph.Kernel.Regs {
			if set, ok := m.Values.At(block, isa.Reg(r)); ok {
				low, step, count := set.Base(), set.Step(), set.Count()
				if even := step & -step; step != even && count > maxOdd {
					step, count = even, step*count/even // solvers find remainders hard
				}
				m.sets[b][isa.Reg(r)] = words.Set{Bits: set.Bits(), Low: low, Step: step, Count: count}
			}
		}
	}
	type place struct {
		block int
		reg   isa.Reg
	}
	weakened := make(map[place]int)
	for {
		flow, broken := m.program.Execute(m.sets)
		if m.flow = flow; len(broken) == 0 {
			return
		}
		for _, b := range broken {
			at := place{b.Block, b.Reg}
			old, ok := m.sets[b.Block][b.Reg]
			if !ok {
				continue
			}
			weakened[at]++
			if wide := old.Joined(b.Words); weakened[at] <= patience && !wide.IsAny() {
				m.sets[b.Block][b.Reg] = wide
			} else {
				delete(m.sets[b.Block], b.Reg)
			}
		}
	}
}

func (m *placer) invariant(b int) {
	var ranges []certify.Range
	for r := range m.Graph.Kernel.Regs {
		if w, ok := m.sets[b][isa.Reg(r)]; ok {
			ranges = append(ranges, certify.Range{Register: r, Name: m.Graph.Kernel.Regs[r].Name, Bits: w.Bits, Low: w.Low, Step: w.Step, Count: w.Count})
		}
	}
	if ranges != nil {
		m.add(certify.Invariant, b, 0).Invariant = ranges
	}
}

// loop adds the bound of the loop with a header. It reports whether there is one.
func (m *placer) loop(b int) bool {
	header := m.Graph.BlockOf(m.program.Blocks[b].Start)
	counted, known := m.Counted[header]
	stated, annotated := m.Annotated(header)
	ranking, bound := m.ranking(m.program.Loops[b])
	switch {
	case ranking != nil && (!known || bound <= counted) && (!annotated || bound <= stated):
		m.add(certify.Loop, b, bound).Ranking = ranking
	case known && (!annotated || counted <= stated):
		m.add(certify.Loop, b, counted)
	case annotated:
		m.add(certify.Loop, b, stated).Evidence = estimate.Annotated
	default:
		return false
	}
	return true
}

// ranking returns the ranking function of a loop that shows the least bound; nil if there is none.
func (m *placer) ranking(l *loops.Loop) (best *certify.Ranking, bound int64) {
	for _, r := range m.written(l) {
		for _, coefficient := range []int{1, -1} {
			for _, sign := range []bool{false, true} {
				n, decrease, ok := m.flow.Rank(l, r, coefficient > 0, sign)
				if ok && (best == nil || n < bound) {
					bound = n
					best = &certify.Ranking{Register: int(r), Name: m.Graph.Kernel.Regs[r].Name, Coefficient: coefficient, Signed: sign, Decrease: decrease}
				}
			}
		}
	}
	return best, bound
}

// written returns the registers that a loop writes.
func (m *placer) written(l *loops.Loop) []isa.Reg {
	var regs []isa.Reg
	for b := range m.program.Blocks {
		for pc := m.program.Blocks[b].Start; l.Body[b] && pc < m.program.Blocks[b].End; pc++ {
			m.Graph.Kernel.Instrs[pc].Writes(func(r isa.Reg) { regs = append(regs, r) })
		}
	}
	slices.Sort(regs)
	return slices.Compact(regs)
}

// path adds the longest path of a thread. Loops are solved from the innermost: the price of one is what the longest way
// around it takes, and who enters it pays for all.
func (m *placer) path() {
	n := len(m.program.Blocks)
	bounds, prices, potentials := make([]int64, n), make([]int64, n), make([]int64, n+1)
	evidence := estimate.Proven
	for i := range m.facts {
		if f := &m.facts[i]; f.Kind == certify.Loop {
			bounds[m.program.BlockAt(*f.PC)] = f.Value
			evidence = estimate.Weakest(evidence, f.Evidence)
		}
	}
	var headers []int
	for b := range m.program.Blocks {
		if m.program.Loops[b] != nil {
			headers = append(headers, b)
		}
	}
	slices.SortStableFunc(headers, func(a, b int) int { return len(m.program.Loops[a].Body) - len(m.program.Loops[b].Body) })
	for _, h := range headers {
		around, ok := m.longest(h, m.program.Loops[h].Body, bounds, prices, potentials)
		if !ok {
			return
		}
		prices[h] = around
	}
	end, ok := m.longest(0, nil, bounds, prices, potentials)
	if _, holds := m.flow.Dual(potentials, bounds, prices); !ok || !holds {
		return
	}
	for b := range n {
		if prices[b] > 0 {
			m.add(certify.Price, b, prices[b])
		}
		m.add(certify.Potential, b, potentials[b])
	}
	m.add(certify.Potential, n, end)
	m.add(certify.Path, n, end).Evidence = evidence
}

// sum adds the sum over blocks, if there is one and it fits.
func (m *placer) sum() {
	bounds := slices.Repeat([]int64{-1}, len(m.program.Blocks))
	evidence := estimate.Proven
	for i := range m.facts {
		if f := &m.facts[i]; f.Kind == certify.Loop {
			bounds[m.program.BlockAt(*f.PC)] = f.Value
			evidence = estimate.Weakest(evidence, f.Evidence)
		}
	}
	if sum, ok := m.flow.Sum(bounds); ok && sum.IsInt64() {
		m.add(certify.Sum, len(m.program.Blocks), sum.Int64()).Evidence = evidence
	}
}

// limit is more than any path of a thread that is written down takes.
const limit = math.MaxInt64 / 4

// longest finds the potentials of blocks: the longest path from the first one, within a loop if body is not nil. It returns that of
// the way back to the first one, or of the exit; false if there is none, or it is too long.
func (m *placer) longest(from int, body map[int]bool, bounds, prices, potentials []int64) (end int64, ok bool) {
	n := len(m.program.Blocks)
	entry := func(b int) (int64, bool) {
		if b == n || m.program.Loops[b] == nil || prices[b] == 0 || bounds[b] == 0 {
			return 0, true
		}
		return bounds[b] * prices[b], bounds[b] <= limit/prices[b]
	}
	reached := make([]bool, n+1)
	reached[from] = true
	potentials[from] = 0
	if body == nil {
		clear(potentials)
		if potentials[from], ok = entry(from); !ok {
			return 0, false
		}
	}
	for _, b := range m.program.Order {
		if !reached[b] || body != nil && !body[b] {
			continue
		}
		after := potentials[b] + m.program.Time(b)
		for _, to := range m.flow.Passable(b) {
			if to == check.Exit {
				to = n
			}
			switch l := m.program.Loops[to]; {
			case body != nil && to == from:
				end = max(end, after)
			case l != nil && l.Body[b], body != nil && !body[to]:
			default:
				paid, ok := entry(to)
				if !ok || after > limit {
					return 0, false
				}
				if at := after + paid; !reached[to] || at > potentials[to] {
					reached[to], potentials[to] = true, at
				}
			}
		}
	}
	if body == nil {
		end = potentials[n]
	}
	return end, true
}
