// Package loopbound bounds how often loops iterate: a pass after the solution for the values of
// registers (package fixpoint).
//
// A loop is bounded by any of its exits that every iteration passes and that compares a counter
// with what the loop leaves alone. A rule is a method that returns a Bound for one such comparison,
// known or not; boundByCounter in loop.go asks one after the other, and the least bound that any
// exit gives holds. linear.go has counters that change by steps of one sign, geometric.go those
// that are multiplied or divided and words of which bits are cleared. If these give none, or one
// that is large, the loop is followed iteration by iteration: unroll.go for all ways through an
// iteration together, way.go for each way by itself, and difference.go what is known of differences
// of counters on it.
//
// leave.go says which exits end the loop, step.go by how much a register changes on each path,
// path.go what conditions on the way to a place tell of it. typed.go tells bounds that rest on the
// range of a type alone, limit.go what a bound says of the counters of its loop. finder.go is what
// others call: bounds hold for a thread, and for a warp if its lanes go through the loop together
// (package agreement).
package loopbound
