package scoreboard

// rng gives the random numbers by which schedulers and controllers choose: splitmix64, of which each of them has a sequence of its own,
// so that it does not matter in which order they are simulated.
type rng struct{ seed, state uint64 }

// newRNG returns the sequence of one scheduler or controller.
func newRNG(seed int64, kind, index int) rng {
	r := rng{state: uint64(seed)}
	r.state = r.next() + uint64(kind)
	r.state = r.next() + uint64(index)
	r.state = r.next()
	r.seed = r.state
	return r
}

// The kinds of what has sequences.
const (
	ofScheduler = iota
	ofController
)

// again returns the sequence from its beginning.
func (r rng) again() rng { return rng{r.seed, r.seed} }

func (r *rng) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
