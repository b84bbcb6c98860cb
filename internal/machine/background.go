package machine

import (
	"fmt"
	"math/big"
)

// WithBackground returns the machine with requests of others to its DRAM that move so many bytes per second, chosen by the
// caller and not by the machine's source. Only scoreboards have a DRAM whose bandwidth is shared.
func (m *Machine) WithBackground(bytes int64) (*Machine, error) {
	if m.Core != Scoreboard {
		return nil, fmt.Errorf("%s has %s, and no model of a DRAM whose bandwidth others take: choose a machine with %s (see warpbound machines), or leave the traffic out",
			m.Name, m.Core.Named(), Scoreboard.Named())
	}
	other := *m
	other.DRAM.Background = Number{Value: bytes, Unit: backgroundUnit, Source: chosen}
	if !other.leavesSome() {
		return nil, fmt.Errorf("%s GB/s leave the kernel nothing of the %s GB/s that the DRAM of %s moves at most", gigabytes(bytes), gigabytes(m.Peak()), m.Name)
	}
	return &other, nil
}

// backgroundUnit is the unit of DRAM.Background.
const backgroundUnit = "bytes per second"

// SharesDRAM reports whether the machine's DRAM serves others besides the kernel.
func (m *Machine) SharesDRAM() bool { return m.DRAM.Background.Value > 0 }

// Alone reports whether times on the machine are those of a kernel that has to itself what GPUs share with other engines and, on
// some chips, with a CPU: there is a DRAM, and nobody else who is known to use it. So it is on a GPU that is no description. On
// integrated machines the CPU is part of the model, and SMs of the other cores have memories of their own.
func (m *Machine) Alone() bool {
	switch m.Core {
	case Barrel, Splitting, Integrated:
		return false
	}
	return !m.SharesDRAM()
}

// Peak returns how many bytes per second the buses of the DRAM move at most.
func (m *Machine) Peak() int64 {
	peak := new(big.Int).Mul(m.busBytes(), big.NewInt(m.Clock.DRAM.Value))
	return peak.Quo(peak, big.NewInt(m.DRAM.CCD.Value)).Int64()
}

// busBytes is how many bytes all partitions move in as many DRAM cycles as a burst takes.
func (m *Machine) busBytes() *big.Int {
	return new(big.Int).Mul(big.NewInt(m.L2.Partitions.Value), big.NewInt(m.DRAM.Burst.Value))
}

// leavesSome reports whether the background leaves bandwidth to the kernel.
func (m *Machine) leavesSome() bool {
	taken := new(big.Int).Mul(big.NewInt(m.DRAM.Background.Value), big.NewInt(m.DRAM.CCD.Value))
	return taken.Cmp(new(big.Int).Mul(m.busBytes(), big.NewInt(m.Clock.DRAM.Value))) < 0
}

// gigabytes renders bytes as GB.
func gigabytes(bytes int64) string { return fmt.Sprintf("%.4g", float64(bytes)/1e9) }
