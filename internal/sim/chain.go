package sim

import (
	"warpbound/internal/causes"
	"warpbound/internal/emu"
	"warpbound/internal/isa"
)

// What the time of a chain of causes is spent on: the reasons of Stall, as the kinds that have their numbers, and these.
// Of what memory does the reason is then StallMemory in the SM alone.
const (
	CauseIssue        = causes.Kind(numStalls) + iota // the next instruction of the warp or of the scheduler issues in the cycle after this one
	CauseDispatch                                     // a CTA is dispatched, or waits for that
	CauseFetch                                        // a line of instructions is fetched
	CauseInterconnect                                 // a packet passes between an SM and memory
	CausePort                                         // a packet waits for others before it at a port, or for its turn
	CauseL2                                           // a request is served in the cache that SMs share
	CauseL2Busy                                       // a request waits there for others before it
	CauseDRAM                                         // a line comes from DRAM, or waits for that
	CauseRegulator                                    // the next interval of the regulator begins
)

var causeNames = [...]string{"issue", "dispatch", "fetch", "interconnect", "port-busy", "l2", "l2-busy", "dram", "regulator"}

// CauseName returns a short name in kebab case.
func CauseName(k causes.Kind) string {
	switch {
	case k == causes.Other:
		return "other"
	case k >= CauseIssue:
		return causeNames[k-CauseIssue]
	}
	return Stall(k).String()
}

// Segment is a part of the chain of causes of a run: from the cycle From until before To, the event before led to the
// next one. SM, CTA and Warp say where, Instr which instruction was under way; negative and nil where none is concerned.
type Segment struct {
	From, To      int64
	SM, CTA, Warp int
	Instr         *isa.Instr
	Kind          causes.Kind
}

// Explain appends the chain of causes of the last retirement.
func (r *Result) Explain(code *emu.Code, l *causes.Log, retirement causes.ID) {
	for _, s := range l.Chain(retirement) {
		segment := Segment{From: s.From, To: s.To, SM: int(s.Site.SM), CTA: int(s.Site.CTA), Warp: int(s.Site.Warp), Kind: s.Kind}
		if s.Site.PC >= 0 {
			segment.Instr = code.Instr(int(s.Site.PC))
		}
		r.Chain = append(r.Chain, segment)
	}
}
