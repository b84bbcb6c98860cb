// Package adversary makes inputs within the contract of a job that are to take long: structured
// ones, such as all elements at their maximum or in ascending order, and then changes of those that
// took longest.
//
// Each of them has a name of which it is made again, without the runs that led there:
//
//	ascending        a pattern of all parameters
//	equal:42         a number with which the kernel compares something
//	mixed:3          a pattern of each parameter, drawn by 3
//	vector:17        a random test vector
//	ascending+25+31  what changes of the numbers 25 and 31 make of a pattern
//
// What is found depends on the job, its seed and the times of the runs alone: no solver is asked.
//
// adversary must not import what runs or bounds workloads.
package adversary
