package report

import (
	"bytes"
	"strings"
	"testing"

	"warpbound/estimate"
)

// charged is an analysis with a bound that charges lines, and the profile of its longest run.
func charged() (*estimate.Analysis, *estimate.Profile) {
	a := analysis()
	e := a.Tightest()
	part := func(cause string, n int64) estimate.ChargedPart { return estimate.ChargedPart{Cause: cause, Cycles: n} }
	rest := e.Cycles - 1_000_000
	e.ByLine = &estimate.ByLine{
		Lines: []estimate.ChargedLine{
			{Pos: "k.ptx:7", Source: "src/k.cl:2", Cycles: 700_000, Causes: []estimate.ChargedPart{part("all warps wait", 500_000), part("instructions hold the port", 200_000)}},
			{Pos: "k.ptx:8", Source: "src/k.cl:2", Cycles: 200_000, Causes: []estimate.ChargedPart{part("instructions hold the port", 200_000)}},
			{Pos: "k.ptx:9", Cycles: 100_000, Causes: []estimate.ChargedPart{part("instructions hold the port", 100_000)}},
		},
		Remainder: estimate.Remainder{Name: "dispatch", Cycles: rest, Causes: []estimate.ChargedPart{part("dispatch", rest)}},
		Path:      []estimate.ChargedBlock{{Name: "loop", Pos: "src/k.cl:2:3", Cycles: 900_000}, {Name: "end", Pos: "k.ptx:9:1", Cycles: 100_000}},
	}
	return a, &estimate.Profile{
		Run:   estimate.LongestRun{Cycles: 2000},
		Files: []estimate.SourceFile{{Name: "k.ptx", Text: strings.Repeat("\n", 8) + "ret;\n"}, {Name: "src/k.cl", Text: "kernel\n\tx  +=   in[i];\n"}},
		Chain: &estimate.Chain{ByLine: []estimate.ChainLine{{Line: "src/k.cl:2", Cycles: 1500}, {Line: "", Cycles: 500}}},
		Kernels: []estimate.ProfiledKernel{{Kernel: "k", Lines: []estimate.ProfiledLine{{Line: "k.ptx:7", Source: "src/k.cl:2"}}, Blocks: []estimate.ProfiledBlock{
			{Name: "entry", Next: []int{1, 2}}, {Name: "loop", Next: []int{1, 2}}, {Name: "end", Next: []int{3}},
		}}},
	}
}

// TestDearestLines: the text adds up what the lines of the module have that are of one line of the source, and sets the longest run beside it.
func TestDearestLines(t *testing.T) {
	a, p := charged()
	for _, c := range []struct {
		run  *estimate.Profile
		want string
	}{
		{p, `The bound by line      bound  longest run
  k.cl:2  x += in[i];   73 %         75 %  all warps wait, instructions hold the port
  k.ptx:9  ret;          8 %          0 %  instructions hold the port
`},
		{nil, `The bound by line  bound
  k.cl:2            73 %  all warps wait, instructions hold the port
  k.ptx:9            8 %  instructions hold the port
`},
	} {
		var text bytes.Buffer
		if err := Summary(&text, a, c.run, 1e9); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text.String(), c.want) {
			t.Errorf("%s\nlacks\n%s", text.String(), c.want)
		}
	}
	var text bytes.Buffer
	if err := Details(&text, a, p, 1e9); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"    72.9 %  900,000         75 %  src/k.cl:2: all warps wait, instructions hold the port\n",
		"    19.0 %  234,567         25 %  no line: dispatch\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%s\nlacks\n%s", text.String(), want)
		}
	}
}

// TestLongLines: what does not fit into a hundred columns is cut.
func TestLongLines(t *testing.T) {
	a, p := charged()
	e := a.Tightest()
	e.ByLine.Lines[0].Source = "a/" + strings.Repeat("name", 20) + ".cu:1"
	e.ByLine.Lines[0].Causes[0].Cause = strings.Repeat("for many reasons, ", 9)
	p.Files[1].Text = "kernel\n" + strings.Repeat("ü = in[i]; ", 30) + "\n"
	var text bytes.Buffer
	if err := Summary(&text, a, p, 1e9); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text.String()) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 100 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// TestRoute: the edges along which a warp goes are drawn as often as it does so, those of divergence dashed, and blocks beside are passed by.
func TestRoute(t *testing.T) {
	a, p := charged()
	a.Tightest().ByLine.Edges = []estimate.PathEdge{{To: "entry", Count: 1}, {From: "entry", To: "end", Count: 1}, {From: "end", To: "entry", Count: 2}}
	var page bytes.Buffer
	if err := HTML(&page, a, p, 1e9); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"The worst path of static/cta is marked, that of a warp", "taken 1 times", "arc divergent", "taken 2 times", "passed 0 times"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// TestChargedPage: the page has the bound beside the run, and marks the blocks of the worst path of the answer and what is between them.
func TestChargedPage(t *testing.T) {
	a, p := charged()
	var page bytes.Buffer
	if err := HTML(&page, a, p, 1e9); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<th>run</th><th>bound</th>", `.bound" data-of="analysis.estimates.`, `>72.9 %</span>`,
		"of its ", "cycles to no line: dispatch.", "The worst path of static/cta is marked", `<title>between blocks of the worst-case path</title>`, "passed-by",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if n := strings.Count(page.String(), "between blocks of the worst-case path"); n != 2 { // a loop, and what follows it
		t.Errorf("%d edges are marked", n)
	}
}
