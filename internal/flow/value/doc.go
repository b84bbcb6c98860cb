// Package value finds out which numbers the registers of a kernel can hold, how often its loops
// iterate, and which addresses the lanes of a warp access together.
//
// The analysis is an abstract interpretation (Cousot and Cousot, POPL 1977). It has a room for each
// part: sets of words (package strided) and affine forms (package affine) are its two domains,
// package launchfacts what is known of a launch, package transfer what instructions make of values,
// package fixpoint the solver. What follows from a solution are passes behind it: what lanes agree
// on (package agreement), bounds of loops (package loopbound), accesses (package access).
//
// This package puts them together. value.go repeats the passes where one tells another more: bounds
// of loops limit counters, and divergence what operations of a warp give. contents.go takes into
// account what memory holds that the kernel does not write.
//
// With a launch the launch constants are numbers, without one they are symbols with the ranges that
// every device has. Nothing is assumed of what is loaded from memory, except from parameters that
// the launch fixes and from buffers whose contents it tells. A run that fails, by a trap, an
// assertion or an access outside of memory, is not covered.
package value
