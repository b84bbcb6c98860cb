package split

import (
	"strings"
	"testing"

	"warpbound/internal/causes"
	"warpbound/internal/machine"
	"warpbound/internal/test/simtest"
)

// TestChainOfParts: a chain goes on at the part that is last where both merge, and explains every cycle.
func TestChainOfParts(t *testing.T) {
	const loads = address + `setp.lt.u32 %p1, %t, 32; PRAGMA @%p1 bra taken;
		FALL
		bra done;
	taken:
		TAKEN
	done:
		ret;`
	const load, add = "ld.global.u32 %r1, [%rd1];", "add.u32 %r1, %t, 1;"
	for _, mode := range []machine.SplitMode{machine.PWS, machine.DWS, machine.DWSIdle} {
		for _, paths := range [][2]string{{add, add}, {load, add}, {add, load}, {load, load}} {
			body := strings.NewReplacer("PRAGMA", map[machine.SplitMode]string{machine.PWS: `.pragma "split";`}[mode], "FALL", paths[0], "TAKEN", paths[1]).Replace(loads)
			cfg := simtest.Config(gcn3(t, mode, 1), compile(t, body))
			cfg.Chain = true
			o := simtest.Observe(t, simtest.Make(t, create, cfg), launch(t, 1, 64))
			simtest.Tiles(t, o.Result)
			if o.Counters.Splits != 1 {
				t.Errorf("%s: %d splits", mode, o.Counters.Splits)
			}
			for _, s := range o.Chain {
				if s.Kind == causes.Other {
					t.Errorf("%s, %q beside %q: nothing explains %+v", mode, paths[0], paths[1], s)
				}
			}
		}
	}
}
