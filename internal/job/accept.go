package job

import (
	"slices"

	"warpbound/diag"
	"warpbound/internal/isa"
)

// Accept is a name that a job accepts: of an instruction or a special register that the version or
// the target of the module does not have.
type Accept struct {
	Name string // the mnemonic, or the register
	Pos  diag.Pos
}

// readAccepts reads the accepted names.
func (r *reader) readAccepts(t table) []Accept {
	const key = "accept"
	var all []Accept
	list, _ := t.list(key)
	for _, v := range list {
		name, ok := v.(string)
		switch {
		case !ok || name == "":
			r.errorf(t.pos(key), `%s holds %s; it must hold instructions without operands, such as "redux.sync.min.f32"`, key, kindOf(v))
			return nil
		case slices.ContainsFunc(all, func(a Accept) bool { return a.Name == name }):
			r.errorf(t.pos(key), "%s names %.40q twice", key, name)
		}
		all = append(all, Accept{Name: name, Pos: t.pos(key)})
	}
	return all
}

// Accepted returns the names that the job accepts.
func (j *Job) Accepted() []string {
	var names []string
	for _, a := range j.Accepts {
		names = append(names, a.Name)
	}
	return names
}

// CheckAccepted returns an error that lists the names that the job accepts and that stand in none
// of the kernels, or need not be accepted.
func (j *Job) CheckAccepted(p *isa.Program, kernels []*isa.Kernel) error {
	at := make(map[diag.Pos]bool)
	for _, k := range kernels {
		for i := range k.Instrs {
			at[k.Instrs[i].Pos] = true
		}
	}
	var errs diag.List
	for _, a := range j.Accepts {
		used := func(u isa.Accepted) bool { return u.Name == a.Name && at[u.Pos] }
		if !slices.ContainsFunc(p.Accepted, used) {
			errs.Add(diag.Errorf(a.Pos, "accept names %.40q, but the job's kernels have nothing of this name that .version and .target refuse; remove it", a.Name))
		}
	}
	return errs.Err()
}
