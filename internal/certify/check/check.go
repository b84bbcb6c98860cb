// Package check verifies certificates. It believes nothing of what one says: it derives the flow graph of
// the kernel anew from the linked program, executes instructions on what the certificate says of
// registers, and computes the claim from facts that it has confirmed. What it cannot confirm it lists.
//
// It is small so that it can be read (TestSize), and shares no analysis with what makes
// certificates: it imports the program, the readers of jobs and machines, and the format of certificates,
// and has a graph, sets of words and transfer functions of its own. docs/methods/certificates.md says
// what it confirms, and why that suffices.
package check

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"warpbound/estimate"
	"warpbound/internal/certify"
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

// Trusts reports whether a fact is one that is not confirmed.
func (v *Verdict) Trusts(fact int) bool {
	return slices.ContainsFunc(v.Trusted, func(t Trust) bool { return t.Fact == fact })
}

// Check verifies a certificate against what it is of. An error says what is wrong with the certificate:
// its claim does not follow from its facts, or a fact is none. path is the bound of the path problem that
// the certificate holds, 0 if it holds none.
func Check(c *certify.Certificate, s *Subject, path int64) (*Verdict, error) {
	for _, h := range []struct{ of, theirs, ours string }{
		{"module", c.ModuleHash, s.ModuleHash}, {"job", c.JobHash, s.JobHash}, {"machine " + c.Machine, c.MachineHash, s.MachineHash},
	} {
		if h.theirs != h.ours {
			return nil, fmt.Errorf("it is of another %s: SHA-256 %.12s, not %.12s", h.of, h.theirs, h.ours)
		}
	}
	if c.Kernel != s.Kernel.Name {
		return nil, fmt.Errorf("it is of kernel %s, not %s", c.Kernel, s.Kernel.Name)
	}
	if err := Arithmetic(c, path); err != nil {
		return nil, err
	}
	v := &Verdict{}
	for i := range c.Facts {
		v.trust(i, unconfirmed[c.Facts[i].Kind])
	}
	v.trust(-1, "how the times of warps compose to that of the launch")
	return v, nil
}

func (v *Verdict) trust(fact int, why string) { v.Trusted = append(v.Trusted, Trust{fact, why}) }

// unconfirmed says of facts what speaks for them if the checker has nothing to say.
var unconfirmed = map[certify.Kind]string{
	certify.Figure:     "a figure of the method",
	certify.Edge:       "observed in runs",
	certify.Iterations: "observed in runs, or stated by the job",
}

// Arithmetic checks that the claim is what the method makes of the figures of the certificate, and of the
// bound of its path problem: an error says what it is instead.
func Arithmetic(c *certify.Certificate, path int64) error {
	f := figures{by: make(map[string]int64)}
	for i := range c.Facts {
		fact := &c.Facts[i]
		if fact.Kind != certify.Figure {
			continue
		}
		if _, twice := f.by[fact.At]; twice {
			return fmt.Errorf("figure %s stands there twice", fact.At)
		}
		f.by[fact.At] = fact.Value
	}
	var sum *big.Int
	switch method := c.Claim.Method; method {
	case "hybrid/warp":
		sum = big.NewInt(path)
	case "hybrid/dynamic":
		sum = add(f.get("warp"), f.get("jitter"))
		f.is("warp", path)
	case "hybrid/waves":
		waves := f.get("waves")
		stall := mul(add(f.get("warps_per_wave"), big.NewInt(-1)), f.get("delta"))
		sum = add(mul(waves, add(f.get("warp"), stall)), mul(add(waves, big.NewInt(-1)), f.get("gap")), f.get("first_start"))
		f.is("warp", path)
	case "static/cta":
		sum = f.get("dispatch")
		for i := 0; f.has(wave(i, "times")); i++ {
			sum = add(sum, mul(f.get(wave(i, "times")), f.get(wave(i, "cycles"))))
			f.same(wave(i, "cycles"), add(f.get(wave(i, "issue")), f.get(wave(i, "stall"))))
		}
	case "static/llc-simple", "static/llc-interval":
		sum = add(f.get("issue"), f.get("stall"), f.get("dispatch"))
	case "split/none", "split/dws", "split/pws":
		rounds := f.get("rounds")
		sum = add(mul(rounds, f.get("dispatch")), f.get("service"), f.get("passes"), f.get("last.cycles"))
		if f.has("full.cycles") {
			sum = add(sum, mul(add(rounds, big.NewInt(-1)), f.get("full.cycles")))
		}
	default:
		return fmt.Errorf("there is no method %q", method)
	}
	if f.err != nil {
		return f.err
	}
	if sum.Cmp(big.NewInt(c.Claim.Cycles)) != 0 {
		return fmt.Errorf("it claims %d cycles, and its figures make %d", c.Claim.Cycles, sum)
	}
	return labels(c)
}

// labels checks that the claim is not stronger than the times that it rests on, and that nobody calls proven
// what was measured.
func labels(c *certify.Certificate) error {
	measured := strings.HasPrefix(c.Claim.Method, "hybrid/")
	for i := range c.Facts {
		f := &c.Facts[i]
		if f.Kind != certify.Figure && f.Kind != certify.Edge {
			continue
		}
		if measured && f.Evidence != estimate.Observed {
			return fmt.Errorf("%s is called %s, and a measured method has it from runs", f, f.Evidence)
		}
		if estimate.Weakest(f.Evidence, c.Claim.Evidence) != c.Claim.Evidence {
			return fmt.Errorf("it claims to be %s, and %s is %s", c.Claim.Evidence, f, f.Evidence)
		}
	}
	return nil
}

func wave(i int, name string) string { return fmt.Sprintf("waves[%d].%s", i, name) }

// figures are numbers by their names.
type figures struct {
	by  map[string]int64
	err error // the first that is missing or does not agree
}

func (f *figures) has(name string) bool { _, ok := f.by[name]; return ok }

func (f *figures) get(name string) *big.Int {
	n, ok := f.by[name]
	if !ok && f.err == nil {
		f.err = fmt.Errorf("it has no figure %s", name)
	}
	return big.NewInt(n)
}

func (f *figures) is(name string, n int64) { f.same(name, big.NewInt(n)) }

func (f *figures) same(name string, n *big.Int) {
	if have := f.get(name); f.err == nil && have.Cmp(n) != 0 {
		f.err = fmt.Errorf("figure %s is %d, and follows to be %d", name, have, n)
	}
}

func add(all ...*big.Int) *big.Int {
	sum := new(big.Int)
	for _, n := range all {
		sum.Add(sum, n)
	}
	return sum
}

func mul(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }
