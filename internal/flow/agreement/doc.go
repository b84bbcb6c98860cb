// Package agreement finds out what the lanes of a warp agree on that execute an instruction
// together: which symbols of forms have one value in all of them, at which branches they go one
// way, and whether they go through a loop together. It follows from a solution for the values of
// registers (package fixpoint) and from where lanes reconverge.
//
// agree.go has the fixed point (Find) and what is asked of it: whether a form varies in a block,
// whether lanes diverge at its end; region.go the blocks that diverged lanes execute. together.go
// says where lanes may be missing, and how they go through loops; own.go finds, in a counter on
// which lanes disagree, the part that a lane's thread index determines.
package agreement
