package job

import (
	"fmt"
	"strings"

	"warpbound/diag"
)

// Declared is something that a job says of its inputs.
type Declared struct {
	Input string // parameter, buffer or symbol; the names in relations
	Param int    // its index in Job.Params, negative of symbols and relations
	Text  string
	Fixed bool // there are no other inputs
	Pos   diag.Pos
}

// Contract returns what the job says of its inputs: parameters, symbols, and then what it assumes besides.
func (j *Job) Contract() []Declared {
	var all []Declared
	for i := range j.Params {
		p := &j.Params[i]
		if text := p.declared(); text != "" {
			all = append(all, Declared{Input: p.Name, Param: i, Text: text, Fixed: p.Content.Kind != Uniform, Pos: p.Pos})
		}
	}
	for _, s := range j.Symbols {
		all = append(all, Declared{Input: s.Name, Param: -1, Text: fmt.Sprintf("%d bytes, fixed", len(s.Data)), Fixed: true, Pos: s.Pos})
	}
	for i := range j.Assumes {
		a := &j.Assumes[i]
		d := Declared{Param: -1, Text: a.Text, Pos: a.Pos}
		if a.Relations != nil {
			d.Input = j.each(a, func(v int) string { return j.Params[v].Name })
		} else {
			d.Input, d.Param, d.Text = j.Params[a.Array].Name, a.Array, a.Key
			if a.Order.Limited {
				d.Text += fmt.Sprintf(" with step [%d, %d]", a.Order.Min, a.Order.Max)
			}
		}
		all = append(all, d)
	}
	return all
}

// declared says what a parameter holds, empty if that is nothing.
func (p *Param) declared() string {
	c := &p.Content
	switch {
	case p.Kind == SharedPtr || p.Kind == View || c.Kind == Unset:
		return ""
	case c.Kind == Uniform && p.Kind == Scalar:
		return fmt.Sprintf("range [%s]", p.ends())
	case c.Kind == Uniform:
		return fmt.Sprintf("uniform(%s)", p.ends())
	case c.Kind == Zeros:
		return "zeros"
	case c.Kind == Iota:
		return "iota"
	case p.Kind == Scalar:
		return "value " + p.text(wordOf(c.Data))
	}
	return fmt.Sprintf("%d bytes, fixed", p.Bytes)
}

// ends are the ends of what is sampled, as a job writes them.
func (p *Param) ends() string {
	if p.Type.IsFloat() {
		return strings.Join([]string{fmt.Sprint(p.Content.Low), fmt.Sprint(p.Content.High)}, ", ")
	}
	low, high, _ := p.Extremes()
	return p.text(low) + ", " + p.text(high)
}

// Nth is a number of the range of an integer, counted from 0, as a job writes it.
func (p *Param) Nth(n uint64) string {
	unread := 64 - p.Type.Bits()
	return p.text((p.Content.Base + n) << unread >> unread)
}

// text is a number as a job writes it.
func (p *Param) text(word uint64) string {
	switch {
	case p.Type.IsFloat():
		return fmt.Sprint(floatValue(p.Type, word))
	case p.Type.IsSigned():
		return fmt.Sprint(p.integer(word))
	}
	return fmt.Sprint(word)
}
