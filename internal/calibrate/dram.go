package calibrate

import (
	"context"
	"errors"
	"slices"
)

// flush fills the L2 with other memory than the first half of the data.
func (p *prober) flush(ctx context.Context, line int) error {
	if p.empty {
		return nil
	}
	w, err := p.walk(".cg")
	if err != nil {
		return err
	}
	defer w.unload()
	fill := min(p.dataBytes/2, 2*l2Bytes(p.dev))
	_, err = w.times(ctx, path{offset: p.dataBytes / 2, n: fill/(32*line) - 1, stride: 32 * line, spread: line, rounds: 1})
	return err
}

// cold returns how long loads take of lines that no cache holds: n of them, stride bytes
// apart.
func (p *prober) cold(ctx context.Context, n, stride, line int) ([]float64, error) {
	if err := p.flush(ctx, line); err != nil {
		return nil, err
	}
	w, err := p.walk(".cg")
	if err != nil {
		return nil, err
	}
	defer w.unload()
	return w.times(ctx, path{n: min(n, p.dataBytes/2/stride), stride: stride, rounds: 1})
}

// dramSeen is what loads of cold lines show of the DRAM, in core cycles. Row is 0 if what is
// measured does not fall into classes that are clearly separate.
type dramSeen struct {
	row, banks     int     // bytes, and banks of a partition
	open, conflict float64 // how much longer than others a load takes that opens a row, and one that closes another first
}

// separateTimes divides times at the first wide gap above the median, or above the start of the
// list if mostly is false: one that is wider than noise, and than the spread of those below it
// but for outliers.
func separateTimes(times []float64, mostly bool, noise float64) (low, high []float64, ok bool) {
	const minimum = 3 // of a class
	sorted := slices.Sorted(slices.Values(times))
	from := minimum
	if mostly {
		from = len(sorted) / 2
	}
	for i := from; i+minimum <= len(sorted); i++ {
		below := sorted[:i]
		spread := below[i-1-i/20] - below[i/20]
		if gap := sorted[i] - sorted[i-1]; gap > max(noise, spread) {
			return below, sorted[i:], true
		}
	}
	return nil, nil, false
}

func mean(samples []float64) float64 {
	sum := 0.0
	for _, s := range samples {
		sum += s
	}
	return sum / float64(len(samples))
}

// dramRows loads cold lines side by side, most of which are in a row that is open, and then
// from one partition a new row each time: one for each bank, and then others. A cycle of the
// DRAM is so many core cycles: times differ by one of each for no other reason.
func (p *prober) dramRows(ctx context.Context, line, partitions int, cycle float64) (dramSeen, error) {
	const lines, rows = maxTimes, 160
	noise := 1.2 + 1.5*cycle
	times, err := p.cold(ctx, lines, line, line)
	if err != nil {
		return dramSeen{}, err
	}
	hit, opens, ok := separateTimes(times, true, noise)
	if !ok {
		return dramSeen{}, nil
	}
	row := rowBytes(times, opens[0], line, partitions)
	if row == 0 {
		return dramSeen{}, nil
	}
	if times, err = p.cold(ctx, rows, row*partitions, line); err != nil {
		return dramSeen{}, err
	}
	first, later, ok := separateTimes(times, false, noise)
	banks := len(first)
	if !ok || banks&(banks-1) != 0 || slices.Max(times[:banks]) > first[banks-1] {
		return dramSeen{}, nil
	}
	return dramSeen{row, banks, mean(first) - mean(hit), mean(later) - mean(hit)}, nil
}

// rowBytes finds the least row that explains best which loads of lines side by side open one,
// those that take at least limit: a row before, the same happened. It is 0 if none explains
// nearly all of them.
func rowBytes(times []float64, limit float64, line, partitions int) int {
	best, maximum := 0, 0.9
	for row := line; row <= maxRow; row *= 2 {
		opens, before := 0, 0
		for i := row * partitions / line; i < len(times); i++ {
			if times[i] >= limit {
				opens++
				if times[i-row*partitions/line] >= limit {
					before++
				}
			}
		}
		if share := float64(before) / float64(max(1, opens)); share > maximum {
			best, maximum = row, share
		}
	}
	return best
}

