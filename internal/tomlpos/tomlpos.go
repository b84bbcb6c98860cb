// Package tomlpos says where things stand in TOML documents: their keys (Index), and what is
// wrong with them when they are decoded (Decode).
//
// It imports diag, internal/suggest and the TOML library, and must import nothing else of this project: it knows
// no document's meaning.
package tomlpos

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"warpbound/diag"
	"warpbound/internal/suggest"
)

// ErrKeys is the error of a document that mentions more keys than its reader allows.
var ErrKeys = errors.New("too many keys")

// Decode decodes a document into v. The error names what is no TOML, what has a type other than
// its field, and every key that no field has, each with its position; it is a diag.Error or
// several joined.
func Decode(file string, src []byte, v any) error {
	err := toml.NewDecoder(bytes.NewReader(src)).DisallowUnknownFields().Decode(v)
	if err == nil {
		return nil
	}
	if bytes.IndexByte(src, 0) >= 0 {
		return diag.Errorf(start(file), "not TOML: the file is not text")
	}
	var unknown *toml.StrictMissingError
	var at *toml.DecodeError
	var errs diag.List
	switch {
	case errors.As(err, &unknown):
		for i := range unknown.Errors {
			e := &unknown.Errors[i]
			key := e.Key()
			errs.Add(diag.Errorf(place(file, e), "unknown key %q%s", key[len(key)-1], suggest.Mean(key[len(key)-1], keys(v, key[:len(key)-1]))))
		}
	case errors.As(err, &at):
		text := strings.TrimPrefix(at.Error(), "toml: ")
		if kind, isType := strings.CutPrefix(text, "cannot decode TOML "); isType {
			kind, _, _ = strings.Cut(kind, " into ")
			text = strings.Join(at.Key(), ".") + ": a TOML " + kind + " cannot stand here"
		}
		errs.Add(diag.Errorf(place(file, at), "%s", plain(text)))
	default:
		errs.Add(diag.Errorf(start(file), "%s", strings.TrimPrefix(err.Error(), "toml: ")))
	}
	return errs.Err()
}

// plain says of some texts that are no TOML what their writer has forgotten, where the library says what
// it has met instead.
func plain(text string) string {
	switch {
	case strings.HasPrefix(text, "unexpected character U+000A"), strings.HasPrefix(text, "unexpected character U+000D"):
		return "the value is missing"
	case strings.HasPrefix(text, "unexpected character") && strings.HasSuffix(text, "at start of value"):
		return strings.TrimSuffix(text, "at start of value") + `where a value begins; text needs quotes, such as "text"`
	case strings.HasSuffix(text, "strings cannot have new lines"):
		return "the text has no closing quote in its line"
	case strings.HasSuffix(text, "already exists as a table, but should be an array table"):
		name, _, _ := strings.Cut(strings.TrimPrefix(text, "key "), " ")
		return fmt.Sprintf("[[%s]] after a table [%s]; write [[%s]] for each of several", name, name, name)
	}
	return text
}

// keys returns the keys that the table at a path of the decoded value may have, if its type says so.
func keys(v any, path []string) []string {
	t := inner(reflect.TypeOf(v))
	for _, name := range path {
		switch t.Kind() {
		case reflect.Struct:
			f, known := field(t, name)
			if !known {
				return nil
			}
			t = inner(f.Type)
		case reflect.Map:
			t = inner(t.Elem())
		default:
			return nil
		}
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var names []string
	for _, f := range reflect.VisibleFields(t) {
		if f.IsExported() && !f.Anonymous && keyOf(f) != "-" {
			names = append(names, keyOf(f))
		}
	}
	return names
}

// inner is the type of the values behind pointers and in arrays.
func inner(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		t = t.Elem()
	}
	return t
}

