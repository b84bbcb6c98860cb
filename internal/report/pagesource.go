package report

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"warpbound/estimate"
)

// The size of a listing: all lines of a file that has no more, and else those that a run executed with a few around them, at most so
// many of the costliest.
const (
	wholeListing = 1500
	listingLines = 1500
	around       = 2
)

// pageLine is what a page says of a line of a file.
type pageLine struct {
	File         string `json:"file"`
	Line         int    `json:"line"`
	Cycles       int64  `json:"cycles"` // that warps waited to issue its instructions, in the profiled run
	Issues       int64  `json:"issues"`
	Lanes        int64  `json:"lanes"`
	Diverged     int64  `json:"diverged"`
	Transactions int64  `json:"transactions"`
	Chain        int64  `json:"chain"` // cycles of the chain of causes
	Bound        int64  `json:"bound"` // that the bound that counts charges to it
	Covered      int    `json:"covered"`
	Possible     int    `json:"possible"`        // outcomes of branches, in all runs
	Never        bool   `json:"never,omitempty"` // no run has executed a block that begins there
}

// pageLines adds up what is known of lines, in the order of files and lines.
func pageLines(a *estimate.Analysis, p *estimate.Profile) []pageLine {
	all := make(map[string]*pageLine)
	at := func(pos string) *pageLine {
		file, number, ok := cutLine(pos)
		if !ok {
			return nil
		}
		if all[pos] == nil {
			all[pos] = &pageLine{File: file, Line: number}
		}
		return all[pos]
	}
	for _, k := range p.Kernels {
		for i := range k.Lines {
			l := &k.Lines[i]
			for _, pos := range []string{l.Line, l.Source} {
				if to := at(pos); to != nil {
					to.Cycles += l.Cycles
					to.Issues += l.Issues
					to.Lanes += l.Lanes
					to.Diverged += l.Diverged
					to.Transactions += l.Transactions
				}
			}
		}
	}
	if p.Chain != nil {
		for i := range p.Chain.Segments {
			s := &p.Chain.Segments[i]
			for _, pos := range []string{lineOf(s.Pos), lineOf(s.Source)} {
				if to := at(pos); to != nil {
					to.Chain += s.To - s.From
				}
			}
		}
	}
	if e := a.Tightest(); e != nil && e.ByLine != nil {
		for i := range e.ByLine.Lines {
			l := &e.ByLine.Lines[i]
			for _, pos := range []string{l.Pos, l.Source} {
				if to := at(pos); to != nil {
					to.Bound += l.Cycles
				}
			}
		}
	}
	if a.Coverage != nil {
		for _, c := range a.Coverage.Lines {
			if to := at(c.Pos); to != nil {
				to.Covered, to.Possible, to.Never = c.Outcomes.Covered, c.Outcomes.Possible, c.Blocks.Covered == 0
			}
		}
	}
	var lines []pageLine
	for _, l := range all {
		lines = append(lines, *l)
	}
	slices.SortFunc(lines, func(a, b pageLine) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) })
	return lines
}

// lineOf is "file:line" of a position with a column.
func lineOf(pos string) string {
	if i := strings.LastIndexByte(pos, ':'); i >= 0 {
		return pos[:i]
	}
	return ""
}

// cutLine takes "file:line" apart.
func cutLine(pos string) (file string, number int, ok bool) {
	i := strings.LastIndexByte(pos, ':')
	if i < 0 {
		return "", 0, false
	}
	number, err := strconv.Atoi(pos[i+1:])
	return pos[:i], number, err == nil
}

// listing is a file with what is known of its lines.
type listing struct {
	Name   string
	Anchor string
	Source bool // it is what was compiled, not the module
	Rows   []listingRow
}

// listingRow is a line, or a gap of so many lines that are left out.
type listingRow struct {
	Gap    int
	Number int
	Text   string
	At     int // in the lines of the page; -1 if nothing is known of it
	*pageLine
}

// listings are the files of a profile, the module as the last one, with what is known of the lines that are shown, and these.
func listings(p *estimate.Profile, lines []pageLine) (all []listing, shown []pageLine) {
	known := make(map[string][]int) // by file
	for i, l := range lines {
		known[l.File] = append(known[l.File], i)
	}
	for i, f := range p.Files {
		l := listing{Name: f.Name, Anchor: fmt.Sprintf("f%d", i), Source: i > 0, Rows: rowsOf(f.Text, lines, known[f.Name])}
		if i > 0 && known[f.Name] != nil {
			all = slices.Insert(all, len(all)-1, l)
		} else if i == 0 {
			all = append(all, l)
		}
	}
	for _, l := range all {
		for i := range l.Rows {
			if r := &l.Rows[i]; r.pageLine != nil {
				r.At = len(shown)
				shown = append(shown, *r.pageLine)
			}
		}
	}
	return all, shown
}

// rowsOf are the rows of a file.
func rowsOf(text string, lines []pageLine, known []int) []listingRow {
	texts := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	at := make(map[int]int)
	for _, i := range known {
		at[lines[i].Line] = i
	}
	shown := shownLines(len(texts), lines, known)
	var rows []listingRow
	for n, t := range texts {
		number := n + 1
		if shown != nil && !shown[number] {
			if len(rows) == 0 || rows[len(rows)-1].Gap == 0 {
				rows = append(rows, listingRow{})
			}
			rows[len(rows)-1].Gap++
			continue
		}
		row := listingRow{Number: number, Text: strings.TrimSuffix(t, "\r"), At: -1}
		if i, ok := at[number]; ok {
			row.At, row.pageLine = i, &lines[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// shownLines are those of a long file that are shown; nil for all.
func shownLines(n int, lines []pageLine, known []int) map[int]bool {
	if n <= wholeListing {
		return nil
	}
	costly := slices.Clone(known)
	slices.SortStableFunc(costly, func(a, b int) int {
		return cmp.Or(cmp.Compare(lines[b].Bound, lines[a].Bound), cmp.Compare(lines[b].Chain, lines[a].Chain), cmp.Compare(lines[b].Cycles, lines[a].Cycles))
	})
	shown := make(map[int]bool)
	for _, i := range costly {
		if len(shown) >= listingLines {
			break
		}
		for k := -around; k <= around; k++ {
			shown[lines[i].Line+k] = true
		}
	}
	return shown
}

// anchors are the rows of lines that listings show, by "file:line".
func anchors(all []listing) map[string]string {
	links := make(map[string]string)
	for _, l := range all {
		for _, r := range l.Rows {
			if r.Gap == 0 && r.pageLine != nil {
				links[fmt.Sprintf("%s:%d", l.Name, r.Number)] = fmt.Sprintf("#%s-%d", l.Anchor, r.Number)
			}
		}
	}
	return links
}

// short is a name of a file without its directory, in a position.
func short(pos string) string { return path.Base(pos) }
