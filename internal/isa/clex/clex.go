// Package clex cuts text into the tokens of C: what the mini-SIMT machine language and
// the kernel language that is compiled to it have in common.
//
// clex imports internal/diag and nothing else of this project.
package clex

import (
	"slices"
	"strings"

	"warpbound/diag"
)

// Kind tells the kinds of tokens apart.
type Kind uint8

// The kinds of tokens.
const (
	End    Kind = iota // of the text; Text is empty
	Word               // a name or a keyword
	Int                // digits, or 0x and hexadecimal digits
	Float              // a number with a point or an exponent, without its suffix f
	Symbol             // an operator or a separator, the longest that fits
)

// Token is a piece of the text.
type Token struct {
	Kind  Kind
	Text  string
	First bool // it is the first of its line
	Pos   diag.Pos
}

// String names the token for messages.
func (t Token) String() string {
	if t.Kind == End {
		return "the end of the file"
	}
	return "'" + t.Text + "'"
}

// Is reports whether the token is the word or the symbol.
func (t Token) Is(text string) bool {
	return t.Text == text && (t.Kind == Word || t.Kind == Symbol)
}

// symbols are the operators and separators of more than one character, longer ones before
// their beginnings.
var symbols = []string{"<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="}

const single = "+-*/%&|^~!<>=(){}[];:,?"

// MaxBytes is the largest text that Scan takes.
const MaxBytes = 16 << 20

// Scan returns the tokens of a text; the last is an End. Comments are those of C and
// C++. What begins no token and a comment that does not end are errors with their
// position. file is the name of the text for messages.
func Scan(file string, src []byte) ([]Token, error) {
	if len(src) > MaxBytes {
		return nil, diag.Errorf(diag.Pos{File: file}, "the text has %d bytes, more than %d", len(src), MaxBytes)
	}
	s := &scanner{src: string(src), line: 1, first: true, file: file}
	for {
		if err := s.space(); err != nil {
			return nil, err
		}
		t := Token{First: s.first, Pos: s.pos(s.at)}
		s.first = false
		if s.at == len(s.src) {
			return append(s.tokens, t), nil
		}
		from := s.at
		if t.Kind = s.token(); t.Kind == End {
			return nil, diag.Errorf(t.Pos, "unexpected character %q", []rune(s.src[from:])[0])
		}
		t.Text = s.src[from:s.at]
		if t.Kind == Float && strings.HasSuffix(t.Text, "f") {
			t.Text = t.Text[:len(t.Text)-1]
		}
		s.tokens = append(s.tokens, t)
	}
}

type scanner struct {
	file   string
	src    string
	at     int // the next byte
	line   int32
	start  int  // of the line
	first  bool // no token of the line has been seen
	tokens []Token
}

func (s *scanner) pos(at int) diag.Pos {
	return diag.Pos{File: s.file, Line: s.line, Col: int32(at-s.start) + 1}
}

// space passes white space and comments.
func (s *scanner) space() error {
	for s.at < len(s.src) {
		rest := s.src[s.at:]
		switch {
		case rest[0] == '\n':
			s.at++
			s.newLine()
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r':
			s.at++
		case strings.HasPrefix(rest, "//"):
			if end := strings.IndexByte(rest, '\n'); end >= 0 {
				s.at += end
			} else {
				s.at = len(s.src)
			}
		case strings.HasPrefix(rest, "/*"):
			pos := s.pos(s.at)
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return diag.Errorf(pos, "the comment does not end")
			}
			for stop := s.at + 2 + end + 2; s.at < stop; {
				s.at++
				if s.src[s.at-1] == '\n' {
					s.newLine()
				}
			}
		default:
			return nil
		}
	}
	return nil
}

func (s *scanner) newLine() {
	s.line++
	s.start, s.first = s.at, true
}

// token passes a token and returns its kind, End if there is none.
func (s *scanner) token() Kind {
	c := s.src[s.at]
	switch {
	case isLetter(c):
		s.pass(func(c byte) bool { return isLetter(c) || isDigit(c) })
		return Word
	case isDigit(c), c == '.' && s.at+1 < len(s.src) && isDigit(s.src[s.at+1]):
		return s.number()
	}
	for _, text := range symbols {
		if strings.HasPrefix(s.src[s.at:], text) {
			s.at += len(text)
			return Symbol
		}
	}
	if strings.IndexByte(single, c) >= 0 {
		s.at++
		return Symbol
	}
	return End
}

func (s *scanner) number() Kind {
	if rest := s.src[s.at:]; strings.HasPrefix(rest, "0x") || strings.HasPrefix(rest, "0X") {
		s.at += 2
		s.pass(func(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' })
		return Int
	}
	from := s.at
	s.pass(isDigit)
	if s.next('.') {
		s.at++
		s.pass(isDigit)
	}
	if s.next('e') || s.next('E') {
		mark := s.at
		s.at++
		if s.next('+') || s.next('-') {
			s.at++
		}
		digits := s.at
		if s.pass(isDigit); s.at == digits {
			s.at = mark
		}
	}
	if !slices.ContainsFunc([]byte(s.src[from:s.at]), func(c byte) bool { return !isDigit(c) }) {
		return Int
	}
	if s.next('f') {
		s.at++
	}
	return Float
}

func (s *scanner) next(c byte) bool { return s.at < len(s.src) && s.src[s.at] == c }

func (s *scanner) pass(in func(byte) bool) {
	for s.at < len(s.src) && in(s.src[s.at]) {
		s.at++
	}
}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
