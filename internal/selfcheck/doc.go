// Package selfcheck looks for bounds below the truth. It draws random kernels with launches,
// inputs and machines (package kernelgen, instance.go, machine.go), simulates them, and holds
// every answer of the methods against the simulated times, and every simulated result against
// two executions without time (check.go). What does not hold is reduced to a small
// kernel (shrink.go, reduce.go) and handed on as a Finding.
//
// Kernel k of a seed is the same wherever and after whatever it is generated, so that any
// run can be repeated and continued.
//
// The package works on the public package, which is what users rely on. It opens no
// file, and must not import the command line.
package selfcheck
