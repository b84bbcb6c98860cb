package analysis

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/campaign"
	"warpbound/internal/certify"
	"warpbound/internal/certify/check"
	"warpbound/internal/certify/maker"
	"warpbound/internal/ipet"
	"warpbound/internal/method"
	"warpbound/internal/provenance"
	"warpbound/internal/runner"
	"warpbound/internal/workload"
)

// certifiable is an error of a request for a certificate that is of no single estimate or launch.
func (r *Request) certifiable(w *workload.Workload) error {
	if !r.Certify {
		return nil
	}
	if len(r.Methods) > 1 {
		return fmt.Errorf("%s: a certificate is of one estimate, and %d are asked for: name one of %s", w.Name(), len(r.Methods), strings.Join(r.Methods, ", "))
	}
	if pos, key := w.Spec.SeveralAt(); w.Several() {
		return diag.Errorf(pos, "a certificate is of one launch, and %s makes several: leave %s out for kernel %s alone", key, key, w.Kernel())
	}
	return nil
}

// uncertified reports whether an estimate has no certificate: of the contexts of hybrid/phases and of Ipoints left out the
// checker knows nothing.
func uncertified(e *estimate.Estimate) bool {
	switch e.Detail.(type) {
	case *estimate.HybridPhases, *estimate.HybridPlacements:
		return true
	}
	return false
}

// best returns the estimate whose certificate is made where none is named: the least of those of the launch with
// the strongest evidence that have one.
func best(a *estimate.Analysis) *estimate.Estimate {
	var found *estimate.Estimate
	for i := range a.Estimates {
		e := &a.Estimates[i]
		if uncertified(e) || len(a.Estimates) > 1 && !e.Bounds() {
			continue
		}
		switch {
		case found == nil, estimate.Weakest(found.Evidence, e.Evidence) != e.Evidence:
			found = e
		case found.Evidence == e.Evidence && e.Cycles < found.Cycles:
			found = e
		}
	}
	return found
}

// certify makes the certificate of the estimate that is asked for, or of the best one.
func (l List) certify(
	ctx context.Context, p runner.Platform, w *workload.Workload, req Request, a *Answer,
) (*certify.Certificate, error) {
	e := best(a.Analysis)
	if e == nil {
		return nil, fmt.Errorf("%s: there is no estimate that a certificate could be of: hybrid/phases has none", w.Name())
	}
	source := &maker.Source{Analysis: a.Analysis, Estimate: e, JobHash: w.Spec.Hash}
	m := l.Find(e.Method)
	if _, measured := m.Method.(method.Measured); measured {
		source.Path = a.path
		source.Runs = &certify.Runs{Seed: w.Spec.Seed, Vectors: a.Runs, Ipoints: cmp.Or(req.Placed, "blocks")}
		switch {
		case req.Traces != nil:
			source.Runs.Others = "traces"
		case req.Campaign.Inputs != nil:
			source.Runs.Others = "saved inputs"
		}
		return maker.New(source)
	}
	if one, followed := m.Method.(method.Followed); followed {
		var err error
		if source.Replay, err = replay(ctx, p, w, req.MaxCycles, one); err != nil {
			return nil, err
		}
		return maker.New(source)
	}
	variant, err := m.of(w)
	if err != nil {
		return nil, err
	}
	if source.Problem, err = Problem(ctx, variant); err != nil {
		return nil, err
	}
	if e.Solver != nil {
		if _, err := solve(ctx, variant.First(), source.Problem); err != nil {
			return nil, err
		}
	}
	source.Subject = subject(w, variant)
	return maker.New(source)
}

// omits warns of a certificate without facts about blocks, of which less can be confirmed than of others.
func omits(w *workload.Workload, c *certify.Certificate) []diag.Warning {
	if c.Omitted == "" {
		return nil
	}
	return []diag.Warning{{Pos: w.Spec.Pos.Kernel, ID: "certificate-omits", Text: fmt.Sprintf(
		"the certificate of %s has no facts about blocks that verify could confirm: %s", c.Claim.Method, c.Omitted)}}
}

// ErrRefuted is the error of a certificate that does not hold.
var ErrRefuted = errors.New("the certificate does not hold")

