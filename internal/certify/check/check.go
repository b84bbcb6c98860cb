// Package check verifies certificates. It believes nothing of what one says: it derives the flow graph of
// the kernel anew from the linked program, executes instructions on what the certificate says of
// registers, and computes what follows. What it cannot confirm it lists.
//
// It is small so that it can be read (TestSize), and shares no analysis with what makes certificates: it imports the
// program, the readers of jobs and machines, the format of certificates, and loops and sets of words of its own.
// docs/methods/certificates.md says what it confirms, and why that suffices.
package check

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/certify"
	"warpbound/internal/certify/loops"
	"warpbound/internal/certify/words"
	"warpbound/internal/isa"
	"warpbound/internal/job"
	"warpbound/internal/machine"
)

// Subject is what a certificate is held against.
type Subject struct {
	Kernel      *isa.Kernel
	Bound       *job.Bound
	Machine     *machine.Machine
	ModuleHash  string // SHA-256, in hexadecimal
	JobHash     string
	MachineHash string
}

// Verdict says how much of a certificate is confirmed.
type Verdict struct {
	Confirmed []int   // facts, by their index
	Trusted   []Trust // facts and steps that are not
}

// Trust is something that is not confirmed.
type Trust struct {
	Fact int // its index; -1 for the claim
	Why  string
}

// unconfirmed says why facts are trusted that the checker has nothing to say about.
var unconfirmed = map[certify.Kind]string{
	certify.Figure:     "a figure of the method",
	certify.Edge:       "observed in runs",
	certify.Iterations: "observed in runs, or stated by the job",
}

// Check verifies a certificate against what it is of. An error says what is wrong with it: its claim does not follow from
// its facts, or a fact is none. path is the bound of the path problem that it holds, 0 if it holds none.
func Check(c *certify.Certificate, s *Subject, path int64) (*Verdict, error) {
	for _, h := range [][3]string{
		{"module", c.ModuleHash, s.ModuleHash}, {"job", c.JobHash, s.JobHash}, {"machine " + c.Machine, c.MachineHash, s.MachineHash},
	} {
		if h[1] != h[2] {
			return nil, fmt.Errorf("it is of another %s: SHA-256 %.12s, not %.12s", h[0], h[1], h[2])
		}
	}
	if c.Kernel != s.Kernel.Name || c.Machine != s.Machine.Name {
		return nil, fmt.Errorf("it is of kernel %s on %s, not of %s on %s", c.Kernel, c.Machine, s.Kernel.Name, s.Machine.Name)
	}
	g, sm := s.Bound.Job.Grid, &s.Machine.SM
	on := &certify.Machine{CTAs: int64(g[0]) * int64(g[1]) * int64(g[2]), SMs: sm.Count.Value, Dispatch: sm.Dispatch.Value}
	if err := certify.Arithmetic(c, path, on); err != nil {
		return nil, err
	}
	k := &checking{Certificate: c, verdict: &Verdict{}, facts: make(map[certify.Kind]map[int]int)}
	v := k.verdict
	if err := k.assumptions(s); err != nil {
		return nil, err
	}
	for i := range c.Facts {
		f := &c.Facts[i]
		if k.facts[f.Kind] == nil {
			k.facts[f.Kind] = make(map[int]int)
		}
		if why, ok := unconfirmed[f.Kind]; ok && f.PC == nil && f.Invariant == nil && f.Ranking == nil {
			v.Trusted = append(v.Trusted, Trust{i, why})
		} else if ok || f.PC == nil || f.Seed != nil || f.Evidence != estimate.Proven && f.Evidence != estimate.Annotated {
			return nil, fmt.Errorf("%s is no fact", f)
		} else if _, twice := k.facts[f.Kind][*f.PC]; twice {
			return nil, fmt.Errorf("%s stands there twice", f)
		} else {
			k.facts[f.Kind][*f.PC] = i
		}
	}
	if slices.ContainsFunc(c.Facts, func(f certify.Fact) bool { return f.PC != nil }) {
		if p, err := NewProgram(s); err != nil {
			return nil, err
		} else if err := k.places(p); err != nil {
			return nil, err
		}
	} else if c.Omitted != "" {
		v.Trusted = append(v.Trusted, Trust{-1, "there are no facts about blocks: " + c.Omitted})
	}
	if c.Replay != nil {
		v.Trusted = append(v.Trusted,
			Trust{-1, "that its run takes so long, and that no input reaches what the time of that depends on"})
	} else {
		v.Trusted = append(v.Trusted, Trust{-1, "how the times of warps compose to that of the launch"})
	}
	slices.Sort(v.Confirmed)
	slices.SortStableFunc(v.Trusted, func(a, b Trust) int { return int(uint(a.Fact)>>1) - int(uint(b.Fact)>>1) })
	return v, nil
}

// checking is the check of facts about places.
type checking struct {
	*certify.Certificate
	*Flow
	verdict *Verdict
	facts   map[certify.Kind]map[int]int // by first instruction
}

// value returns the value of a fact about a block, 0 if there is none.
func (k *checking) value(kind certify.Kind, pc int) int64 {
	if i, ok := k.facts[kind][pc]; ok {
		return k.Facts[i].Value
	}
	return 0
}

// places checks the facts about blocks.
func (k *checking) places(p *Program) error {
	all := make(Invariants, len(p.Blocks))
	for i := range k.Facts {
		f := &k.Facts[i]
		if f.PC == nil {
			continue
		}
		b, ok := p.blockOf[*f.PC]
		switch {
		case *f.PC == len(p.Kernel.Instrs) && (f.Kind == certify.Potential || ofThreads(f.Kind)):
			ok = f.At == "exit"
		case ok:
			ok = f.At == certify.Place(p.Kernel.Instrs[*f.PC].Pos) && !ofThreads(f.Kind)
		}
		if !ok || f.Invariant != nil && f.Kind != certify.Invariant || f.Ranking != nil && f.Kind != certify.Loop {
			return fmt.Errorf("%s is about no place", f)
		}
		switch f.Kind {
		case certify.Invariant:
			all[b] = make(map[isa.Reg]words.Set)
			for _, r := range f.Invariant {
				w := words.Set{Bits: r.Bits, Low: r.Low, Step: r.Step, Count: r.Count}
				if r.Register < 0 || r.Register >= len(p.Kernel.Regs) || p.Kernel.Regs[r.Register].Name != r.Name || r.Bits != p.Width(isa.Reg(r.Register)) || !w.Valid() {
					return fmt.Errorf("%s says nothing of a register", f)
				}
				if _, twice := all[b][isa.Reg(r.Register)]; twice {
					return fmt.Errorf("%s speaks twice of %s", f, r.Name)
				}
				all[b][isa.Reg(r.Register)] = w
			}
		case certify.Time:
			if t := p.Time(b); f.Value != t {
				return fmt.Errorf("%s is wrong: the machine needs %d", f, t)
			}
		case certify.Loop, certify.Price, certify.Potential, certify.Path, certify.Sum:
		default:
			return fmt.Errorf("%s is no fact", f)
		}
		if f.Kind != certify.Loop && !ofThreads(f.Kind) {
			if f.Evidence != estimate.Proven {
				return fmt.Errorf("%s is checked, and called %s", f, f.Evidence)
			}
			k.verdict.Confirmed = append(k.verdict.Confirmed, i)
		}
	}
	flow, broken := p.Execute(all)
	if k.Flow = flow; len(broken) > 0 {
		b := broken[0]
		return fmt.Errorf("the invariant at %s does not hold: %s can hold %v", p.Kernel.Instrs[p.Blocks[b.Block].Start].Pos, p.Kernel.Regs[b.Reg].Name, b.Words)
	}
	weakest, trusted := estimate.Proven, ""
	for b := range p.Blocks {
		i, ok := k.facts[certify.Loop][p.Blocks[b].Start]
		if !ok {
			continue
		}
		f := &k.Facts[i]
		why, err := k.loop(f, p.Loops[b])
		if err != nil {
			return err
		}
		if weakest = estimate.Weakest(weakest, f.Evidence); why == "" {
			k.verdict.Confirmed = append(k.verdict.Confirmed, i)
		} else {
			k.verdict.Trusted, trusted = append(k.verdict.Trusted, Trust{i, why}), "it rests on a loop that is trusted"
		}
	}
	if err := k.path(weakest, trusted); err != nil {
		return err
	}
	return k.sum(weakest, trusted)
}

