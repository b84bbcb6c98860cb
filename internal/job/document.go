package job

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"warpbound/diag"
	"warpbound/internal/suggest"
	"warpbound/internal/tomlpos"
)

// maxKeys bounds the mentions of keys: the decoder's time grows with their square.
const maxKeys = 20_000

// maxErrors is how many errors are gathered before the rest is dropped.
const maxErrors = 20

// document is a TOML file: its values and where their keys stand.
type document struct {
	file string
	root table
	errs diag.List

	meant []string // keys that may be what unknown ones were meant to be
}

// parseDocument decodes the text. The values come from the decoder, which also finds duplicate
// keys; the positions from the syntax tree.
func parseDocument(file string, src []byte) (*document, error) {
	start := diag.Pos{File: file, Line: 1, Col: 1}
	if len(src) > MaxText {
		return nil, diag.Errorf(start, "job has %d bytes; at most %d are read", len(src), MaxText)
	}
	// A text that is no TOML is reported by the decoder, which knows the place.
	root, indexed := tomlpos.Index(file, src, maxKeys)
	if errors.Is(indexed, tomlpos.ErrKeys) {
		return nil, diag.Errorf(start, "job has more than %d keys", maxKeys)
	}
	values := make(map[string]any)
	if err := tomlpos.Decode(file, src, &values); err != nil {
		return nil, err
	}
	if indexed != nil {
		return nil, diag.Errorf(start, "%w", indexed)
	}
	d := &document{file: file}
	d.root = table{doc: d, mark: root, values: values}
	return d, nil
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
	mark   *tomlpos.Mark
	values map[string]any
	field  bool // of a struct, so that it may say where it lies
}

// with returns the table with another value of a key.
func (t table) with(key string, value any) table {
	t.values = maps.Clone(t.values)
	t.values[key] = value
	return t
}

func (t table) has(key string) bool {
	_, ok := t.values[key]
	return ok
}

// pos returns the position of a key, or of the table if the key is not there.
func (t table) pos(key string) diag.Pos {
	if m := t.mark.Keys[key]; m != nil {
		return m.Pos
	}
	return t.mark.Pos
}

// sorted returns the keys in the order in which they stand in the file; by name if their positions
// have no lines.
func (t table) sorted() []string {
	return slices.SortedFunc(maps.Keys(t.values), func(a, b string) int {
		p, q := t.pos(a), t.pos(b)
		return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col), strings.Compare(a, b))
	})
}

// only reports every key but the given ones.
func (t table) only(what string, keys ...string) {
	if t.field && !slices.Contains(keys, "offset") {
		keys = append(keys, "offset")
	}
	for _, key := range t.sorted() {
		if !slices.Contains(keys, key) {
			near := suggest.Nearest(key, keys)
			t.doc.meant = append(t.doc.meant, near...)
			t.doc.errorf(t.pos(key), "unknown key %.40q%s", key, suggest.HintOf(what+" has", key, keys))
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
	case float64:
		text := fmt.Sprint(v)
		if v == math.Trunc(v) && !strings.ContainsAny(text, "e.I") {
			text += ".0" // as it is written: no integer
		}
		return text
	case int64, bool:
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
	if !t.has(key) && !slices.Contains(t.doc.meant, key) {
		t.doc.errorf(t.mark.Pos, "%s is missing; for example: %s = %q", key, key, example)
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
	return table{doc: t.doc, mark: t.mark.Keys[key], values: v}, true
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
		all = append(all, table{doc: t.doc, mark: t.mark.Keys[key].Elems[i], values: values})
	}
	return all
}