// streamKernel loads memory once, all warps together. The parameters n and stride are the
// rounds of a warp and the bytes of a round of all warps.
func streamKernel() kernel {
	return kernel{
		name: "stream",
		prepare: `	mov.u32 %a0, %ctaid.x;
	mad.lo.u32 %a0, %a0, %warps, %warp;
	mul.wide.u32 %w1, %a0, 512;
	and.b32 %a1, %thread, 31;
	mul.wide.u32 %w2, %a1, 4;
	add.u64 %w1, %w1, %w2;
	add.u64 %w1, %w1, %data;
	cvt.u64.u32 %w3, %stride;
`,
		section: `	cvt.u64.u32 %w4, %dep;
	add.u64 %w4, %w4, %w1;
	mov.u32 %a2, 0;
	mov.u32 %a7, %dep;
STREAM:
	.pragma "nounroll";
	ld.global.cg.u32 %a3, [%w4];
	ld.global.cg.u32 %a4, [%w4+128];
	ld.global.cg.u32 %a5, [%w4+256];
	ld.global.cg.u32 %a6, [%w4+384];
	xor.b32 %a3, %a3, %a4;
	xor.b32 %a5, %a5, %a6;
	xor.b32 %a7, %a7, %a3;
	xor.b32 %a7, %a7, %a5;
	add.u64 %w4, %w4, %w3;
	add.u32 %a2, %a2, 1;
	setp.lt.u32 %p0, %a2, %n;
	@%p0 bra STREAM;
`,
		sink: "\tmov.u32 %sink, %a7;\n",
	}
}

// maxStream is the largest L2, in bytes, whose size decides how much all SMs together load.
const maxStream = 16 << 20

// streamBytes is more than what stream loads.
func (p *prober) streamBytes() int {
	return max(8<<20, 4*min(l2Bytes(p.dev), maxStream), p.dev.Attributes().SMs<<19)
}

// errSmall says that the L2 is too small for a microbenchmark.
var errSmall = errors.New("the L2 is too small to hold what all SMs load")

// stream measures how many bytes all SMs together load in a core cycle: of memory that no cache
// holds, or else of memory that the L2 holds; errSmall if that is too small.
func (p *prober) stream(ctx context.Context, cold bool, line int) (*Measurement, error) {
	fns, unload, err := p.load(streamKernel())
	if err != nil {
		return nil, err
	}
	defer unload()
	const warps = 8
	perSM, err := fns[0].Occupancy(32*warps, 0)
	if err != nil {
		return nil, err
	}
	s := shape{ctas: p.dev.Attributes().SMs, warps: warps}
	m, l2 := &Measurement{Unit: "bytes per core cycle"}, min(l2Bytes(p.dev), maxStream)
	var rounds [2]int // of a warp
	if cold {
		m.Name, m.What = "dram.stream", "memory that all SMs load once"
		s.ctas *= max(1, perSM)
		s.stride = s.ctas * warps * 512
		s.rounds, rounds = 1, [2]int{max(4, l2/s.stride), max(12, 3*l2/s.stride)}
	} else {
		m.Name, m.What = "l2.stream", "memory that all SMs load again and again"
		s.stride = s.ctas * warps * 512
		s.rounds, rounds = 4, [2]int{l2 / 4 / s.stride, l2 * 3 / 4 / s.stride}
		if rounds[0] == 0 {
			return nil, errSmall
		}
	}
	for range p.repeats {
		var times [2]float64
		for i, n := range rounds {
			if cold {
				if err := p.flush(ctx, line); err != nil {
					return nil, err
				}
			}
			s.n = n
			records, err := p.run(ctx, fns[0], s)
			if err != nil {
				return nil, err
			}
			times[i] = longest(records)
		}
		m.Samples = append(m.Samples, float64((rounds[1]-rounds[0])*s.stride)/(times[1]-times[0]))
	}
	return m, m.positive()
}

// longest returns the longest time of an SM from the first to the last reading of its
// clock.
func longest(records []record) float64 {
	bySM := map[uint32][]record{}
	for _, r := range records {
		bySM[r.sm] = append(bySM[r.sm], r)
	}
	maximum := 0.0
	for _, rs := range bySM {
		maximum = max(maximum, span(rs))
	}
	return maximum
}
