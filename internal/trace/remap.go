package trace

import "fmt"

// Remap returns a sink that passes everything on to dst, with the Ipoints of blocks
// replaced as Header.Translate says. Records of those that become None are left out.
func Remap(dst Sink, to []Ipoint) Sink { return remap{dst, to} }

type remap struct {
	Sink
	to []Ipoint
}

func (m remap) Record(r Record) error {
	if r.Ipoint >= 0 {
		if int(r.Ipoint) >= len(m.to) {
			return fmt.Errorf("ipoint %d is not in the table of %d", r.Ipoint, len(m.to))
		}
		if r.Ipoint = m.to[r.Ipoint]; r.Ipoint == None {
			return nil
		}
	}
	return m.Sink.Record(r)
}
