package trace

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// OffsetError says where a binary trace is damaged.
type OffsetError struct {
	Offset int64 // bytes from the beginning
	Err    error
}

// Error renders the offset and what is wrong there.
func (e *OffsetError) Error() string { return fmt.Sprintf("trace, byte %d: %v", e.Offset, e.Err) }

// Unwrap returns what is wrong; it is io.ErrUnexpectedEOF for a truncated trace.
func (e *OffsetError) Unwrap() error { return e.Err }

var errVarint = errors.New("malformed number")

// Reader reads the binary format as a stream. It holds one block in memory, and a
// block takes no more memory than the input has bytes for it.
type Reader struct {
	r       *bufio.Reader
	header  Header
	order   order
	offset  int64        // bytes consumed from r
	block   bytes.Buffer // payload of the current block
	start   int64        // offset of that payload
	payload []byte       // what is left of it
	prev    Record       // the record before, in the same block
	err     error        // sticky
}

// NewReader reads the header of a trace.
func NewReader(r io.Reader) (*Reader, error) {
	tr := &Reader{r: bufio.NewReader(r)}
	var head [len(magic)]byte
	n, err := io.ReadFull(tr.r, head[:])
	tr.offset = int64(n)
	version := len(magic) - 1
	switch {
	case n < version || string(head[:version]) != magic[:version]:
		return nil, &OffsetError{0, errors.New("not a trace: it does not begin with \"wbtrace\"")}
	case err != nil:
		return nil, &OffsetError{tr.offset, io.ErrUnexpectedEOF}
	case head[version] != magic[version]:
		return nil, &OffsetError{int64(version), fmt.Errorf("trace version %d is not supported, only %d", head[version], magic[version])}
	}
	if err := tr.readHeader(); err != nil {
		return nil, err
	}
	return tr, nil
}

// Header returns the header of the trace.
func (r *Reader) Header() *Header { return &r.header }

// Next returns the next event, or io.EOF after the last one of a complete trace. An
// error is an *OffsetError and stays: Next returns it again.
func (r *Reader) Next() (Event, error) {
	if r.err != nil {
		return Event{}, r.err
	}
	ev, err := r.next()
	r.err = err
	return ev, err
}

func (r *Reader) next() (Event, error) {
	for len(r.payload) == 0 {
		kind, err := r.readBlock()
		if err != nil {
			return Event{}, err
		}
		switch kind {
		case blockBegin:
			return r.beginRun()
		case blockRecords:
			r.prev = Record{}
		case blockEnd:
			return r.endRun()
		case blockClose:
			return Event{}, r.close()
		default:
			return Event{}, r.fail(fmt.Errorf("unknown block type %q", kind))
		}
	}
	return r.record()
}

func (r *Reader) readHeader() error {
	kind, err := r.readBlock()
	if err != nil {
		return err
	}
	if kind != blockHeader {
		return r.fail(fmt.Errorf("the first block is %q, not the header", kind))
	}
	for _, s := range []*string{&r.header.Kernel, &r.header.Module, &r.header.Machine} {
		if *s, err = r.string(); err != nil {
			return err
		}
	}
	n, err := r.uint(math.MaxInt32)
	if err != nil {
		return err
	}
	for range n {
		var info IpointInfo
		if info.Name, err = r.string(); err != nil {
			return err
		}
		if info.Pos, err = r.string(); err != nil {
			return err
		}
		r.header.Ipoints = append(r.header.Ipoints, info)
	}
	r.order.ipoints = len(r.header.Ipoints)
	if len(r.payload) == 1 && r.payload[0] == byte(PerSM) {
		r.header.Clocks, r.payload = PerSM, nil
	}
	return r.consumed()
}

func (r *Reader) beginRun() (Event, error) {
	number, err := r.uint(math.MaxInt32)
	if err != nil {
		return Event{}, err
	}
	if err := r.order.beginRun(int(number)); err != nil {
		return Event{}, r.fail(err)
	}
	return Event{Kind: BeginRun, Run: int(number)}, r.consumed()
}

func (r *Reader) record() (Event, error) {
	at := r.position()
	cycle, err := r.int()
	if err != nil {
		return Event{}, err
	}
	sm, err := r.uint(math.MaxInt32)
	if err != nil {
		return Event{}, err
	}
	cta, err := r.int()
	if err != nil {
		return Event{}, err
	}
	warp, err := r.uint(math.MaxInt32)
	if err != nil {
		return Event{}, err
	}
	ipoint, err := r.uint(math.MaxInt32)
	if err != nil {
		return Event{}, err
	}
	cycle += r.prev.Cycle // wraps to a negative cycle at worst, which is refused
	cta += int64(r.prev.CTA)
	if cta < 0 || cta > math.MaxInt32 {
		return Event{}, &OffsetError{at, fmt.Errorf("cta %d out of range", cta)}
	}
	rec := Record{Cycle: cycle, SM: int32(sm), CTA: int32(cta), Warp: int32(warp)}
	switch ipoint {
	case 0:
		rec.Ipoint = Start
	case 1:
		rec.Ipoint = Exit
	default:
		rec.Ipoint = Ipoint(ipoint - firstBlock)
	}
	if err := r.order.record(rec); err != nil {
		return Event{}, &OffsetError{at, err}
	}
	r.prev = rec
	return Event{Kind: AtIpoint, Run: r.order.run, Record: rec}, nil
}

