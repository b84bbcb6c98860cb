package calibrate

import (
	"context"
	"encoding/binary"
	"fmt"

	"warpbound/internal/cuda"
)

// maxTimes is how many accesses of a walk are kept, the last ones. walkBytes is what its
// one warp writes: its record, then the times in 32 bits each.
const (
	maxTimes  = 4096
	walkBytes = recordBytes + 4*maxTimes
)

// walkKernel loads from n places in global memory, stride bytes apart, in each round, and
// keeps how long each load took, with the clock readings around it. Lane l loads from
// l * spread bytes further. The operator chooses the caches.
func walkKernel(name, operator string) kernel {
	return kernel{
		name: name, shared: 4 * maxTimes,
		prepare: `	and.b32 %a0, %thread, 31;
	mul.wide.u32 %w1, %a0, %spread;
	add.u64 %w1, %w1, %data;
	mov.u64 %w2, sh;
	cvt.u32.u64 %a1, %w2;
	cvt.u64.u32 %w3, %stride;
`,
		section: `	mov.u32 %a2, %dep;
	mov.u64 %w4, %w1;
WALK:
	.pragma "nounroll";
	mov.u64 %w5, %clock64;
	cvt.u32.u64 %a3, %w5;
	and.b32 %a3, %a3, %zero;
	cvt.u64.u32 %w6, %a3;
	add.u64 %w6, %w6, %w4;
	ld.global` + operator + `.u32 %a4, [%w6];
	setp.ge.u32 %p0, %a4, %zero;
	mov.u64 %w7, %w5;
	@%p0 mov.u64 %w7, %clock64;
	sub.u64 %w7, %w7, %w5;
	cvt.u32.u64 %a5, %w7;
	and.b32 %a6, %a2, ` + fmt.Sprint(maxTimes-1) + `;
	shl.b32 %a6, %a6, 2;
	add.u32 %a6, %a6, %a1;
	st.shared.u32 [%a6], %a5;
	add.u64 %w4, %w4, %w3;
	add.u32 %a2, %a2, 1;
	setp.lt.u32 %p1, %a2, %n;
	@%p1 bra WALK;
`,
		sink: "\tmov.u32 %sink, %a2;\n",
		finish: `	min.u32 %a2, %n, ` + fmt.Sprint(maxTimes) + `;
	mov.u32 %a3, 0;
	add.u64 %w4, %out, ` + fmt.Sprint(recordBytes) + `;
COPY:
	ld.shared.u32 %a4, [%a1];
	st.global.u32 [%w4], %a4;
	add.u32 %a1, %a1, 4;
	add.u64 %w4, %w4, 4;
	add.u32 %a3, %a3, 1;
	setp.lt.u32 %p1, %a3, %a2;
	@%p1 bra COPY;
`,
	}
}

// walker walks over the data of a prober.
type walker struct {
	p      *prober
	fn     cuda.Function
	unload func() error
}

// walk prepares walks with a cache operator.
func (p *prober) walk(operator string) (*walker, error) {
	fns, unload, err := p.load(walkKernel("walk", operator))
	if err != nil {
		return nil, err
	}
	return &walker{p: p, fn: fns[0], unload: unload}, nil
}

// path is a walk: n places from offset on, stride bytes apart, and for lane l spread * l
// bytes further, all of it rounds times.
type path struct{ offset, n, stride, spread, rounds int }

// end is the first byte behind the path.
func (w path) end() int { return w.offset + (w.n-1)*w.stride + 31*w.spread + 4 }

// times returns how long the last accesses of a walk took, by their place modulo maxTimes.
func (w *walker) times(ctx context.Context, at path) ([]float64, error) {
	if at.end() > w.p.dataBytes {
		return nil, fmt.Errorf("microbenchmark walk: %d places %d bytes apart are not in %d bytes", at.n, at.stride, w.p.dataBytes)
	}
	s := shape{ctas: 1, warps: 1, offset: at.offset, n: at.n, stride: at.stride, spread: at.spread, rounds: at.rounds}
	if _, err := w.p.run(ctx, w.fn, s); err != nil {
		return nil, fmt.Errorf("microbenchmark walk: %w", err)
	}
	raw := make([]byte, 4*min(at.n, maxTimes))
	if err := w.p.dev.Read(w.p.out+recordBytes, raw); err != nil {
		return nil, err
	}
	out := make([]float64, len(raw)/4)
	for i := range out {
		out[i] = float64(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return out, nil
}

// one returns how long a load takes that a walk makes again and again, with the readings
// of the clock around it.
func (w *walker) one(ctx context.Context, spread int) (float64, error) {
	const often = 32
	times, err := w.times(ctx, path{n: often, spread: spread, rounds: 3})
	if err != nil {
		return 0, err
	}
	return median(times), nil
}

// slow returns how many of the accesses of a walk took longer than limit, of the best of all
// repetitions: what disturbs makes it only slower.
func (w *walker) slow(ctx context.Context, n, stride, spread int, limit float64) (int, error) {
	minimum := -1
	for range w.p.repeats {
		times, err := w.times(ctx, path{n: n, stride: stride, spread: spread, rounds: 3})
		if err != nil {
			return 0, err
		}
		count := 0
		for _, t := range times {
			if t > limit {
				count++
			}
		}
		if minimum < 0 || count < minimum {
			minimum = count
		}
		if minimum <= len(times)/stray {
			break
		}
	}
	return minimum, nil
}

// stray accesses are slow for other reasons than a cache: at most one of so many.
const stray = 250

// holds returns the largest number of places, stride bytes apart and at most maximum, that a
// walk finds again in a cache: no access takes longer than limit, but for stray ones.
func (w *walker) holds(ctx context.Context, maximum, stride, spread int, limit float64) (int, error) {
	held := func(n int) (bool, error) {
		slow, err := w.slow(ctx, n, stride, spread, limit)
		return slow <= min(n, maxTimes)/stray, err
	}
	good, bad := 0, 1 // double, then search between the two
	for bad <= maximum {
		ok, err := held(bad)
		if err != nil {
			return 0, err
		}
		if !ok {
			break
		}
		if good = bad; bad == maximum {
			return maximum, nil
		}
		bad = min(maximum, 2*bad)
	}
	for good+1 < bad {
		mid := (good + bad) / 2
		ok, err := held(mid)
		if err != nil {
			return 0, err
		}
		if ok {
			good = mid
		} else {
			bad = mid
		}
	}
	return good, nil
}
