// Package transfer says what instructions make of what is known of registers: the transfer
// functions of an abstract interpretation (Cousot and Cousot, POPL 1977), and what conditions say
// where they hold.
//
// A Value is what is known of a register at a place: a set of words (package strided), where
// possible an affine form over symbols (package affine), and for a predicate its Condition. A State
// has a value for each register. A Machine executes instructions on states (Execute) and follows
// the edges of the flow graph (FollowEdge). It knows nothing of orders of blocks or of loops:
// whoever solves equations, or follows single paths, calls it block by block.
//
// state.go has states and machine.go the machine: how sources are read and results are named. A
// transfer function for an operation on integers is a row of the table rules in operations.go: its
// set, and its form if it is affine; extended.go has the longer ones. Operations whose results are
// not functions of the words of their sources alone have one each: loads in load.go, those in which
// lanes take part together in together.go, floating-point numbers in real.go, predicates in
// condition.go.
//
// condition.go says which facts follow from a condition, knowledge.go what facts leave of the
// symbols in them and so of all values that are made of these, alike.go which registers that may
// concern.
package transfer
