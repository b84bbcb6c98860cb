package machine

import "fmt"

// LLC holds the last-level cache that the cores of an integrated machine share. Its lines
// are as long as those of the L1s, and its sets are chosen by the low bits of the number
// of the line.
type LLC struct {
	Sets    Number `toml:"sets" unit:"sets" min:"1" max:"65536" shape:"power of two"`
	Ways    Number `toml:"ways" unit:"lines per set" min:"1" max:"64"`
	Latency Number `toml:"latency" unit:"core cycles" min:"1" max:"100000"`
	Atomic  Number `toml:"atomic" unit:"core cycles per further operation on one address" min:"0" max:"100000"`
}

// Regulator holds what regulates the accesses to the shared cache (Huangfu and Zhang,
// section IV-C): in each interval a core sends at most Quota of them.
type Regulator struct {
	Switch Choice[Switch] `toml:"switch" choices:"on off"`
	Quota  Number         `toml:"quota" unit:"accesses per interval" min:"1" max:"1048576"`
	Wait   Number         `toml:"wait" unit:"core cycles" min:"0" max:"100000"`
	Reset  Number         `toml:"reset" unit:"core cycles" min:"1" max:"100000"`
}

// Switch says whether something takes place.
type Switch string

// The positions of a switch.
const (
	On  Switch = "on"
	Off Switch = "off"
)

// CPU holds the CPU core of an integrated machine, whose L1 is like those of the SMs.
type CPU struct {
	Hit Number `toml:"hit" unit:"core cycles" min:"1" max:"100000"`
}

// maxCores is the largest number of cores that share a cache.
const maxCores = 64

// Cores returns how many cores of an integrated machine share its cache: all SMs, and the
// CPU as the last one.
func (m *Machine) Cores() int { return int(m.SM.Count.Value) + 1 }

// LLCOptions are what a caller chooses of a shared cache; nil is up to the machine.
type LLCOptions struct {
	KiB       *int64
	Quota     *int64
	Regulated *bool
}

// WithLLC returns the machine with a shared cache of another size, which changes its sets,
// and with another regulator, both chosen by the caller and not by the machine's source.
func (m *Machine) WithLLC(o LLCOptions) (*Machine, error) {
	if m.Core != Integrated {
		return nil, fmt.Errorf("%s has %s, whose cache is not shared with a CPU", m.Name, m.Core.Named())
	}
	other := *m
	if o.KiB != nil {
		set := m.LLC.Ways.Value * m.L1.Line.Value
		sets := *o.KiB << 10 / set
		if *o.KiB < 1 || *o.KiB > maxLLC>>10 || sets*set != *o.KiB<<10 || sets&(sets-1) != 0 {
			return nil, fmt.Errorf("%d KiB are not %d ways of %d bytes in 1, 2, 4, ... sets, %d KiB at most", *o.KiB, m.LLC.Ways.Value, m.L1.Line.Value, maxLLC>>10)
		}
		other.LLC.Sets = other.LLC.Sets.chosen(sets)
	}
	if o.Quota != nil {
		if *o.Quota < 1 || *o.Quota > MaxQuota {
			return nil, fmt.Errorf("a quota of %d accesses is not between 1 and %d", *o.Quota, MaxQuota)
		}
		other.Regulator.Quota = other.Regulator.Quota.chosen(*o.Quota)
	}
	if o.Regulated != nil {
		other.Regulator.Switch = Choice[Switch]{Value: Off, Source: chosen}
		if *o.Regulated {
			other.Regulator.Switch.Value = On
		}
	}
	return &other, nil
}

// Limits of what a caller may choose.
const (
	maxLLC   = 16 << 20 // bytes
	MaxQuota = 1 << 20
)

// Regulated reports whether the accesses to the shared cache are regulated.
func (m *Machine) Regulated() bool { return m.Regulator.Switch.Value == On }

// Span is a range of times in core cycles, both ends included.
type Span struct{ Min, Max int64 }

// LLCSpan returns how long accesses of a core to the shared cache take, from when they
// could be sent until they are answered: those that hit a line that is present, and those
// that go to the DRAM. No other access of the core is under way, and it is not throttled;
// an atomic operation has different addresses in all lanes.
func (m *Machine) LLCSpan() (hit, miss Span) {
	cores := int64(m.Cores())
	frame, turn := cores*m.Interconnect.Slot.Value, cores*m.DRAM.Slot.Value
	way := m.Interconnect.Latency.Value
	tags := way + m.LLC.Latency.Value
	slots := func(cycles int64) int64 { return (cycles + frame - 1) / frame * frame }
	hit = Span{slots(tags) + way, slots(tags) + way + frame - 1}
	miss = Span{
		slots(tags+m.DRAM.Open.Value) + way,
		slots(tags+turn-1+m.DRAM.Conflict.Value) + way + frame - 1,
	}
	return hit, miss
}
