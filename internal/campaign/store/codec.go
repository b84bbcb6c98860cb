package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"warpbound/estimate"
	"warpbound/internal/campaign"
)

// format is the first byte of a record: its version.
const format = 1

// largest is how many bytes a record may have when it is not compressed.
const largest = 1 << 31

var errShort = errors.New("the record ends too early")

// coders compress and decompress records. They are made when they are needed first, and used by one goroutine at a time.
type coders struct {
	compress   func() (*zstd.Encoder, error)
	decompress func() (*zstd.Decoder, error)
	mu         sync.Mutex
}

func newCoders() *coders {
	return &coders{
		compress: sync.OnceValues(func() (*zstd.Encoder, error) {
			return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true), zstd.WithLowerEncoderMem(true))
		}),
		decompress: sync.OnceValues(func() (*zstd.Decoder, error) {
			return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(largest))
		}),
	}
}

// Codec writes records as bytes and reads them. The zero Codec is ready, and goroutines may share it.
type Codec struct {
	once   sync.Once
	coders *coders
}

func (c *Codec) open() *coders {
	c.once.Do(func() { c.coders = newCoders() })
	return c.coders
}

// Encode returns a record as bytes, which are the same for the same record.
func (c *Codec) Encode(r *campaign.Record) ([]byte, error) {
	var flags byte
	for bit, set := range []bool{r.Followed, r.Invariant, r.Reached != nil, r.Traces != nil, r.Turned} {
		if set {
			flags |= 1 << bit
		}
	}
	plain := []byte{flags}
	plain = binary.AppendVarint(plain, r.Cycles)
	plain = binary.AppendUvarint(plain, uint64(len(r.Launches)))
	for i := range r.Launches {
		for _, n := range figures(&r.Launches[i]) {
			plain = binary.AppendVarint(plain, *n)
		}
		plain = binary.AppendVarint(plain, int64(r.Launches[i].MinCount))
		plain = binary.AppendVarint(plain, int64(r.Launches[i].MaxCount))
	}
	if r.Reached != nil {
		plain = appendBytes(appendBytes(plain, r.Reached.Pos), r.Reached.What)
	}
	if r.Traces != nil {
		plain = binary.AppendUvarint(plain, uint64(len(r.Traces)))
		for _, t := range r.Traces {
			plain = appendBytes(plain, t)
		}
	}
	o := c.open()
	enc, err := o.compress()
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return enc.EncodeAll(plain, []byte{format}), nil
}

// figures are the numbers of a launch that have 64 bits.
func figures(e *campaign.Executed) []*int64 {
	return []*int64{&e.Runs, &e.Executions, &e.Cycles, &e.Minimum, &e.Maximum}
}

func appendBytes[T string | []byte](to []byte, b T) []byte {
	return append(binary.AppendUvarint(to, uint64(len(b))), b...)
}

// Decode reads the bytes of a record.
func (c *Codec) Decode(data []byte) (*campaign.Record, error) {
	switch {
	case len(data) == 0:
		return nil, errShort
	case data[0] != format:
		return nil, fmt.Errorf("record format %d is not supported, only %d", data[0], format)
	}
	o := c.open()
	dec, err := o.decompress()
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	plain, err := dec.DecodeAll(data[1:], nil)
	o.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return decode(&reader{left: plain})
}

// decode reads a record that is not compressed.
func decode(in *reader) (*campaign.Record, error) {
	flags := in.bytes(1)
	if in.err != nil {
		return nil, in.err
	}
	flag := func(bit int) bool { return flags[0]&(1<<bit) != 0 }
	r := &campaign.Record{Followed: flag(0), Invariant: flag(1), Turned: flag(4), Cycles: in.int()}
	for range in.count() {
		var e campaign.Executed
		for _, n := range figures(&e) {
			*n = in.int()
		}
		e.MinCount, e.MaxCount = int(in.int()), int(in.int())
		r.Launches = append(r.Launches, e)
	}
	if flag(2) {
		r.Reached = &estimate.Reached{Pos: string(in.bytes(in.count())), What: string(in.bytes(in.count()))}
	}
	if flag(3) {
		n := in.count()
		r.Traces = [][]byte{}
		for range n {
			r.Traces = append(r.Traces, in.bytes(in.count()))
		}
	}
	if in.err == nil && len(in.left) > 0 {
		in.err = fmt.Errorf("%d bytes too many in the record", len(in.left))
	}
	if in.err != nil {
		return nil, in.err
	}
	return r, nil
}

// reader takes numbers and bytes off a text, and gives zeros after an error.
type reader struct {
	left []byte
	err  error
}

func (r *reader) int() int64 {
	n, size := binary.Varint(r.left)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.left = r.left[size:]
	return n
}

// count reads how many of something follow, of which each has a byte at least.
func (r *reader) count() int {
	n, size := binary.Uvarint(r.left)
	if size <= 0 || n > uint64(len(r.left)-size) {
		r.fail()
		return 0
	}
	r.left = r.left[size:]
	return int(n)
}

func (r *reader) bytes(n int) []byte {
	if n > len(r.left) {
		r.fail()
		return nil
	}
	b := r.left[:n:n]
	r.left = r.left[n:]
	return b
}

func (r *reader) fail() {
	r.left = nil
	if r.err == nil {
		r.err = errShort
	}
}
