package kernelgen

import (
	"fmt"
	"slices"
	"strings"
)

// region is what lies between a branch and the end of the statement that the branch belongs
// to, where the branch reconverges. Wavefronts can split at the branch if the region is closed:
// threads come into it by the branch only, and all go on at its end without having waited
// for others.
type region struct {
	closed bool
	at     int    // where the text of the branch begins
	place  string // by which jobs name the branch
}

// open begins the region of the branch that is written next.
func (g *generator) open() *region {
	r := &region{closed: true, at: g.text.Len()}
	g.regions = append(g.regions, r)
	return r
}

// shut ends the regions from r on, at which wavefronts may split if they are closed.
func (g *generator) shut(r *region) {
	i := slices.Index(g.regions, r)
	for _, r := range g.regions[i:] {
		if r.closed {
			g.branches = append(g.branches, r)
		}
	}
	g.regions = g.regions[:i]
}

// breach says that threads wait for others here, end, or leave the regions behind the first
// few.
func (g *generator) breach(first int) {
	for _, r := range g.regions[first:] {
		r.closed = false
	}
}

// mark writes marks for some branches into the module's text, and labels for all that the
// job may name.
func (g *generator) mark(text string) string {
	if !g.opts.Split {
		return text
	}
	slices.SortFunc(g.branches, func(r, s *region) int { return r.at - s.at })
	var b strings.Builder
	from := 0
	for _, r := range g.branches {
		b.WriteString(text[from:r.at])
		from = r.at
		r.place = g.name("S")
		fmt.Fprintf(&b, "%s:\n", r.place)
		if g.chance(40) {
			b.WriteString("\t.pragma \"split\";\n")
		}
	}
	b.WriteString(text[from:])
	return b.String()
}

// splitting draws the table of the job that says where and how wavefronts split; empty if
// that is not asked for.
func (g *generator) splitting() string {
	if !g.opts.Split {
		return ""
	}
	var keys strings.Builder
	switch g.IntN(4) {
	case 1:
		keys.WriteString("branches = \"all\"\n")
	case 2:
		var list []string
		for _, r := range g.branches {
			if g.chance(60) {
				list = append(list, fmt.Sprintf("%q", r.place))
			}
		}
		fmt.Fprintf(&keys, "branches = [%s]\n", strings.Join(list, ", "))
	}
	if g.chance(80) {
		fmt.Fprintf(&keys, "simds = %d\n", g.IntN(8))
	}
	if mode := pick(g, "", "none", "dws", "pws", "pws"); mode != "" {
		fmt.Fprintf(&keys, "mode = %q\n", mode)
	}
	if keys.Len() == 0 {
		return ""
	}
	return "\n[split]\n" + keys.String()
}