// VerifyRequest says what a certificate is held against.
type VerifyRequest struct {
	Rerun     bool  // make the runs again in which facts were observed
	MaxCycles int64 // as in Request
	// Placement reads where Ipoints are, as in Request.
	Placement func(string) (method.Placement, error)
}

// Verify checks a certificate against a workload. The error is ErrRefuted if it does not hold.
func Verify(ctx context.Context, p runner.Platform, w *workload.Workload, text []byte, req VerifyRequest) (*estimate.Proof, error) {
	return Methods().Verify(ctx, p, w, text, req)
}

// Verify is the function Verify with the methods of a list.
func (l List) Verify(ctx context.Context, p runner.Platform, w *workload.Workload, text []byte, req VerifyRequest) (*estimate.Proof, error) {
	c, err := certify.Parse(text)
	if errors.Is(err, certify.ErrOtherFormat) {
		return nil, fmt.Errorf("%w: it is of no job, so that no --job is wanted", err)
	} else if err != nil {
		return nil, err
	}
	if w.Several() {
		return nil, (&Request{Certify: true}).certifiable(w)
	}
	m := l.Find(c.Claim.Method)
	if m == nil {
		return nil, refuted("there is no method %q", c.Claim.Method)
	}
	for _, n := range m.Names() {
		if n.ID == c.Claim.Method && n.Explain != c.Claim.What {
			return nil, refuted("it claims a bound of %q, and %s gives one of %q", c.Claim.What, n.ID, n.Explain)
		}
	}
	variant, err := m.of(w)
	if err != nil {
		return nil, err
	}
	again := func() (*certify.Certificate, error) { return l.again(ctx, p, w, c, req) }
	if c.Runs != nil && !req.Rerun {
		again = nil
	}
	proof, err := judge(c, subject(w, variant), again)
	if err != nil {
		return nil, err
	}
	proof.Numbers = Numbers(variant)
	return proof, nil
}

// judge checks a certificate. What is not confirmed is compared with that of a certificate that is made again, unless again is
// nil.
func judge(c *certify.Certificate, s *check.Subject, again func() (*certify.Certificate, error)) (*estimate.Proof, error) {
	proof, path, err := onItsOwn(c)
	if err != nil {
		return nil, err
	}
	verdict, err := check.Check(c, s, path)
	if err != nil {
		return nil, refuted("%w", err)
	}
	proof.Evidence = estimate.Basis(c.Claim.Evidence)
	for _, i := range verdict.Confirmed {
		if c.Facts[i].Kind == certify.Sum {
			proof.Sum = c.Facts[i].Value
		}
		proof.Confirmed = append(proof.Confirmed, proofFact(&c.Facts[i], ""))
	}
	for _, t := range verdict.Trusted {
		fact := estimate.ProofFact{Constraint: "the claim", Evidence: c.Claim.Evidence, Why: t.Why}
		if t.Fact >= 0 {
			fact = proofFact(&c.Facts[t.Fact], t.Why)
		}
		proof.Trusted = append(proof.Trusted, fact)
	}
	if len(proof.Trusted) == 0 {
		proof.Verdict, proof.Assumptions = estimate.ClaimHolds, c.Claim.Assumptions
		return proof, nil
	}
	proof.Evidence = estimate.Asserted
	if again == nil {
		return proof, nil
	}
	other, err := again()
	if err != nil {
		return nil, err
	}
	if err := differs(c, other, verdict); err != nil {
		return nil, refuted("%w", err)
	}
	proof.Again, proof.Verdict, proof.Assumptions = true, estimate.ClaimRepeated, c.Claim.Assumptions
	if c.Runs != nil {
		proof.Evidence = estimate.Basis(c.Claim.Evidence)
	}
	return proof, nil
}

// subject is what a certificate of a workload, in the variant of a method, is held against.
func subject(w, variant *workload.Workload) *check.Subject {
	k := variant.First()
	return &check.Subject{
		Kernel: k.Graph.Kernel, Bound: k.Bound, Machine: k.Machine,
		ModuleHash: w.Module.Hash, JobHash: w.Spec.Hash, MachineHash: w.Machine.Hash(),
	}
}