func (r *Reader) endRun() (Event, error) {
	end, err := r.uint(math.MaxInt64)
	if err != nil {
		return Event{}, err
	}
	records, err := r.uint(math.MaxUint64)
	if err != nil {
		return Event{}, err
	}
	if err := r.order.endRun(int64(end)); err != nil {
		return Event{}, r.fail(err)
	}
	if records != r.order.records {
		return Event{}, r.fail(fmt.Errorf("run %d has %d records, its end says %d", r.order.run, r.order.records, records))
	}
	return Event{Kind: EndRun, Run: r.order.run, End: int64(end)}, r.consumed()
}

// close checks that the trace ends where it says so, and returns io.EOF.
func (r *Reader) close() error {
	if r.order.inRun {
		return r.fail(fmt.Errorf("the trace ends inside run %d", r.order.run))
	}
	if err := r.consumed(); err != nil {
		return err
	}
	switch _, err := r.r.ReadByte(); {
	case err == nil:
		return &OffsetError{r.offset, errors.New("data after the end of the trace")}
	case !errors.Is(err, io.EOF):
		return &OffsetError{r.offset, err}
	}
	return io.EOF
}

// readBlock reads and checks the next block, and returns its type.
func (r *Reader) readBlock() (byte, error) {
	begin := r.offset
	var frame [frameSize]byte
	n, err := io.ReadFull(r.r, frame[:])
	r.offset += int64(n)
	if err != nil {
		return 0, r.truncated(begin, err)
	}
	length := binary.LittleEndian.Uint32(frame[1:])
	if length > maxPayload {
		return 0, &OffsetError{begin, fmt.Errorf("block of %d bytes is longer than %d", length, maxPayload)}
	}
	r.block.Reset()
	r.start = r.offset
	copied, err := io.CopyN(&r.block, r.r, int64(length)+sumSize)
	r.offset += copied
	if err != nil {
		return 0, r.truncated(begin, err)
	}
	payload, sum := r.block.Bytes()[:length], r.block.Bytes()[length:]
	got := crc32.Update(crc32.Checksum(frame[:], castagnoli), castagnoli, payload)
	if want := binary.LittleEndian.Uint32(sum); got != want {
		return 0, &OffsetError{begin, fmt.Errorf("checksum %08x of the block does not match %08x", got, want)}
	}
	r.payload = payload
	return frame[0], nil
}

// truncated is the error for input that ends, or fails, within the block at begin.
func (r *Reader) truncated(begin int64, err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return &OffsetError{r.offset, fmt.Errorf("in the block at byte %d: %w", begin, err)}
}

// position is the offset of what is left of the payload.
func (r *Reader) position() int64 {
	return r.start + int64(r.block.Len()-sumSize-len(r.payload))
}

func (r *Reader) fail(err error) error { return &OffsetError{r.position(), err} }

// consumed is an error if the current block has bytes that its type does not.
func (r *Reader) consumed() error {
	if len(r.payload) > 0 {
		return r.fail(fmt.Errorf("%d bytes too many in the block", len(r.payload)))
	}
	return nil
}

func (r *Reader) uint(limit uint64) (uint64, error) {
	v, n := binary.Uvarint(r.payload)
	if n <= 0 {
		return 0, r.fail(errVarint)
	}
	if v > limit {
		return 0, r.fail(fmt.Errorf("number %d is larger than %d", v, limit))
	}
	r.payload = r.payload[n:]
	return v, nil
}

func (r *Reader) int() (int64, error) {
	v, n := binary.Varint(r.payload)
	if n <= 0 {
		return 0, r.fail(errVarint)
	}
	r.payload = r.payload[n:]
	return v, nil
}

func (r *Reader) string() (string, error) {
	n, err := r.uint(maxPayload)
	if err != nil {
		return "", err
	}
	if n > uint64(len(r.payload)) {
		return "", r.fail(fmt.Errorf("string of %d bytes in the %d that are left", n, len(r.payload)))
	}
	s := string(r.payload[:n])
	r.payload = r.payload[n:]
	return s, nil
}
