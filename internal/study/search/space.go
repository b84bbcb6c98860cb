package search

import (
	"fmt"

	"warpbound/diag"
	"warpbound/internal/contract"
	"warpbound/internal/isa"
	"warpbound/internal/job"
	method "warpbound/internal/method/search"
	"warpbound/internal/symexec"
	"warpbound/internal/workload"
)

// space returns the inputs of the job that vary: what it draws at random. It is an error if
// nothing does, or if a search cannot draw in the same way.
func space(w *workload.Workload) (*method.Space, error) {
	spec := w.Spec
	if !spec.Varies() {
		return nil, diag.Errorf(spec.Pos.Kernel, `no input is sampled at random, so there is nothing to search: give a param range = [lo, hi], or a buffer init = "uniform(lo, hi)"`)
	}
	s := &method.Space{}
	if spec.Assumes != nil {
		s.Settle = spec.Settle
	}
	for i := range spec.Params {
		p := &spec.Params[i]
		param := method.Param{Name: p.Name}
		if p.Content.Kind == job.Uniform {
			var err error
			if param.Element, err = element(p); err != nil {
				return nil, err
			}
			param.Count = p.Bytes / p.Type.Bytes()
			param.Array = array(i)
			if p.Kind != job.Buffer {
				param.Array, param.Offset = number(w.First(), i)
			}
		}
		s.Params = append(s.Params, param)
	}
	return s, s.Check()
}

// number names the number of a parameter of the job in formulas about a kernel: where the kernel has it among its
// own parameters, and otherwise in a place of which no formula knows.
func number(k *workload.Kernel, param int) (array string, offset int) {
	for i := range k.Bound.Job.Params {
		if offset, _, ok := k.Bound.Slot(i); ok && k.Bound.Job.InWhole(i) == param {
			return symexec.Parameters, offset
		}
	}
	return fmt.Sprintf("number%d", param), 0
}

// element returns what the elements of a parameter may be that is sampled at random.
func element(p *job.Param) (symexec.Element, error) {
	e := symexec.Element{Bytes: p.Type.Bytes(), Signed: p.Type.IsSigned(), Float: p.Type.IsFloat()}
	if p.Type == isa.BF16 {
		return e, diag.Errorf(p.Pos, "param %q: numbers of type bf16 cannot be searched: fix them, or draw them as u16", p.Name)
	}
	var all bool
	e.Low, e.High, all = p.Extremes()
	wraps := func() bool { // whether the least is above the greatest
		sign := uint64(0)
		if e.Signed {
			sign = 1 << (p.Type.Bits() - 1)
		}
		return e.Low^sign > e.High^sign
	}
	switch {
	case e.Float:
	case all:
		e.Signed, e.Low, e.High = false, 0, ^uint64(0)>>(64-p.Type.Bits())
	case wraps():
		if e.Signed = !e.Signed; wraps() {
			return e, diag.Errorf(p.Pos, "param %q: neither as signed nor as unsigned numbers do its values have a least and a greatest: draw it as u%d or s%d", p.Name, p.Type.Bits(), p.Type.Bits())
		}
	}
	return e, nil
}

// relations returns the relations that hold of the numbers of a kernel's launch, and where these are. Of numbers that it is not
// passed nothing is said.
func relations(k *workload.Kernel) ([]contract.Relation, []symexec.Integer) {
	whole := k.Bound.Job.Whole()
	if whole.Related == nil {
		return nil, nil
	}
	integers := make([]symexec.Integer, len(whole.Params))
	passed := make([]bool, len(whole.Params))
	for v, x := range whole.Related.Some {
		p := &whole.Params[v]
		integers[v].Value = x
		if p.Content.Kind != job.Uniform {
			passed[v] = true
			continue
		}
		for i := range k.Bound.Job.Params {
			if offset, bytes, ok := k.Bound.Slot(i); ok && k.Bound.Job.InWhole(i) == v {
				integers[v] = symexec.Integer{Offset: offset, Bytes: bytes, Signed: p.Type.IsSigned(), Value: x}
				passed[v] = true
			}
		}
	}
	var known []contract.Relation
	for _, r := range whole.Related.Problem.Relations {
		all := true
		r.Vars(func(v int) { all = all && passed[v] })
		if all {
			known = append(known, r)
		}
	}
	return known, integers
}
