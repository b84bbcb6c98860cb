package ptx

import (
	"strings"
	"unicode/utf8"

	"warpbound/diag"
)

// kind tells tokens apart.
type kind uint8

const (
	tokEOF    kind = iota
	tokIdent       // name, %name, $name
	tokDot         // .word, with "::" inside as in .L1::no_allocate
	tokInt         // integer literal
	tokFloat       // floating-point literal
	tokString      // string with its quotes
	tokPunct       // operator or bracket
	tokBad         // not a token; lexer.bad says why
)

// token is a piece of the source. text is a substring of it.
type token struct {
	kind kind
	text string
	off  int
	pos  Pos
}

func (t token) end() int { return t.off + len(t.text) }

// String renders the token for a message.
func (t token) String() string {
	const longest = 40
	switch {
	case t.kind == tokEOF:
		return "end of file"
	case t.kind == tokPunct:
		return "'" + t.text + "'"
	case len(t.text) > longest:
		return t.text[:longest] + "..."
	}
	return t.text
}

// The classes of bytes in names.
const (
	isStart uint8 = 1 << iota // begins a name
	isName                    // continues a name
	isDigit
	isHex
)

var charClass = func() (c [256]uint8) {
	for b := 'a'; b <= 'z'; b++ {
		c[b], c[b-'a'+'A'] = isStart|isName, isStart|isName
	}
	for b := '0'; b <= '9'; b++ {
		c[b] = isName | isDigit | isHex
	}
	for _, b := range "abcdefABCDEF" {
		c[b] |= isHex
	}
	c['_'], c['$'] = isStart|isName, isStart|isName
	return c
}()

// lexer cuts a source into tokens. Blanks, comments, lines of a preprocessor
// (# ...) and lines of old debugging data (@@DWARF ...) separate tokens.
type lexer struct {
	file string
	src  string
	off  int
	line int32
	bol  int         // offset of the current line's first byte
	bad  *diag.Error // what is wrong with the last tokBad
	errs *diag.List
}

func (l *lexer) pos() Pos { return Pos{l.line, int32(l.off-l.bol) + 1} }

func (l *lexer) errorf(p Pos, format string, args ...any) *diag.Error {
	return diag.Errorf(diag.Pos{File: l.file, Line: p.Line, Col: p.Col}, format, args...)
}

// noToken notes what is wrong with a token.
func (l *lexer) noToken(p Pos, format string, args ...any) kind {
	l.bad = l.errorf(p, format, args...)
	return tokBad
}

// report keeps an error for the caller of Parse. After too many the rest of the source is
// dropped.
func (l *lexer) report(e *diag.Error) {
	if l.errs.Len() < maxErrors {
		l.errs.Add(e)
	}
	if l.errs.Len() == maxErrors {
		l.src = l.src[:l.off]
	}
}

// at returns the byte n bytes ahead, 0 beyond the end.
func (l *lexer) at(n int) byte {
	if l.off+n < len(l.src) {
		return l.src[l.off+n]
	}
	return 0
}

// next returns the next token.
func (l *lexer) next() token {
	l.skipBlanks()
	t := token{off: l.off, pos: l.pos()}
	if l.off >= len(l.src) {
		return t
	}
	c := l.src[l.off]
	class := charClass[c]
	switch {
	case class&isStart != 0, c == '%' && charClass[l.at(1)]&isName != 0:
		t.kind = tokIdent
		l.off++
		l.skipClass(isName)
	case c == '.' && l.isFraction():
		t.kind = l.number()
	case c == '.' && charClass[l.at(1)]&isName != 0:
		t.kind = tokDot
		l.off++
		l.skipClass(isName)
		for l.at(0) == ':' && l.at(1) == ':' && charClass[l.at(2)]&isName != 0 {
			l.off += 2
			l.skipClass(isName)
		}
	case class&isDigit != 0:
		t.kind = l.number()
	case c == '"':
		t.kind = l.quoted()
	default:
		t.kind = l.punct()
	}
	t.text = l.src[t.off:l.off]
	return t
}

// isFraction reports whether the point here begins a number such as .5 or .1e-3
// and not a word such as .2d.
func (l *lexer) isFraction() bool {
	n := 1
	for charClass[l.at(n)]&isDigit != 0 {
		n++
	}
	return n > 1 && (charClass[l.at(n)]&isName == 0 || l.at(n)|0x20 == 'e')
}

func (l *lexer) skipClass(class uint8) {
	i := l.off
	for i < len(l.src) && charClass[l.src[i]]&class != 0 {
		i++
	}
	l.off = i
}

