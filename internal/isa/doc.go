// Package isa is the instruction-set-neutral program that every front end
// lowers to and every analysis and simulator reads.
//
// A Program is a parsed module: its functions and module-scope variables. Link
// takes one entry function and everything that it calls and makes a Kernel of
// it: one flat list of instructions over virtual registers, with calls expanded
// in place. Instructions are small and typed; what is known of each operation
// stands in one table (see Op.Info), whose zero value means unknown and fails. Verify and
// VerifyProgram check what later stages rely on.
//
// isa holds no syntax, no timing and no analysis results: it imports
// diag for positions, internal/constraint, internal/symbol and nothing else of this project.
package isa
