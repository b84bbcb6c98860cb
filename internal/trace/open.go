package trace

import (
	"bufio"
	"io"
)

// Open returns a reader of r in whichever of the two formats it is in. A CSV file
// names its Ipoints as h does; a binary one brings its own header.
func Open(r io.Reader, h *Header) (Source, error) {
	br := bufio.NewReader(r)
	head, err := br.Peek(len(magic) - 1)
	if err == nil && string(head) == magic[:len(magic)-1] {
		return NewReader(br)
	}
	return NewCSVReader(br, h)
}
