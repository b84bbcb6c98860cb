package stream

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"warpbound/diag"
)

// columns are the names in the first line of a trace.
var columns = []string{"gap", "op", "address"}

// ParseTrace reads a list of accesses: CSV with the columns gap, op and address. file is
// its name for messages. The error has the position of what is wrong.
func ParseTrace(file string, src []byte) (*Stream, error) {
	if len(src) > MaxBytes {
		return nil, diag.Errorf(diag.Pos{File: file}, "the trace has %d bytes, more than %d", len(src), MaxBytes)
	}
	r := csv.NewReader(bytes.NewReader(src))
	r.FieldsPerRecord, r.ReuseRecord = len(columns), true
	s := &Stream{trace: []record{}}
	at := func(field int) diag.Pos {
		line, col := r.FieldPos(field)
		return diag.Pos{File: file, Line: int32(line), Col: int32(col)}
	}
	for first := true; ; first = false {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) && !first {
			return s, nil
		}
		if e := (*csv.ParseError)(nil); errors.As(err, &e) {
			return nil, diag.Errorf(diag.Pos{File: file, Line: int32(e.Line), Col: int32(e.Column)}, "%w; want the columns %s", e.Err, strings.Join(columns, ","))
		}
		if err != nil || first && !slices.Equal(fields, columns) {
			return nil, diag.Errorf(diag.Pos{File: file, Line: 1, Col: 1}, "the first line must be %s", strings.Join(columns, ","))
		}
		if first {
			continue
		}
		a, err := s.parseRecord(fields, at)
		if err != nil {
			return nil, err
		}
		s.trace = append(s.trace, record{a, at(0)})
	}
}

// parseRecord reads a line. at gives the position of a field.
func (s *Stream) parseRecord(fields []string, at func(int) diag.Pos) (Access, error) {
	gap, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil || gap < 0 || gap > Max {
		return Access{}, diag.Errorf(at(0), "gap %.40q is no number from 0 to %d", fields[0], int64(Max))
	}
	if fields[1] != "load" && fields[1] != "store" {
		return Access{}, diag.Errorf(at(1), "op %.40q is neither load nor store", fields[1])
	}
	name, offset, isBuffer := strings.Cut(fields[2], "+")
	buffer := Own
	if isBuffer {
		if name == "" {
			return Access{}, diag.Errorf(at(2), "address %.40q has no buffer before +", fields[2])
		}
		buffer = s.buffer(strings.Clone(name), at(2))
	} else {
		offset = name
	}
	v, err := strconv.ParseInt(offset, 0, 64)
	if err != nil || v < 0 || v > Max {
		return Access{}, diag.Errorf(at(2), "address %.40q is neither BUFFER+BYTES nor BYTES, a number from 0 to %d", fields[2], int64(Max))
	}
	return Access{Gap: gap, Offset: v, Buffer: buffer, Store: fields[1] == "store"}, nil
}
