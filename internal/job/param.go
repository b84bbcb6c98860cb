package job

import (
	"fmt"
	"slices"
	"strings"

	"warpbound/diag"
	"warpbound/internal/isa"
	"warpbound/internal/suggest"
)

// maxStruct is the largest struct by value in bytes: PTX allows no larger block
// of parameters.
const maxStruct = 32764

// sharedType is what a job writes as the type of a SharedPtr.
const sharedType = "shared"

// valueTypes are the types of numbers that a job may name.
var valueTypes = [...]isa.Type{
	isa.U8, isa.U16, isa.U32, isa.U64, isa.S8, isa.S16, isa.S32, isa.S64,
	isa.B8, isa.B16, isa.B32, isa.B64, isa.F16, isa.BF16, isa.F32, isa.F64,
}

// param reads a parameter. Which keys it has tells its kind.
func (r *reader) param(t table) Param {
	p := Param{Pos: t.mark.Pos}
	p.Name, _ = t.required("name", "n")
	switch {
	case t.has("same"):
		r.view(t, &p)
	case t.field && t.has("array"):
		r.array(t, &p)
	case t.values["type"] == sharedType:
		r.sharedPtr(t, &p)
	case t.has("bytes"):
		r.byValue(t, &p)
	case t.has("count"):
		r.buffer(t, &p)
	default:
		r.scalar(t, &p)
	}
	return p
}

func (r *reader) sharedPtr(t table, p *Param) {
	t.only("a param of type shared", "name", "type", "count")
	p.Kind, p.Type = SharedPtr, isa.B8
	p.Bytes = int(r.count(t, "count", 1, MaxBytes))
}

func (r *reader) byValue(t table, p *Param) {
	t.only("a struct by value", "name", "type", "bytes", "hex", "file", "pointers")
	p.Kind = Struct
	typ, ok := r.valueType(t)
	if ok && typ != isa.U8 && typ != isa.B8 {
		r.errorf(t.pos("type"), `a struct by value has type = "u8", not %q`, typ)
	}
	p.Type = typ
	p.Bytes = int(r.count(t, "bytes", 1, maxStruct))
	if t.has("bytes") && !t.has("hex") && !t.has("file") {
		r.errorf(p.Pos, "the struct has no contents; give hex or file")
	}
	if ok && p.Bytes > 0 {
		p.Content = Content{Kind: Fixed, Data: r.fixed(t, typ, int64(p.Bytes))}
		p.Content = r.withPointers(t, typ, p.Bytes, p.Content, nil)
	}
}

func (r *reader) buffer(t table, p *Param) {
	t.only("a buffer", "name", "type", "count", "init", "values", "hex", "file", "pointers", "access")
	p.Kind = Buffer
	p.Access = r.access(t)
	typ, ok := r.valueType(t)
	if !ok {
		return
	}
	p.Type = typ
	count := r.count(t, "count", typ.Bytes(), MaxBytes/int64(typ.Bytes()))
	if count > 0 {
		p.Bytes = int(count) * typ.Bytes()
		p.Content = r.contents(t, typ, count)
	}
	if p.Access == ReadOnly && p.Content.Kind == Unset {
		r.errorf(t.pos("access"), `a buffer with init = "unset" has nothing to read unless the kernel writes it; leave access out`)
	}
}

func (r *reader) scalar(t table, p *Param) {
	for _, key := range []string{"init", "values", "hex", "file"} {
		if t.has(key) {
			r.errorf(t.pos(key), "%s needs a buffer: give its number of elements as count", key)
			return
		}
	}
	t.only("a number", "name", "type", "value", "range")
	typ, ok := r.valueType(t)
	if !ok {
		return
	}
	p.Type, p.Bytes = typ, typ.Bytes()
	switch key := r.choice(t, "value", "range"); key {
	case "value":
		bits, err := encode(typ, t.values[key])
		if err != nil {
			r.errorf(t.pos(key), "value %w", err)
		}
		p.Content = Content{Kind: Fixed, Data: littleEndian(bits, typ.Bytes())}
	case "range":
		p.Content = r.rangeOf(t, typ)
	default:
		r.errorf(p.Pos, "the param has no value; give value or range for a number, count for a buffer, same for a view of one, bytes for a struct")
	}
}

// rangeOf reads range = [lo, hi].
func (r *reader) rangeOf(t table, typ isa.Type) Content {
	list, ok := t.list("range")
	if !ok {
		return Content{}
	}
	if len(list) != 2 {
		r.errorf(t.pos("range"), "range has %d numbers; it must be [lo, hi]", len(list))
		return Content{}
	}
	var extremes [2]number
	for i, v := range list {
		end, err := numberOf(v)
		if err != nil {
			r.errorf(t.pos("range"), "range %w", err)
			return Content{}
		}
		extremes[i] = end
	}
	c, err := uniform(typ, extremes[0], extremes[1])
	if err != nil {
		r.errorf(t.pos("range"), "range %w", err)
	}
	return c
}

// count reads the number of elements of size bytes, at least 1, and claims the
// memory for them.
func (r *reader) count(t table, key string, size int, maximum int64) int64 {
	if !t.has(key) {
		r.errorf(t.mark.Pos, "%s is missing", key)
		return 0
	}
	n, ok := t.integer(key, 1, maximum)
	if !ok {
		return 0
	}
	r.claim(t.pos(key), n*int64(size))
	return n
}

// valueType reads the type of a number.
func (r *reader) valueType(t table) (isa.Type, bool) {
	name, ok := t.required("type", "u32")
	if !ok {
		return isa.Invalid, false
	}
	typ, ok := isa.TypeByName(name)
	if !ok || !slices.Contains(valueTypes[:], typ) {
		var names []string
		for _, known := range valueTypes {
			names = append(names, known.String())
		}
		hint := suggest.Mean(name, append(names, sharedType, structType))
		if hint == "" {
			hint = fmt.Sprintf("; the types are %s and, for parameters, %s and %s", strings.Join(names, ", "), sharedType, structType)
		}
		r.errorf(t.pos("type"), "unknown type %q%s", name, hint)
		return isa.Invalid, false
	}
	return typ, true
}

func (r *reader) symbol(t table) Symbol {
	t.only("a symbol", "name", "type", "values", "hex", "file")
	s := Symbol{Pos: t.mark.Pos}
	s.Name, _ = t.required("name", "table")
	typ, ok := r.valueType(t)
	if !ok {
		return s
	}
	s.Type = typ
	if !t.has("values") && !t.has("hex") && !t.has("file") {
		r.errorf(s.Pos, "the symbol has no contents; give values, hex or file")
	}
	s.Data = r.fixed(t, typ, anySize)
	r.claim(s.Pos, int64(len(s.Data)))
	return s
}

// choice returns which of the keys is there, and reports all but the first.
func (r *reader) choice(t table, keys ...string) string {
	first := ""
	for _, key := range t.sorted() {
		switch {
		case !slices.Contains(keys, key):
		case first == "":
			first = key
		default:
			r.conflict(t.pos(key), first, key)
		}
	}
	return first
}

func (r *reader) conflict(pos diag.Pos, a, b string) {
	r.errorf(pos, "%s and %s exclude each other; leave one out", a, b)
}
