package trace

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// byteOrderMark is what some programs begin a text in UTF-8 with.
const byteOrderMark = "\ufeff"

// CSVReader reads what CSVWriter writes, and traces of the same columns from
// elsewhere. A run's end is the cycle of its last record.
type CSVReader struct {
	r      *csv.Reader
	header *Header
	named  map[string]Ipoint
	order  order
	queue  []Event // what the last line led to
	sent   int     // how much of queue is delivered
	err    error   // sticky, delivered after the queue
}

// NewCSVReader reads the line of column names. The file names Ipoints as h does, or by
// their number in it. A byte order mark before the line is passed over.
func NewCSVReader(r io.Reader, h *Header) (*CSVReader, error) {
	br := bufio.NewReader(r)
	if head, err := br.Peek(len(byteOrderMark)); err == nil && string(head) == byteOrderMark {
		if _, err := br.Discard(len(byteOrderMark)); err != nil {
			return nil, err
		}
	}
	cr := &CSVReader{
		r:      csv.NewReader(&lineLimiter{r: br}),
		header: h,
		named:  ipointsByName(h),
		order:  order{ipoints: len(h.Ipoints)},
	}
	cr.r.FieldsPerRecord = len(columns)
	cr.r.ReuseRecord = true
	first, err := cr.r.Read()
	switch {
	case errors.Is(err, io.EOF):
		return nil, errors.New("trace is empty")
	case err != nil:
		return nil, fmt.Errorf("trace is neither in the binary format nor CSV with the columns %s: %w", strings.Join(columns, ","), err)
	case !slices.Equal(first, columns):
		return nil, fmt.Errorf("trace, line 1: columns are %.200q, want %q", first, columns)
	}
	return cr, nil
}

// Header returns the header that the reader was made with.
func (r *CSVReader) Header() *Header { return r.header }

// Next returns the next event, or io.EOF after the last one. An error names the line
// and stays: Next returns it again.
func (r *CSVReader) Next() (Event, error) {
	for r.sent == len(r.queue) {
		if r.err != nil {
			return Event{}, r.err
		}
		r.err = r.read()
	}
	r.sent++
	return r.queue[r.sent-1], nil
}

// read reads one line and queues its events: the record, and before it the end of the
// run before and the beginning of its own.
func (r *CSVReader) read() error {
	r.queue, r.sent = r.queue[:0], 0
	row, err := r.r.Read()
	if errors.Is(err, io.EOF) {
		r.endRun()
		return io.EOF
	}
	if err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	run, rec, err := r.parse(row)
	if err != nil {
		return err
	}
	if !r.order.inRun || run != r.order.run {
		r.endRun()
		if err := r.order.beginRun(run); err != nil {
			return r.fail(0, err)
		}
		r.queue = append(r.queue, Event{Kind: BeginRun, Run: run})
	}
	if err := r.order.record(rec); err != nil {
		return r.fail(0, err)
	}
	r.queue = append(r.queue, Event{Kind: AtIpoint, Run: run, Record: rec})
	return nil
}

// endRun queues the end of the current run, if there is one.
func (r *CSVReader) endRun() {
	if r.order.inRun {
		r.order.inRun = false
		r.queue = append(r.queue, Event{Kind: EndRun, Run: r.order.run, End: r.order.last})
	}
}

// parse reads the fields of a line, in the order of columns.
func (r *CSVReader) parse(row []string) (run int, rec Record, err error) {
	var v [6]int64
	for i, field := range row {
		bits := 32
		switch columns[i] {
		case "ipoint":
			if ipoint, ok := r.named[field]; ok {
				v[i] = int64(ipoint)
				continue
			}
		case "cycle":
			bits = 64
		}
		v[i], err = strconv.ParseInt(field, 10, bits)
		if err != nil || v[i] < 0 {
			return 0, Record{}, r.fail(i, fmt.Errorf("%.40q is not a valid %s", field, columns[i]))
		}
	}
	return int(v[0]), Record{
		SM: int32(v[1]), CTA: int32(v[2]), Warp: int32(v[3]), Ipoint: Ipoint(v[4]), Cycle: v[5],
	}, nil
}

func (r *CSVReader) fail(field int, err error) error {
	line, col := r.r.FieldPos(field)
	return fmt.Errorf("trace, line %d, column %d: %w", line, col, err)
}
