package ipet

// disjointSets joins small numbers into sets.
type disjointSets []int // of every number another of its set, or itself

func newDisjointSets(n int) disjointSets {
	d := make(disjointSets, n)
	for i := range d {
		d[i] = i
	}
	return d
}

// find returns the number that stands for the set of i.
func (d disjointSets) find(i int) int {
	for d[i] != i {
		d[i] = d[d[i]]
		i = d[i]
	}
	return i
}

// join joins the sets of two numbers.
func (d disjointSets) join(i, j int) { d[d.find(i)] = d.find(j) }
