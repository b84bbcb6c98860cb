package adversary

import (
	"fmt"

	"warpbound/diag"
	"warpbound/internal/isa"
	"warpbound/internal/job"
	"warpbound/internal/method/search"
	"warpbound/internal/symexec"
	"warpbound/internal/workload"
)

// SpaceOf returns the inputs of a job that vary: what it draws at random. It is an error if
// nothing does, or if a search cannot draw in the same way.
func SpaceOf(w *workload.Workload) (*search.Space, error) {
	spec := w.Spec
	if !spec.Varies() {
		return nil, diag.Errorf(spec.Pos.Kernel, `no input is sampled at random, so there is nothing to search: give a param range = [lo, hi], or a buffer init = "uniform(lo, hi)"`)
	}
	s := &search.Space{}
	if spec.Assumes != nil {
		s.Settle = spec.Settle
	}
	for i := range spec.Params {
		p := &spec.Params[i]
		param := search.Param{Name: p.Name}
		if p.Content.Kind == job.Uniform {
			var err error
			if param.Element, err = element(p); err != nil {
				return nil, err
			}
			param.Count = p.Bytes / p.Type.Bytes()
			param.Array = ArrayOf(i)
			if p.Kind != job.Buffer {
				param.Array, param.Offset = NumberOf(w.First(), i)
			}
		}
		s.Params = append(s.Params, param)
	}
	return s, s.Check()
}

// ArrayOf names a buffer in formulas: names of parameters may be anything.
func ArrayOf(param int) string { return fmt.Sprintf("buffer%d", param) }

// NumberOf names the number of a parameter of the job in formulas about a kernel: where the kernel
// has it among its own parameters, and otherwise in a place of which no formula knows.
func NumberOf(k *workload.Kernel, param int) (array string, offset int) {
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
