package method

import "fmt"

// Assumptions are what the estimate of every static method rests on, what its problem takes for granted
// of fixed buffers included.
func (p *Problem) Assumptions() []string {
	list := []string{
		"the machine executes PTX instructions as its file says (a device executes what its assembler makes of them)",
		"the kernel is alone on the GPU",
		"the time of the launch on the host is not included",
		"buffers begin at multiples of 256 bytes",
		"the kernel ends without fault, whatever its inputs",
	}
	for _, b := range p.Fixed {
		list = append(list, fmt.Sprintf("buffer %s holds what the job gives it (nothing writes to it)", b.Name))
	}
	return list
}

// LoopAssumption is what an estimate rests on that takes the bound of a loop from the job.
func LoopAssumption(loop string, iterations int64) string {
	return fmt.Sprintf("loop %s goes back to its head at most %d times for each entry (annotated)", loop, iterations)
}
