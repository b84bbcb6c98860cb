package job

import (
	"strings"
	"testing"

	"warpbound/jobs"
)

// TestBackground reads what others use, writes it again, and says it in Go.
func TestBackground(t *testing.T) {
	for text, want := range map[string]int64{"20": 20_000_000_000, "20.5": 20_500_000_000, "1e-9": 1, "0.1": 100_000_000} {
		j, err := Parse("j", []byte(head+"[background]\ndram = "+text+"\n"), files(nil))
		if err != nil {
			t.Fatal(err)
		}
		if j.Background.DRAM != want || j.Background.Pos.Line == 1 {
			t.Errorf("%s: got %+v, want %d bytes per second", text, j.Background, want)
		}
		w, err := j.Write("s", &Inputs{})
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse("j", w.Text, files(nil))
		if err != nil || again.Background.DRAM != want {
			t.Errorf("%s: written as\n%s\nand read as %+v, %v", text, w.Text, again, err)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"", "states nothing; for example: dram = 20.5, in GB/s"},
		{"dram = 0", "dram is 0 GB/s; it must be above 0"},
		{"dram = -1.5", "dram is -1.5 GB/s; it must be above 0"},
		{"dram = nan", "dram is NaN GB/s; it must be above 0"},
		{"dram = inf", "dram is +Inf GB/s; it must be above 0, and at most 100000"},
		{"dram = '20'", "dram must be a number of GB/s, not the string \"20\""},
		{"pcie = 3", "unknown key \"pcie\""},
	} {
		_, err := Parse("j", []byte(head+"[background]\n"+c.text+"\n"), files(nil))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "j:") {
			t.Errorf("%s: got %v, want %s", c.text, err, c.want)
		}
	}
}

// TestBackgroundInGo says the same in Go.
func TestBackgroundInGo(t *testing.T) {
	g := jobs.Job{Module: jobs.File("k.ptx"), Grid: jobs.Dim(1), Block: jobs.Dim(1), Background: jobs.Background{DRAM: 20.5}}
	j, _, err := FromGo(&g, nil)
	if err != nil || j.Background.DRAM != 20_500_000_000 {
		t.Fatalf("got %+v, %v", j, err)
	}
	g.Background.DRAM = -1
	if _, _, err := FromGo(&g, nil); err == nil || !strings.Contains(err.Error(), "Background.DRAM: dram is -1 GB/s") {
		t.Errorf("got %v", err)
	}
}
