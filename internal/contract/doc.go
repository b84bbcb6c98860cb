// Package contract holds what a job assumes of its inputs: relations between integers, such as n <= count or
// n % 32 == 0, and the order of the elements of arrays. It reads them (Parse), narrows the sets of
// numbers that satisfy them (Problem.Narrow), and finds numbers that do (Problem.Solve).
//
// Numbers are integers without a width. Problem.Check makes sure that nothing that a relation computes is beyond
// 2^60, so that 64 bits are exact.
//
// contract must import nothing of this project: it does not know what its numbers are.
package contract
