package greedy_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/method/greedy"
	"warpbound/internal/test/jobtest"
)

// TestThreadsThatWait: where threads are scheduled independently, some that wait for others of their warp make it execute what
// follows again, which no bound counts: there is none, and the error names the place. Where they surely come together
// there is one, and runs take no longer.
func TestThreadsThatWait(t *testing.T) {
	for _, c := range []struct {
		name, body string
		refused    string // at which instruction; empty if there is a bound
	}{
		{"together", "shfl.sync.bfly.b32 %r, %t, 16, 31, -1;\nbarrier.sync 0;", ""},
		{"members of the lanes that are there", "@%low bra JOIN;\nvote.sync.any.pred %p, %low, 0xffff0000;\nJOIN:", ""},
		{"behind a loop of some lanes", "@%low bra JOIN;\nmov.u32 %i, 0;\nLOOP: add.u32 %i, %i, 1;\nsetp.lt.u32 %p, %i, 40;\n@%p bra LOOP;\nJOIN: shfl.sync.bfly.b32 %r, %t, 16, 31, -1;", ""},
		{"behind the end of some lanes", "@%low exit;\nshfl.sync.bfly.b32 %r, %t, 16, 31, -1;\nbarrier.sync 0;", ""},
		{"behind a loop that counts in local memory", "and.b32 %r, %t, 31;\nmad.lo.u32 %r, %r, 1000, 1;\nst.local.u32 [own], 0;\nLOOP: ld.local.u32 %i, [own];\nadd.u32 %i, %i, 1;\nst.local.u32 [own], %i;\n" +
			"setp.lt.u32 %p, %i, %r;\n@%p bra LOOP;\nmov.u32 %i, 0;\nTAIL: add.u32 %i, %i, 1;\n" + strings.Repeat("mad.lo.u32 %r, %r, %i, %i;\n", 60) +
			"setp.lt.u32 %p, %i, 4000;\n@%p bra TAIL;", ""},
		{"an operation in one way", "@%low bra JOIN;\nvote.sync.any.pred %p, %low, -1;\nJOIN: vote.sync.any.pred %p, %low, -1;", "vote.any"},
		{"a barrier in one way", "@%low bra JOIN;\nbarrier.sync 0;\nJOIN: barrier.sync 0;", "barrier.sync"},
		{"under a guard", "@%low shfl.sync.bfly.b32 %r, %t, 16, 31, -1;\n@!%low shfl.sync.bfly.b32 %r, %t, 16, 31, -1;", "@!%low shfl.bfly"},
		{"in a loop that lanes leave one by one", "mov.u32 %i, 0;\nLOOP: bar.warp.sync -1;\nadd.u32 %i, %i, 1;\nsetp.lt.u32 %p, %i, %t;\n@%p bra LOOP;", "bar.warp"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := fstest.MapFS{
				"k.ptx": {Data: []byte(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 data) {\n.reg .b32 %r, %t, %i;\n.reg .b64 %d;\n.reg .pred %p, %low;\n.local .b32 own;\n" +
					"ld.param.u64 %d, [data];\nmov.u32 %t, %tid.x;\nand.b32 %r, %t, 16;\nsetp.eq.u32 %low, %r, 0;\n" + c.body + "\nst.global.u32 [%d], %r;\nret;\n}\n")},
				"job.toml": {Data: []byte("module = 'k.ptx'\nmachine = 'h100'\ngrid = [2]\nblock = [64]\nparam = [{name = 'data', type = 'u32', count = 1, init = 'zeros'}]\n")},
			}
			if c.refused == "" {
				estimated(t, files)
				return
			}
			j := jobtest.Load(t, files, "job.toml", "")
			a, err := analysis.Analyze(t.Context(), j.Platform, j.Workload, analysis.Request{Methods: []string{greedy.ID}})
			reason := ""
			if err != nil {
				reason = err.Error()
			} else if len(a.Refused) > 0 {
				reason = a.Refused[0].Reason
			}
			if !strings.Contains(reason, "some threads of a warp may wait at "+c.refused) || a != nil && a.Strong(estimate.Proven) != nil {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
}
