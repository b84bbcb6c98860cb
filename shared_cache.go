package warpbound

import (
	"warpbound/internal/abi"
	"warpbound/internal/method"
	"warpbound/internal/stream"
)

// Of a longer stream of the CPU only so many accesses are followed; endless is more than one makes
// in any run.
const (
	maxFollowed = 1 << 20
	endless     = 1 << 39
)

// cpu returns what the job's CPU does, with its buffers at the given addresses.
func (j *Job) cpu(addresses []uint64) (method.CPU, error) {
	var cpu method.CPU
	cursor := j.bound.Job.Cursor()
	if cursor == nil {
		return cpu, nil
	}
	for {
		a, ok, err := cursor.Next()
		if !ok || err != nil {
			return cpu, err
		}
		if len(cpu.Accesses) == maxFollowed {
			cpu.More = endless
			return cpu, nil
		}
		base := uint64(abi.CPUBase)
		if a.Buffer != stream.Own {
			base = addresses[j.bound.Job.CPU.Buffers[a.Buffer]]
		}
		cpu.Accesses = append(cpu.Accesses, method.CPUAccess{Address: base + uint64(a.Offset), Store: a.Store})
	}
}
