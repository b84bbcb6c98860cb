package job

import "warpbound/diag"

// Caches says what the launches of a run find in the cache that multiprocessors share.
type Caches struct {
	Warm bool     // what the launch before left there; otherwise nothing
	Pos  diag.Pos // of the key; zero if it is left out
}

// The values of the key caches.
const (
	cold = "cold"
	warm = "warm"
)

// caches reads the key.
func (r *reader) caches(root table) Caches {
	how, ok := root.text("caches")
	if !ok {
		return Caches{}
	}
	if how != cold && how != warm {
		r.errorf(root.pos("caches"), "caches is %.40q; it must be %q or %q", how, cold, warm)
	}
	return Caches{Warm: how == warm, Pos: root.pos("caches")}
}

// cachesOf returns what a job file says, nothing for the default.
func cachesOf(isWarm bool) string {
	if isWarm {
		return warm
	}
	return ""
}
