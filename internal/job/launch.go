package job

import (
	"fmt"
	"slices"

	"warpbound/diag"
	"warpbound/internal/isa"
)

// Launch is one launch of a kernel: what an entry of [[launch]] says, or the job itself if it has no such
// entries. A run may execute it several times.
type Launch struct {
	Kernel      string // empty if left out: the only kernel of the module
	Grid, Block [3]int
	Registers   int        // per thread; 0 if left out
	Shared      int        // dynamic shared memory of a CTA in bytes
	Args        []Argument // by parameter of the kernel; nil: the job's arguments in their order
	Pos         LaunchPositions
}

// LaunchPositions tells where the keys of a launch stand: the entry if a key is left out there and in
// the job.
type LaunchPositions struct {
	Entry, Kernel, Grid, Block, Registers, Shared, Arguments diag.Pos
}

// Argument is an argument of a launch: one of the job's, the address of another buffer, or a number.
type Argument struct {
	Arg    int // index in Job.Args; negative for none of these
	Param  int // index in Job.Params of a buffer that is a field or no argument of the job; negative for none
	Number any // int64 or float64, in the type of the kernel's parameter
}

// Step is a part of a run: a launch, or steps that follow each other, repeated together.
type Step struct {
	Launch int    // index in Job.Runs; of no meaning if there are Steps
	Steps  []Step // of each round, in their order; nil for a launch

	Rounds int  // how often; the most if there is While
	While  *int // the buffer in Job.Params that says if there is another round; nil if Rounds says it
	Stated bool // the job states Rounds
	Pos    StepPositions
}

// StepPositions tells where the keys of a step stand: the entry if a key is left out.
type StepPositions struct {
	Entry, Repeat, While, Limit diag.Pos
}

// Limits of [[launch]]: entries of all depths, how deep they nest, and launches of a run.
const (
	maxEntries  = 256
	maxNesting  = 8
	maxLaunches = 1 << 30
)

// Runs returns the launches of a run, each of which may be executed several times: the entries of
// [[launch]], or those of the job's kernel and of the kernels that follow it in [repeat].
func (j *Job) Runs() []Launch {
	if j.Launches != nil {
		return j.Launches
	}
	own := Launch{Kernel: j.Kernel, Grid: j.Grid, Block: j.Block, Registers: j.Registers, Shared: j.Shared, Pos: LaunchPositions{
		Entry: j.Pos.Kernel, Kernel: j.Pos.Kernel, Grid: j.Pos.Grid, Block: j.Pos.Block,
		Registers: j.Pos.Registers, Shared: j.Pos.Shared, Arguments: j.Pos.Kernel,
	}}
	all := []Launch{own}
	for _, name := range j.Repeat.Then {
		next := own
		next.Kernel, next.Pos.Entry, next.Pos.Kernel = name, j.Repeat.Pos.Then, j.Repeat.Pos.Then
		all = append(all, next)
	}
	return all
}

// Same reports whether launches of the same kernel have the same sizes and arguments.
func (l *Launch) Same(other *Launch) bool {
	return l.Grid == other.Grid && l.Block == other.Block && l.Shared == other.Shared &&
		slices.Equal(l.Args, other.Args)
}

// Sequence returns what a run executes, in this order: the entries of [[launch]], or the rounds of
// [repeat], or the one launch of a job without either.
func (j *Job) Sequence() []Step {
	if j.Launches != nil {
		return j.Steps
	}
	var round []Step
	for i := range len(j.Repeat.Then) + 1 {
		round = append(round, Step{Launch: i, Rounds: 1, Stated: true})
	}
	if j.Repeat.While == nil {
		return round
	}
	at := &j.Repeat.Pos
	return []Step{{
		Steps: round, Rounds: j.Repeat.Limit, While: j.Repeat.While, Stated: at.Limit != at.Table,
		Pos: StepPositions{Entry: at.Table, While: at.While, Limit: at.Limit},
	}}
}

// Several reports whether a run can have several launches.
func (j *Job) Several() bool {
	steps := j.Sequence()
	return len(steps) != 1 || steps[0].Steps != nil || steps[0].Rounds != 1 || steps[0].While != nil
}