// ofThreads reports whether facts of a kind are about whole threads, and rest on what others say of blocks and loops.
func ofThreads(kind certify.Kind) bool { return kind == certify.Path || kind == certify.Sum }

// loop checks the bound of a loop. It says why the bound is trusted, if it is.
func (k *checking) loop(f *certify.Fact, l *loops.Loop) (trusted string, err error) {
	r := f.Ranking
	switch {
	case l == nil || f.Value < 0:
		return "", fmt.Errorf("%s is of no loop", f)
	case r == nil && f.Evidence == estimate.Annotated:
		return "stated by the job", nil
	case r == nil:
		return "found by the analysis of values", nil
	case f.Evidence == estimate.Annotated || r.Register < 0 || r.Register >= len(k.Flow.Kernel.Regs) || k.Flow.Kernel.Regs[r.Register].Name != r.Name || r.Coefficient != 1 && r.Coefficient != -1:
		return "", fmt.Errorf("%s has a ranking function of no register", f)
	}
	bound, decrease, ok := k.Rank(l, isa.Reg(r.Register), r.Coefficient > 0, r.Signed)
	if !ok || r.Decrease < 1 || r.Decrease > decrease || bound > f.Value {
		return "", fmt.Errorf("%s does not follow from its ranking function", f)
	}
	return "", nil
}

// path checks the bound of the path of a thread, if there is one.
func (k *checking) path(weakest estimate.Evidence, trusted string) error {
	i, ok := k.facts[certify.Path][len(k.Flow.Kernel.Instrs)]
	if !ok {
		return nil
	}
	n := len(k.Blocks)
	potentials, bounds, prices := make([]int64, n+1), make([]int64, n), make([]int64, n)
	potentials[n] = k.value(certify.Potential, len(k.Flow.Kernel.Instrs))
	for b := range k.Blocks {
		pc := k.Blocks[b].Start
		potentials[b], bounds[b], prices[b] = k.value(certify.Potential, pc), k.value(certify.Loop, pc), k.value(certify.Price, pc)
		if _, bounded := k.facts[certify.Loop][pc]; prices[b] != 0 && !bounded {
			return fmt.Errorf("the price of the loop at %s is for no bound", k.Flow.Kernel.Instrs[pc].Pos)
		}
	}
	f := &k.Facts[i]
	longest, ok := k.Dual(potentials, bounds, prices)
	if !ok || longest.Cmp(big.NewInt(f.Value)) > 0 || f.Value == math.MaxInt64 {
		return fmt.Errorf("%s does not follow from its potentials", f)
	}
	return k.confirmUnless(i, weakest, trusted)
}

// sum checks the sum over blocks, if there is one.
func (k *checking) sum(weakest estimate.Evidence, trusted string) error {
	i, ok := k.facts[certify.Sum][len(k.Flow.Kernel.Instrs)]
	if !ok {
		return nil
	}
	bounds := make([]int64, len(k.Blocks))
	for b := range k.Blocks {
		pc := k.Blocks[b].Start
		bounds[b] = k.value(certify.Loop, pc)
		if _, bounded := k.facts[certify.Loop][pc]; !bounded {
			bounds[b] = -1
		}
	}
	f := &k.Facts[i]
	if sum, ok := k.Sum(bounds); !ok || sum.Cmp(big.NewInt(f.Value)) != 0 {
		return fmt.Errorf("%s is not the sum over the blocks", f)
	}
	return k.confirmUnless(i, weakest, trusted)
}

// confirmUnless holds the evidence of a fact about whole threads against that of the bounds of loops, and
// confirms it unless one of these is trusted.
func (k *checking) confirmUnless(i int, weakest estimate.Evidence, trusted string) error {
	switch f := &k.Facts[i]; {
	case f.Evidence != weakest:
		return fmt.Errorf("%s is called %s, and what it rests on is %s", f, f.Evidence, weakest)
	case trusted != "":
		k.verdict.Trusted = append(k.verdict.Trusted, Trust{i, trusted})
	default:
		k.verdict.Confirmed = append(k.verdict.Confirmed, i)
	}
	return nil
}