func (l *lexer) skipBlanks() {
	lineStart := l.off == l.bol // nothing but blanks since the line began
	for l.off < len(l.src) {
		switch c := l.src[l.off]; {
		case c == '\n':
			l.off++
			l.line++
			l.bol, lineStart = l.off, true
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			l.off++
		case c == '/' && l.at(1) == '/', lineStart && (c == '#' || c == '@' && l.at(1) == '@'):
			l.skipLine()
		case c == '/' && l.at(1) == '*':
			l.skipComment()
			lineStart = false
		default:
			return
		}
	}
}

func (l *lexer) skipLine() {
	if i := strings.IndexByte(l.src[l.off:], '\n'); i >= 0 {
		l.off += i
	} else {
		l.off = len(l.src)
	}
}

func (l *lexer) skipComment() {
	start := l.pos()
	for l.off += 2; l.off < len(l.src); l.off++ {
		switch l.src[l.off] {
		case '\n':
			l.line++
			l.bol = l.off + 1
		case '*':
			if l.at(1) == '/' {
				l.off += 2
				return
			}
		}
	}
	l.report(l.errorf(start, "comment is not closed; a comment ends with */"))
}

// number scans a literal: decimal, octal, 0x or 0b integers, each perhaps with
// the suffix U; 0f and 0d with the hex digits of a float; decimal floats.
func (l *lexer) number() kind {
	start, from := l.pos(), l.off
	k := tokInt
	switch l.at(1) | 0x20 {
	case 'f', 'd', 'x', 'b':
		if l.src[l.off] == '0' {
			return l.prefixed(start)
		}
	}
	l.skipClass(isDigit)
	if l.at(0) == '.' && charClass[l.at(1)]&isStart == 0 {
		k = tokFloat
		l.off++
		l.skipClass(isDigit)
	}
	if l.at(0)|0x20 == 'e' {
		sign := 0
		if c := l.at(1); c == '+' || c == '-' {
			sign = 1
		}
		if charClass[l.at(1+sign)]&isDigit != 0 {
			k = tokFloat
			l.off += 1 + sign
			l.skipClass(isDigit)
		}
	}
	if k == tokInt {
		octal := l.src[from] == '0' && strings.ContainsAny(l.src[from:l.off], "89")
		if l.at(0) == 'U' {
			l.off++
		}
		if octal {
			return l.noToken(start, "bad octal number %s", l.src[from:l.off])
		}
	}
	return l.endNumber(start, from, k)
}

// prefixed scans a literal that begins with 0f, 0d, 0x or 0b.
func (l *lexer) prefixed(start Pos) kind {
	from := l.off
	letter := l.at(1) | 0x20
	l.off += 2
	l.skipClass(isHex)
	digits := l.src[from+2 : l.off]
	switch letter {
	case 'f', 'd':
		want := 8
		if letter == 'd' {
			want = 16
		}
		if len(digits) != want {
			l.skipClass(isName)
			return l.noToken(start, "bad float %s; 0%c takes %d hex digits", l.src[from:l.off], letter, want)
		}
		return l.endNumber(start, from, tokFloat)
	case 'b':
		if strings.Trim(digits, "01") != "" {
			digits = ""
		}
	}
	if l.at(0) == 'U' {
		l.off++
	}
	if digits == "" {
		l.skipClass(isName)
		return l.noToken(start, "bad number %s", l.src[from:l.off])
	}
	return l.endNumber(start, from, tokInt)
}

// endNumber reports a literal that runs into a name.
func (l *lexer) endNumber(start Pos, from int, k kind) kind {
	if charClass[l.at(0)]&isName == 0 {
		return k
	}
	l.skipClass(isName)
	return l.noToken(start, "bad number %s", l.src[from:l.off])
}

func (l *lexer) quoted() kind {
	start := l.pos()
	for l.off++; l.off < len(l.src) && l.src[l.off] != '\n'; l.off++ {
		switch l.src[l.off] {
		case '\\':
			if l.at(1) != '\n' && l.off+1 < len(l.src) {
				l.off++
			}
		case '"':
			l.off++
			return tokString
		}
	}
	return l.noToken(start, "string is not closed on its line")
}

func (l *lexer) punct() kind {
	c := l.src[l.off]
	switch c {
	case '<', '>', '=', '!', '&', '|':
		next := l.at(1)
		if next == c && c != '!' && c != '=' || next == '=' && c != '&' && c != '|' {
			l.off += 2
			return tokPunct
		}
	case ',', ';', ':', '(', ')', '[', ']', '{', '}', '+', '-', '*', '/', '%', '^', '~', '?', '@':
	default:
		start := l.pos()
		r, size := utf8.DecodeRuneInString(l.src[l.off:])
		l.off += size
		return l.noToken(start, "unexpected character %q", r)
	}
	l.off++
	return tokPunct
}
