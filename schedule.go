package warpbound

import "warpbound/internal/machine"

// Choices are decisions of a machine in place of its description's. What is empty or nil stays as it is.
type Choices struct {
	Policy    string // which of the warps that can does issue
	DRAMOrder string // which request a bank serves first
	Seed      *int64 // of what Policy or DRAMOrder "random" chooses
}

// Choosing returns the job on its machine with other choices. It is an error if the machine does not have what they are
// about, if it is a device, or if the job was changed since it was loaded.
func (j *Job) Choosing(c Choices) (*Job, error) {
	if c == (Choices{}) {
		return j, nil
	}
	on, err := j.on.With(machine.Choices{Policy: machine.Policy(c.Policy), Order: machine.Order(c.DRAMOrder), Seed: c.Seed})
	if err != nil {
		return nil, err
	}
	return &Job{on}, nil
}
