package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// The binary format, as docs/formats.md describes it.
const (
	magic = "wbtrace\x01" // the last byte is the version

	blockHeader  = 'H'
	blockBegin   = 'B'
	blockRecords = 'R'
	blockEnd     = 'E'
	blockClose   = 'Z'

	frameSize  = 5       // bytes before a payload: type and length
	sumSize    = 4       // bytes after a payload: checksum
	maxPayload = 1 << 24 // bytes; a reader refuses more
	flushAt    = 1 << 15 // bytes of records at which a writer ends a block
)

// firstBlock is how an Ipoint is numbered in a file: 0 is Start, 1 is Exit, and the
// blocks follow.
const firstBlock = 2

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Writer writes the binary format as a stream, in memory that does not grow with the
// trace.
type Writer struct {
	w     io.Writer
	order order
	buf   []byte // the frame and payload of the block being filled
	prev  Record // the record before, in the same block
	err   error
}

// NewWriter writes the header of a trace. The writer does not buffer more than one
// block, so w should be buffered itself where small writes cost. Close must follow.
func NewWriter(w io.Writer, h *Header) (*Writer, error) {
	tw := &Writer{w: w, order: order{ipoints: len(h.Ipoints)}}
	if _, err := io.WriteString(w, magic); err != nil {
		return nil, err
	}
	tw.begin(blockHeader)
	tw.string(h.Kernel)
	tw.string(h.Module)
	tw.string(h.Machine)
	tw.uint(uint64(len(h.Ipoints)))
	for _, info := range h.Ipoints {
		tw.string(info.Name)
		tw.string(info.Pos)
	}
	if h.Clocks != Common {
		tw.uint(uint64(h.Clocks))
	}
	if err := tw.flush(); err != nil {
		return nil, err
	}
	return tw, nil
}

// BeginRun starts a run. Run numbers increase through a trace.
func (w *Writer) BeginRun(number int) error {
	if w.err == nil {
		w.err = w.order.beginRun(number)
	}
	if w.err != nil {
		return w.err
	}
	w.begin(blockBegin)
	w.uint(uint64(number))
	return w.flush()
}

// Record appends a record to the current run.
func (w *Writer) Record(r Record) error {
	if w.err == nil {
		w.err = w.order.record(r)
	}
	if w.err != nil {
		return w.err
	}
	if len(w.buf) == 0 {
		w.begin(blockRecords)
		w.prev = Record{}
	}
	w.buf = binary.AppendVarint(w.buf, r.Cycle-w.prev.Cycle)
	w.uint(uint64(r.SM))
	w.buf = binary.AppendVarint(w.buf, int64(r.CTA)-int64(w.prev.CTA))
	w.uint(uint64(r.Warp))
	switch r.Ipoint {
	case Start:
		w.uint(0)
	case Exit:
		w.uint(1)
	default:
		w.uint(uint64(r.Ipoint) + firstBlock)
	}
	w.prev = r
	if len(w.buf) >= flushAt {
		return w.flush()
	}
	return nil
}

// EndRun ends the current run. end is the cycle of the last retirement.
func (w *Writer) EndRun(end int64) error {
	if w.err == nil {
		w.err = w.order.endRun(end)
	}
	if w.err != nil {
		return w.err
	}
	if len(w.buf) > 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.begin(blockEnd)
	w.uint(uint64(end))
	w.uint(w.order.records)
	return w.flush()
}

// Close marks the trace as complete. It does not close the underlying writer.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	if w.order.inRun {
		return fmt.Errorf("trace closed inside run %d", w.order.run)
	}
	w.begin(blockClose)
	err := w.flush()
	if err == nil {
		w.err = errors.New("trace is closed")
	}
	return err
}

func (w *Writer) begin(kind byte) { w.buf = append(w.buf[:0], kind, 0, 0, 0, 0) }
func (w *Writer) uint(v uint64)   { w.buf = binary.AppendUvarint(w.buf, v) }
func (w *Writer) string(s string) { w.uint(uint64(len(s))); w.buf = append(w.buf, s...) }

// flush completes the block in buf and writes it.
func (w *Writer) flush() error {
	n := len(w.buf) - frameSize
	if n > maxPayload {
		w.err = fmt.Errorf("trace block of %d bytes is longer than %d", n, maxPayload)
		return w.err
	}
	binary.LittleEndian.PutUint32(w.buf[1:frameSize], uint32(n))
	w.buf = binary.LittleEndian.AppendUint32(w.buf, crc32.Checksum(w.buf, castagnoli))
	_, w.err = w.w.Write(w.buf)
	w.buf = w.buf[:0]
	return w.err
}
