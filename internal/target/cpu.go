package target

import (
	"warpbound/internal/abi"
	"warpbound/internal/sim"
	"warpbound/internal/stream"
)

// cpuStream is what the CPU of a job does, at the addresses of simulated memory.
type cpuStream struct {
	*stream.Cursor
	memory *memory
}

// cpu returns what the job's CPU does, nil if it does nothing.
func (m *memory) cpu() sim.CPUStream {
	c := m.job.Job.Cursor()
	if c == nil {
		return nil
	}
	return cpuStream{c, m}
}

// Next returns the next access.
func (c cpuStream) Next() (sim.CPUAccess, bool, error) {
	a, ok, err := c.Cursor.Next()
	base := uint64(abi.CPUBase)
	if ok && a.Buffer != stream.Own {
		base = c.memory.addresses[c.memory.job.Job.CPU.Buffers[a.Buffer]]
	}
	return sim.CPUAccess{Gap: a.Gap, Address: base + uint64(a.Offset), Store: a.Store}, ok, err
}
