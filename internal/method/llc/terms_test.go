package llc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/internal/machine"
	"warpbound/internal/method/llc"
	"warpbound/internal/test/goldentest"
)

// TestTerms holds bounds and their terms against those that are written down: a term that is left out or counted twice changes
// the text even where no run shows it.
func TestTerms(t *testing.T) {
	var lines []string
	write := func(name string, j *warpbound.Job) {
		a, err := j.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{llc.Simple.ID()}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		e := &a.Estimates[0]
		text, err := json.Marshal(e.Detail)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%s, %s: %d cycles %s\n", name, e.Method, e.Cycles, text))
	}
	for _, quota := range []int64{0, 16} { // 0 is without regulators
		for _, kernel := range []string{"bfs", "substringSearch", "bitonicSort", "petriSmall", "linkedList", "sradCoefficient", "insertionSort", "ludDiagonal"} {
			j := on(t, kernel+"/job.toml", func(m *machine.Machine) {
				m.Regulator.Switch.Value = machine.Off
				if quota > 0 {
					m.Regulator.Switch.Value, m.Regulator.Quota.Value = machine.On, quota
				}
			})
			write(fmt.Sprintf("%s, quota %d", kernel, quota), j)
		}
	}
	for name, body := range map[string]string{ // behind a branch on data
		"fences":     strings.Repeat("st.global.u32 [%x], %u;\nmembar.gl;\n", 5),
		"atomics":    strings.Repeat("atom.global.add.u32 %u, [%x], %u;\n", 5),
		"local":      ".local .align 4 .b8 l[64];\n" + strings.Repeat("st.local.u32 [l+4], %u;\nld.local.u32 %u, [l+8];\n", 5),
		"iterations": "LOOP:\nld.global.u32 %v, [%x];\nadd.u32 %u, %u, %v;\nbar.sync 0;\nsetp.lt.u32 %p, %u, 9;\n@%p bra LOOP;\n",
	} {
		loops := ""
		if strings.Contains(body, "LOOP:") {
			loops = "[loop]\nLOOP = 9\n"
		}
		kernel := ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 px) {\n.reg .b32 %u, %v;\n.reg .b64 %x;\n.reg .pred %p;\n" +
			"ld.param.u64 %x, [px];\nld.global.u32 %u, [%x];\nsetp.eq.u32 %p, %u, 7;\n@%p bra END;\n" + body + "END:\nret;\n}\n"
		j, err := warpbound.LoadFS(fstest.MapFS{
			"k.ptx":    {Data: []byte(kernel)},
			"job.toml": {Data: []byte("module = \"k.ptx\"\nmachine = \"integrated-fermi\"\ngrid = [20]\nblock = [64]\nparam = [{name = \"px\", type = \"u32\", count = 1, init = \"uniform(1, 9)\"}]\n" + loops)},
		}, "job.toml", warpbound.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		write(name, j)
	}
	slices.Sort(lines)
	goldentest.Check(t, "testdata/terms.txt", strings.Join(lines, ""))
}
