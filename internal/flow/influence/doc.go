// Package influence finds which branches, guards and addresses of a kernel its inputs can reach,
// and how directly: as far as registers, the memory that pointers lead to, and control tell,
// whatever the order in which instructions are executed.
//
// It may find too much, and not too little where pointers come from parameters. Nothing that is
// proven rests on it: it says what runs should have exercised.
//
// influence must not know timing, nor how instructions are executed.
package influence
