package machine

import "warpbound/internal/isa"

// maxFile is the size of the largest description that Parse reads, in bytes.
const maxFile = 1 << 20

// Parse reads a description. The error names every finding with its position:
// text that is not TOML, keys that are unknown or missing, units other than the
// expected ones, values out of range, and numbers that contradict each other.
//
// Its base can only be a built-in machine; Read reads other files, too.
func Parse(file string, src []byte) (*Machine, error) { return layers{}.parse(file, src) }

// assumeTensor gives a description without the class tensor, which files need not state, a
// timing that says that it is assumed: in the pipeline of class sfu, if there are pipelines, and
// in whole passes, if there are those.
func (m *Machine) assumeTensor() {
	name, sfu := isa.Tensor.String(), m.Timing(isa.SFU)
	if _, stated := m.Classes[name]; stated || m.Classes == nil {
		return
	}
	const slowest = 32
	pass := max(1, m.Split.Pass.Value)
	cycles := (slowest + pass - 1) / pass * pass
	m.Classes[name] = Timing{
		Pipeline: sfu.Pipeline, Latency: cycles, Initiation: cycles, Unit: timingUnit,
		Source: "assumed: the file does not state it; the slowest setting of a published configuration, Accel-Sim, SM86_RTX3070, trace.config: latency 32, initiation 32",
	}
}
