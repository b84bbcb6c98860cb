package machine

import (
	"fmt"
	"slices"
)

// Split holds the split cores of a machine (Klashtorny et al., TECS 2023, section 4.1):
// how the SIMDs of an SM issue, and its hardware for split wavefronts. SM.Schedulers are
// the SIMDs of an SM, and its warps are distributed to them evenly.
type Split struct {
	Mode    Choice[SplitMode] `toml:"mode" choices:"none dws dws-idle pws"`
	SIMDs   Number            `toml:"simds" unit:"split SIMDs per SIMD" min:"0" max:"7"`
	Pass    Number            `toml:"pass" unit:"core cycles" min:"1" max:"64"`
	Address Number            `toml:"address" unit:"core cycles" min:"1" max:"100000"`
	Split   Number            `toml:"split" unit:"core cycles" min:"0" max:"100000"`
	Merge   Number            `toml:"merge" unit:"core cycles" min:"0" max:"100000"`
}

// SplitMode says which wavefronts split, and where the parts execute.
type SplitMode string

// The modes.
const (
	SplitNone SplitMode = "none"     // none: the paths of a branch execute one after the other
	DWS       SplitMode = "dws"      // dynamic: at any branch that diverges, all on one SIMD
	DWSIdle   SplitMode = "dws-idle" // dynamic, and a part executes on a SIMD that is idle if there is one
	PWS       SplitMode = "pws"      // predictable: at split instructions, each on a SIMD of its own
)

// Contexts returns how many wavefronts a SIMD of a machine with split cores holds.
func (m *Machine) Contexts() int { return int(m.SM.Warps.Value / m.SM.Schedulers.Value) }

// Cached reports whether loads of a machine with split cores look for their lines in an L1.
func (m *Machine) Cached() bool { return m.Core == Splitting && m.L1 != (L1{}) }

// Modes returns all modes.
func Modes() []SplitMode { return []SplitMode{SplitNone, DWS, DWSIdle, PWS} }

// Dynamic reports whether the hardware splits by itself.
func (m SplitMode) Dynamic() bool { return m == DWS || m == DWSIdle }

// WithSplit returns the machine with another mode and another number of split SIMDs for
// each SIMD, chosen by the caller and not by the machine's source.
func (m *Machine) WithSplit(mode SplitMode, simds int) (*Machine, error) {
	switch {
	case m.Core != Splitting:
		return nil, fmt.Errorf("%s has %s, which does not split wavefronts", m.Name, m.Core.Named())
	case !slices.Contains(Modes(), mode):
		return nil, fmt.Errorf("no mode %q of splitting; there are %s, %s, %s and %s", mode, SplitNone, DWS, DWSIdle, PWS)
	case simds < 0 || simds > MaxSplitSIMDs:
		return nil, fmt.Errorf("%d split SIMDs for each SIMD are not between 0 and %d", simds, MaxSplitSIMDs)
	}
	other := *m
	other.Split.Mode = Choice[SplitMode]{Value: mode, Source: chosen}
	other.Split.SIMDs = other.Split.SIMDs.chosen(int64(simds))
	return &other, nil
}

// Reuse returns the machine as a kernel finds it that uses only the first used of the split
// SIMDs at the same time: the idle ones become SIMDs, each with as many split SIMDs as are
// used, and bring as many contexts and registers as a SIMD has (Eq. 2). It is an error if
// there are fewer than used, or if the machine's mode is not PWS.
func (m *Machine) Reuse(used int) (*Machine, error) {
	have := m.Split.SIMDs.Value
	switch {
	case m.Core != Splitting || m.Split.Mode.Value != PWS:
		return nil, fmt.Errorf("%s does not split wavefronts predictably, and so has no split SIMDs to use otherwise", m.Name)
	case used < 0 || int64(used) > have:
		return nil, fmt.Errorf("%d split wavefronts at a time are not between 0 and the %d split SIMDs for each SIMD", used, have)
	}
	simds := m.SM.Schedulers.Value
	total := simds + (have-int64(used))*simds/(int64(used)+1)
	other := *m
	other.Split.SIMDs.Value = int64(used)
	other.SM.Schedulers.Value = total
	for _, n := range []*Number{&other.SM.Warps, &other.SM.Threads, &other.SM.Registers} {
		n.Value = n.Value * total / simds
	}
	return &other, nil
}

// chosen is the source of a number that a caller chose.
const chosen = "chosen for this run"

// chosen returns the number with a value that a caller chose, for which nothing that the description says of its own stands.
func (n Number) chosen(value int64) Number { return Number{Value: value, Unit: n.Unit, Source: chosen} }

// MaxSplitSIMDs is the largest number of split SIMDs for each SIMD.
const MaxSplitSIMDs = 7
