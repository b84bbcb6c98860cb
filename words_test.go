package warpbound_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// wordList is testdata/words.txt: words that the project once used where the field has others.
type wordList struct {
	words   map[string]string   // of names of identifiers and files, with what to say instead
	names   map[string]string   // whole identifiers, likewise
	phrases map[string][]phrase // of comments, strings and documents, by their first word
	allowed []*allowance
}

type phrase struct {
	words   []string
	instead string
}

// allowance lets a word, name or phrase stand in some packages or documents.
type allowance struct {
	text  string
	where string // a package's folder without what is before it, a file's name, or *
	used  bool
}

func readWords(t *testing.T) *wordList {
	t.Helper()
	list, err := os.ReadFile("testdata/words.txt")
	if err != nil {
		t.Fatal(err)
	}
	l := &wordList{words: make(map[string]string), names: make(map[string]string), phrases: make(map[string][]phrase)}
	for i, line := range strings.Split(string(list), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) < 3 || slices.Contains(fields, "") {
			t.Fatalf("testdata/words.txt:%d: %q is not a kind, a text and more, with tabs between", i+1, line)
		}
		switch kind, text := fields[0], fields[1]; {
		case kind == "word":
			l.words[text] = fields[2]
		case kind == "name":
			l.names[text] = fields[2]
		case kind == "phrase":
			words := strings.Fields(text)
			l.phrases[words[0]] = append(l.phrases[words[0]], phrase{words, fields[2]})
		case kind == "allow" && len(fields) == 4:
			l.allowed = append(l.allowed, &allowance{text: text, where: fields[2]})
		default:
			t.Fatalf("testdata/words.txt:%d: %q is no word, name, phrase or allow with its place and reason", i+1, line)
		}
	}
	return l
}

// allows reports whether a text may stand in a file.
func (l *wordList) allows(text, path string) bool {
	found := false
	for _, a := range l.allowed {
		if a.text == text && (a.where == "*" || a.where == filepath.Base(path) || a.where == filepath.Base(filepath.Dir(path))) {
			a.used, found = true, true
		}
	}
	return found
}

// name checks an identifier or a file's name.
func (l *wordList) name(t *testing.T, name, path, at string) {
	if instead, ok := l.names[name]; ok && !l.allows(name, path) {
		t.Errorf("%s: the name %s: say %s", at, name, instead)
	}
	words := camelWords(name)
	for i, w := range words {
		instead, ok := l.words[w]
		if !ok || (w == "least" || w == "most") && i > 0 && words[i-1] == "at" {
			continue
		}
		if !l.allows(w, path) && !l.allows(name, path) {
			t.Errorf("%s: %q in the name %s: say %s", at, w, name, instead)
		}
	}
}

// text checks a comment, a string or a document, of which line is the number of the first line.
func (l *wordList) text(t *testing.T, text, path string, line int) {
	type word struct {
		text string
		line int
	}
	var words []word
	begin := -1
	for i, r := range text + " " {
		inside := unicode.IsLetter(r) || r == '-' && begin >= 0 || r == '\'' && begin >= 0
		switch {
		case inside && begin < 0:
			begin = i
		case !inside && begin >= 0:
			words = append(words, word{strings.ToLower(strings.TrimRight(text[begin:i], "-'")), line})
			begin = -1
		}
		if strings.ContainsRune(".;:()", r) {
			words = append(words, word{".", line}) // no phrase goes on behind it
		}
		if r == '\n' {
			line++
		}
	}
	for i, w := range words {
		for _, p := range l.phrases[w.text] {
			if len(words)-i < len(p.words) {
				continue
			}
			matches := true
			for k := range p.words {
				matches = matches && words[i+k].text == p.words[k]
			}
			if all := strings.Join(p.words, " "); matches && !l.allows(all, path) {
				t.Errorf("%s:%d: %q: say %s", path, w.line, all, p.instead)
			}
		}
	}
}

