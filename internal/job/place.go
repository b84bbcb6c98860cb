package job

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"warpbound/diag"
	"warpbound/internal/isa"
	"warpbound/internal/symbol"
)

// Place names a place in a module: a label, a block or a line.
type Place struct {
	Label string // empty if Line is set; may end in +N, N instructions after it
	File  string // of Line; empty for the module
	Line  int
}

// String renders the place as a job writes it.
func (p Place) String() string {
	switch {
	case p.Line == 0:
		return p.Label
	case p.File == "":
		return strconv.Itoa(p.Line)
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

var (
	linePattern   = regexp.MustCompile(`^(?:(.+):)?([0-9]+)$`)
	offsetPattern = regexp.MustCompile(`^(.+)\+([0-9]+)$`)
)

// ParsePlace reads "42", "kernel.ptx:42" or a label. It is an error if a line is out of
// range.
func ParsePlace(text string) (Place, error) {
	m := linePattern.FindStringSubmatch(text)
	if m == nil {
		return Place{Label: text}, nil
	}
	line, err := strconv.ParseInt(m[2], 10, 32)
	if err != nil || line < 1 {
		return Place{}, fmt.Errorf("%q names no line; lines count from 1", text)
	}
	return Place{File: m[1], Line: int(line)}, nil
}

// place reads a place, and reports what is none at the position.
func (r *reader) place(pos diag.Pos, text string) (Place, bool) {
	p, err := ParsePlace(text)
	if err != nil {
		r.errorf(pos, "%w", err)
	}
	return p, err == nil
}

// Instrs returns the indices of the kernel's instructions at which the place is
// found. A label that stands in a called function is found once for each call
// that was expanded, and so is a line; of several instructions on one line only
// the first counts. None are returned for a place that the kernel does not have.
func (p Place) Instrs(k *isa.Kernel) []int {
	if p.Line > 0 {
		return p.onLine(k)
	}
	if at := labelled(k, p.Label, 0); at != nil {
		return at
	}
	if m := offsetPattern.FindStringSubmatch(p.Label); m != nil {
		if offset, err := strconv.Atoi(m[2]); err == nil {
			return labelled(k, m[1], offset)
		}
	}
	return nil
}

// labelled returns the instructions that are offset behind a label. "entry"
// stands for the kernel's first instruction unless there is such a label.
func labelled(k *isa.Kernel, name string, offset int) []int {
	var at []int
	add := func(index int) {
		if offset < len(k.Instrs)-index {
			at = append(at, index+offset)
		}
	}
	for _, l := range k.Labels {
		if l.Name == name || symbol.Label(l.Name) == name || strings.HasSuffix(l.Name, "."+name) {
			add(l.Index)
		}
	}
	if at == nil && name == "entry" {
		add(0)
	}
	return at
}

func (p Place) onLine(k *isa.Kernel) []int {
	if p.File != "" && p.File != k.File && p.File != filepath.Base(k.File) {
		return nil
	}
	on := func(pos diag.Pos) bool { return pos.File == k.File && int(pos.Line) == p.Line }
	var at []int
	for _, l := range k.Labels {
		if on(l.Pos) && l.Index < len(k.Instrs) {
			at = append(at, l.Index)
		}
	}
	if len(at) > 1 && k.Reconvergence == isa.AtSyncs {
		at = at[:1] // a line of the kernel language has many labels, and no copies
	}
	if at != nil {
		return at
	}
	for i := range k.Instrs {
		if on(k.Instrs[i].Pos) && (i == 0 || !on(k.Instrs[i-1].Pos)) {
			at = append(at, i)
		}
	}
	return at
}
