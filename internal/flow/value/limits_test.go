package value

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/budget"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/test/flowtest"
)

// repeated returns a text for each of n numbers from 1 on, which takes the place of #, and from the last
// on that of #~, with the next greater one in the place of #+.
func repeated(n int, format string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.NewReplacer("#~", fmt.Sprint(n-i), "#+", fmt.Sprint(n-i+1), "#", fmt.Sprint(i+1)).Replace(format))
	}
	return b.String()
}

// countingNest is a nest of at most 9 loops. What no comparison limits counts the iterations of a loop,
// and limits those of the one inside.
func countingNest(n int) string {
	begin, end := "mov.u32 %r0, 9;", ""
	for i := range n {
		at := strings.NewReplacer("#+", fmt.Sprint(11+i), "#-", fmt.Sprint(i), "#", fmt.Sprint(i+1))
		begin += at.Replace("mov.u32 %r#, 0; mov.u32 %r#+, 0; L#:")
		end = at.Replace("add.u32 %r#, %r#, 1; add.u32 %r#+, %r#+, 1; setp.lt.u32 %p1, %r#+, %r#-; @%p1 bra L#;") + end
	}
	return begin + "st.global.u32 [%buf], %r1;" + end
}

// Where a limit of work is reached less is known, and it is said which one; a greater effort lifts it.
func TestLimitsOfWork(t *testing.T) {
	bound := func(r *Result) string {
		b := r.Loops()[0]
		return fmt.Sprintf("%t, %d iterations; %s", b.Known, b.Iterations, b.Reason)
	}
	for name, c := range map[string]struct {
		body   string
		limit  string
		effort budget.Effort
		known  func(r *Result) string // at a greater effort
		want   string                 // which known begins with
	}{
		"conditions": {
			"mov.u32 %r1, 0; ld.global.u32 %r3, [%buf]; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9;" +
				repeated(6, "setp.ne.u32 %p2, %r3, #; and.pred %p1, %p1, %p2;") + "@%p1 bra L;",
			"4 levels of conditions in a predicate", 4, bound, "true, 8 iterations",
		},
		"branches": {
			"sub.u32 %r5, %m, %n; sub.u32 %r5, %r5, 1; setp.gt.u32 %p1, %r5, 99; @%p1 bra E; ld.global.u32 %r3, [%buf];" +
				repeated(33, "setp.eq.u32 %p1, %r3, #; @%p1 bra E;") +
				"mov.u32 %r1, %n; L: add.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, %m; @%p1 bra L; E:",
			"32 branches that lead to a place", 2, bound, "true, 99 iterations",
		},
		"blocks behind an edge": {
			"mov.u32 %r1, %n; L: setp.ge.u32 %p1, %r1, %m; mov.pred %p2, 0; @%p1 bra X1;" +
				"ld.global.u32 %r3, [%buf]; setp.ne.u32 %p2, %r3, 77;" + repeated(10, "X#: @%p2 bra B;") +
				"bra E; B: add.u32 %r1, %r1, 1; bra L; E:",
			"8 blocks behind one of its edges", 2, bound, "true, ",
		},
		"counters in an address": {
			"mov.u32 %r10, 0;" + repeated(9, "mov.u32 %r#~, %r#+; L#~:") + "mad.wide.u32 %d2, %r1, 4, %buf; ld.global.u32 %r11, [%d2];" +
				repeated(9, "add.u32 %r#, %r#, 1; setp.lt.u32 %p1, %r#, 9; @%p1 bra L#;"),
			"8 counters of loops in an address", 2, func(r *Result) string {
				counts := 0
				for _, x := range flowtest.Must(r.Addresses(t.Context()))[0].Terms {
					if strings.HasPrefix(x.Name, "iterations") {
						counts++
					}
				}
				return fmt.Sprint(counts)
			}, "9",
		},
		"counters that limit others": {
			countingNest(7), "4 rounds over loops whose counters others limit", 2, func(r *Result) string {
				b := r.Loops()[6]
				return fmt.Sprintf("%t, %d", b.Known, b.Iterations)
			}, "true, 2",
		},
		"loads": {
			"ld.global.u32 %r1, [%buf]; " + repeated(7, "mad.wide.u32 %d1, %r1, 4, %buf; ld.global.u32 %r1, [%d1];"),
			"4 rounds over loads whose addresses others tell", 3, func(r *Result) string {
				all := flowtest.Must(r.Addresses(t.Context()))
				return fmt.Sprint(all[len(all)-1].Constant)
			}, "28",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := flowtest.BodyGraph(t, c.body)
			chain := make([]byte, 64)
			for i := range 16 {
				chain[4*i] = byte(i + 1)
			}
			launch := launchfacts.Launch{}
			if name == "loads" {
				held := launchfacts.Contents{Each: 4, Data: chain}
				launch.Buffers = []launchfacts.Buffer{{Name: "p", Bytes: len(chain), Contents: held}}
				launch.Pointers = map[int]launchfacts.Pointer{g.Kernel.Params[0].Offset: {Buffer: 0}}
			}
			said := func(r *Result) []string {
				all := r.Work().Reached()
				for _, b := range r.Loops() {
					all = append(all, b.Reason)
				}
				return all
			}
			_, what, _ := strings.Cut(c.limit, " ")
			says := func(text string) bool { return strings.Contains(text, c.limit) }
			saysOther := func(text string) bool { return strings.Contains(text, what) } // the same, of another number
			limited := flowtest.Must(Analyze(t.Context(), g, launch))
			less := c.known(limited)
			if all := said(limited); strings.HasPrefix(less, c.want) || !slices.ContainsFunc(all, says) {
				t.Errorf("%s is known; %q, want %s", less, all, c.limit)
			}
			launch.Effort = c.effort
			lifted := flowtest.Must(Analyze(t.Context(), g, launch))
			more := c.known(lifted)
			if all := said(lifted); !strings.HasPrefix(more, c.want) || slices.ContainsFunc(all, saysOther) {
				t.Errorf("at effort %v %s is known, want %s; %q", c.effort, more, c.want, all)
			}
		})
	}
}
