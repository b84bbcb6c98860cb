package job

import (
	"fmt"

	"warpbound/jobs"
)

// compound makes the entry of a struct with fields or of a view.
func (r *renderer) compound(field string, p *jobs.Param, e *paramEntry) {
	what := "a struct with fields"
	if p.Kind == jobs.KindView {
		what = "a view"
	}
	if p.Type != "" {
		r.errorf(field+".Type", "%s has no type", what)
	}
	r.holds(field, what, &p.Content, jobs.ContentNone)
	e.Count = nil
	if p.Kind == jobs.KindView {
		if p.Count != 0 {
			r.errorf(field+".Count", "a view has no count")
		}
		if e.Same = r.text(field+".Same", p.Same); e.Same == "" {
			r.errorf(field+".Same", "the view has no buffer")
		}
		return
	}
	e.Type = structType
	if p.Count != 0 {
		e.Bytes = &p.Count
	}
	for i := range p.Fields {
		e.Field = append(e.Field, r.param(fmt.Sprintf("%s.Fields[%d]", field, i), &p.Fields[i]))
	}
}

// others reports what a parameter has that only those of other kinds have.
func (r *renderer) others(field string, p *jobs.Param) {
	if p.Access != "" && p.Kind != jobs.KindBuffer {
		r.errorf(field+".Access", "access is that of buffers")
	}
	if p.Same != "" && p.Kind != jobs.KindView {
		r.errorf(field+".Same", "only a view is the same as another")
	}
	if p.Fields != nil && p.Kind != jobs.KindFields {
		r.errorf(field+".Fields", "only a struct has fields; give Kind KindFields")
	}
}

// memory makes the entry of a buffer that only pointers reach.
func (r *renderer) memory(field string, p *jobs.Param) paramEntry {
	if p.Kind != jobs.KindBuffer {
		r.errorf(field+".Kind", "only a buffer can be without an argument")
	}
	return r.param(field, p)
}

// pointers enters the addresses among contents.
func (r *renderer) pointers(field string, c *jobs.Content, e *paramEntry) {
	for i, p := range c.Pointers {
		to := r.text(fmt.Sprintf("%s.Content.Pointers[%d].To", field, i), p.To)
		e.Pointers = append(e.Pointers, pointerEntry{At: p.At, To: to})
	}
}
