package report

import (
	"strings"
	"testing"

	"warpbound/estimate"
)

// TestPictures: each chart of a page is a document of its own, in XML, with a title, and with colours that need no page.
func TestPictures(t *testing.T) {
	a, p := profiledAnalysis(), profiled()
	a.Verdict = verdict(estimate.NotShown, nil, nil, "")
	all, err := Pictures(a, p, 1e9)
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, picture := range all {
		files = append(files, picture.File)
		words := svgText(t, strings.NewReader(picture.SVG))
		if !strings.Contains(picture.SVG, "<title>") || !strings.Contains(words, "kernel k on m") && !strings.Contains(words, "Flow graph of k") {
			t.Errorf("%s has no title: %s", picture.File, words)
		}
		for _, no := range []string{"var(", "@media", "href"} {
			if strings.Contains(picture.SVG, no) {
				t.Errorf("%s has %q", picture.File, no)
			}
		}
	}
	if got := strings.Join(files, " "); got != "estimates convergence flow timeline" {
		t.Errorf("files %s", got)
	}
	if text := all[0].SVG; !strings.Contains(text, "budget: 1,000 cycles") {
		t.Errorf("no budget in %s", text)
	}
	if all, err := Pictures(&estimate.Analysis{}, nil, 1e9); err != nil || len(all) != 0 {
		t.Errorf("of nothing: %v, %v", all, err)
	}
}