func refuted(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrRefuted, fmt.Errorf(format, args...))
}

// proofFact is a fact in the result.
func proofFact(f *certify.Fact, why string) estimate.ProofFact {
	return estimate.ProofFact{Kind: string(f.Kind), Constraint: f.String(), Evidence: f.Evidence, Why: why}
}

// VerifyAlone checks what can be checked of a certificate without its job: that its claim follows from its facts.
func VerifyAlone(text []byte) (*estimate.Proof, error) {
	c, err := certify.Parse(text)
	switch {
	case errors.Is(err, certify.ErrOtherFormat):
		return pathAlone(text)
	case err != nil:
		return nil, err
	}
	proof, path, err := onItsOwn(c)
	if err != nil {
		return nil, err
	}
	if err := certify.Arithmetic(c, path, nil); err != nil {
		return nil, refuted("%w", err)
	}
	return proof, nil
}

// pathAlone checks the certificate of a path problem.
func pathAlone(text []byte) (*estimate.Proof, error) {
	c, err := ipet.ReadCertificate(strings.NewReader(string(text)))
	if err != nil {
		return nil, err
	}
	var written bytes.Buffer
	if err := ipet.WriteCertificate(&written, c); err != nil {
		return nil, err
	}
	if err := certify.Same(text, written.Bytes()); err != nil {
		return nil, fmt.Errorf("read certificate: %w", err)
	}
	if err := c.Check(); err != nil {
		return nil, refuted("%w", err)
	}
	proof := proofOf(c)
	proof.Verdict = estimate.ClaimHolds
	return proof, nil
}

// proofOf is what a certificate of a path problem proves.
func proofOf(c *ipet.Certificate) *estimate.Proof {
	p := &estimate.Proof{
		Provenance: provenance.Of(), Verdict: estimate.ClaimAsserted, Evidence: estimate.Asserted, Assumptions: []string{},
		Confirmed: []estimate.ProofFact{}, Trusted: []estimate.ProofFact{},
		Model: c.Model.Name, Nodes: len(c.Model.Nodes), Edges: len(c.Model.Edges), Cycles: c.Cycles, Facts: []estimate.ProofFact{},
	}
	for _, u := range c.Uses() {
		p.Facts = append(p.Facts, estimate.ProofFact{Constraint: u.Constraint, Evidence: estimate.Evidence(u.Evidence)})
	}
	return p
}

// onItsOwn checks the path problem of a certificate, if it has one, whose facts must be those of the certificate.
func onItsOwn(c *certify.Certificate) (*estimate.Proof, int64, error) {
	proof := &estimate.Proof{
		Provenance: provenance.Of(), Verdict: estimate.ClaimAsserted, Evidence: estimate.Asserted, Assumptions: []string{},
		Confirmed: []estimate.ProofFact{}, Trusted: []estimate.ProofFact{}, Facts: []estimate.ProofFact{},
	}
	proof.Claim = &estimate.ProofClaim{Method: c.Claim.Method, Cycles: c.Claim.Cycles, Evidence: c.Claim.Evidence, What: c.Claim.What, Kernel: c.Kernel, Machine: c.Machine}
	if c.Path == nil {
		return proof, 0, nil
	}
	path := new(ipet.Certificate)
	if err := json.Unmarshal(c.Path, path); err != nil {
		return nil, 0, fmt.Errorf("read certificate: path: %w", err)
	}
	written, err := json.Marshal(path)
	if err != nil {
		return nil, 0, err
	}
	if err := certify.Same(c.Path, written); err != nil {
		return nil, 0, fmt.Errorf("read certificate: path: %w", err)
	}
	if err := path.Check(); err != nil {
		return nil, 0, refuted("%w", err)
	}
	own := slices.DeleteFunc(slices.Clone(c.Facts), func(f certify.Fact) bool { return f.Kind != certify.Edge && f.Kind != certify.Iterations })
	if err := maker.SameTransitions(own, path.Model); err != nil {
		return nil, 0, refuted("%w", err)
	}
	claim := proof.Claim
	proof = proofOf(path)
	proof.Claim = claim
	return proof, path.Cycles, nil
}

