package ptx

import (
	"os"
	"strings"
	"testing"
)

// TestRefusedDocumented finds each family of refused instructions in the page that lists them, itself or one with a shorter
// name to which it belongs.
func TestRefusedDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/machine-model/execution.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## What is refused")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, f := range families {
		for prefix := range strings.FieldsSeq(f.prefixes) {
			words, found := strings.Split(prefix, "."), false
			for n := range words {
				found = found || strings.Contains(section, "`"+strings.Join(words[:n+1], ".")+"`")
			}
			if !found {
				t.Errorf("no %s in the list of what is refused", prefix)
			}
		}
	}
}
