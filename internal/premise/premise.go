// Package premise has the words in which estimates say what they rest on: methods write them, and
// the checker of certificates knows from them what a claim takes for granted.
//
// It imports nothing of this project.
package premise

import (
	"fmt"
	"strings"
)

// What estimates rest on whatever the kernel is.
const (
	Timing     = "PTX instructions are executed with the timing of the machine file " + sass
	Alone      = "no other kernel runs on the GPU"
	AloneOfCPU = "no other kernel runs on the GPU, and the CPU makes the accesses that the job states"
	NoHost     = "launch overhead on the host is not included"
	Aligned    = "buffers are aligned to 256 bytes"
	Terminates = "the kernel terminates without fault for all inputs"
	// LaunchAddresses and RunAddresses are of bounds that rest on where buffers lie.
	LaunchAddresses = "buffers lie at the addresses that they have in the launch" + elsewhere
	RunAddresses    = "buffers lie at the addresses that they have in the run" + elsewhere
	// Zeros, Cold, CPU and Seed are of a run that stands for all.
	Zeros = "registers that are read before they are written hold zero, and clocks begin at zero with each launch"
	Cold  = "caches are empty when the first launch begins"
	CPU   = "the CPU accesses memory as the job says, beginning with the launch"
	Seed  = "what the machine chooses at random it chooses by the seed of its file"
	// WarmCopies is of runs of a machine whose L2 is not empty when a launch begins.
	WarmCopies = "when the first launch begins, the L2 holds what the host has copied, as far as there is room"
	// RaceFree is of estimates where the paths of a branch execute beside each other. Races begins
	// what is known of it.
	RaceFree = "results do not depend on the order in which the paths of a branch execute"
	Races    = "data races: "
)

const (
	sass      = "(a device executes the SASS that ptxas generates)"
	elsewhere = ": at others accesses may map to other sets, slices and banks"
)

// Why a buffer holds what the job says whenever the kernel reads it.
const (
	Unwritten = "the kernel does not write it"
	ReadOnly  = `annotated: access = "read", so that a run that writes it is a fault`
)

// Contents is of bounds that take into account what a buffer holds when the kernel starts, for one
// of the reasons above.
func Contents(buffer, why string) string {
	return fmt.Sprintf("buffer %s has the contents given by the job (%s)", buffer, why)
}

// Loop is of bounds that take the bound of a loop from the job.
func Loop(name string, iterations int64) string {
	return fmt.Sprintf("loop bound of %s: at most %d back edges per entry (annotated)", name, iterations)
}

// Solved is of bounds that take the bound of a loop from a solver, which found that a function of
// the loop decreases.
func Solved(solver, loop string, iterations int64, function string) string {
	return fmt.Sprintf("%s is right that control returns to %s at most %d times for one entry of the loop (%s)",
		solver, loop, iterations, function)
}

// Annotated reports whether an assumption is something that the job states and nothing proves.
func Annotated(text string) bool {
	return strings.HasSuffix(text, "(annotated)") || strings.HasSuffix(text, "("+ReadOnly+")")
}
