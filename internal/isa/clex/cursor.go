package clex

import "warpbound/diag"

// Cursor goes through the tokens of a text, for a parser that embeds it.
type Cursor struct {
	tokens []Token // the last is of kind End
	at     int
}

// NewCursor scans a text and returns a cursor in front of its first token.
func NewCursor(file string, src []byte) (Cursor, error) {
	tokens, err := Scan(file, src)
	return Cursor{tokens: tokens}, err
}

// Peek returns the next token.
func (c *Cursor) Peek() Token { return c.tokens[c.at] }

// After returns the token after the next.
func (c *Cursor) After() Token { return c.tokens[min(c.at+1, len(c.tokens)-1)] }

// Next takes the next token. The end of the text can be taken again and again.
func (c *Cursor) Next() Token {
	t := c.tokens[c.at]
	if t.Kind != End {
		c.at++
	}
	return t
}

// Expect takes a token that must be the symbol or word.
func (c *Cursor) Expect(text string) error {
	if t := c.Next(); !t.Is(text) {
		return diag.Errorf(t.Pos, "want '%s', not %s", text, t)
	}
	return nil
}

// Accept takes the next token if it is the symbol or word.
func (c *Cursor) Accept(text string) bool {
	if c.Peek().Is(text) {
		c.at++
		return true
	}
	return false
}
