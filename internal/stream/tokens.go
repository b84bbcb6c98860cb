package stream

import (
	"bytes"
	"text/scanner"

	"warpbound/diag"
)

// token is a word, a number or a character of a program.
type token struct {
	kind rune   // scanner.Ident, scanner.Int, scanner.EOF, or the character
	text string // empty at the end
	pos  diag.Pos
}

// String names the token for messages.
func (t token) String() string {
	if t.kind == scanner.EOF {
		return "the end of the file"
	}
	return "'" + t.text + "'"
}

// tokens goes through the tokens of a program.
type tokens struct {
	scanner scanner.Scanner
	file    string
	ahead   token
	err     error // the first text that is no token
}

func newTokens(file string, src []byte) *tokens {
	t := &tokens{file: file}
	t.scanner.Init(bytes.NewReader(src))
	t.scanner.Mode = scanner.ScanIdents | scanner.ScanInts | scanner.ScanComments | scanner.SkipComments
	t.scanner.Error = func(s *scanner.Scanner, text string) {
		if t.err == nil {
			at := s.Position
			if !at.IsValid() {
				at = s.Pos()
			}
			t.err = diag.Errorf(t.pos(at), "%s", text)
		}
	}
	t.next()
	return t
}

func (t *tokens) pos(at scanner.Position) diag.Pos {
	return diag.Pos{File: t.file, Line: int32(at.Line), Col: int32(at.Column)}
}

// peek returns the next token.
func (t *tokens) peek() token { return t.ahead }

// next takes the next token.
func (t *tokens) next() token {
	now := t.ahead
	kind := t.scanner.Scan()
	t.ahead = token{kind, t.scanner.TokenText(), t.pos(t.scanner.Position)}
	return now
}

// accept takes the next token if it is the character.
func (t *tokens) accept(char rune) bool {
	if t.ahead.kind != char {
		return false
	}
	t.next()
	return true
}

// expect takes a token that must be the character.
func (t *tokens) expect(char rune) error {
	if got := t.next(); got.kind != char {
		return diag.Errorf(got.pos, "want '%c', not %s", char, got)
	}
	return nil
}
