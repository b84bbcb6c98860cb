package ptx

import (
	"errors"
	"fmt"
	"strings"

	"warpbound/internal/isa"
)

// videoTypes sets the types of a video instruction: of the result, of a and of b.
// A comparison has none for its result, which is unsigned.
func videoTypes(in *isa.Instr, types []isa.Type) {
	if len(types) == 2 {
		types = append([]isa.Type{isa.U32}, types...)
	}
	if len(types) == 3 {
		in.Type, in.SrcType, in.Video.TypeB = types[0], types[1], types[2]
	}
}

// selectAll sets what a video instruction takes of operands without a selection.
func selectAll(v *isa.Video) {
	v.Width = uint8(32 / v.Parts)
	v.Into = 1<<v.Parts - 1
	v.A.Bits, v.B.Bits = v.Width, v.Width
	for i := range uint8(v.Parts) {
		v.A.At[i], v.B.At[i] = i, i
		if v.Parts > 1 {
			v.B.At[i] += uint8(v.Parts)
		}
	}
}

// part lowers an operand of a video instruction: a register or a constant, perhaps
// negated or with a selection of parts.
func (fn *function) part(in *isa.Instr, c *candidate, s *slot, o *Operand) error {
	plain := *o
	negated := s.minus && o.Kind == OperandExpr && o.Expr.Kind == ExprUnary && o.Expr.Text == "-" && o.Expr.Args[0].Kind == ExprName
	if negated {
		plain = Operand{Pos: o.Pos, Name: o.Expr.Args[0].Text}
	}
	text := ""
	if at := strings.LastIndexByte(plain.Name, '.'); s.selects && at > 0 && fn.lookup(plain.Name).kind == symNone && isSelection(plain.Name[at+1:]) {
		plain.Name, text = plain.Name[:at], plain.Name[at+1:]
	}
	v := in.Video
	ok := true
	switch {
	case s.letter == 'c':
		v.MinusC = negated
	case s.letter == 'd':
		v.Into, v.Width, ok = written(text, v)
	case s.letter == 'a':
		v.Minus = v.Minus != negated
		v.A, ok = selected(text, v.A, v.Parts)
	default:
		v.Minus = v.Minus != negated
		v.B, ok = selected(text, v.B, v.Parts)
	}
	switch {
	case !ok && text == "":
		return errors.New("want a part to write, such as .b0 or .h1")
	case !ok:
		return fmt.Errorf("there are no parts .%s here", text)
	case v.Minus && v.MinusC:
		return errors.New("either the product or the third source may be negated")
	}
	return fn.operand(in, c, s, &plain)
}

// isSelection reports whether a word consists of b or h and digits.
func isSelection(word string) bool {
	return len(word) > 1 && (word[0] == 'b' || word[0] == 'h') && strings.Trim(word[1:], "01234567") == ""
}

// selected reads the selection of a source: one part, or one for each result, the
// most significant first.
func selected(text string, all isa.Selection, parts int) (isa.Selection, bool) {
	if text == "" {
		return all, true
	}
	s := isa.Selection{Bits: map[byte]uint8{'b': 8, 'h': 16}[text[0]]}
	parted := 32 / int(s.Bits)
	if parts > 1 {
		if s.Bits != all.Bits {
			return s, false
		}
		parted *= 2 // of a and of b
	}
	if len(text) != 1+parts {
		return s, false
	}
	for i := range parts {
		s.At[i] = text[parts-i] - '0'
		if int(s.At[i]) >= parted {
			return s, false
		}
	}
	return s, true
}

// written reads which parts of the result a video instruction writes, and their
// width: one, or several in descending order.
func written(text string, v *isa.Video) (into, width uint8, ok bool) {
	if text == "" {
		return v.Into, v.Width, v.Parts > 1
	}
	width = map[byte]uint8{'b': 8, 'h': 16}[text[0]]
	last := byte('0' + 32/width)
	for _, digit := range []byte(text[1:]) {
		if digit >= last {
			return into, width, false
		}
		last = digit
		into |= 1 << (digit - '0')
	}
	if v.Parts == 1 {
		return into, width, len(text) == 2
	}
	return into, width, width == v.Width
}
