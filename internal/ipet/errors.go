package ipet

import (
	"errors"
	"fmt"
	"strings"

	"warpbound/diag"
)

// ErrNotStructured says that a model is outside what SolveStructured takes.
var ErrNotStructured = errors.New("model is not structured")

// ErrOverflow says that a bound does not fit into 63 bits.
var ErrOverflow error = &diag.OverflowError{Err: errors.New("cost overflows 63 bits")}

// InfeasibleError says that no flow satisfies a model.
type InfeasibleError struct {
	// Conflict names constraints that contradict each other given conservation
	// of flow. It is empty where no walk leads to the sink.
	Conflict []string

	proof *Certificate // nil where no walk leads to the sink
}

// newInfeasibleError returns the error that a certificate proves.
func newInfeasibleError(proof *Certificate) *InfeasibleError {
	e := &InfeasibleError{proof: proof}
	for _, u := range proof.Uses() {
		e.Conflict = append(e.Conflict, u.Constraint)
	}
	return e
}

// Error lists the conflicting constraints.
func (e *InfeasibleError) Error() string {
	if len(e.Conflict) == 0 {
		return "no walk that the limits and bounds of zero leave leads from source to sink"
	}
	return "no execution satisfies together: " + strings.Join(e.Conflict, "; ")
}

// UnboundedError says that nothing bounds the count of some cycle that costs
// time.
type UnboundedError struct {
	Edges []int    // the cycle, in order
	Nodes []string // the names of the nodes where these edges start
}

// Error names the cycle.
func (e *UnboundedError) Error() string {
	if len(e.Nodes) == 0 {
		return "nothing bounds some loop"
	}
	return fmt.Sprintf("nothing bounds the loop %s -> %s",
		strings.Join(e.Nodes, " -> "), e.Nodes[0])
}

// As makes it a *diag.UnboundedLoopError, of the node where the cycle begins.
func (e *UnboundedError) As(target any) bool {
	to, ok := target.(**diag.UnboundedLoopError)
	if ok {
		*to = &diag.UnboundedLoopError{Err: e}
		if len(e.Nodes) > 0 {
			(*to).Loop = e.Nodes[0]
		}
	}
	return ok
}

func newUnboundedError(m *Model, cycle []int) *UnboundedError {
	e := &UnboundedError{Edges: cycle}
	for _, i := range cycle {
		e.Nodes = append(e.Nodes, m.Nodes[m.Edges[i].From])
	}
	return e
}
