package trace

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

var columns = []string{"run", "sm", "cta", "warp", "ipoint", "cycle"}

// CSVWriter writes runs as comma-separated values, one record a line, after a line
// with the names of the columns. What ends a run is left out: a reader takes the
// cycle of its last record.
type CSVWriter struct {
	w     *csv.Writer
	names []string // by Ipoint
	order order
	row   []string
}

// NewCSVWriter writes the line of column names. Ipoints are written by their name in
// h, or by their number where the name could be misread. Close must follow. It is an error if
// multiprocessors have clocks of their own, which CSV cannot say.
func NewCSVWriter(w io.Writer, h *Header) (*CSVWriter, error) {
	if h.Clocks != Common {
		return nil, errors.New("the cycles of this trace count from an origin of each multiprocessor, which CSV cannot say: write the binary format")
	}
	cw := &CSVWriter{
		w:     csv.NewWriter(w),
		order: order{ipoints: len(h.Ipoints)},
		row:   make([]string, len(columns)),
	}
	named := ipointsByName(h)
	for i, info := range h.Ipoints {
		name := strconv.Itoa(i)
		if got, ok := named[info.Name]; ok && got == Ipoint(i) {
			name = info.Name
		}
		cw.names = append(cw.names, name)
	}
	return cw, cw.w.Write(columns)
}

// ipointsByName maps the names that a CSV file may use to their Ipoints: the reserved
// ones, and of the table those that stand once and are not numbers.
func ipointsByName(h *Header) map[string]Ipoint {
	named := map[string]Ipoint{Start.String(): Start, Exit.String(): Exit}
	count := map[string]int{}
	for _, info := range h.Ipoints {
		count[info.Name]++
	}
	for i, info := range h.Ipoints {
		_, reserved := named[info.Name]
		_, err := strconv.Atoi(info.Name)
		if !reserved && err != nil && count[info.Name] == 1 && csvSafe(info.Name) {
			named[info.Name] = Ipoint(i)
		}
	}
	return named
}

// csvSafe reports whether a CSV field comes back as it was written: a carriage return
// does not.
func csvSafe(s string) bool { return s != "" && !strings.ContainsRune(s, '\r') }

// BeginRun starts a run. Run numbers increase through a trace.
func (w *CSVWriter) BeginRun(number int) error { return w.order.beginRun(number) }

// Record writes a record of the current run.
func (w *CSVWriter) Record(r Record) error {
	if err := w.order.record(r); err != nil {
		return err
	}
	ipoint := r.Ipoint.String()
	if r.Ipoint >= 0 {
		ipoint = w.names[r.Ipoint]
	}
	w.row[0] = strconv.Itoa(w.order.run)
	w.row[1] = strconv.Itoa(int(r.SM))
	w.row[2] = strconv.Itoa(int(r.CTA))
	w.row[3] = strconv.Itoa(int(r.Warp))
	w.row[4] = ipoint
	w.row[5] = strconv.FormatInt(r.Cycle, 10)
	return w.w.Write(w.row)
}

// EndRun ends the current run. It must end with its last record, because the file has
// no other place for the end.
func (w *CSVWriter) EndRun(end int64) error {
	last, empty := w.order.last, w.order.records == 0
	if err := w.order.endRun(end); err != nil {
		return err
	}
	if empty || end != last {
		return fmt.Errorf("run %d ends in cycle %d without a record there, which CSV cannot say", w.order.run, end)
	}
	return nil
}

// Close writes what is buffered. It does not close the underlying writer.
func (w *CSVWriter) Close() error {
	w.w.Flush()
	if err := w.w.Error(); err != nil {
		return err
	}
	if w.order.inRun {
		return fmt.Errorf("trace closed inside run %d", w.order.run)
	}
	return nil
}
