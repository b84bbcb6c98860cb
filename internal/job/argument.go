package job

import (
	"slices"
	"strings"

	"warpbound/diag"
)

// Arg is an argument of the launch: the only Param of its index, or a struct whose fields are the
// Params of its index.
type Arg struct {
	Name   string
	Struct bool // with fields
	Bytes  int  // size of such a struct
	Pos    diag.Pos
}

// NoArg is the argument of a buffer that only pointers reach.
const NoArg = -1

// structType is what a job writes as the type of a struct with fields.
const structType = "struct"

// arguments reads the arguments and the buffers that only pointers reach, whose names must differ.
func (r *reader) arguments(j *Job, root table) {
	for _, t := range root.tables("param") {
		r.argument(j, t)
	}
	for _, t := range root.tables("buffer") {
		p := Param{Pos: t.mark.Pos, Arg: NoArg}
		p.Name, _ = t.required("name", "node")
		r.unique(t, p.Name)
		r.buffer(t, &p)
		j.Params = append(j.Params, p)
	}
	r.resolve(j.Params)
}

// argument reads an argument of the launch.
func (r *reader) argument(j *Job, t table) {
	arg, first := Arg{Pos: t.mark.Pos}, len(j.Params)
	if t.values["type"] == structType {
		arg.Name, _ = t.required("name", "args")
		r.unique(t, arg.Name)
		arg.Struct = true
		arg.Bytes, _ = r.structure(j, t, arg.Name)
	} else {
		p := r.param(t)
		r.unique(t, p.Name)
		arg.Name = p.Name
		j.Params = append(j.Params, p)
	}
	for i := first; i < len(j.Params); i++ {
		j.Params[i].Arg = len(j.Args)
	}
	j.Args = append(j.Args, arg)
}

// structure reads the fields of a struct, as C lays them out unless they say where they are. It
// returns the size and the alignment of the struct in bytes.
func (r *reader) structure(j *Job, t table, name string) (size, align int) {
	t.only("a struct", "name", "type", "bytes", "field")
	fields := t.tables("field")
	if len(fields) == 0 {
		r.errorf(t.mark.Pos, "the struct %.40q has no fields; give each as [[param.field]], or its bytes as type = \"u8\", bytes and hex", name)
	}
	type extent struct {
		table
		start, end int
	}
	var taken []extent
	end := 0
	align = 1
	for _, f := range fields {
		f.field = true
		first := len(j.Params)
		bytes, own := r.fieldOf(j, f, name)
		e := extent{f, alignUp(end, own), 0}
		if at, ok := f.integer("offset", 0, maxStruct); ok {
			e.start = int(at)
		}
		e.end = e.start + bytes
		for _, other := range taken {
			if e.start < other.end && other.start < e.end {
				r.errorf(f.mark.Pos, "the field has bytes %d to %d of %.40q, of which another one (%v) has %d to %d", e.start, e.end-1, name, other.mark.Pos, other.start, other.end-1)
				break
			}
		}
		if e.end > maxStruct {
			r.errorf(f.mark.Pos, "the field ends at byte %d; a struct has %d at most", e.end, maxStruct)
			return 0, 1
		}
		for i := first; i < len(j.Params); i++ {
			j.Params[i].Offset += e.start
		}
		taken = append(taken, e)
		end, align = max(end, e.end), max(align, own)
	}
	size = alignUp(end, align)
	if bytes, ok := t.integer("bytes", 1, maxStruct); ok {
		if int(bytes) < end {
			r.errorf(t.pos("bytes"), "bytes is %d; the fields of %.40q need %d", bytes, name, end)
		}
		size = int(bytes)
	}
	return size, align
}

// fieldOf reads a field of a struct. It returns the size and the natural alignment of the field in bytes.
func (r *reader) fieldOf(j *Job, t table, of string) (size, align int) {
	if t.values["type"] == structType {
		name, _ := t.required("name", "inner")
		name = of + "." + name
		r.unique(t, name)
		return r.structure(j, t, name)
	}
	p := r.param(t)
	p.Name = of + "." + p.Name
	r.unique(t, p.Name)
	j.Params = append(j.Params, p)
	switch p.Kind {
	case Buffer, View:
		return pointerBytes, pointerBytes
	case SharedPtr:
		r.errorf(p.Pos, "the field %.40q cannot point to shared memory; give it a param of its own", p.Name)
		return 0, 1
	case Struct:
		return p.Bytes, 1
	}
	return p.Bytes, max(p.Type.Bytes(), 1)
}

// array reads a field that is several numbers.
func (r *reader) array(t table, p *Param) {
	t.only("an array in a struct", "name", "type", "array", "init", "values", "hex", "file", "pointers")
	p.Kind = Array
	typ, ok := r.valueType(t)
	if !ok {
		return
	}
	p.Type = typ
	if count, ok := t.integer("array", 1, maxStruct/int64(typ.Bytes())); ok {
		p.Bytes = int(count) * typ.Bytes()
		r.claim(t.pos("array"), int64(p.Bytes))
		p.Content = r.contents(t, typ, count)
	}
	if p.Content.Kind == Unset {
		r.errorf(t.pos("init"), "only a buffer can be unset; an array has contents")
	}
}

// unique reports a name that is another's or that messages and commands could not use.
func (r *reader) unique(t table, name string) {
	if strings.Contains(name, "=") {
		r.errorf(t.pos("name"), "the name %q must not contain =", name)
	}
	if other, ok := r.named[name]; ok && name != "" {
		r.errorf(t.pos("name"), "there is another param %q at %s; names must differ", name, other)
		return
	}
	r.named[name] = t.mark.Pos
}

func alignUp(n, align int) int { return (n + align - 1) / align * align }

// Slot returns where the argument, or the field of it, that a parameter is lies in the parameter block, in
// bytes, and its size there: for buffers that of an address. It is false for memory that only pointers reach.
func (b *Bound) Slot(param int) (offset, bytes int, ok bool) {
	p := &b.Job.Params[param]
	if p.Arg == NoArg {
		return 0, 0, false
	}
	v := &b.Kernel.Params[p.Arg]
	switch {
	case !b.Job.Args[p.Arg].Struct:
		return v.Offset, v.Bytes, true
	case p.isAddress():
		return v.Offset + p.Offset, pointerBytes, true
	}
	return v.Offset + p.Offset, p.Bytes, true
}

// isAddress reports whether an argument is an address.
func (p *Param) isAddress() bool { return p.Kind == Buffer || p.Kind == SharedPtr || p.Kind == View }

// Like reports whether a parameter is the same as another one but for the numbers that it holds.
func (p *Param) Like(q *Param) bool {
	sameView := p.View == q.View || p.View != nil && q.View != nil && *p.View == *q.View
	return p.Kind == q.Kind && p.Arg == q.Arg && p.Offset == q.Offset && p.Access == q.Access && sameView &&
		(p.Kind != SharedPtr || p.Bytes == q.Bytes) && slices.Equal(p.Content.Pointers, q.Content.Pointers)
}
