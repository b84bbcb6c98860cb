package trace

import (
	"bytes"
	"fmt"
	"io"
)

// maxLine is the largest number of bytes of a line of CSV.
const maxLine = 1 << 16

// lineLimiter reads r and fails at a line of more than maxLine bytes, so that
// what is no text at all cannot fill memory.
type lineLimiter struct {
	r    io.Reader
	line int // lines that ended
	used int // bytes of the line that did not
}

// Read implements io.Reader.
func (l *lineLimiter) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			l.used += len(rest)
			rest = nil
		} else {
			l.used += end
			rest = rest[end+1:]
		}
		if l.used > maxLine {
			return 0, fmt.Errorf("line %d has more than %d bytes", l.line+1, maxLine)
		}
		if end >= 0 {
			l.line++
			l.used = 0
		}
	}
	return n, err
}
