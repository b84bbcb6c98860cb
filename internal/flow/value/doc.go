// Package value finds out which numbers the registers of a kernel can hold, how often
// its loops iterate, and which addresses the lanes of a warp access together.
//
// The analysis is an abstract interpretation (Cousot and Cousot, POPL 1977). A register
// has at each place a set of words (package strided), and where possible an affine form over thread
// index, CTA index, launch constants and the values that other registers had at the last execution
// of some place (package affine). Conditions of
// branches and guards refine the sets along the edges; loops are widened to
// thresholds and narrowed.
//
// With a launch (package launchfacts) the launch constants are numbers, without one they are symbols with the
// ranges that every device has. Nothing is assumed of what is loaded from memory, except
// from parameters that the launch fixes.
//
// A loop is bounded by any of its exits that every iteration passes and that compares a
// counter with a limit: counters change by steps of one sign, or are multiplied or divided
// (linear, geometric). The bound holds for a thread, and for a warp if its lanes go through
// the loop together (agreement). Access patterns rest on the same agreement: an address is
// a part of which a lane's thread index determines how it differs from lane to lane, and
// one that all lanes have in common.
//
// A run that fails, by a trap, an assertion or an access outside of memory, is not
// covered. An access at an address that is no multiple of its size is one that fails.
package value
