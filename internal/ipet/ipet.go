// Package ipet bounds execution time by implicit path enumeration: control
// flow becomes a flow problem over edge counts, and the largest total cost of
// any flow that satisfies the known facts bounds the cost of every execution
// (Li and Malik, DAC 1995).
//
// Two solvers share one kind of answer. The structured one takes reducible
// graphs whose only constraints are relative loop bounds and needs linear time;
// the general one takes every Model. Both compute exactly, in integers or
// rationals, and both attach a Certificate that proves the bound and can be
// checked without either.
//
// ipet imports internal/graph and nothing else of this project. It knows no
// instruction set, opens no files and starts no process; the tests compare with cbc.
package ipet
