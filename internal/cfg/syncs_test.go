package cfg_test

import (
	"strings"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/test/flowtest"
)

// simt builds the flow graph of a kernel in mini-SIMT code.
func simt(t *testing.T, code string) *cfg.Graph {
	t.Helper()
	return flowtest.Graph(t, "k.simt", "kernel k()\nint a\n"+code)
}

func TestSyncs(t *testing.T) {
	for _, c := range []struct {
		name, code string
		reconverge map[string]string // where the lanes of a block's branch reconverge
		added      string
	}{
		{"if", "0: bz a, 2\nconst a = 1\nsync\nconst a = 2", map[string]string{"entry": "3"}, "2>2"},
		{"else", "0: bz a, 3\nconst a = 1\njump 4\nconst a = 2\nsync", map[string]string{"entry": "5"}, "4>3"},
		{"loop", "0: const a = 3\nbz a, 4\nbinop a = a - 1\njump 1\nsync", map[string]string{"1": "5"}, "4>4"},
		{"if in the test", "0: bz a, 2\nconst a = 1\nsync\nbz a, 6\nconst a = 2\njump 0\nsync", map[string]string{"0": "3", "3": "7"}, "2>2 6>6"},
		{"nested loops", "0: bz a, 6\nbz a, 4\nconst a = 1\njump 1\nsync\njump 0\nsync", map[string]string{"0": "7", "1": "5"}, "4>4 6>6"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := simt(t, c.code)
			if err := g.CheckSyncs(); err != nil {
				t.Fatal(err)
			}
			for b := range g.Blocks {
				if want, ok := c.reconverge[g.Name(b)]; ok && g.Name(g.Reconverge(b)) != want {
					t.Errorf("the lanes of %s reconverge at %s, want %s", g.Name(b), g.Name(g.Reconverge(b)), want)
				}
			}
			added, err := cfg.DivergentEdges(g.Flow, nil)
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			for _, e := range added {
				texts = append(texts, g.Name(e.From)+">"+g.Name(e.To))
			}
			if got := strings.Join(texts, " "); got != c.added {
				t.Errorf("divergence adds %s, want %s", got, c.added)
			}
		})
	}
}

func TestSyncErrors(t *testing.T) {
	for code, want := range map[string]string{
		"sync":                            "k.simt:3:1: this sync matches no branch",
		"0: bz a, 2\nconst a = 1":         "k.simt:4: threads end here before a sync has ended the divergence of the branch at k.simt:3:4",
		"0: bz a, 3\nsync\njump 4\nsync":  "k.simt:4:1: the branch at k.simt:3:4 reconverges here and at the sync at k.simt:6:1; they need one sync",
		"0: bz a, 2\nsync\nconst a = 1":   "k.simt:5: threads end here before a sync has ended the divergence of the branch at k.simt:3:4",
		"0: const a = 1\nbnz a, 0\nsync":  "k.simt:4:1: lanes that take this branch come back to it before its sync at k.simt:5:1: let those take it that leave the loop",
		"0: bz a, 1\nbz a, 0\nsync\nsync": "k.simt:3:4: the branch is executed again while the branch at k.simt:4:1 inside of it waits for its sync",
		"0: sync\nbz a, 3\njump 0\nsync":  "k.simt:3:4: this sync matches no branch",
	} {
		err := simt(t, code).CheckSyncs()
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v\nwant %s", code, err, want)
		}
	}
}
