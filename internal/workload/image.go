package workload

import (
	"sync"

	"warpbound/internal/emu"
	"warpbound/internal/job"
	"warpbound/internal/semantics"
)

// Image returns what is known of the launch of a kernel on a test vector before it runs, and the addresses of
// buffers by parameter of the whole job. Contents of buffers are made when they are asked for.
func (k *Kernel) Image() (*semantics.Launch, []uint64, error) {
	m, in := k.NewMemory(), k.Bound.Vector(0)
	launch, err := m.reserveBuffers(in)
	if err != nil {
		return nil, nil, err
	}
	grid, err := emu.NewGrid(k.Code, launch, m.mem, k.width())
	if err != nil {
		return nil, nil, err
	}
	out, err := semantics.New(newImage(grid, m, in))
	return out, m.addresses, err
}

// image is a launch whose buffers have no contents until they are asked for (semantics.Image).
type image struct {
	*emu.Grid
	held []held
}

// held is what a buffer holds.
type held struct {
	addr  uint64
	bytes int
	part  func(offset, n int) []byte // some of it; nil if there is none without all
	whole func() []byte
}

func newImage(grid *emu.Grid, m *Memory, in *job.Inputs) *image {
	out := &image{Grid: grid}
	for i, p := range m.job.Job.Whole().Params {
		if p.Kind != job.Buffer {
			continue
		}
		out.held = append(out.held, held{
			addr: m.addresses[i], bytes: in.Size(i),
			part: func(offset, n int) []byte { return in.Part(i, offset, n) },
			whole: sync.OnceValue(func() []byte {
				data := in.Contents(i, nil)
				m.job.Job.Relocate(i, data, m.Address)
				return data
			}),
		})
	}
	return out
}

// Contents implements semantics.Image.
func (m *image) Contents(addr uint64, n int) []byte {
	for i := range m.held {
		b := &m.held[i]
		if addr < b.addr || addr-b.addr > uint64(b.bytes) || uint64(b.bytes)-(addr-b.addr) < uint64(n) {
			continue
		}
		offset := int(addr - b.addr)
		if data := b.part(offset, n); data != nil {
			return data
		}
		return b.whole()[offset:][:n]
	}
	return m.Grid.Contents(addr, n)
}
