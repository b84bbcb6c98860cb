// Package scaffold writes a job for a kernel of which only the module is known: arguments, a launch, buffers
// and their contents, with a comment on each that says what the guess rests on.
//
// Nothing that it writes is a fact. Guesses are tried: the kernel is executed without time, and a guess is kept if
// the threads stay within the buffers and most of the kernel's blocks are executed.
//
// scaffold must not import simulators, methods or the command line.
package scaffold
