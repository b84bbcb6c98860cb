package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"warpbound/estimate"
)

// profiled is a profile of the longest run of profiledAnalysis.
func profiled() *estimate.Profile {
	return &estimate.Profile{
		Run: estimate.LongestRun{Vector: new(3), Cycles: 2000},
		Kernels: []estimate.ProfiledKernel{{
			Kernel: "k",
			Lines: []estimate.ProfiledLine{
				{Line: "k.ptx:3", Source: "k.cu:2", Issues: 8, Lanes: 256, Cycles: 100},
				{Line: "k.ptx:4", Source: "k.cu:3", Issues: 96, Lanes: 2000, Diverged: 30, Transactions: 77, Cycles: 1234},
				{Line: "k.ptx:5", Source: "k.cu:3", Issues: 0},
			},
			Blocks: []estimate.ProfiledBlock{
				{Name: "entry", Line: "k.cu:2", Issues: 8, Cycles: 100, Next: []int{1}},
				{Name: "loop", Line: "k.cu:3", Issues: 96, Cycles: 1234, Next: []int{1, 2}},
				{Name: "end", Line: "k.cu:3", Next: []int{3}},
			},
			Loops: []estimate.ProfiledLoop{{Header: 1, Blocks: []int{1}}},
		}},
		Files: []estimate.SourceFile{
			{Name: "k.ptx", Text: ".entry k()\n{\n\tmov;\n\tld;\n\tst;\n}\n"}, {Name: "k.cu", Text: "void k() {\n\tint x = a < b && c;\n\twhile (x) x--;\n}\n"}, {Name: "unused.h", Text: "\n"},
		},
		Timeline: &estimate.Timeline{Width: 500, Kinds: []string{"issue", "memory"}, Rows: []estimate.TimelineRow{{SM: 0, CTA: 0, Warp: 0, Bins: "abba"}, {SM: 1, CTA: 1, Warp: 0, Bins: "ab a"}}},
		Chain: &estimate.Chain{
			Segments: []estimate.ChainSegment{
				{From: 0, To: 600, SM: 0, CTA: 0, Warp: 0, Pos: "k.ptx:4:1", Source: "k.cu:3:9", Kind: "memory"}, {From: 600, To: 700, SM: -1, CTA: -1, Warp: -1, Kind: "dram"},
				{From: 700, To: 2000, SM: 1, CTA: 1, Warp: 0, Pos: "k.ptx:3:1", Source: "k.cu:2:2", Kind: "memory"},
			},
			ByKind: []estimate.ChainKind{{Kind: "memory", Cycles: 1900, Segments: 2}, {Kind: "dram", Cycles: 100, Segments: 1}},
			ByLine: []estimate.ChainLine{{Line: "k.cu:2", Cycles: 1300}, {Line: "k.cu:3", Cycles: 600}, {Cycles: 100}},
		},
	}
}

// profiledAnalysis has all that a page shows of several runs.
func profiledAnalysis() *estimate.Analysis {
	a := analysis()
	a.Kernel = "k"
	a.Longest = &estimate.LongestRun{Vector: new(3), Cycles: 2000}
	a.Times = &estimate.Histogram{From: 896, Width: 32, Counts: []int64{1, 1100, 0, 99}}
	a.Estimates[0].Detail = &estimate.HybridWarp{Edges: []estimate.HybridEdge{
		{From: "entry", To: "loop", Count: 1}, {From: "loop", To: "loop", Count: 12}, {From: "loop", To: "end", Count: 1}, {From: "entry", To: "end", Divergent: true, Count: 2},
	}}
	for i := range a.Estimates[:2] {
		a.Estimates[i].Convergence = []estimate.ConvergencePoint{{Vectors: 1, Observed: 900, Cycles: 950}, {Vectors: 100, Observed: 1500, Cycles: 990}, {Vectors: 1200, Observed: 2000, Cycles: a.Estimates[i].Cycles}}
	}
	a.Coverage = &estimate.Coverage{
		Blocks: estimate.Covered{Covered: 2, Possible: 3}, Lines: []estimate.LineCoverage{{Pos: "k.cu:3", Blocks: estimate.Covered{Covered: 1, Possible: 2}, Outcomes: estimate.Covered{Covered: 1, Possible: 2}}},
	}
	return a
}

// figuresShown are the figures of a page that say where they are in its result.
var figuresShown = regexp.MustCompile(`data-path="([^"]*)"(?: data-(of|unit|value)="([^"]*)")?>([^<]*)<`)

