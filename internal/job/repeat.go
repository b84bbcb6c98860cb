package job

import (
	"slices"

	"warpbound/diag"
	"warpbound/internal/isa"
)

// Repeat is what a run launches besides the job's kernel, all on the same grid, block and
// arguments. The zero Repeat is nothing: one launch.
type Repeat struct {
	Then  []string // kernels of the module that follow the job's in every round
	While *int     // the parameter whose buffer says if there is another round; nil for one round
	Limit int      // rounds of a run; a run that does not end by then fails
	Pos   RepeatPositions
}

// RepeatPositions tells where the table and its keys stand: the table if a key is left out.
type RepeatPositions struct {
	Table, Then, While, Limit diag.Pos
}

// Several reports whether a run can have several launches by this table.
func (r *Repeat) Several() bool { return len(r.Then) > 0 || r.While != nil }

// DefaultRounds is the limit of rounds if a job leaves it out.
const DefaultRounds = 1024

// maxThen and maxRounds bound the kernels of a round and the rounds of a run.
const (
	maxThen   = 64
	maxRounds = 1 << 20
)

// repeat reads the [repeat] table.
func (r *reader) repeat(root table, params []Param) Repeat {
	t, ok := root.table("repeat")
	if !ok {
		return Repeat{}
	}
	t.only("repeat", "then", "while", "limit")
	out := Repeat{Limit: DefaultRounds, Pos: RepeatPositions{t.mark.Pos, t.pos("then"), t.pos("while"), t.pos("limit")}}
	if !t.has("then") && !t.has("while") {
		r.errorf(t.mark.Pos, `the table repeats nothing; for example: then = ["update"], while = "changed" or both`)
	}
	out.Then = r.then(t)
	if name, ok := t.text("while"); ok {
		out.While = r.flag(t.pos("while"), name, params)
	}
	if t.has("limit") && !t.has("while") {
		r.errorf(t.pos("limit"), "limit is about rounds, of which there is only one without while")
	}
	if limit, ok := t.integer("limit", 1, maxRounds); ok {
		out.Limit = int(limit)
	}
	return out
}

// then reads the names of kernels.
func (r *reader) then(t table) []string {
	const key = "then"
	list, ok := t.list(key)
	if !ok {
		return nil
	}
	if len(list) < 1 || len(list) > maxThen {
		r.errorf(t.pos(key), "%s has %d kernels; it must have 1 to %d", key, len(list), maxThen)
		return nil
	}
	var names []string
	for _, v := range list {
		name, ok := v.(string)
		if !ok || name == "" {
			r.errorf(t.pos(key), "%s holds %s; it must hold names of kernels", key, kindOf(v))
			return nil
		}
		names = append(names, name)
	}
	return names
}

// flag returns the index of the buffer that says if there is another round.
func (r *reader) flag(pos diag.Pos, name string, params []Param) *int {
	i := slices.IndexFunc(params, func(p Param) bool { return p.Name == name })
	switch {
	case i < 0 || params[i].Kind != Buffer:
		r.errorf(pos, "the job has no buffer %.40q", name)
		return nil
	case params[i].Type.IsFloat():
		r.errorf(pos, "the buffer %.40q has elements of type %s; rounds go on while an integer is not 0", name, params[i].Type)
		return nil
	}
	return &i
}

// LinkThen links the kernels of the launches that follow the job's first, in their order.
func (j *Job) LinkThen(p *isa.Program) ([]*isa.Kernel, error) {
	var kernels []*isa.Kernel
	for _, l := range j.Runs()[1:] {
		k, err := j.linkKernel(p, &l)
		if err != nil {
			return nil, err
		}
		kernels = append(kernels, k)
	}
	return kernels, nil
}
