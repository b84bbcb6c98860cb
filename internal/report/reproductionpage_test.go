package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"warpbound/estimate"
)

// reproduced has what a page shows of a paper.
func reproduced() *estimate.Reproduction {
	return &estimate.Reproduction{
		Paper: "A <paper> & ours",
		Examples: []estimate.Example{
			{Name: "Fig. 1: a < b", Paper: "34 & 5", Ours: "34 & 5", OK: true, Label: estimate.LabelEqual},
			{Name: "chain", Paper: "13.3", Ours: "13.4", OK: true, Label: estimate.LabelFitted, Tolerance: "3.0 %"},
			{Name: "coverage, at least", Paper: "80 %", Ours: "79 %", Label: estimate.LabelInequality},
			{Name: "ours alone", Paper: "-", Ours: "1.000", OK: true, Label: estimate.LabelNoTarget},
		},
		Tables: []estimate.Table{
			{Name: "Table I: all\nof them", Columns: []string{"", "paper", "ours"}, Rows: [][]string{{"k1", "670", "896"}}, Label: estimate.LabelNoTarget},
			{Name: "Table II", Columns: []string{"S", "paper"}, Rows: [][]string{{"1", "60"}, {"2", "-"}}, RowLabels: []estimate.Label{estimate.LabelFitted, estimate.LabelNoTarget}},
			{Name: "ours", Columns: []string{"kernel", "what it does", "cycles"}, Rows: [][]string{{"<k>", "-", "refused"}, {"l", "sorts", "12"}, {"m", "-", "13"}}},
		},
		Plots: []estimate.Plot{{File: "fig6", Title: "Fig. 6: <rates>", X: "kernel", Y: "per cent", Positions: []string{"a", "b"}, Bars: true, Series: []estimate.Series{{Name: "s", Values: []float64{1, 2}}}}},
	}
}

// pathed are the cells of a page that say where they are in its result.
var pathed = regexp.MustCompile(`<span data-path="([^"]*)">([^<]*)</span>`)

// TestReproductionPage: each cell of a page is that of its result, which is what is printed as JSON, its figures are well-formed and have
// no colours of the ground, and nothing is loaded from elsewhere.
func TestReproductionPage(t *testing.T) {
	r := reproduced()
	var b bytes.Buffer
	if err := ReproductionHTML(&b, r); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	_, after, _ := strings.Cut(text, `<script type="application/json" id="result">`)
	embedded, _, ok := strings.Cut(after, "</script>")
	var result, printed any
	if err := json.Unmarshal([]byte(embedded), &result); err != nil || !ok {
		t.Fatalf("%v in %s", err, embedded)
	}
	var out bytes.Buffer
	if err := JSON(&out, r); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &printed); err != nil || fmt.Sprint(result) != fmt.Sprint(printed) {
		t.Errorf("%v: the page has %v, and what is printed is %v", err, result, printed)
	}
	cells := pathed.FindAllStringSubmatch(text, -1)
	for _, m := range cells {
		v := result
		for key := range strings.SplitSeq(m[1], ".") {
			if list, ok := v.([]any); ok {
				i, err := strconv.Atoi(key)
				if err != nil {
					t.Fatal(err)
				}
				v = list[i]
				continue
			}
			v = v.(map[string]any)[key]
		}
		if want := html.UnescapeString(m[2]); v != want {
			t.Errorf("%s: the page shows %q, and the result has %q", m[1], want, v)
		}
	}
	if len(cells) != 2*4+3+4+9 {
		t.Errorf("%d cells", len(cells))
	}
	for _, want := range []string{
		"<strong><span data-count=\"NO\">1</span> of <span data-count=\"\">4</span> examples do not hold", "fitted, within 3.0 %", `<td class="left">-</td>`,
		`<td class="left no">NO</td>`, "</td><td class=\"left\">no target</td></tr>",
		`<th>ours</th>`, `<td><span data-path="tables.0.rows.0.1">`, `<th class="left">what it does</th>`, `<th>cycles</th>`, `<td><span data-path="tables.2.rows.0.2">refused`, `<td class="left"><span data-path="tables.2.rows.0.1">`, "prefers-color-scheme: dark", "@media print",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	for _, no := range []string{"http://", "https://", "<link", "src=", "#FFFFFF", "#000000", "<p>A <paper>"} {
		if strings.Contains(strings.NewReplacer(`"http://www.w3.org/2000/svg"`, "", `"http://www.w3.org/1999/xlink"`, "").Replace(text), no) {
			t.Errorf("the page has %q", no)
		}
	}
	_, svg, _ := strings.Cut(text, `<svg class="plot"`)
	svg, _, ok = strings.Cut(svg, "</svg>")
	d := xml.NewDecoder(strings.NewReader(`<svg class="plot"` + svg + "</svg>"))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil || !ok {
			t.Fatalf("%v in %s", err, svg)
		}
	}
	r.Examples[2].OK = true
	b.Reset()
	if err := ReproductionHTML(&b, r); err != nil || !strings.Contains(b.String(), "All examples hold that have a target") {
		t.Errorf("%v, and not all hold", err)
	}
	r.Plots[0].Series[0].Values = nil
	if err := ReproductionHTML(io.Discard, r); err == nil {
		t.Error("a plot without values is on the page")
	}
}
