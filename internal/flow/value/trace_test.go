package value

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/constraint"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/strided"
	"warpbound/internal/test/flowtest"
)

// TestTrace finds the steps of the last analysis: with what is loaded, and after shuffles in which
// lanes take part that have diverged have been found.
func TestTrace(t *testing.T) {
	for _, c := range []struct {
		body string
		want []string // of the register %r1 and what is loaded
	}{
		{"ld.global.u32 %r1, [%buf+4];", []string{"  1  symbol u32[p + 4]  {} -> [1, 64]"}},
		{`mul.lo.u32 %r2, %n, 3; mov.u32 %r1, 205;
L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r2; @%p1 bra L;`, []string{
			"  2  k.ptx:12:4: %r1 at L  205 = 205 -> [205, 206] = %r1",
			"  2  k.ptx:12:4: symbol %r1 at L  {} -> [205, 206]",
			"  3  k.ptx:12:4: %r1 at L  [205, 206] = %r1 -> [205, 207] = %r1",
			"  3  k.ptx:12:4: symbol %r1 at L  [205, 206] -> [205, 207]",
			"  4  k.ptx:12:4: %r1 at L  [205, 207] = %r1 -> [205, 2147483646] = %r1",
			"  4  k.ptx:12:4: symbol %r1 at L  [205, 207] -> [205, 2147483646]",
		}},
		{`setp.eq.u32 %p1, %tid, 0; @%p1 bra join; shfl.sync.down.b32 %r2, %m, 1, 31, -1;
join: shfl.sync.down.b32 %r1, %n, 1, 31, -1;`, []string{
			"  1  k.ptx:13:7: symbol %r1  {} -> any",
			"  1  k.ptx:13:7: symbol %r1  agreed -> varies",
		}},
	} {
		g := flowtest.BodyGraph(t, strings.ReplaceAll(c.body, "; ", ";\n"))
		params := g.Kernel.Params
		rows := launchfacts.Contents{Each: 4, Set: strided.Between(32, 1, 64)}
		launch := launchfacts.Launch{
			Params:   []launchfacts.Word{{Offset: params[1].Offset, Interval: strided.Between(32, 5, 100)}},
			Buffers:  []launchfacts.Buffer{{Name: "p", Bytes: 16, Contents: rows}},
			Pointers: map[int]launchfacts.Pointer{params[0].Offset: {Buffer: 0}},
		}
		var got []string
		err := TraceAnalysis(t.Context(), g, launch, func(s constraint.Step) {
			if strings.Contains(s.Name, "%r1") || strings.Contains(s.Name, "u32[") {
				got = append(got, fmt.Sprint(s))
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.body, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}
