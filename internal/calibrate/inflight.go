package calibrate

import (
	"context"
	"fmt"
	"slices"
)

// maxInflight is how many loads a microbenchmark has under way.
const maxInflight = 64

// inflight makes a kernel that issues so many loads, distance bytes apart, of lines that the
// L2 holds and the L1 does not, and waits for the last. Each round loads other lines.
func inflight(name string, loads, distance, line int) kernel {
	const bytes = maxInflight * maxLine // of a round
	var section, combine text
	fmt.Fprintf(&section, "\tmul.wide.u32 %%w3, %%round, %d;\n\tcvt.u64.u32 %%w4, %%dep;\n\tadd.u64 %%w4, %%w4, %%w3;\n\tadd.u64 %%w4, %%w4, %%data;\n", bytes)
	// Where a line has no other words left, loads are of the same again, through other
	// registers of which no compiler knows that they hold the same address.
	words := maxInflight
	if distance < line {
		words = line / distance
	}
	section.WriteString("\tcvt.u64.u32 %w3, %zero;\n")
	for r := 1; r < maxInflight/words; r++ {
		fmt.Fprintf(&section, "\tadd.u64 %%w%d, %%w%d, %%w3;\n", 4+r, 3+r)
	}
	for i := range loads {
		fmt.Fprintf(&section, "\tld.global.ca.u32 %%r%d, [%%w%d+%d];\n", i, 4+i/words, i%words*distance)
		fmt.Fprintf(&combine, "\txor.b32 %%sink, %%sink, %%r%d;\n", i)
	}
	return kernel{
		name: name,
		// The lines come into the L2 first.
		prepare: fmt.Sprintf(`	mov.u32 %%a0, 0;
	mov.u64 %%w1, %%data;
WARM:
	ld.global.cg.u32 %%a1, [%%w1];
	xor.b32 %%sink, %%sink, %%a1;
	add.u64 %%w1, %%w1, %d;
	add.u32 %%a0, %%a0, 1;
	setp.lt.u32 %%p0, %%a0, %d;
	@%%p0 bra WARM;
`, minLine, 2*bytes/minLine),
		section: section.String(),
		sink:    fmt.Sprintf("\tmov.u32 %%sink, %%r%d;\n", loads-1),
		finish:  combine.String(),
	}
}

// outstanding finds after how many loads, distance bytes apart, the next has to wait for an
// answer: its time is that of one load less by a jump. It is 0 if there is no jump.
func (p *prober) outstanding(ctx context.Context, distance, line int) (int, *Measurement, error) {
	var kernels []kernel
	for n := range maxInflight {
		kernels = append(kernels, inflight(fmt.Sprintf("inflight%d", n+1), n+1, distance, line))
	}
	times, err := p.times(ctx, shape{ctas: 1, warps: 1}, kernels...)
	if err != nil {
		return 0, nil, err
	}
	m := &Measurement{What: fmt.Sprintf("time of 1, 2, ... loads under way, %d bytes apart", distance), Unit: "core cycles"}
	var gaps []float64
	for n := range times {
		m.Samples = append(m.Samples, median(times[n]))
		if n > 0 {
			gaps = append(gaps, m.Samples[n]-m.Samples[n-1])
		}
	}
	usual := mean(gaps)
	for i, gap := range gaps { // a jump, and no outlier, if later times do not fall behind it
		if gap > 3*usual+3 && slices.Min(m.Samples[i+1:]) > m.Samples[i]+gap/2 {
			return i + 1, m, nil
		}
	}
	return 0, m, nil
}
