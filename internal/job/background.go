package job

import (
	"math"

	"warpbound/diag"
)

// Background is what others than the kernel ask of what they share with it while it runs: a CPU, a display, other engines.
type Background struct {
	DRAM int64    // bytes per second to and from DRAM; 0 if the job states none
	Pos  diag.Pos // of the key that states it
}

// maxGBps is the largest bandwidth that a job can state, in GB/s.
const maxGBps = 100_000

// background reads the [background] table.
func (r *reader) background(root table) Background {
	t, ok := root.table("background")
	if !ok {
		return Background{}
	}
	const key = "dram"
	t.only("background", key)
	b := Background{Pos: t.pos(key)}
	gb := 0.0
	switch v := t.values[key].(type) {
	case nil:
		r.errorf(b.Pos, "background states nothing; for example: dram = 20.5, in GB/s")
		return b
	case int64:
		gb = float64(v)
	case float64:
		gb = v
	default:
		t.wrong(key, "a number of GB/s")
		return b
	}
	b.DRAM = int64(math.Round(min(gb, maxGBps) * 1e9))
	if !(gb <= maxGBps) || b.DRAM < 1 {
		r.errorf(b.Pos, "dram is %v GB/s; it must be above 0, and at most %d: leave the table out if nobody else uses the memory", gb, maxGBps)
	}
	return b
}

// backgroundOf returns what a job file says, nil for nothing.
func backgroundOf(bytes int64) *backgroundTable {
	if bytes == 0 {
		return nil
	}
	return &backgroundTable{DRAM: float64(bytes) / 1e9}
}

// background returns what a job in Go says, nil for nothing: what is no bandwidth goes into the file, whose reader refuses it.
func (r *renderer) background() *backgroundTable {
	if gb := r.job.Background.DRAM; gb != 0 {
		return &backgroundTable{DRAM: gb}
	}
	return nil
}

type backgroundTable struct {
	DRAM float64 `toml:"dram"`
}
