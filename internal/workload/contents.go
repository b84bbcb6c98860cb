package workload

import (
	"context"
	"encoding/binary"
	"slices"

	"warpbound/diag"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/value"
	"warpbound/internal/isa"
	"warpbound/internal/job"
)

// remember tells a launch of all memory that its kernel can write to, and what of it holds when the kernel starts. It returns
// the index of each buffer there, by parameter of the whole job.
func (k *Kernel) remember(l *launchfacts.Launch) map[int]int {
	l.Pointers = make(map[int]launchfacts.Pointer)
	whole := k.Bound.Job.Whole()
	params := whole.Params
	alone := k.Kept == nil && !whole.Several() // no other launch of a run may have written
	for i := range params {
		p := &params[i]
		if p.Kind != job.Buffer {
			continue
		}
		b := launchfacts.Buffer{Name: p.Name, Bytes: p.Bytes, ReadOnly: p.Access == job.ReadOnly}
		if alone || k.Kept != nil && k.Kept[i] || l.Trust && b.ReadOnly {
			b.Contents = contents(p)
			b.Contents.Ascends = ascends(whole, i)
		}
		l.Buffers = append(l.Buffers, b)
	}
	for i := range k.Bound.Kernel.Vars {
		v := &k.Bound.Kernel.Vars[i]
		if v.Space != isa.Const && v.Space != isa.Global {
			continue
		}
		b := launchfacts.Buffer{Name: v.Name, Variable: v.Name, Bytes: v.Bytes}
		if v.Space == isa.Const || alone {
			b.Contents = initial(k, i)
		}
		l.Buffers = append(l.Buffers, b)
	}
	return places(k)
}

// Writers returns, for each buffer by parameter of the whole job, where the kernel may write to it first; nil if it surely does
// not. values is what is known of its launch. The error is that of ctx.
func (k *Kernel) Writers(ctx context.Context, values *value.Result) ([]*diag.Pos, error) {
	at := make([]*diag.Pos, len(k.Bound.Job.Whole().Params))
	stores, err := values.Writers(ctx)
	if err != nil {
		return nil, err
	}
	for i, place := range places(k) {
		if instr, ok := stores[place]; ok {
			pos := k.Graph.Kernel.Instrs[instr].Pos
			at[i] = &pos
		}
	}
	return at, nil
}

// Loaded tells, of each buffer by parameter of the whole job, whether values count on what it holds.
func (k *Kernel) Loaded(values *value.Result) []bool {
	from := make([]bool, len(k.Bound.Job.Whole().Params))
	loaded := values.Loaded()
	for i, place := range places(k) {
		from[i] = loaded[place]
	}
	return from
}

// Unwritten tells of each buffer, by parameter of the whole job, whether the kernel surely does not write to it. values
// is what is known of its launch; nothing if nil. The error is that of ctx.
func (k *Kernel) Unwritten(ctx context.Context, values *value.Result) ([]bool, error) {
	safe := make([]bool, len(k.Bound.Job.Whole().Params))
	if values == nil {
		return safe, nil
	}
	writers, err := k.Writers(ctx, values)
	if err != nil {
		return nil, err
	}
	for i := range places(k) {
		safe[i] = writers[i] == nil
	}
	return safe, nil
}

// places returns the indices of buffers in launchfacts.Launch.Buffers, by parameter of the whole job.
func places(k *Kernel) map[int]int {
	at := make(map[int]int)
	params := k.Bound.Job.Whole().Params
	for i := range params {
		if params[i].Kind == job.Buffer {
			at[i] = len(at)
		}
	}
	return at
}

// contents returns what a buffer of a job holds in all test vectors.
func contents(p *job.Param) launchfacts.Contents {
	each := p.Type.Bytes()
	width := 8 * each
	switch c := &p.Content; c.Kind {
	case job.Zeros:
		return launchfacts.Contents{Each: each, Set: strided.Const(width, 0)}
	case job.Iota:
		if last := uint64(p.Bytes/each - 1); !p.Type.IsFloat() && last <= ^uint64(0)>>(64-width) {
			return launchfacts.Contents{Each: each, Set: strided.Between(width, 0, last)}
		}
	case job.Uniform:
		return launchfacts.Contents{Each: each, Set: numbers(p, nil, width)}
	case job.Fixed:
		held := launchfacts.Contents{Each: each, Data: c.Data}
		for _, to := range c.Pointers {
			held.Open = append(held.Open, launchfacts.Extent{Offset: to.At, Bytes: 8})
		}
		return held
	}
	return launchfacts.Contents{}
}

// ascends returns how much the elements of a buffer ascend, nil if they may descend or be negative: by what the job assumes, or
// by what they are.
func ascends(whole *job.Job, param int) *launchfacts.Rise {
	p := &whole.Params[param]
	if p.Type.IsFloat() || p.Type.Bytes() > 4 {
		return nil
	}
	limit := uint64(1) << (p.Type.Bits() - 1)
	switch c := &p.Content; {
	case c.Kind == job.Uniform && c.Base < limit && c.Base+c.Span < limit:
		at := slices.IndexFunc(whole.Assumes, func(a job.Assume) bool { return a.Array == param && a.Key != "" })
		if at < 0 {
			return nil
		}
		steps := &launchfacts.Rise{Max: c.Span}
		if o := whole.Assumes[at].Order; o.Limited {
			steps.Min, steps.Max = o.Min, min(o.Max, c.Span)
		}
		return steps
	case c.Kind == job.Fixed && c.Pointers == nil:
		return ascending(c.Data, p.Type.Bytes(), limit)
	}
	return nil
}

// ascending is the same for elements that are listed, all of them below a limit.
func ascending(data []byte, each int, limit uint64) *launchfacts.Rise {
	steps := &launchfacts.Rise{Min: limit}
	before := uint64(0)
	for at := 0; at < len(data); at += each {
		word := [8]byte{}
		copy(word[:], data[at:at+each])
		x := binary.LittleEndian.Uint64(word[:])
		if x < before || x >= limit {
			return nil
		}
		if at > 0 {
			steps.Min, steps.Max = min(steps.Min, x-before), max(steps.Max, x-before)
		}
		before = x
	}
	return steps
}

// initial returns what a variable holds at first: what the job says, or else the module.
func initial(k *Kernel, variable int) launchfacts.Contents {
	v := &k.Bound.Kernel.Vars[variable]
	if v.Extern || v.Bytes == 0 || v.WarpSize {
		return launchfacts.Contents{}
	}
	for _, s := range k.Bound.Symbols {
		if s.Var == variable {
			return launchfacts.Contents{Each: 1, Data: s.Data}
		}
	}
	if v.Init == nil && v.Relocs == nil {
		return launchfacts.Contents{Each: 1, Set: strided.Const(8, 0)}
	}
	data := make([]byte, v.Bytes)
	copy(data, v.Init)
	held := launchfacts.Contents{Each: 1, Data: data}
	for _, at := range v.Relocs {
		held.Open = append(held.Open, launchfacts.Extent{Offset: at.Offset, Bytes: at.Size})
	}
	return held
}

// plain returns the words of a struct by value that are not those of addresses.
func plain(p *job.Param, data []byte) []launchfacts.Word {
	var words []launchfacts.Word
	for at := range data {
		among := func(to job.Pointer) bool { return to.At <= at && at < to.At+8 }
		if !slices.ContainsFunc(p.Content.Pointers, among) {
			words = append(words, launchfacts.Word{Offset: at, Interval: strided.Const(8, uint64(data[at]))})
		}
	}
	return words
}
