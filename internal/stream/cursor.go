package stream

import "warpbound/diag"

// Cursor goes through the accesses of a stream. It may be used by one goroutine at a time.
type Cursor struct {
	stream *Stream
	sizes  []int64 // of the buffers in bytes
	at     int     // the next instruction or record
	vars   []int64 // of the loops
	ends   []int64 // how often they iterate
}

// NewCursor returns a cursor in front of the first access. sizes are those of the stream's
// buffers in bytes.
func NewCursor(s *Stream, sizes []int64) *Cursor {
	return &Cursor{stream: s, sizes: sizes, vars: make([]int64, s.vars), ends: make([]int64, s.vars)}
}

// Reset goes back to the first access.
func (c *Cursor) Reset() { c.at = 0 }

// Next returns the next access, or false if there is none. It is an error with its position
// if an access lies outside of its buffer or of the CPU's own memory, if it waits for less
// than 0 cycles, if a number is beyond Most, or if the stream does without an access what
// seems to have no end.
func (c *Cursor) Next() (Access, bool, error) {
	s := c.stream
	if s.trace != nil {
		if c.at == len(s.trace) {
			return Access{}, false, nil
		}
		r := &s.trace[c.at]
		c.at++
		return r.Access, true, c.check(&r.Access, r.pos)
	}
	gap := int64(0)
	for steps := 0; c.at < len(s.code); steps++ {
		in := &s.code[c.at]
		c.at++
		if steps == maxIdle {
			return Access{}, false, diag.Errorf(in.pos, "no access in %d steps; make loops without accesses shorter", maxIdle)
		}
		var v int64
		if in.kind != doEnd {
			var err error
			if v, err = in.value.eval(c.vars); err != nil {
				return Access{}, false, err
			}
		}
		switch in.kind {
		case doAccess:
			a := Access{Gap: gap, Offset: v, Buffer: in.buffer, Store: in.store}
			return a, true, c.check(&a, in.pos)
		case doWait:
			if gap += v; v < 0 || gap > Max {
				return Access{}, false, diag.Errorf(in.pos, "a wait of %d cycles, %d since the access before: must be from 0 to %d", v, gap, int64(Max))
			}
		case doFor:
			c.vars[in.loop], c.ends[in.loop] = 0, v
			if v <= 0 {
				c.at = in.target
			}
		case doEnd:
			if c.vars[in.loop]++; c.vars[in.loop] < c.ends[in.loop] {
				c.at = in.target
			}
		}
	}
	return Access{}, false, nil
}

// check checks that an access lies in its buffer.
func (c *Cursor) check(a *Access, pos diag.Pos) error {
	size, what := int64(Max), "the CPU's own memory"
	if a.Buffer != Own {
		size, what = c.sizes[a.Buffer], c.stream.Buffers[a.Buffer].Name
	}
	if a.Offset < 0 || a.Offset >= size {
		return diag.Errorf(pos, "an access at byte %d of %s, which has %d bytes", a.Offset, what, size)
	}
	return nil
}
