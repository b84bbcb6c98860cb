// Package racefree tells whether a kernel can have data races, without running it: two accesses to the same bytes, at
// least one of them a write, by different threads of a launch, that nothing orders.
//
// Addresses are sums over the indices of threads and CTAs, launch constants and iterations of loops. Two accesses
// overlap where the difference of their sums is less than their size. Each term of it lies in a range, and what the
// others cannot make up for narrows that range: if a difference of indices can only be zero, the threads are equal
// along that axis. So a sum that is a mixed-radix number, with every coefficient greater than what the smaller terms
// reach, is another one in every thread. Sums that are not are computed for every thread of a CTA.
//
// Threads of a CTA are ordered by the barriers for all of its threads, if all threads come to the same barriers in the
// same order: where no branch of which the threads of a CTA may go different ways decides on a barrier.
//
// It is taken for granted that different parameters point to different buffers, and that every access stays in the
// buffer that its address is computed from.
//
// racefree imports the analyses of control flow and of values and nothing that executes.
package racefree
