package split

import (
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/test/flowtest"
)

// TestBarriers finds how the wavefronts of a workgroup wait for each other.
func TestBarriers(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want barriers
	}{
		"none":              {"setp.lt.u32 %p1, %r1, 5; @%p1 bra END; add.u32 %r1, %r1, 1;", noBarrier},
		"straight":          {"bar.sync 0; add.u32 %r1, %r1, 1; barrier.sync 0;", jointly},
		"reduction":         {"setp.lt.u32 %p1, %r1, 5; bar.red.popc.u32 %r2, 0, %p1;", jointly},
		"behind a branch":   {"setp.lt.u32 %p1, %r1, 5; @%p1 bra A; add.u32 %r1, %r1, 1; A: bar.sync 0;", jointly},
		"on a uniform path": {"setp.lt.u32 %p1, %r3, 5; @%p1 bra END; bar.sync 0;", jointly},
		"in a uniform loop": {"L: bar.sync 0; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 5; @%p1 bra L;", jointly},

		"on a path":       {"setp.lt.u32 %p1, %r1, 5; @%p1 bra END; bar.sync 0;", anyhow},
		"in a loop":       {"L: bar.sync 0; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 5; @%p1 bra L;", anyhow},
		"far inside":      {"setp.lt.u32 %p1, %r1, 5; @%p1 bra END; setp.lt.u32 %p2, %r3, 5; @%p2 bra END; bar.sync 0;", anyhow},
		"with a guard":    {"setp.lt.u32 %p1, %r3, 5; @%p1 bar.sync 0;", anyhow},
		"of some threads": {"bar.sync 0, 64;", anyhow},
		"without waiting": {"bar.arrive 0, 64;", anyhow},
		"of any number":   {"bar.sync %r3;", anyhow},
	} {
		t.Run(name, func(t *testing.T) {
			text := ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %p<4>; .reg .b32 %r<8>;\n" +
				"mov.u32 %r1, %tid.x; mov.u32 %r3, %ntid.x;\n" + c.body + "\nEND: ret;\n}\n"
			g := flowtest.Graph(t, "k.ptx", text)
			k := g.Kernel
			reached := make([]bool, g.Len())
			for b := range reached {
				reached[b] = true
			}
			together := func(block int) bool { // conditions on %r3 are
				for pc := g.Blocks[block].Start; pc < g.Blocks[block].End; pc++ {
					if in := &k.Instrs[pc]; in.Op == isa.Setp {
						return k.Regs[in.Src[0].Reg].Name == "%r3"
					}
				}
				return false
			}
			if got := newControl(g).barriers(reached, together); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
			if got := newControl(g).barriers(make([]bool, g.Len()), together); got != noBarrier {
				t.Errorf("a barrier to which nothing comes makes it %d", got)
			}
		})
	}
}
