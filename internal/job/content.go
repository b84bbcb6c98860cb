package job

import (
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"warpbound/internal/isa"
	"warpbound/internal/suggest"
)

// ContentKind tells how contents are made.
type ContentKind uint8

// The kinds of contents.
const (
	Zeros   ContentKind = iota
	Iota                // 0, 1, 2, ...
	Uniform             // sampled anew for every vector
	Fixed               // Data
	Unset               // nothing: a read of what the kernel has not written is a mistake
)

// Content says what a number or the elements of a buffer are. A Uniform integer
// is Base plus 0 to Span inclusive, modulo two to the width of its type; a
// Uniform float is at least Low and less than High, or equal to both.
type Content struct {
	Kind       ContentKind
	Data       []byte    // little-endian
	Pointers   []Pointer // in Data, by their places
	Base, Span uint64
	Low, High  float64
}

// anySize stands for a size in bytes that is not known beforehand.
const anySize = -1

// maxData is the largest data file in bytes: MaxBytes and room for a header.
const maxData = MaxBytes + 1<<16

// contents reads what a buffer of count elements holds; zeros if nothing is said.
func (r *reader) contents(t table, typ isa.Type, count int64) Content {
	var c Content
	var pointers []pointerKey
	size := count * int64(typ.Bytes())
	switch r.choice(t, "init", "values", "hex", "file") {
	case "":
	case "init":
		c = r.init(t, typ, count)
	default:
		if list, ok := t.values["values"].([]any); ok {
			list, pointers = among(t, typ, list)
			t = t.with("values", list)
		}
		c = Content{Kind: Fixed, Data: r.fixed(t, typ, size)}
	}
	return r.withPointers(t, typ, int(size), c, pointers)
}

var uniformPattern = regexp.MustCompile(`^\s*uniform\s*\(\s*([^\s,()]+)\s*,\s*([^\s,()]+)\s*\)\s*$`)

func (r *reader) init(t table, typ isa.Type, count int64) Content {
	text, ok := t.text("init")
	if !ok {
		return Content{}
	}
	switch strings.TrimSpace(text) {
	case "zeros":
		return Content{}
	case "iota":
		if maximum := iotaMax(typ); count > maximum {
			r.errorf(t.pos("init"), "iota counts up to %d in %s, not to %d", maximum-1, typ, count-1)
		}
		return Content{Kind: Iota}
	case "unset":
		return Content{Kind: Unset}
	}
	c, err := parseUniform(text, typ)
	if err != nil {
		r.errorf(t.pos("init"), "init %w", err)
	}
	return c
}

func parseUniform(text string, typ isa.Type) (Content, error) {
	m := uniformPattern.FindStringSubmatch(text)
	if m == nil {
		word, bounds, given := strings.Cut(text, "(")
		meant := suggest.Nearest(word, []string{"zeros", "iota", "unset", "uniform"})
		switch {
		case len(meant) == 0 || meant[0] == "uniform" && !given:
			return Content{}, fmt.Errorf(`is %.40q; it must be "zeros", "iota", "unset" or "uniform(lo, hi)"`, text)
		case meant[0] != "uniform":
			return Content{}, fmt.Errorf("is %.40q%s", text, suggest.Question(meant))
		case word == "uniform":
			return Content{}, fmt.Errorf("is %.40q; it must have two bounds: uniform(lo, hi)", text)
		}
		return Content{}, fmt.Errorf("is %.40q%s", text, suggest.Question([]string{"uniform(" + bounds}))
	}
	lo, err := parseNumber(m[1])
	if err != nil {
		return Content{}, err
	}
	hi, err := parseNumber(m[2])
	if err != nil {
		return Content{}, err
	}
	return uniform(typ, lo, hi)
}

// fixed reads values, hex or file, whichever is there; nil if that fails, or if
// the job has asked for too much memory already. size is in bytes, or anySize.
func (r *reader) fixed(t table, typ isa.Type, size int64) []byte {
	if r.bytes > MaxBytes {
		return nil
	}
	var data []byte
	var err error
	key := r.choice(t, "values", "hex", "file")
	switch key {
	case "values":
		list, ok := t.list(key)
		if !ok {
			return nil
		}
		data, err = fromValues(typ, list, size)
	case "hex":
		text, ok := t.text(key)
		if !ok {
			return nil
		}
		data, err = fromHex(typ, text, size)
	case "file":
		name, ok := t.text(key)
		if !ok {
			return nil
		}
		data, err = r.fromFile(typ, name, size)
	}
	if err != nil {
		r.errorf(t.pos(key), "%s %w", key, err)
		return nil
	}
	return data
}

func fromValues(typ isa.Type, list []any, size int64) ([]byte, error) {
	if want := size / int64(typ.Bytes()); size != anySize && int64(len(list)) != want {
		return nil, fmt.Errorf("has %d elements; it must have %d", len(list), want)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("is empty")
	}
	each := typ.Bytes()
	data := make([]byte, len(list)*each)
	for i, v := range list {
		bits, err := encode(typ, v)
		if err != nil {
			return nil, fmt.Errorf("element %d %w", i+1, err)
		}
		putBits(data[i*each:(i+1)*each], bits)
	}
	return data, nil
}

func fromHex(typ isa.Type, text string, size int64) ([]byte, error) {
	digits := strings.Join(strings.Fields(text), "")
	data, err := hex.DecodeString(digits)
	if err != nil {
		found := "one digit is left over"
		if at := strings.IndexFunc(digits, func(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF", r) }); at >= 0 {
			r, _ := utf8.DecodeRuneInString(digits[at:])
			found = fmt.Sprintf("%q is none", r)
		}
		return nil, fmt.Errorf("is not a sequence of two hexadecimal digits for each byte: %s", found)
	}
	return data, checkSize(typ, int64(len(data)), size)
}

// fromFile reads a data file: NumPy's format if its name says so, else raw bytes.
func (r *reader) fromFile(typ isa.Type, name string, size int64) ([]byte, error) {
	data, err := r.open(name)
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	if strings.EqualFold(filepath.Ext(name), ".npy") {
		if data, err = parseNPY(data, typ); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := checkSize(typ, int64(len(data)), size); err != nil {
		return nil, fmt.Errorf("%s %w", name, err)
	}
	return data, nil
}

// checkSize compares the size of data with the one wanted, all in bytes.
func checkSize(typ isa.Type, got, want int64) error {
	each := int64(typ.Bytes())
	switch {
	case want == anySize && (got == 0 || got%each != 0):
		return fmt.Errorf("has %d bytes; %s needs a multiple of %d", got, typ, each)
	case want != anySize && got != want:
		return fmt.Errorf("has %d bytes; %d of %s need %d", got, want/each, typ, want)
	}
	return nil
}
