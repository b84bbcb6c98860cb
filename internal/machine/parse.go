package machine

import (
	"warpbound/diag"
	"warpbound/internal/isa"
	"warpbound/internal/tomlpos"
)

// maxFile is the size of the largest description that Parse reads, in bytes.
const maxFile = 1 << 20

// Parse reads a description. The error names every finding with its position:
// text that is not TOML, keys that are unknown or missing, units other than the
// expected ones, values out of range, and numbers that contradict each other.
func Parse(file string, src []byte) (*Machine, error) {
	if len(src) > maxFile {
		return nil, diag.Errorf(diag.Pos{File: file}, "machine file of %d bytes is larger than %d", len(src), maxFile)
	}
	root, indexed := tomlpos.Index(file, src, len(src))
	if indexed == nil && root.Keys["module"] != nil && root.Keys["core"] == nil {
		return nil, diag.Errorf(root.Keys["module"].Pos, "this is a job, not a machine: a machine file has name, core, clock, sm")
	}
	m := new(Machine)
	if err := tomlpos.Decode(file, src, m); err != nil {
		return nil, err
	}
	if indexed != nil {
		return nil, diag.Errorf(diag.Pos{File: file}, "%w", indexed)
	}
	m.assumeTensor()
	c := &checker{m: m, file: file, at: root.Paths()}
	c.check()
	if err := c.errs.Err(); err != nil {
		return nil, err
	}
	return m, nil
}

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
