package report

import (
	"io"
	"maps"
	"slices"

	"warpbound/internal/estimate"
)

// Simulation writes one simulated run for people. hz is the machine's clock in
// cycles per second.
func Simulation(w io.Writer, s *estimate.Simulation, hz float64) error {
	p := &printer{w: w}
	p.printf("kernel %s on %s (%.4g MHz), job %s, vector %d of seed %d\n", s.Kernel, s.Machine, hz/1e6, s.Job, s.Vector, s.Seed)
	p.printf("grid %s, block %s: %d CTAs on an SM at a time, limited by %s; %d registers a thread\n\n",
		dims(s.Launch.Grid), dims(s.Launch.Block), s.CTAsPerSM, s.Limit, s.Registers)
	p.printf("%s cycles, %s\n\n", group(s.Cycles), milliseconds(Duration(s.Cycles, hz)))
	p.printf("Schedulers, cycles of all together:\n")
	total := int64(0)
	for _, n := range s.Scheduler {
		total += n
	}
	p.table(func(rows *printer) {
		names := slices.Sorted(maps.Keys(s.Scheduler))
		for i, cell := range padded(names) {
			n := s.Scheduler[names[i]]
			rows.printf("  %s\t%s\t%.1f %%\t\n", cell, group(n), 100*float64(n)/float64(max(total, 1)))
		}
	})
	p.printf("\nCounters:\n")
	p.table(func(rows *printer) {
		names := slices.Sorted(maps.Keys(s.Counters))
		for i, cell := range padded(names) {
			rows.printf("  %s\t%s\t\n", cell, group(s.Counters[names[i]]))
		}
	})
	if len(s.Warnings) > 0 {
		p.printf("\n")
	}
	warnings(p, s.Warnings)
	return p.err
}
