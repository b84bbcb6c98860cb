package report

import (
	"fmt"

	"warpbound/estimate"
)

// Races are told to people by line of the source, of which compilers make several instructions.

// raceLines are the races between two lines: the first of them, and how many there are.
type raceLines struct {
	*estimate.Race
	Pairs int   // of instructions
	Times int64 // of accesses
}

// lines groups races, in their order.
func lines(list []estimate.Race) []raceLines {
	type key struct {
		space, buffer, kind, between, order string
		first, second                       [2]string
	}
	var groups []raceLines
	index := map[key]int{}
	place := func(a *estimate.RaceAccess) [2]string {
		if a.Source != "" {
			return [2]string{a.Source, a.Access}
		}
		return [2]string{a.Pos, a.Access}
	}
	for i := range list {
		r := &list[i]
		k := key{r.Space, r.Buffer, r.Kind, r.Between, r.Order, place(&r.First), place(&r.Second)}
		at, known := index[k]
		if !known {
			at = len(groups)
			index[k] = at
			groups = append(groups, raceLines{Race: r})
		}
		groups[at].Pairs++
		groups[at].Times += r.Count
	}
	return groups
}

// What says what the accesses do, in which order, where, and which threads they are of.
func (r raceLines) What() string {
	text := fmt.Sprintf("%s in %s memory, byte %d of %s, between %s", raceKinds[r.Kind], r.Space, r.Offset, r.Buffer, raceThreads[r.Between])
	if r.Times > 1 {
		text += ", the first of " + group(r.Times)
	}
	if r.Pairs > 1 {
		text += fmt.Sprintf(" at %d pairs of instructions", r.Pairs)
	}
	return text + raceOrders[r.Order]
}

// Accesses are the two accesses.
func (r raceLines) Accesses() []string {
	var texts []string
	for _, a := range [2]*estimate.RaceAccess{&r.First, &r.Second} {
		text := fmt.Sprintf("%s by CTA (%d,%d,%d), thread (%d,%d,%d) at %s",
			raceAccesses[a.Access], a.CTA[0], a.CTA[1], a.CTA[2], a.Thread[0], a.Thread[1], a.Thread[2], a.Pos)
		if a.Source != "" {
			text += " (" + a.Source + ")"
		}
		texts = append(texts, text)
	}
	return texts
}

// races lists data races, two accesses each.
func races(p *printer, list []estimate.Race) {
	if len(list) == 0 {
		return
	}
	p.printf("Data races: accesses to the same bytes, at least one of them a write, that nothing orders.\n")
	for _, r := range lines(list) {
		p.printf("  %s:\n", r.What())
		for _, access := range r.Accesses() {
			p.printf("    %s\n", access)
		}
	}
	p.printf("\n")
}

// How the values of estimate.Race are told.
var (
	raceKinds = map[string]string{
		"read-after-write": "read after write", "write-after-read": "write after read",
		"write-after-write": "write after write", "equal-writes": "writes of equal values",
	}
	raceThreads = map[string]string{
		"instruction": "lanes of one warp in one instruction", "warp": "lanes of one warp", "cta": "warps of one CTA", "grid": "different CTAs",
	}
	raceOrders = map[string]string{
		"": "", "ascending": "; if warps run one after the other",
		"descending": "; if warps run one after the other, the last first",
	}
	raceAccesses = map[string]string{
		"load": "load", "store": "store", "atomic": "atomic operation", "copy": "asynchronous copy, for which nobody has waited,",
	}
)

// raceVerdict says in a line what is known of data races for all inputs.
func raceVerdict(p *printer, v *estimate.RaceVerdict) {
	switch {
	case v == nil:
	case v.Verdict == "free":
		p.printf("  data races: none for any input (proven)\n")
	case len(v.Pairs) > 0:
		p.printf("  data races: %s may access the same bytes, the first at %s and %s\n",
			counted(len(v.Pairs)+v.Omitted, "pair"), v.Pairs[0].First, v.Pairs[0].Second)
	default:
		p.printf("  data races: unknown, at %s: %s\n", v.Pos, v.Reason)
	}
}
