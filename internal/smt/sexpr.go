package smt

import (
	"bufio"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// sexpr is an S-expression of SMT-LIB: an atom, with the quotes of a string, or a list.
type sexpr struct {
	atom string
	list []sexpr
}

// The limits of what a solver may answer.
const (
	maxDepth  = 1000
	maxAnswer = 1 << 26 // bytes
)

// sexprReader reads S-expressions one after the other.
type sexprReader struct {
	in   *bufio.Reader
	left int // bytes that the expression may still have
}

// read reads the next expression. What was read before the end of input is no expression.
func (r *sexprReader) read() (sexpr, error) {
	r.left = maxAnswer
	return r.expression(0)
}

func (r *sexprReader) next() (byte, error) {
	if r.left--; r.left < 0 {
		return 0, fmt.Errorf("an answer of more than %d bytes", maxAnswer)
	}
	return r.in.ReadByte()
}

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// skip returns the first byte that is neither white space nor in a comment.
func (r *sexprReader) skip() (byte, error) {
	for {
		c, err := r.next()
		if err != nil {
			return 0, err
		}
		if c == ';' {
			for c != '\n' {
				if c, err = r.next(); err != nil {
					return 0, err
				}
			}
		}
		if !space(c) {
			return c, nil
		}
	}
}

func (r *sexprReader) expression(depth int) (sexpr, error) {
	c, err := r.skip()
	if err != nil {
		return sexpr{}, err
	}
	switch {
	case c == ')':
		return sexpr{}, errors.New("a parenthesis that closes nothing")
	case c == '"' || c == '|':
		return r.quoted(c)
	case c != '(':
		return r.word(c)
	case depth == maxDepth:
		return sexpr{}, fmt.Errorf("an answer nested more than %d deep", maxDepth)
	}
	list := []sexpr{}
	for {
		if c, err = r.skip(); err != nil {
			return sexpr{}, err
		}
		if c == ')' {
			return sexpr{list: list}, nil
		}
		if err := r.unread(); err != nil {
			return sexpr{}, err
		}
		e, err := r.expression(depth + 1)
		if err != nil {
			return sexpr{}, err
		}
		list = append(list, e)
	}
}

func (r *sexprReader) unread() error {
	r.left++
	return r.in.UnreadByte()
}

// quoted reads up to the closing quote.
func (r *sexprReader) quoted(quote byte) (sexpr, error) {
	atom := []byte{quote}
	for {
		c, err := r.next()
		if err != nil {
			return sexpr{}, err
		}
		atom = append(atom, c)
		if c == quote {
			return sexpr{atom: string(atom)}, nil
		}
	}
}

// word reads an atom of which the first byte is known. It must not wait for a byte beyond
// the line, which a solver writes with its next answer.
func (r *sexprReader) word(c byte) (sexpr, error) {
	atom := []byte{c}
	for {
		c, err := r.next()
		if err != nil {
			return sexpr{}, err
		}
		if space(c) {
			return sexpr{atom: string(atom)}, nil
		}
		if c == '(' || c == ')' || c == ';' || c == '"' || c == '|' {
			return sexpr{atom: string(atom)}, r.unread()
		}
		atom = append(atom, c)
	}
}

// String returns the expression as SMT-LIB writes it.
func (e sexpr) String() string {
	if e.list == nil {
		return e.atom
	}
	parts := make([]string, len(e.list))
	for i, p := range e.list {
		parts[i] = p.String()
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// value returns the number of a constant of a sort.
func (e sexpr) value(s Sort) (uint64, error) {
	digits, base, width := "", 0, 0
	switch {
	case s == Bool && e.atom == "true":
		return 1, nil
	case s == Bool && e.atom == "false":
		return 0, nil
	case strings.HasPrefix(e.atom, "#x"):
		digits, base, width = e.atom[2:], 16, 4*(len(e.atom)-2)
	case strings.HasPrefix(e.atom, "#b"):
		digits, base, width = e.atom[2:], 2, len(e.atom)-2
	case len(e.list) == 3 && e.list[0].atom == "_" && strings.HasPrefix(e.list[1].atom, "bv"):
		var err error
		if width, err = strconv.Atoi(e.list[2].atom); err != nil {
			return 0, fmt.Errorf("%v is no constant", e)
		}
		digits, base = e.list[1].atom[2:], 10
	}
	if s.Kind != BitsKind || base == 0 || width != s.Width {
		return 0, fmt.Errorf("%v is no constant of sort %v", e, s)
	}
	x, err := strconv.ParseUint(digits, base, s.Width)
	if err != nil {
		return 0, fmt.Errorf("%v is no constant of sort %v", e, s)
	}
	return x, nil
}
