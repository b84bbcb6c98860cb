package job

import "warpbound/diag"

// Threads says how the threads of a warp are scheduled.
type Threads struct {
	Way string   // lockstep or independent; empty if the machine says it
	Pos diag.Pos // of the key
}

// The values of the key threads.
const (
	lockstep    = "lockstep"
	independent = "independent"
)

// threads reads the key.
func (r *reader) threads(root table) Threads {
	way, ok := root.text("threads")
	if !ok {
		return Threads{}
	}
	if way != lockstep && way != independent {
		r.errorf(root.pos("threads"), "threads is %.40q; it must be %q or %q", way, lockstep, independent)
	}
	return Threads{Way: way, Pos: root.pos("threads")}
}
