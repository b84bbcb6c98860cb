// Package race finds data races in one execution of a kernel: two accesses to the same bytes, at least
// one of them a write, by threads of which nothing says who comes first.
//
// What orders accesses is what the PTX manual's memory consistency model says, as far as an execution
// shows it:
//
//   - the program order of a thread;
//   - on a machine whose warps are in lock-step, the program order of a warp for the lanes that execute
//     an instruction together, but not for lanes on different paths of a diverged branch; on others
//     bar.warp.sync for the lanes that it names;
//   - a barrier of the CTA, between the warps that arrive and those that it lets go;
//   - release and acquire: what precedes a fence and then a strong write (atomic, volatile, relaxed or
//     release) precedes what follows a strong read of what was written, and then a fence, as far as
//     the scopes of the fences reach; atomic operations pass on what they read;
//   - who has read a strong write by a strong access, and what comes behind, follows that write;
//   - an mbarrier, between who arrives and who finds that the phase is complete, as release and acquire;
//   - the wait for an asynchronous copy, for what it writes, and of a bulk copy for what it reads;
//   - launches, each of which begins with everything ordered.
//
// Two strong accesses of the same bytes, the scopes of which include each other's threads, do not race; of bytes of which they
// share only some, they do. Writes of equal values are a kind of their own.
//
// Lanes of a warp that exchange values by strong accesses do not race, and yet what they read
// depends on the order in which they run: such pairs are hazards, if nothing but lock-step orders
// them.
//
// The order is kept as vector clocks, after Flanagan and Freund, "FastTrack: Efficient and Precise
// Dynamic Race Detection" (PLDI 2009), in three levels: for the lanes of a warp, for the warps of a CTA,
// and, between CTAs, for what was released at the places where threads synchronise. An event is
// something that a warp does together; its time is the number of events of the warp so far.
//
// Lanes of a warp mostly access words side by side. One record stands for all of these in a line of
// memory, and is compared with others for all words at once; the words of a line are told apart once
// that is not enough, with the same result.
//
// A detector tells of races in the execution that it sees. A word of memory remembers a few
// accesses, so that a race with one that was forgotten is missed; what it reports is one.
//
// race imports isa, for orders and scopes. It must not import emu, simulators or methods.
package race
