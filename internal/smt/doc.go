// Package smt holds formulas over truth values, bit-vectors, IEEE floating point and
// arrays, and asks satisfiability solvers about them in the language SMT-LIB 2 (Barrett,
// Fontaine and Tinelli, "The SMT-LIB Standard: Version 2.6").
//
// A Builder makes terms. Equal terms are one pointer, and terms are simplified while they
// are made. A Model gives numbers to variables and evaluates terms. A Solver answers
// whether assertions hold together, with processes that it talks to over pipes, and
// hands out no model that it has not evaluated itself.
//
// Every term has one meaning for all values of its variables: what SMT-LIB leaves open,
// such as a float beyond the range of an integer, is fixed here, and fixed in what
// solvers are sent. Floating-point numbers are bit-vectors that some operations take for
// numbers in a Format, so that moving and storing them costs nothing.
//
// smt imports nothing of this project and starts no process itself: see Launcher.
package smt
