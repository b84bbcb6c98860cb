package job

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"warpbound/internal/diag"
)

// maxKeys bounds the mentions of keys: the decoder's time grows with their square.
const maxKeys = 20_000

// maxErrors is how many errors are gathered before the rest is dropped.
const maxErrors = 20

// document is a TOML file: its values and where their keys stand.
type document struct {
	file  string
	root  table
	errs  diag.List
	lines []int // offset of each line's first byte
	keys  int   // mentions of keys
}

// mark is the position of a key or of an array's element, with those below it.
type mark struct {
	pos   diag.Pos
	keys  map[string]*mark
	elems []*mark
}

// parseDocument decodes the text. The values come from the library's decoder,
// which also finds duplicate keys; the positions from its syntax tree.
func parseDocument(file string, src []byte) (*document, error) {
	start := diag.Pos{File: file, Line: 1, Col: 1}
	if len(src) > MaxText {
		return nil, diag.Errorf(start, "job has %d bytes; at most %d are read", len(src), MaxText)
	}
	d := &document{file: file, lines: []int{0}}
	for i, c := range src {
		if c == '\n' {
			d.lines = append(d.lines, i+1)
		}
	}
	// A text that is no TOML is reported by the decoder, which knows the place.
	root := &mark{pos: start}
	indexed := d.index(root, src)
	if d.keys > maxKeys {
		return nil, diag.Errorf(start, "job has more than %d keys", maxKeys)
	}
	values := make(map[string]any)
	if err := toml.Unmarshal(src, &values); err != nil {
		if de := (*toml.DecodeError)(nil); errors.As(err, &de) {
			line, col := de.Position()
			start.Line, start.Col = int32(line), int32(col)
		}
		return nil, diag.Errorf(start, "%s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	if indexed != nil {
		return nil, diag.Errorf(start, "%w", indexed)
	}
	d.root = table{doc: d, mark: root, values: values}
	return d, nil
}

// index records where the keys stand.
func (d *document) index(root *mark, src []byte) error {
	var p unstable.Parser
	p.Reset(src)
	at := root
	for d.keys <= maxKeys && p.NextExpression() {
		e := p.Expression()
		if e.Kind == unstable.KeyValue {
			d.indexKeyValue(at, e)
			continue
		}
		at = root
		for it := e.Key(); it.Next(); {
			at = d.below(at, it.Node())
			if e.Kind == unstable.ArrayTable && it.IsLast() {
				at.elems = append(at.elems, &mark{pos: d.position(it.Node())})
			}
			if n := len(at.elems); n > 0 {
				at = at.elems[n-1]
			}
		}
	}
	return p.Error()
}

func (d *document) indexKeyValue(at *mark, e *unstable.Node) {
	for it := e.Key(); it.Next(); {
		at = d.below(at, it.Node())
	}
	d.indexValue(at, e.Value())
}

// indexValue records the keys of inline tables. Arrays without any get no marks.
func (d *document) indexValue(at *mark, v *unstable.Node) {
	switch v.Kind {
	case unstable.InlineTable:
		for it := v.Children(); it.Next(); {
			d.indexKeyValue(at, it.Node())
		}
	case unstable.Array:
		for it := v.Children(); it.Next(); {
			if it.Node().Kind != unstable.InlineTable {
				return
			}
			elem := &mark{pos: at.pos}
			at.elems = append(at.elems, elem)
			d.indexValue(elem, it.Node())
		}
	}
}

// below returns the mark of a key, which is made at its first mention.
func (d *document) below(at *mark, key *unstable.Node) *mark {
	d.keys++
	name := string(key.Data)
	m := at.keys[name]
	if m == nil {
		m = &mark{pos: d.position(key)}
		if at.keys == nil {
			at.keys = make(map[string]*mark)
		}
		at.keys[name] = m
	}
	return m
}

func (d *document) position(n *unstable.Node) diag.Pos {
	offset := int(n.Raw.Offset)
	line, found := slices.BinarySearch(d.lines, offset)
	if !found {
		line--
	}
	return diag.Pos{File: d.file, Line: int32(line + 1), Col: int32(offset - d.lines[line] + 1)}
}

func (d *document) errorf(pos diag.Pos, format string, args ...any) {
	if d.errs.Len() < maxErrors {
		d.errs.Add(diag.Errorf(pos, format, args...))
	}
}

// table is a TOML table. Its accessors report a value of a wrong type and
// return false for it, as for a key that is not there.
type table struct {
	doc    *document
	mark   *mark
	values map[string]any
}

func (t table) has(key string) bool {
	_, ok := t.values[key]
	return ok
}

// pos returns the position of a key, or of the table if the key is not there.
func (t table) pos(key string) diag.Pos {
	if m := t.mark.keys[key]; m != nil {
		return m.pos
	}
	return t.mark.pos
}

// sorted returns the keys in the order in which they stand in the file.
func (t table) sorted() []string {
	return slices.SortedFunc(maps.Keys(t.values), func(a, b string) int {
		if c := t.pos(a).Compare(t.pos(b)); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
}

// only reports every key but the given ones.
func (t table) only(what string, keys ...string) {
	for _, key := range t.sorted() {
		if !slices.Contains(keys, key) {
			t.doc.errorf(t.pos(key), "unknown key %.40q; %s has %s", key, what, strings.Join(keys, ", "))
		}
	}
}

// wrong reports that the value of a key has not the wanted type.
func (t table) wrong(key, want string) {
	t.doc.errorf(t.pos(key), "%s must be %s, not %s", key, want, kindOf(t.values[key]))
}

func kindOf(v any) string {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("the string %.40q", v)
	case int64, float64, bool:
		return fmt.Sprint(v)
	case []any:
		return "an array"
	case map[string]any:
		return "a table"
	}
	return "a date or time"
}

// text returns a string that is not empty.
func (t table) text(key string) (string, bool) {
	if !t.has(key) {
		return "", false
	}
	s, ok := t.values[key].(string)
	if !ok {
		t.wrong(key, "a string")
	} else if s == "" {
		t.doc.errorf(t.pos(key), "%s is empty", key)
		ok = false
	}
	return s, ok
}

// required is text for a key that must be there.
func (t table) required(key, example string) (string, bool) {
	if !t.has(key) {
		t.doc.errorf(t.mark.pos, "%s is missing; for example: %s = %q", key, key, example)
	}
	return t.text(key)
}

// integer returns an integer from lo to hi.
func (t table) integer(key string, lo, hi int64) (int64, bool) {
	if !t.has(key) {
		return 0, false
	}
	v, ok := t.values[key].(int64)
	if !ok {
		t.wrong(key, "an integer")
	} else if v < lo || v > hi {
		t.doc.errorf(t.pos(key), "%s is %d; it must be from %d to %d", key, v, lo, hi)
		ok = false
	}
	return v, ok
}

// list returns an array.
func (t table) list(key string) ([]any, bool) {
	if !t.has(key) {
		return nil, false
	}
	v, ok := t.values[key].([]any)
	if !ok {
		t.wrong(key, "an array")
	}
	return v, ok
}

// table returns a table.
func (t table) table(key string) (table, bool) {
	if !t.has(key) {
		return table{}, false
	}
	v, ok := t.values[key].(map[string]any)
	if !ok {
		t.wrong(key, "a table")
		return table{}, false
	}
	return table{doc: t.doc, mark: t.mark.keys[key], values: v}, true
}

// tables returns the elements of an array of tables.
func (t table) tables(key string) []table {
	if !t.has(key) {
		return nil
	}
	list, ok := t.values[key].([]any)
	if !ok {
		t.wrong(key, "an array of tables, each begun with [["+key+"]]")
		return nil
	}
	var all []table
	for i, v := range list {
		values, ok := v.(map[string]any)
		if !ok {
			t.doc.errorf(t.pos(key), "element %d of %s must be a table, not %s", i+1, key, kindOf(v))
			return nil
		}
		all = append(all, table{doc: t.doc, mark: t.mark.keys[key].elems[i], values: values})
	}
	return all
}
