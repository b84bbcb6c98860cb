package calibrate

import (
	"strings"
	"testing"
)

// TestChainsDoNotFold: instructions of a chain that alternate have other operands, since a
// compiler may make one of two that have the same.
func TestChainsDoNotFold(t *testing.T) {
	for class, c := range chains {
		met := map[string]bool{}
		for _, code := range c.code {
			operand := code[strings.LastIndexByte(code, ' ')+1:]
			if met[operand] {
				t.Errorf("%s: %s again", class, operand)
			}
			met[operand] = true
		}
	}
}

// TestNoEqualLoads: no load of a microbenchmark is of an address that is known to be that of
// another, which a compiler would leave out.
func TestNoEqualLoads(t *testing.T) {
	for _, line := range []int{minLine, 64, 128, maxLine} {
		for _, distance := range []int{4, line} {
			k, met := inflight("k", maxInflight, distance, line), map[string]bool{}
			for s := range strings.SplitSeq(k.section, "\n") {
				if _, address, ok := strings.Cut(s, ", ["); ok {
					if met[address] {
						t.Errorf("lines of %d bytes: [%s again", line, address)
					}
					met[address] = true
				}
			}
			if len(met) != maxInflight {
				t.Errorf("%d loads", len(met))
			}
		}
	}
}
