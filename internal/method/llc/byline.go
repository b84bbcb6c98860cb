package llc

import (
	"warpbound/estimate"
	"warpbound/internal/absexec"
	"warpbound/internal/method/charge"
	"warpbound/internal/method/cost"
	"warpbound/internal/saturating"
)

// What cycles go to.
const (
	holding     = "instructions hold the port"
	waiting     = "all warps wait"
	dispatching = "dispatch of waves"
)

// byLine says which lines the cycles of a bound are charged to: as a schedule has them, or in proportion to what instructions need of all warps.
func (a *analysis) byLine(d *detail) *estimate.ByLine {
	book := charge.New(a.graph)
	issue := min(saturating.Of(d.Issue), saturating.Of(d.cycles))
	dispatch := min(saturating.Of(d.Dispatch), saturating.Of(d.cycles).Sub(issue))
	need := d.account
	if need == nil {
		need = a.sumNeeds()
	}
	book.Share(holding, issue, need.issue)
	book.Share(waiting, saturating.Of(d.cycles).Sub(issue).Sub(dispatch), need.waits)
	book.Remain(dispatching, dispatch)
	book.Follow(a.longestRoute())
	return book.ByLine(dispatching)
}

// longestRoute is that of the warp that needs most for itself.
func (a *analysis) longestRoute() *charge.Route {
	var longest *path
	for _, results := range a.warps {
		for i := range results {
			if p := &results[i].Visitor.(*recorder).path; longest == nil || p.sums.busy > longest.sums.busy {
				longest = p
			}
		}
	}
	return longest.route
}

// sumNeeds adds up what instructions need of the warps of all CTAs.
func (a *analysis) sumNeeds() *account {
	all := newAccount()
	for _, results := range a.warps {
		for i := range results {
			all.addTimes(results[i].Visitor.(*recorder).path.account, saturating.Of(results[i].Box.CTAs()))
		}
	}
	return all
}

func newAccount() *account { return &account{issue: make(charge.Weights), waits: make(charge.Weights)} }

// addTimes adds another account, so many times.
func (a *account) addTimes(b *account, times saturating.Int) {
	for pc, n := range b.issue {
		a.issue.Add(pc, n.Mul(times))
	}
	for pc, n := range b.waits {
		a.waits.Add(pc, n.Mul(times))
	}
}

// noteNeeds notes what an instruction needs: the port, and what others may have to wait for, which are its latency, an answer, and for each
// of its accesses a turn.
func (r *recorder) noteNeeds(c *cost.Instr, s *absexec.Step, add *sums) {
	to := r.path.account
	to.issue.Add(s.PC, add.service)
	to.waits.Add(s.PC, saturating.Of(c.TailLatency()))
	if add.accesses > 0 {
		l := newLatencies(r.machine, 0)
		to.waits.Add(s.PC, saturating.Of(l.oldest()).AddMul(add.accesses, saturating.Of(l.separation())))
	}
}