// SeveralAt returns where the job asks for several launches, and the key by which it does.
func (j *Job) SeveralAt() (pos diag.Pos, key string) {
	if j.Launches != nil {
		return j.Steps[0].Pos.Entry, "[[launch]]"
	}
	return j.Repeat.Pos.Table, "[repeat]"
}

// Executions returns how often a run executes each of its launches, at most, and the first of the steps
// around it for which the job does not state that; nil if it states all.
func (j *Job) Executions() (counts []int64, unstated []*Step) {
	counts, unstated = make([]int64, len(j.Runs())), make([]*Step, len(j.Runs()))
	var visit func(steps []Step, times int64, open *Step)
	visit = func(steps []Step, times int64, open *Step) {
		for i := range steps {
			s, open := &steps[i], open
			if !s.Stated && open == nil {
				open = s
			}
			n := times * int64(s.Rounds) // at most maxLaunches each
			if s.Steps != nil {
				visit(s.Steps, n, open)
				continue
			}
			counts[s.Launch], unstated[s.Launch] = n, open
		}
	}
	visit(j.Sequence(), 1, nil)
	return counts, unstated
}

// Host does what a run is made of.
type Host interface {
	// Launch executes a launch of Job.Runs.
	Launch(i int) error
	// Clear sets the first element of a buffer to 0, by the index of its parameter, and Flagged
	// reports whether it is another number.
	Clear(param int) error
	Flagged(param int) (bool, error)
}

// Execute has a host make a run. It is an error if there is another round to do after as many as a step
// has at most.
func (j *Job) Execute(h Host) error { return j.execute(h, j.Sequence()) }

func (j *Job) execute(h Host, steps []Step) error {
	for i := range steps {
		if err := j.step(h, &steps[i]); err != nil {
			return err
		}
	}
	return nil
}

// step has a host make the rounds of a step.
func (j *Job) step(h Host, s *Step) error {
	for done := 0; ; done++ {
		if done == s.Rounds {
			if s.While == nil {
				return nil
			}
			return diag.Errorf(s.Pos.Limit, "after %d rounds the kernels still leave %s at other than 0: raise limit if runs may take more",
				done, j.Params[*s.While].Name)
		}
		again, err := j.round(h, s)
		if err != nil {
			if s.Rounds > 1 {
				err = fmt.Errorf("round %d: %w", done+1, err)
			}
			return err
		}
		if !again {
			return nil
		}
	}
}

// round has a host make one round, and reports whether another one may follow.
func (j *Job) round(h Host, s *Step) (again bool, err error) {
	if s.While != nil {
		if err := h.Clear(*s.While); err != nil {
			return false, err
		}
	}
	if s.Steps != nil {
		err = j.execute(h, s.Steps)
	} else {
		err = h.Launch(s.Launch)
	}
	if err != nil || s.While == nil {
		return true, err
	}
	return h.Flagged(*s.While)
}

// launches reads the [[launch]] entries. Without any, grid and block of the job must be there.
func (r *reader) launches(root table, j *Job) {
	l := &launchReader{reader: r, job: j, root: root}
	if !root.has("launch") {
		l.root.needs(r, "grid")
		l.root.needs(r, "block")
		return
	}
	if root.has("repeat") {
		r.errorf(root.pos("repeat"), "[repeat] and [[launch]] exclude each other; a [[launch]] has keys repeat and while of its own")
	}
	j.Steps = l.steps(root.entries("launch"), 1, 1)
	j.Launches = l.found
}

// entries returns the tables of an array, which must not be empty.
func (t table) entries(key string) []table {
	if list, ok := t.values[key].([]any); ok && len(list) == 0 {
		t.doc.errorf(t.pos(key), "%s has no entries; leave it out for one launch", key)
	}
	return t.tables(key)
}

// needs reports that a size is missing.
func (t table) needs(r *reader, key string) {
	if !t.has(key) && !slices.Contains(t.doc.meant, key) {
		r.errorf(t.mark.Pos, "%s is missing; for example: %s = [64, 1, 1]", key, key)
	}
}

// launchReader reads entries of [[launch]].
type launchReader struct {
	*reader
	job   *Job
	root  table
	found []Launch
	count int
}

