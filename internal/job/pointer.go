package job

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warpbound/diag"
	"warpbound/internal/isa"
)

// pointerBytes is the size of an address in structs and in what buffers hold.
const pointerBytes = 8

// Address is a place in a buffer.
type Address struct {
	Param int    // index of the buffer in Job.Params
	Bytes uint64 // from its start; at most its size
}

// Pointer is an address in the contents of a buffer or a struct. Inputs hold its Bytes there: no
// address is known before memory is laid out (see Relocate).
type Pointer struct {
	At int // in bytes
	To Address
}

// Relocate makes the contents of a parameter, as Inputs have them, what a kernel finds: it puts addresses
// where pointers are. address gives the address of a buffer by the index of its parameter.
func (j *Job) Relocate(param int, data []byte, address func(param int) uint64) {
	for _, p := range j.Params[param].Content.Pointers {
		binary.LittleEndian.PutUint64(data[p.At:], address(p.To.Param)+p.To.Bytes)
	}
}

// reference is a place in a buffer that a job names, perhaps before it tells of the buffer.
type reference struct {
	pos  diag.Pos
	what string // that names it, for messages
	text string
	set  func(Address)
}

// resolve finds what all references name.
func (r *reader) resolve(params []Param) {
	indices := make(map[string]int, len(params))
	for i := range params {
		indices[params[i].Name] = i
	}
	for _, ref := range r.references {
		to, err := parseAddress(ref.text, indices)
		if err == nil {
			err = to.check(params)
		}
		if err != nil {
			r.errorf(ref.pos, "%s %w", ref.what, err)
			continue
		}
		ref.set(to)
	}
}

// parseAddress reads the name of a parameter, perhaps with a number of bytes behind it: "x+16".
func parseAddress(text string, indices map[string]int) (Address, error) {
	if i, ok := indices[text]; ok {
		return Address{Param: i}, nil
	}
	if plus := strings.LastIndexByte(text, '+'); plus >= 0 {
		i, ok := indices[text[:plus]]
		if !ok {
			i, ok = indices[strings.TrimSpace(text[:plus])]
		}
		bytes, err := strconv.ParseUint(strings.TrimSpace(text[plus+1:]), 0, 63)
		if ok && err == nil {
			return Address{Param: i, Bytes: bytes}, nil
		}
	}
	return Address{}, fmt.Errorf(`is %.40q; it must be a buffer of the job, as in "x", or bytes behind its start, as in "x+16"`, text)
}

// check returns an error if the place is in no buffer.
func (a Address) check(params []Param) error {
	switch p := &params[a.Param]; {
	case p.Kind == View:
		return fmt.Errorf("names %.40q (%v), which views another buffer; name that", p.Name, p.Pos)
	case p.Kind != Buffer:
		return fmt.Errorf("names %.40q (%v), which is %s and no buffer", p.Name, p.Pos, p.describe())
	case a.Bytes > uint64(p.Bytes):
		return fmt.Errorf("lies %d bytes behind the start of %.40q (%v), which has %d", a.Bytes, p.Name, p.Pos, p.Bytes)
	}
	return nil
}

// text renders a place as a job writes it.
func (a Address) text(params []Param) string {
	if a.Bytes == 0 {
		return params[a.Param].Name
	}
	number := strconv.FormatUint(a.Bytes, 10)
	for { // a parameter may be called "x+16" itself
		text := params[a.Param].Name + "+" + number
		if !slices.ContainsFunc(params, func(p Param) bool { return p.Name == text }) {
			return text
		}
		number = " " + number
	}
}

// view reads an argument that is a place in another's buffer. In a struct, offset is the place of the
// field, so that same has to say where the view begins.
func (r *reader) view(t table, p *Param) {
	t.only("a view of a buffer", "name", "same", "offset")
	p.Kind, p.Type, p.View = View, isa.B8, new(Address)
	var offset int64
	if !t.field {
		offset, _ = t.integer("offset", 0, MaxBytes)
	}
	if text, ok := t.text("same"); ok {
		at := p.View
		if offset > 0 {
			text = fmt.Sprintf("%s+%d", text, offset)
		}
		r.references = append(r.references, reference{t.pos("same"), "same", text, func(to Address) { *at = to }})
	}
}

// pointerKey is a pointer that a job writes, which is not resolved yet.
type pointerKey struct {
	at int
	to reference
}

// among takes the addresses out of a list of numbers: it returns the list with zeros for them.
func among(t table, typ isa.Type, list []any) ([]any, []pointerKey) {
	if typ.Bytes() != pointerBytes || typ.IsFloat() {
		return list, nil // which reports strings
	}
	var found []pointerKey
	numbers := list
	for i, v := range list {
		text, ok := v.(string)
		if !ok {
			continue
		}
		if found == nil {
			numbers = slices.Clone(list)
		}
		numbers[i] = int64(0)
		found = append(found, pointerKey{i * pointerBytes, reference{pos: t.pos("values"), what: fmt.Sprintf("values element %d", i+1), text: text}})
	}
	return numbers, found
}

// listed reads the pointers that the key pointers lists for contents of a size in bytes.
func (r *reader) listed(t table, size int) []pointerKey {
	if !t.has("pointers") {
		return nil
	}
	if size < pointerBytes {
		r.errorf(t.pos("pointers"), "a pointer has %d bytes, and there are %d", pointerBytes, size)
		return nil
	}
	var found []pointerKey
	for _, e := range t.tables("pointers") {
		e.only("a pointer", "at", "to")
		if !e.has("at") {
			r.errorf(e.mark.Pos, "at is missing: the place of the pointer in bytes")
		}
		at, ok := e.integer("at", 0, int64(size-pointerBytes))
		if to, named := e.required("to", "x+16"); ok && named {
			found = append(found, pointerKey{int(at), reference{pos: e.pos("to"), what: "to", text: to}})
		}
	}
	return found
}

// withPointers returns contents of a size in bytes with pointers in them, which are known when all references are
// resolved.
func (r *reader) withPointers(t table, typ isa.Type, size int, c Content, found []pointerKey) Content {
	found = append(found, r.listed(t, size)...)
	if len(found) == 0 {
		return c
	}
	if c.Kind == Uniform || c.Kind == Unset {
		r.errorf(t.pos("pointers"), `pointers need contents that are fixed; give values, hex, file, init = "zeros" or "iota"`)
		return c
	}
	data := make([]byte, size)
	c.fill(data, typ, nil)
	c = Content{Kind: Fixed, Data: data, Pointers: make([]Pointer, len(found))}
	slices.SortStableFunc(found, func(a, b pointerKey) int { return cmp.Compare(a.at, b.at) })
	for i, p := range found {
		if i > 0 && found[i-1].at+pointerBytes > p.at {
			r.errorf(p.to.pos, "the pointer at byte %d overlaps that at byte %d", p.at, found[i-1].at)
		}
		ref := p.to
		ref.set = func(to Address) {
			c.Pointers[i] = Pointer{At: p.at, To: to}
			binary.LittleEndian.PutUint64(data[p.at:], to.Bytes)
		}
		r.references = append(r.references, ref)
	}
	return c
}
