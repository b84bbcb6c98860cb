package calibrate

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"warpbound/internal/cuda"
)

// prober runs kernels on a device.
type prober struct {
	dev     cuda.Device
	repeats int
	out     cuda.Pointer // for the records of warps
	outSize int          // bytes of it

	data      cuda.Pointer // what accesses to global memory are measured with
	dataBytes int
	empty     bool // caches are empty when a kernel begins, as simulated ones are
}

// newProber prepares a device for microbenchmarks that access so much memory.
func newProber(dev cuda.Device, repeats, bytes int) (*prober, error) {
	p := &prober{dev: dev, repeats: repeats, dataBytes: bytes}
	var err error
	p.data, err = dev.Alloc(bytes)
	return p, err
}

// l2Bytes is the size of the L2 as the device states it, or a usual one.
func l2Bytes(dev cuda.Device) int {
	if n := dev.Attributes().L2Bytes; n > 0 {
		return n
	}
	return 16 << 20
}

// simulator prepares a simulated device.
func simulator(dev cuda.Device, bytes int) (*prober, error) {
	p, err := newProber(dev, 1, bytes)
	if p != nil {
		p.empty = true
	}
	return p, err
}

// close frees the memory on the device.
func (p *prober) close() error {
	if p.outSize > 0 {
		if err := p.dev.Free(p.out); err != nil {
			return err
		}
	}
	return p.dev.Free(p.data)
}

// recordBytes is what a warp writes about itself: see epilogue.
const recordBytes = 32

// record is what one warp wrote: its SM and two readings of the clock, which are 0 if the
// warp was idle.
type record struct {
	start, end uint64
	sm         uint32
}

// cycles returns the time between the readings.
func (r record) cycles() float64 { return float64(int64(r.end - r.start)) }

// shape is a launch of a kernel.
type shape struct {
	ctas, warps int
	active      uint32 // warps that execute the section, a bit each; 0 for all
	rounds      int    // executions of the section; 0 for two
	offset      int    // into the data
	n, stride   int    // and spread: the parameters of the same names
	spread      int
}

// arguments packs the parameters of a kernel.
func (p *prober) arguments(s shape) []byte {
	active, rounds := s.active, s.rounds
	if active == 0 {
		active = math.MaxUint32
	}
	if rounds == 0 {
		rounds = 2
	}
	var b []byte
	b = binary.LittleEndian.AppendUint64(b, uint64(p.out))
	b = binary.LittleEndian.AppendUint64(b, uint64(p.data)+uint64(s.offset))
	for _, v := range []uint32{0, 3, 1 << 31, active, uint32(rounds), uint32(s.n), uint32(s.stride), uint32(s.spread)} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(2))
	b = binary.LittleEndian.AppendUint32(b, 0) // to the alignment of a double
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(2))
}

// load compiles kernels for the device and returns them in their order.
func (p *prober) load(kernels ...kernel) ([]cuda.Function, func() error, error) {
	mod, err := p.dev.Load(module(kernels...))
	if err != nil {
		return nil, nil, fmt.Errorf("microbenchmark %s: %w", kernels[0].name, err)
	}
	var fns []cuda.Function
	for _, k := range kernels {
		fn, err := mod.Function(k.name)
		if err != nil {
			mod.Unload()
			return nil, nil, fmt.Errorf("microbenchmark %s: %w", k.name, err)
		}
		fns = append(fns, fn)
	}
	return fns, mod.Unload, nil
}

// run launches a kernel once and returns what its warps wrote, CTA after CTA.
func (p *prober) run(ctx context.Context, fn cuda.Function, s shape) ([]record, error) {
	raw := make([]byte, s.ctas*s.warps*recordBytes)
	if err := p.room(max(len(raw), walkBytes)); err != nil {
		return nil, err
	}
	if err := p.dev.Write(p.out, raw); err != nil {
		return nil, err
	}
	_, err := fn.Launch(ctx, cuda.Launch{Grid: [3]int{s.ctas, 1, 1}, Block: [3]int{32 * s.warps, 1, 1}, Params: p.arguments(s)})
	if err != nil {
		return nil, err
	}
	if err := p.dev.Read(p.out, raw); err != nil {
		return nil, err
	}
	records := make([]record, s.ctas*s.warps)
	for i := range records {
		r := raw[i*recordBytes:]
		records[i] = record{
			start: binary.LittleEndian.Uint64(r), end: binary.LittleEndian.Uint64(r[8:]),
			sm: binary.LittleEndian.Uint32(r[16:]),
		}
	}
	return records, nil
}

// room makes the buffer for records large enough.
func (p *prober) room(bytes int) error {
	if bytes <= p.outSize {
		return nil
	}
	if p.outSize > 0 {
		if err := p.dev.Free(p.out); err != nil {
			return err
		}
	}
	var err error
	p.out, err = p.dev.Alloc(bytes)
	p.outSize = bytes
	return err
}

// span returns the time from the first to the last reading of the warps that executed the
// section. All of them must be on one SM.
func span(records []record) float64 {
	var first, last uint64
	for _, r := range records {
		if r.end == 0 {
			continue
		}
		if last == 0 {
			first = r.start
		}
		first, last = min(first, r.start), max(last, r.end)
	}
	return float64(int64(last - first))
}

// times runs kernels alternately, as often as measurements are repeated, and returns the
// spans of each.
func (p *prober) times(ctx context.Context, s shape, kernels ...kernel) ([][]float64, error) {
	fns, unload, err := p.load(kernels...)
	if err != nil {
		return nil, err
	}
	defer unload()
	all := make([][]float64, len(kernels))
	for range p.repeats {
		for i, fn := range fns {
			records, err := p.run(ctx, fn, s)
			if err != nil {
				return nil, fmt.Errorf("microbenchmark %s: %w", kernels[i].name, err)
			}
			all[i] = append(all[i], span(records))
		}
	}
	return all, nil
}

// slope runs two kernels, of which the second does more by so many units, and returns how
// long one unit takes.
func (p *prober) slope(ctx context.Context, s shape, short, long kernel, units float64) ([]float64, error) {
	fns, unload, err := p.load(short, long)
	if err != nil {
		return nil, err
	}
	defer unload()
	samples, err := p.slopes(ctx, s, [2]cuda.Function(fns), units)
	if err != nil {
		return nil, fmt.Errorf("microbenchmark %s: %w", long.name, err)
	}
	return samples, nil
}

// slopes is slope for kernels that are loaded.
func (p *prober) slopes(ctx context.Context, s shape, fns [2]cuda.Function, units float64) ([]float64, error) {
	var out []float64
	for range p.repeats {
		var spans [2]float64
		for i, fn := range fns {
			records, err := p.run(ctx, fn, s)
			if err != nil {
				return nil, err
			}
			spans[i] = span(records)
		}
		out = append(out, (spans[1]-spans[0])/units)
	}
	return out, nil
}
