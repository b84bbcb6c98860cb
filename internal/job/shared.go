package job

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"

	"warpbound/diag"
	"warpbound/internal/stream"
)

// LLC is what the job chooses of the cache that the cores of an integrated machine share.
// What it leaves out is nil and up to the machine.
type LLC struct {
	KiB       *int64 // size
	Quota     *int64 // accesses of a core in an interval
	Regulated *bool
	Pos       diag.Pos // of the table; 1:1 if it is left out
}

// CPU is what the CPU of an integrated machine does while the kernel runs.
type CPU struct {
	Stream  *stream.Stream // nil for nothing
	File    string         // as written; see Resolve
	Trace   bool           // whether that is a trace, else a program
	Digest  string         // of the text: SHA-256 in hexadecimal
	Buffers []int          // by buffer of the stream: which of the job's parameters it is
}

// llc reads the [llc] table. Whether the machine can be like that is not checked here.
func (r *reader) llc(root table) LLC {
	t, ok := root.table("llc")
	if !ok {
		return LLC{Pos: root.mark.Pos}
	}
	t.only("llc", "size_kb", "quota", "regulated")
	l := LLC{Pos: t.mark.Pos}
	if kib, ok := t.integer("size_kb", 1, 16<<10); ok {
		l.KiB = &kib
	}
	if quota, ok := t.integer("quota", 1, 1<<20); ok {
		l.Quota = &quota
	}
	if t.has("regulated") {
		on, ok := t.values["regulated"].(bool)
		if !ok {
			t.wrong("regulated", "true or false")
		}
		l.Regulated = &on
	}
	return l
}

// cpu reads the [cpu] table and the file that it names.
func (r *reader) cpu(root table, params []Param) CPU {
	t, ok := root.table("cpu")
	if !ok {
		return CPU{}
	}
	t.only("cpu", "program", "trace")
	if t.has("program") == t.has("trace") {
		r.errorf(t.mark.Pos, `give either program or trace; for example: program = "copy.stream"`)
		return CPU{}
	}
	key, parse := "program", stream.Parse
	if t.has("trace") {
		key, parse = "trace", stream.ParseTrace
	}
	name, ok := t.text(key)
	if !ok {
		return CPU{}
	}
	src, err := r.open(name)
	if err != nil {
		r.errorf(t.pos(key), "%w", err)
		return CPU{}
	}
	s, err := parse(filepath.ToSlash(relative(r.file, name)), src)
	if err != nil {
		var e *diag.Error
		if errors.As(err, &e) {
			r.errs.Add(e)
		}
		return CPU{}
	}
	sum := sha256.Sum256(src)
	c := CPU{Stream: s, File: name, Trace: key == "trace", Digest: hex.EncodeToString(sum[:])}
	for _, b := range s.Buffers {
		c.Buffers = append(c.Buffers, r.bufferNamed(b, params))
	}
	return c
}

// bufferNamed returns the index of the parameter that a stream means.
func (r *reader) bufferNamed(b stream.Buffer, params []Param) int {
	for i, p := range params {
		if p.Name == b.Name && p.Kind == Buffer {
			return i
		}
	}
	r.errorf(b.Pos, "the job has no buffer %.40q", b.Name)
	return 0
}

// Cursor returns a cursor through the stream of the CPU, nil if it does nothing.
func (j *Job) Cursor() *stream.Cursor {
	if j.CPU.Stream == nil {
		return nil
	}
	var sizes []int64
	for _, param := range j.CPU.Buffers {
		sizes = append(sizes, int64(j.Params[param].Bytes))
	}
	return stream.NewCursor(j.CPU.Stream, sizes)
}