// checkFigures holds the figures of a page against its result.
func checkFigures(t *testing.T, text string) (figures int) {
	t.Helper()
	_, after, ok := strings.Cut(text, `<script type="application/json" id="result">`)
	embedded, _, closed := strings.Cut(after, "</script>")
	if !ok || !closed {
		t.Fatal("the page has no result")
	}
	var result map[string]any
	if err := json.Unmarshal([]byte(embedded), &result); err != nil {
		t.Fatal(err)
	}
	at := func(path string) float64 {
		t.Helper()
		var v any = result
		for _, key := range strings.Split(path, ".") {
			switch in := v.(type) {
			case map[string]any:
				v = in[key]
			case []any:
				i, err := strconv.Atoi(key)
				if err != nil || i >= len(in) {
					t.Fatalf("%s is not in the result", path)
				}
				v = in[i]
			default:
				t.Fatalf("%s is not in the result", path)
			}
		}
		n, ok := v.(float64)
		if !ok {
			t.Fatalf("%s is %v", path, v)
		}
		return n
	}
	for _, m := range figuresShown.FindAllStringSubmatch(text, -1) {
		figures++
		path, kind, with, text := m[1], m[2], m[3], m[4]
		n := at(path)
		want := strings.ReplaceAll(text, ",", "")
		got := fmt.Sprint(int64(n + 0.5))
		switch kind {
		case "of":
			got = fmt.Sprintf("%.1f %%", 100*n/at(with))
		case "unit":
			got = fmt.Sprintf("%.6f ms", n/at("hz")*1e3)
		case "value":
			want = with
		}
		if got != want {
			t.Errorf("%s: the page shows %s, and the result has %s", path, want, got)
		}
	}
	return figures
}

// TestPage: all figures of a page are those of its result, all that it refers to is in it, and nothing is loaded from elsewhere.
func TestPage(t *testing.T) {
	var b bytes.Buffer
	a := profiledAnalysis()
	a.Verdict = verdict(estimate.NotShown, &a.Estimates[0], &a.Observed.Max, "it is so")
	if err := HTML(&b, a, profiled(), 1e9); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if n := checkFigures(t, text); n < 60 {
		t.Errorf("%d figures only", n)
	}
	for _, want := range []string{
		`<td class="text">	int x = a &lt; b &amp;&amp; c;</td>`, `href="#f1-3"`, `id="f1-3"`, "A run may take", `class="chain"`, "longest run, vector 3", "k-dram",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in the page", want)
		}
	}
	if strings.Contains(text, "unused.h") {
		t.Error("the page shows a file of which nothing is known")
	}
	for _, m := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		if m[1] != "" && (!strings.HasPrefix(m[1], "#") || !strings.Contains(text, fmt.Sprintf(`id="%s"`, m[1][1:]))) {
			t.Errorf("a link to %s, which is not in the page", m[1])
		}
	}
	if m := regexp.MustCompile(`(src|@import|url\()=?"?(https?:|/)`).FindString(text); m != "" {
		t.Errorf("the page loads something: %s", m)
	}
	if strings.Contains(text, "ZgotmplZ") || strings.Contains(text, "%!") {
		t.Error("the page has what a template refused")
	}
}

// large is a profile of a kernel with so many blocks, a tenth of them in loops.
func large(blocks int) *estimate.Profile {
	p := profiled()
	k := &p.Kernels[0]
	k.Lines, k.Blocks, k.Loops = nil, nil, nil
	var text strings.Builder
	for b := range blocks {
		next := []int{b + 1}
		if b%20 == 11 {
			next = append(next, b-1)
			k.Loops = append(k.Loops, estimate.ProfiledLoop{Header: b - 1, Blocks: []int{b - 1, b}})
		}
		if b%7 == 0 && b+5 < blocks {
			next = append(next, b+5)
		}
		k.Blocks = append(k.Blocks, estimate.ProfiledBlock{Name: fmt.Sprintf("$L__BB0_%d", b), Line: fmt.Sprintf("k.ptx:%d", 5*b+1), Issues: 1, Cycles: int64(b), Next: next})
		for i := range 5 {
			fmt.Fprintf(&text, "\tadd.s32 %%r%d, %%r%d, %%r%d;\n", b, i, b+i)
			k.Lines = append(k.Lines, estimate.ProfiledLine{Line: fmt.Sprintf("k.ptx:%d", 5*b+i+1), Issues: 1, Lanes: 32, Cycles: int64(b)})
		}
	}
	p.Files = []estimate.SourceFile{{Name: "k.ptx", Text: text.String()}}
	return p
}

// TestLargePage: the page of a kernel with 3,000 blocks has less than 2 MB, and a flow graph that can be seen.
func TestLargePage(t *testing.T) {
	for _, blocks := range []int{200, 201, 3000} {
		p := large(blocks)
		g := newGroups(&p.Kernels[0])
		if n := len(g.members); n > flowNodes || n < flowNodes/3 {
			t.Errorf("%d blocks: %d nodes", blocks, n)
		}
		seen := make([]int, blocks)
		for i, members := range g.members {
			for _, b := range members {
				seen[b]++
				if g.of[b] != i {
					t.Fatalf("block %d is in groups %d and %d", b, i, g.of[b])
				}
			}
		}
		for b, n := range seen {
			if n != 1 {
				t.Fatalf("block %d is in %d groups", b, n)
			}
		}
		var page bytes.Buffer
		if err := HTML(&page, profiledAnalysis(), p, 1e9); err != nil {
			t.Fatal(err)
		}
		if page.Len() > 2e6 {
			t.Errorf("%d blocks: %d bytes", blocks, page.Len())
		}
		checkFigures(t, page.String())
	}
}
