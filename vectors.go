package warpbound

import (
	"fmt"
	"maps"
	"path/filepath"
	"sync"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/job"
)

// SavedInputs are inputs of a job, read from a file that is a job of the same launch.
type SavedInputs struct {
	File string
	in   *job.Inputs
}

// LoadInputs reads the inputs that the job files of a directory hold: of each its first test
// vector. It is an error if there is none, if one is of another module, kernel or launch than
// the job, or if it holds what the job cannot have: something else where that is fixed, or
// what it does not draw. Machines and launches that follow are not compared.
func (j *Job) LoadInputs(dir string) ([]SavedInputs, error) {
	names, err := filepath.Glob(filepath.Join(escape(dir), "*.toml"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: there is no job file", dir)
	}
	var all []SavedInputs
	for _, name := range names {
		in, err := j.loadInputs(name)
		if err != nil {
			return nil, err
		}
		all = append(all, SavedInputs{File: name, in: in})
	}
	return all, nil
}

// escape makes a name a pattern that matches it alone.
func escape(name string) string {
	var pattern []rune
	for _, c := range name {
		if c == '*' || c == '?' || c == '[' || c == '\\' && filepath.Separator != '\\' {
			pattern = append(pattern, '\\')
		}
		pattern = append(pattern, c)
	}
	return string(pattern)
}

// loadInputs reads the inputs that a job file holds.
func (j *Job) loadInputs(name string) (*job.Inputs, error) {
	saved, module, err := readJob(name)
	if err != nil {
		return nil, err
	}
	own := j.written()
	spec := own.bound.Job
	switch {
	case digest(module) != own.module:
		return nil, diag.Errorf(saved.Pos.Module, "the inputs are of another module than that of %s", j.Name())
	case saved.Kernel != "" && saved.Kernel != own.graph.Kernel.Name:
		return nil, diag.Errorf(saved.Pos.Kernel, "the inputs are of kernel %s, not of %s", saved.Kernel, own.graph.Kernel.Name)
	case saved.Grid != spec.Grid:
		return nil, diag.Errorf(saved.Pos.Grid, "the inputs are of grid %v, not of %v", saved.Grid, spec.Grid)
	case saved.Block != spec.Block:
		return nil, diag.Errorf(saved.Pos.Block, "the inputs are of block %v, not of %v", saved.Block, spec.Block)
	case saved.Shared != spec.Shared:
		return nil, diag.Errorf(saved.Pos.Shared, "the inputs are of a launch with %d bytes of shared memory, not with %d", saved.Shared, spec.Shared)
	}
	saved.Repeat = job.Repeat{} // launches that follow do not matter to what inputs there are
	bound, err := saved.Bind(own.bound.Kernel)
	if err != nil {
		return nil, err
	}
	if err := sameLaunch(bound, own.bound); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	in := bound.Inputs(0)
	if err := own.bound.Admit(in); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return in, nil
}

// written returns the job as its file says, before instructions that split were inserted.
func (j *Job) written() *Job {
	if j.division == nil {
		return j
	}
	return j.division.whole
}

// sameLaunch compares what jobs of one kernel hold beside their inputs.
func sameLaunch(saved, own *job.Bound) error {
	for i := range own.Job.Params {
		p, q := &saved.Job.Params[i], &own.Job.Params[i]
		if p.Kind != q.Kind || p.Kind == job.SharedPtr && p.Bytes != q.Bytes {
			return fmt.Errorf("param %s (%v) is another kind of argument than %s (%v)", p.Name, p.Pos, q.Name, q.Pos)
		}
	}
	symbols := func(b *job.Bound) map[int]string {
		held := make(map[int]string)
		for _, s := range b.Symbols {
			held[s.Var] = string(s.Data)
		}
		return held
	}
	if !maps.Equal(symbols(saved), symbols(own)) {
		return fmt.Errorf("the symbols hold something else than those of %s", own.Job.File)
	}
	return nil
}

// vectors hands out the numbers of test vectors in ascending order and keeps the
// error of the lowest, so that the outcome does not depend on timing. The last ones are
// inputs that were saved.
type vectors struct {
	job    *Job
	random int // vectors that are drawn
	total  int
	saved  []SavedInputs

	mu       sync.Mutex
	issued   int
	finished int
	failed   int // lowest vector with an error, total if there is none
	err      error
	progress func(done, total int)
	cycles   []int64 // by vector
}

// vectors returns what is run.
func (j *Job) vectors(opts *AnalyzeOptions) *vectors {
	random := opts.Vectors
	switch {
	case !j.bound.Job.Varies():
		random = 1 // every run would be the same
	case random == 0:
		random = j.bound.Job.Vectors
	}
	total := random + len(opts.Inputs)
	return &vectors{
		job: j, random: random, total: total, saved: opts.Inputs,
		failed: total, progress: opts.Progress, cycles: make([]int64, total),
	}
}

// next returns the number of the next vector and its inputs, which may be made in the memory
// of own, or false if there is none left.
func (q *vectors) next(own *job.Inputs) (int, *job.Inputs, bool) {
	q.mu.Lock()
	if q.issued >= q.failed {
		q.mu.Unlock()
		return 0, nil, false
	}
	v := q.issued
	q.issued++
	q.mu.Unlock()
	if v >= q.random {
		return v, q.saved[v-q.random].in, true
	}
	q.job.bound.Fill(v, own)
	return v, own, true
}

// name names a vector in messages.
func (q *vectors) name(v int) string {
	if v >= q.random {
		return q.saved[v-q.random].File
	}
	return fmt.Sprintf("test vector %d", v)
}

// done notes how long a vector took, in cycles.
func (q *vectors) done(v int, cycles int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.cycles[v] = cycles
	q.finished++
	if q.progress != nil {
		q.progress(q.finished, q.total)
	}
}

func (q *vectors) fail(vector int, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil || vector < q.failed {
		q.failed, q.err = vector, err
	}
}

// inputs tells how long the saved inputs took.
func (q *vectors) inputs() []estimate.InputRun {
	var runs []estimate.InputRun
	for i, s := range q.saved {
		runs = append(runs, estimate.InputRun{File: s.File, Cycles: q.cycles[q.random+i]})
	}
	return runs
}
