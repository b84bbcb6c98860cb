package warpbound_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	mdCode    = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	mdBlock   = regexp.MustCompile("(?s)```.*?```")
	mdLink    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	mdHeading = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// TestDocumentLinks follows every link from a document to a file of the repository, and to
// a heading in it.
func TestDocumentLinks(t *testing.T) {
	anchors := map[string]map[string]bool{}
	texts := map[string]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != "." {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		texts[path] = mdCode.ReplaceAllString(string(text), "")
		anchors[path] = headingAnchors(string(text))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range texts {
		for _, link := range mdLink.FindAllStringSubmatch(text, -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			file, anchor, _ := strings.Cut(link[1], "#")
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", path, err)
			} else if anchor != "" && !anchors[target][anchor] {
				t.Errorf("%s: %s has no heading for #%s", path, target, anchor)
			}
		}
	}
}

// headingAnchors returns the anchors of a document's headings, as GitHub makes them: lower case,
// without punctuation, hyphens for spaces; a further heading of the same text has a number.
func headingAnchors(text string) map[string]bool {
	anchors := map[string]bool{}
	for _, heading := range mdHeading.FindAllStringSubmatch(mdBlock.ReplaceAllString(text, ""), -1) {
		anchor := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z':
				return r
			case r >= 'A' && r <= 'Z':
				return r - 'A' + 'a'
			}
			return -1
		}, strings.TrimSpace(heading[1]))
		unique := anchor
		for n := 1; anchors[unique]; n++ {
			unique = anchor + "-" + strconv.Itoa(n)
		}
		anchors[unique] = true
	}
	return anchors
}
