// Package cases has tests alone. They hold the commands against testdata/cases: kernels of public
// reports of bugs in compilers, simulators, libraries and analysers, with the right answers.
//
// It uses the command line, and nothing below it.
package cases