// steps reads entries that a run executes so often at most.
func (r *launchReader) steps(entries []table, depth int, times int64) []Step {
	var steps []Step
	for _, t := range entries {
		if r.count++; r.count > maxEntries {
			if r.count == maxEntries+1 {
				r.errorf(t.mark.Pos, "the job has more than %d launches", maxEntries)
			}
			return nil
		}
		if depth > maxNesting {
			r.errorf(t.mark.Pos, "launches nest deeper than %d levels", maxNesting)
			return nil
		}
		steps = append(steps, r.step(t, depth, times))
	}
	return steps
}

// step reads an entry.
func (r *launchReader) step(t table, depth int, times int64) Step {
	s := Step{Rounds: 1, Stated: true, Pos: StepPositions{
		Entry: t.mark.Pos, Repeat: t.pos("repeat"), While: t.pos("while"), Limit: t.pos("limit"),
	}}
	if n, ok := t.integer("repeat", 1, maxRounds); ok {
		s.Rounds = int(n)
	}
	switch name, ok := t.text("while"); {
	case ok && t.has("repeat"):
		r.conflict(s.Pos.While, "repeat", "while")
	case ok && !t.has("limit"):
		r.errorf(s.Pos.While, "while needs a limit of rounds, which a run must not exceed; for example: limit = 100")
	case ok:
		s.While = r.flag(s.Pos.While, name, r.job.Params)
	case t.has("limit"):
		r.errorf(s.Pos.Limit, "limit is about the rounds of while, which is not there")
	}
	if limit, ok := t.integer("limit", 1, maxRounds); ok {
		s.Rounds = int(limit)
	}
	if times *= int64(s.Rounds); times > maxLaunches {
		r.errorf(t.mark.Pos, "a run executes this more than %d times", maxLaunches)
		times = 1
	}
	if t.has("launch") {
		t.only("a launch with launches of its own", "launch", "repeat", "while", "limit")
		s.Steps = r.steps(t.entries("launch"), depth+1, times)
		return s
	}
	t.only("a launch", "kernel", "grid", "block", "registers", "shared", "arguments", "repeat", "while", "limit", "launch")
	s.Launch = len(r.found)
	r.found = append(r.found, r.launch(t))
	return s
}

// launch reads an entry without entries of its own. What it leaves out is as the job says.
func (r *launchReader) launch(t table) Launch {
	j := r.job
	where := func(key string, whole diag.Pos) diag.Pos {
		if t.has(key) || !r.root.has(key) {
			return t.pos(key)
		}
		return whole
	}
	l := Launch{Kernel: j.Kernel, Grid: j.Grid, Block: j.Block, Registers: j.Registers, Shared: j.Shared, Pos: LaunchPositions{
		Entry: t.mark.Pos, Kernel: where("kernel", j.Pos.Kernel), Grid: where("grid", j.Pos.Grid), Block: where("block", j.Pos.Block),
		Registers: where("registers", j.Pos.Registers), Shared: where("shared", j.Pos.Shared), Arguments: t.pos("arguments"),
	}}
	if name, ok := t.text("kernel"); ok {
		l.Kernel = name
	}
	for _, of := range []struct {
		key string
		to  *[3]int
	}{{"grid", &l.Grid}, {"block", &l.Block}} {
		if t.has(of.key) {
			*of.to = r.size(t, of.key)
		} else if !r.root.has(of.key) {
			t.needs(r.reader, of.key)
		}
	}
	if n, ok := t.integer("registers", 1, 1<<16); ok {
		l.Registers = int(n)
	}
	if n, ok := t.integer("shared", 0, MaxBytes); ok {
		l.Shared = int(n)
		r.claim(l.Pos.Shared, n)
	}
	l.Args = r.arguments(t)
	return l
}

// arguments reads names of params, and numbers.
func (r *launchReader) arguments(t table) []Argument {
	const key = "arguments"
	list, ok := t.list(key)
	if !ok {
		return nil
	}
	args := make([]Argument, 0, len(list))
	for _, v := range list {
		switch v := v.(type) {
		case int64, float64:
			args = append(args, Argument{Arg: -1, Param: -1, Number: v})
		case string:
			a := Argument{Param: -1, Arg: slices.IndexFunc(r.job.Args, func(a Arg) bool { return a.Name == v })}
			if a.Arg < 0 {
				a.Param = slices.IndexFunc(r.job.Params, func(p Param) bool { return p.Name == v && p.Kind == Buffer })
			}
			if a.Arg < 0 && a.Param < 0 {
				r.errorf(t.pos(key), "the job has no param %.40q", v)
			}
			args = append(args, a)
		default:
			r.errorf(t.pos(key), "%s holds %s; it must hold names of params, and numbers", key, kindOf(v))
		}
	}
	return args
}