// again makes the certificate of a claim once more.
func (l List) again(ctx context.Context, p runner.Platform, w *workload.Workload, c *certify.Certificate, req VerifyRequest) (*certify.Certificate, error) {
	ask := Request{Methods: []string{c.Claim.Method}, Certify: true, MaxCycles: req.MaxCycles}
	if runs := c.Runs; runs != nil {
		if runs.Others != "" {
			return nil, fmt.Errorf("the certificate rests on %s, which a job does not hold: it cannot be run again", runs.Others)
		}
		if runs.Seed != w.Spec.Seed {
			return nil, fmt.Errorf("the certificate is of runs with seed %d, and the job has seed %d: give --seed %d", runs.Seed, w.Spec.Seed, runs.Seed)
		}
		at, err := req.Placement(runs.Ipoints)
		if err != nil {
			return nil, err
		}
		ask.Ipoints, ask.Placed, ask.Campaign = at, runs.Ipoints, campaign.Spec{Vectors: runs.Vectors}
	}
	a, err := l.Analyze(ctx, p, w, ask)
	if err != nil {
		return nil, err
	}
	return a.certificate, nil
}

// sameAssumptions is an error if a claim makes other assumptions than its method does.
func sameAssumptions(claim *certify.Claim, own []string) error {
	for _, text := range claim.Assumptions {
		if !slices.Contains(own, text) {
			return fmt.Errorf("%s does not assume that %q", claim.Method, text)
		}
	}
	for _, text := range own {
		if !slices.Contains(claim.Assumptions, text) {
			return fmt.Errorf("it lacks the assumption %q of %s", text, claim.Method)
		}
	}
	if !slices.Equal(claim.Assumptions, own) {
		return fmt.Errorf("its assumptions are not in the order of %s, or stand there twice", claim.Method)
	}
	return nil
}

// differs is an error if a certificate claims something else than one that was made again, or states
// something else of what nobody confirms.
func differs(c, again *certify.Certificate, verdict *check.Verdict) error {
	if err := sameAssumptions(&c.Claim, again.Claim.Assumptions); err != nil {
		return err
	}
	if !reflect.DeepEqual(c.Claim, again.Claim) {
		return fmt.Errorf("it claims %d cycles (%s), and %s gives %d (%s)", c.Claim.Cycles, c.Claim.Evidence, c.Claim.Method, again.Claim.Cycles, again.Claim.Evidence)
	}
	if !reflect.DeepEqual(c.Runs, again.Runs) {
		return errors.New("it is of other runs than it says")
	}
	if !reflect.DeepEqual(c.Replay, again.Replay) {
		return errors.New("it is of another run than the one that the job makes")
	}
	if c.Omitted != again.Omitted {
		return fmt.Errorf("it says %q of facts about blocks that it has not, and %s gives %q", c.Omitted, c.Claim.Method, again.Omitted)
	}
	type name struct {
		kind certify.Kind
		at   string
		nth  int // of those with the same name
	}
	named := func(facts []certify.Fact) ([]name, map[name]int) {
		names, by := make([]name, len(facts)), make(map[name]int)
		for i := range facts {
			n := name{facts[i].Kind, facts[i].At, 0}
			for _, taken := by[n]; taken; _, taken = by[n] {
				n.nth++
			}
			names[i], by[n] = n, i
		}
		return names, by
	}
	trusted := func(i int) bool {
		return slices.ContainsFunc(verdict.Trusted, func(t check.Trust) bool { return t.Fact == i })
	}
	ours, mine := named(again.Facts)
	theirs, _ := named(c.Facts)
	for i, n := range theirs {
		k, ok := mine[n]
		switch f := &c.Facts[i]; {
		case trusted(i) && !ok:
			return fmt.Errorf("%s is not found again", f)
		case trusted(i) && !reflect.DeepEqual(*f, again.Facts[k]):
			return fmt.Errorf("it states %s (%s), and what is found again is %s (%s)", f, f.Evidence, &again.Facts[k], again.Facts[k].Evidence)
		}
	}
	for k, n := range ours {
		if !slices.Contains(theirs, n) {
			return fmt.Errorf("it lacks %s", &again.Facts[k])
		}
	}
	return nil
}
