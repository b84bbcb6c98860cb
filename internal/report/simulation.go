package report

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/symbol"
)

// Simulation writes one simulated run for people. hz is the machine's clock in
// cycles per second.
func Simulation(w io.Writer, s *estimate.Simulation, hz float64) error {
	p := &printer{w: w}
	of := fmt.Sprintf("vector %d", s.Vector)
	if s.Adversarial != "" {
		of = "adversarial inputs " + s.Adversarial
	}
	p.printf("kernel %s on %s (%.4g MHz)%s, job %s, %s of seed %d\n", symbol.Readable(s.Kernel), s.Machine, hz/1e6, scheduled(s.Threads), s.Job, of, s.Seed)
	if in := s.Interrupted; in != nil {
		p.printf("grid %s, block %s\n", dims(s.Launch.Grid), dims(s.Launch.Block))
		p.printf("INCOMPLETE (%s): the run takes more than %s cycles, %s\n", reasons[in.Reason], group(s.Cycles), milliseconds(Duration(s.Cycles, hz)))
		return p.err
	}
	limited := ""
	if s.Limit != "" {
		limited = ", limited by " + s.Limit
	}
	p.printf("grid %s, block %s: %d resident CTAs per SM%s; %d registers per thread\n\n",
		dims(s.Launch.Grid), dims(s.Launch.Block), s.CTAsPerSM, limited, s.Registers)
	p.printf("%s, %s\n\n", counted(int(s.Cycles), "cycle"), milliseconds(Duration(s.Cycles, hz)))
	if s.Rounds > 0 {
		p.printf("%s, each launch on an idle GPU; total cycles per kernel:\n", counted(s.Rounds, "round"))
		p.table(func(rows *printer) {
			var names []string
			for _, k := range s.Kernels {
				names = append(names, k.Kernel)
			}
			for i, cell := range padded(symbol.ShortAll(names)) {
				rows.printf("  %s\t%s\t\n", cell, group(s.Kernels[i].Cycles))
			}
		})
		p.printf("\n")
	}
	if s.Rounds == 0 {
		launchTimes(p, s.Launches)
	}
	if s.Device != nil {
		device(p, s.Device)
	} else {
		counters(p, s)
	}
	cores(p, s)
	chain(p, s.Chain, s.Cycles)
	if s.Races != nil && len(s.Races) == 0 {
		p.printf("\nNo data races in this run.\n")
	}
	if len(s.Warnings)+len(s.Races) > 0 && s.Device == nil {
		p.printf("\n")
	}
	races(p, s.Races)
	warnings(p, s.Warnings)
	return p.err
}

// counters writes what a simulator counted.
func counters(p *printer, s *estimate.Simulation) {
	p.printf("Schedulers, sum of cycles:\n")
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
}

// cores writes what each of the cores that share a last-level cache did.
func cores(p *printer, s *estimate.Simulation) {
	if len(s.Cores) == 0 {
		return
	}
	intervals := "not regulated"
	if s.Intervals > 0 {
		intervals = counted(int(s.Intervals), "interval")
	}
	p.printf("\nCores that share the last-level cache, %s:\n", intervals)
	names := slices.Sorted(maps.Keys(s.Cores[0]))
	p.table(func(rows *printer) {
		rows.printf("  core\t")
		for _, name := range names {
			rows.printf("%s\t", name)
		}
		rows.printf("\n")
		for i, counters := range s.Cores {
			name := fmt.Sprintf("SM %d", i)
			if i == len(s.Cores)-1 {
				name = "CPU"
			}
			rows.printf("  %s\t", name)
			for _, counter := range names {
				rows.printf("%s\t", group(counters[counter]))
			}
			rows.printf("\n")
		}
	})
}