// Whole returns the job of which j is one of the launches (Alone): itself if it is none.
func (j *Job) Whole() *Job {
	if j.Of == nil {
		return j
	}
	return j.Of
}

// InWhole returns the index in Whole().Params of a parameter; negative for a number that the launch itself
// states.
func (j *Job) InWhole(param int) int {
	if j.From == nil {
		return param
	}
	return j.From[param]
}

// alone returns the job that makes one of the launches alone. Its Params begin with those of the job, of
// which only the arguments of the launch have an argument. The job itself is that of its launches by [repeat].
func (j *Job) alone(l *Launch, k *isa.Kernel, errs *diag.List) *Job {
	if j.Launches == nil {
		return j
	}
	own := *j
	own.Of, own.Launches, own.Steps = j, nil, nil
	own.Kernel, own.Grid, own.Block, own.Registers, own.Shared = k.Name, l.Grid, l.Block, l.Registers, l.Shared
	own.Pos = Positions{
		Module: j.Pos.Module, Machine: j.Pos.Machine, Kernel: l.Pos.Kernel, Grid: l.Pos.Grid, Block: l.Pos.Block,
		Registers: l.Pos.Registers, Shared: l.Pos.Shared,
	}
	if l.Args == nil {
		return &own
	}
	own.Params, own.From, own.Args, own.Arguments = slices.Clone(j.Params), make([]int, 0, len(j.Params)), nil, l.Pos.Arguments
	for i := range own.Params {
		own.Params[i].Arg, own.From = NoArg, append(own.From, i)
	}
	for i, a := range l.Args {
		own.Args = append(own.Args, Arg{Name: fmt.Sprintf("argument %d", i+1), Pos: l.Pos.Arguments})
		switch arg := &own.Args[i]; {
		case a.Number != nil:
			p := Param{Name: arg.Name, Pos: l.Pos.Arguments, Arg: i}
			if i < len(k.Params) {
				if err := p.number(&k.Params[i], a.Number); err != nil {
					errs.Add(diag.Errorf(p.Pos, "argument %d %w", i+1, err))
				}
			}
			own.Params, own.From = append(own.Params, p), append(own.From, -1)
		case a.Arg >= 0:
			*arg = j.Args[a.Arg]
			arg.Pos = l.Pos.Arguments
			for p := range j.Params {
				if j.Params[p].Arg == a.Arg {
					own.pass(p, i, j.Params[p].Offset)
				}
			}
		default:
			arg.Name = j.Params[a.Param].Name
			own.pass(a.Param, i, 0)
		}
	}
	return &own
}

// pass makes a parameter of the whole job the argument of a launch, or a field of it. A buffer that is one
// already is passed as a view.
func (j *Job) pass(param, arg, offset int) {
	p := &j.Params[param]
	if p.Arg != NoArg {
		again := *p
		if again.Kind == Buffer {
			again.Kind, again.View, again.Content = View, &Address{Param: param}, Content{}
		}
		j.Params, j.From = append(j.Params, again), append(j.From, param)
		p = &j.Params[len(j.Params)-1]
	}
	p.Arg, p.Offset = arg, offset
}

// number makes a parameter the number that a kernel's parameter takes. After an error it fits all the same, so
// that there is no other error of it.
func (p *Param) number(v *isa.Var, number any) error {
	p.Kind, p.Type, p.Bytes = Scalar, v.Type, v.Bytes
	if isArray(v) || !slices.Contains(valueTypes[:], v.Type) {
		p.Kind = Struct
		return fmt.Errorf("is the number %v, but parameter %s is none", number, where(v))
	}
	bits, err := encode(v.Type, number)
	if err != nil {
		return fmt.Errorf("%w (parameter %s); give a [[param]] for bits of another type", err, where(v))
	}
	p.Content = Content{Kind: Fixed, Data: littleEndian(bits, v.Bytes)}
	return nil
}
