package ipet

// Solution is a proven upper bound on the cost of every execution that a model
// admits.
type Solution struct {
	// Cycles is the bound.
	Cycles int64
	// Counts holds, for every edge, its count in the costliest flow found; it
	// satisfies the model. It is nil where the search was cut off before it
	// found one.
	Counts []int64
	// Exact says that Counts costs Cycles, so that the model's constraints
	// admit no smaller bound. Where it is false the search was cut off, and
	// Cycles is the floor of a relaxation: still a bound, perhaps not the
	// least.
	Exact bool
	// Walk says that one walk from source to sink has the counts Counts, that
	// is, that no part of the flow circulates detached from the source.
	Walk bool
	// Method names the solver: MethodStructured or MethodGeneral.
	Method string
	// Certificate proves Cycles.
	Certificate *Certificate
}

// The names of the solvers.
const (
	MethodStructured = "structured"
	MethodGeneral    = "general"
)

// Contributions returns cost times count in cycles for every edge of m, the
// model that s solves. They add up to Cycles where s is exact. It returns nil
// where s has no counts.
func (s *Solution) Contributions(m *Model) []int64 {
	if s.Counts == nil {
		return nil
	}
	cycles := make([]int64, len(m.Edges))
	for i, e := range m.Edges {
		cycles[i] = e.Cost * s.Counts[i] // at most Cycles, hence no overflow
	}
	return cycles
}