// camelWords splits a name into its words, in lower case.
func camelWords(name string) []string {
	var words []string
	runes := []rune(name)
	begin := 0
	flush := func(end int) {
		if end > begin {
			words = append(words, strings.ToLower(string(runes[begin:end])))
		}
		begin = end
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r):
			flush(i)
			begin = i + 1
		case i > begin && unicode.IsUpper(r) && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			flush(i)
		}
	}
	flush(len(runes))
	return words
}

var (
	// jsonNames are keys, in tags of fields too, which stay what they are.
	jsonNames = regexp.MustCompile("`(json|toml):\"[^`]*`|\"[a-z_]+\"\\s*:")
	// codeSpans of documents quote keys, labels and programs.
	codeSpans = regexp.MustCompile("`[^`\n]+`")
)

// goFile checks the identifiers, comments and strings of a file. Comments in a row are one text.
func (l *wordList) goFile(t *testing.T, path string, src []byte) {
	var s scanner.Scanner
	set := token.NewFileSet()
	file := set.AddFile(path, -1, len(src))
	s.Init(file, src, nil, scanner.ScanComments)
	var comments strings.Builder
	first, last := 0, 0
	flush := func() {
		if comments.Len() > 0 {
			l.text(t, comments.String(), path, first)
			comments.Reset()
		}
	}
	checked := make(map[string]bool)
	for {
		pos, tok, lit := s.Scan()
		line := file.Line(pos)
		if tok != token.COMMENT || line != last+1 {
			flush()
		}
		switch tok {
		case token.EOF:
			return
		case token.IDENT:
			if !checked[lit] {
				checked[lit] = true
				l.name(t, lit, path, path+":"+strconv.Itoa(line))
			}
		case token.COMMENT:
			if comments.Len() == 0 {
				first = line
			}
			last = line + strings.Count(lit, "\n")
			comments.WriteString(strings.TrimPrefix(lit, "//") + "\n")
		case token.STRING:
			l.text(t, jsonNames.ReplaceAllString(lit, "."), path, line)
		}
	}
}

// TestWords checks that names, comments, messages and documents say what the field says:
// nothing that testdata/words.txt lists is left, but where it allows it and tells why.
func TestWords(t *testing.T) {
	l := readWords(t)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != "." && (strings.HasPrefix(name, ".") || name == "corpus" || name == "fuzz" || name == "shared") {
				return filepath.SkipDir
			}
			return nil
		}
		if path == "words_test.go" || path == filepath.Join("testdata", "words.txt") {
			return nil
		}
		extension := filepath.Ext(name)
		if !slices.Contains([]string{".go", ".md", ".txtar", ".txt", ".golden", ".html"}, extension) {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		l.name(t, strings.TrimSuffix(name, extension), path, path)
		l.name(t, filepath.Base(filepath.Dir(path)), path, path)
		if extension == ".go" {
			l.goFile(t, path, src)
			return nil
		}
		text := jsonNames.ReplaceAllString(string(src), ".")
		if extension == ".md" {
			text = codeSpans.ReplaceAllString(text, ".")
		}
		l.text(t, text, path, 1)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range l.allowed {
		if !a.used {
			t.Errorf("testdata/words.txt allows %q in %s, where it is not", a.text, a.where)
		}
	}
}

// TestWordsFindThemselves checks the check: each entry is found in a text of its own.
func TestWordsFindThemselves(t *testing.T) {
	if got, want := camelWords("startWarpSplitsAtIPv4"), []string{"start", "warp", "splits", "at", "i", "pv"}; !slices.Equal(got, want) {
		t.Errorf("words %q, want %q", got, want)
	}
	l := readWords(t)
	for _, text := range slices.Sorted(maps.Keys(l.phrases)) {
		if text != strings.ToLower(text) {
			t.Errorf("the phrases that begin with %q are not in lower case", text)
		}
	}
	for text := range l.words {
		if w := camelWords(text); len(w) != 1 || w[0] != text {
			t.Errorf("%q is not one word in lower case", text)
		}
	}
}
