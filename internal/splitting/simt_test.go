package splitting

import (
	"strings"
	"testing"
	"warpbound/internal/test/flowtest"
)

// TestMiniSIMT splits at branches that reconverge at syncs, which every successor executes: the
// merge stands behind the sync.
func TestMiniSIMT(t *testing.T) {
	for _, c := range []struct {
		name, code string
		blocks     []string
		want       string
	}{
		{"if-else", "0: bz a, 3\nconst a = 1\njump 4\nconst a = 2\nsync", []string{"entry"}, `
		0:
			split
			bz a, 3
		1:
			const a = 1
		2:
			jump 4
		3:
			const a = 2
		4:
			sync
		5:
			merge
			exit`},
		{"nested", "0: bz a, 4\nbz a, 3\nconst a = 1\nsync\nsync", []string{"entry", "1"}, `
		0:
			split
			bz a, 4
		1:
			split
			bz a, 3
		2:
			const a = 1
		3:
			sync
			merge
		4:
			sync
		5:
			merge
			exit`},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := flowtest.Graph(t, "k.simt", "kernel k()\nint a\n"+c.code+"\n")
			var blocks []int
			for b := range g.Blocks {
				for _, name := range c.blocks {
					if g.Name(b) == name {
						blocks = append(blocks, b)
					}
				}
			}
			r, err := Insert(g, blocks)
			if err != nil {
				t.Fatal(err)
			}
			if got := listing(r.Graph.Kernel); got != lines(c.want) {
				t.Errorf("got\n%s\nwant\n%s", got, lines(c.want))
			}
			checkResult(t, g, blocks, r)
		})
	}
}

func TestMiniSIMTErrors(t *testing.T) {
	for _, c := range []struct{ name, code, want string }{
		{"loop", "0: const a = 3\nbz a, 4\nbinop a = a - 1\njump 1\nsync", "k.simt:4:1: lanes come back to the branch"},
		{"barrier", "0: bz a, 2\nbarrier 0, 4\nsync", "k.simt:4:1: a barrier on a path of the branch at k.simt:3:4"},
		{"no sync", "0: bz a, 2\nconst a = 1\nconst a = 2", "threads end here before a sync has ended the divergence"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := flowtest.Graph(t, "k.simt", "kernel k()\nint a\n"+c.code+"\n")
			if _, err := Insert(g, []int{first(g)}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}