// field finds the field of a struct that a key is decoded into.
func field(t reflect.Type, key string) (reflect.StructField, bool) {
	for _, f := range reflect.VisibleFields(t) {
		if strings.EqualFold(keyOf(f), key) {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

// keyOf is the key of a field.
func keyOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
	return cmp.Or(name, strings.ToLower(f.Name))
}

func place(file string, e *toml.DecodeError) diag.Pos {
	line, col := e.Position()
	return diag.Pos{File: file, Line: int32(line), Col: int32(col)}
}

// start is where a document begins.
func start(file string) diag.Pos { return diag.Pos{File: file, Line: 1, Col: 1} }

// Mark is where a key or an array's element stands, with those below it.
type Mark struct {
	Pos   diag.Pos         // of the key's first mention; of an inline element that of its array
	Text  diag.Pos         // of the first byte in the quotes of a string, if the bytes there are those of the string; zero of others
	Keys  map[string]*Mark // of a table; nil if it has none
	Elems []*Mark          // of an array of tables
	// Values is how many values an array has whose first one is no table.
	Values int
}

// Paths returns the positions of all keys below a mark, by path: the names, and the indices of elements of arrays, joined by points.
// Of several keys with the same path it is the first.
func (m *Mark) Paths() map[string]diag.Pos {
	at := make(map[string]diag.Pos)
	var walk func(m *Mark, prefix string)
	walk = func(m *Mark, prefix string) {
		for name, below := range m.Keys {
			path := name
			if prefix != "" {
				path = prefix + "." + name
			}
			if first, known := at[path]; !known || below.Pos.Compare(first) < 0 {
				at[path] = below.Pos
			}
			walk(below, path)
			for i, element := range below.Elems {
				path := path + "." + strconv.Itoa(i)
				at[path] = element.Pos
				walk(element, path)
			}
		}
	}
	walk(m, "")
	return at
}

// index records where the keys of a document stand.
type index struct {
	file  string
	src   []byte
	lines []int // offset of each line's first byte
	keys  int   // mentions of keys
	root  *Mark
	table *Mark // to which the next keys belong
}

// Index returns the mark of a document with those of all its keys. It is ErrKeys if the document
// mentions more keys than most, and an error without a position if it is no TOML; Decode knows
// the place then, and what is wrong with a document beyond its syntax.
func Index(file string, src []byte, maximum int) (*Mark, error) {
	root := &Mark{Pos: start(file)}
	d := &index{file: file, src: src, lines: []int{0}, root: root, table: root}
	for i, c := range src {
		if c == '\n' {
			d.lines = append(d.lines, i+1)
		}
	}
	var p unstable.Parser
	p.Reset(src)
	for d.keys <= maximum && p.NextExpression() {
		d.expression(p.Expression())
	}
	if d.keys > maximum {
		return nil, ErrKeys
	}
	if err := p.Error(); err != nil {
		return nil, err
	}
	return root, nil
}

func (d *index) expression(e *unstable.Node) {
	if e.Kind == unstable.KeyValue {
		d.keyValue(d.table, e)
		return
	}
	at := d.root
	for it := e.Key(); it.Next(); {
		at = d.below(at, it.Node())
		if e.Kind == unstable.ArrayTable && it.IsLast() {
			at.Elems = append(at.Elems, &Mark{Pos: d.position(it.Node())})
		}
		if n := len(at.Elems); n > 0 {
			at = at.Elems[n-1]
		}
	}
	d.table = at
}

func (d *index) keyValue(at *Mark, e *unstable.Node) {
	for it := e.Key(); it.Next(); {
		at = d.below(at, it.Node())
	}
	d.value(at, e.Value())
}

// value records the keys of inline tables. Arrays without any get no marks.
func (d *index) value(at *Mark, v *unstable.Node) {
	switch v.Kind {
	case unstable.String:
		if first := int(v.Raw.Offset) + 1; bytes.HasPrefix(d.src[first:], v.Data) {
			at.Text = d.place(first)
		}
	case unstable.InlineTable:
		for it := v.Children(); it.Next(); {
			d.keyValue(at, it.Node())
		}
	case unstable.Array:
		for it := v.Children(); it.Next(); {
			switch kind := it.Node().Kind; {
			case kind != unstable.InlineTable && len(at.Elems) > 0:
				return
			case kind != unstable.InlineTable || at.Values > 0:
				at.Values++
				continue
			}
			elem := &Mark{Pos: at.Pos}
			at.Elems = append(at.Elems, elem)
			d.value(elem, it.Node())
		}
	}
}

// below returns the mark of a key, which is made at its first mention.
func (d *index) below(at *Mark, key *unstable.Node) *Mark {
	d.keys++
	name := string(key.Data)
	m := at.Keys[name]
	if m == nil {
		m = &Mark{Pos: d.position(key)}
		if at.Keys == nil {
			at.Keys = make(map[string]*Mark)
		}
		at.Keys[name] = m
	}
	return m
}

func (d *index) position(n *unstable.Node) diag.Pos { return d.place(int(n.Raw.Offset)) }

// place is the position of a byte.
func (d *index) place(offset int) diag.Pos {
	line, found := slices.BinarySearch(d.lines, offset)
	if !found {
		line--
	}
	return diag.Pos{File: d.file, Line: int32(line + 1), Col: int32(offset - d.lines[line] + 1)}
}
