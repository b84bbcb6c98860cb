// Package synthetic writes the synthetic benchmarks of Klashtorny et al., "Predictable GPU
// Wavefront Splitting for Safety-Critical Systems", Section 7: a kernel of PTX and a job
// that launches it.
//
// The kernel has three parts: instructions that all work-items execute, nested if-else whose
// conditions are bits of the work-item's number, and in the innermost branches instructions
// that only the work-items of one class execute:
//
//	non-divergent instructions
//	if bit 0 of the number is 0
//	    if bit 1 is 0 { divergent ... } else { divergent ... }
//	else
//	    if bit 1 is 0 { divergent ... } else { divergent ... }
//
// A wavefront that does not split executes all of them. The instructions of different classes
// differ. Every if-else carries the pragma "split" if it is marked. A work-item loads from and stores
// to elements of its own only, so results do not depend on the order of execution. Those
// instructions that find the work-item's number and elements before the first part and store what was
// computed after the last are in no share.
//
// The package knows PTX and job files as text and imports nothing of this project.
package synthetic

import (
	"fmt"
	"math/rand/v2"
)

// Config says what a benchmark is like.
type Config struct {
	Instructions int    // of all parts together, without conditionals and the loop
	Divergent    int    // per cent of them that only one class of work-items executes
	Memory       int    // per cent of them that load or store, in each part
	Nesting      int    // of if-else; there are 2^Nesting classes of work-items
	Iterations   int    // of a loop around the three parts; no loop for 1
	WorkItems    int    // of a group
	Groups       int    // of the launch
	Marked       int    // if-else that carry the mark, outer ones first; AllMarked for all
	Seed         uint64 // of the instructions and of the contents of memory
	Machine      string // that the job names
}

// AllMarked is Config.Marked for all if-else.
const AllMarked = -1

// MaxNesting is the deepest nesting: every work-item of a wavefront of 64 is a class of its own.
const MaxNesting = 6

// The limits of the numbers of a Config, so that a module has a reasonable size and all
// offsets fit into 32 bits.
const (
	maxInstructions = 1_000_000
	maxWorkItems    = 1 << 24 // of all groups
)

// Check reports the first number that is out of its range. The error begins with the
// name of the number in lower case.
func (c *Config) Check() error {
	for _, r := range []struct {
		name                    string
		value, minimum, maximum int
	}{
		{"instructions", c.Instructions, 1, maxInstructions},
		{"divergent", c.Divergent, 0, 100},
		{"memory", c.Memory, 0, 100},
		{"nesting", c.Nesting, 0, MaxNesting},
		{"iterations", c.Iterations, 1, 1 << 20},
		{"items", c.WorkItems, 1, maxWorkItems},
		{"groups", c.Groups, 1, maxWorkItems / max(c.WorkItems, 1)},
	} {
		if r.value < r.minimum || r.value > r.maximum {
			return fmt.Errorf("%s %d: want %d to %d", r.name, r.value, r.minimum, r.maximum)
		}
	}
	switch classes := 1 << c.Nesting; {
	case c.Nesting == 0 && c.Divergent > 0:
		return fmt.Errorf("nesting 0: divergent instructions need an if-else around them")
	case c.WorkItems < classes:
		return fmt.Errorf("items %d: a nesting of %d makes %d classes of work-items, so a group needs %d",
			c.WorkItems, c.Nesting, classes, classes)
	case c.Marked != AllMarked && (c.Marked < 0 || c.Marked > classes-1):
		return fmt.Errorf("marked %d: a nesting of %d has %d if-else", c.Marked, c.Nesting, classes-1)
	}
	return nil
}

// The names of the benchmark's files.
const (
	ModuleFile = "synthetic.ptx"
	JobFile    = "job.toml"
)

// Benchmark is a kernel with its launch.
type Benchmark struct {
	Module string // text of ModuleFile
	Job    string // text of JobFile
	Counts Counts
}

// Counts are the numbers of instructions of a benchmark.
type Counts struct {
	Uniform   int // that all work-items execute
	Divergent int // that one class executes, all classes together
	Memory    int // of both that load or store
	Branches  int // if-else
	Marked    int // of these
}

// New writes the benchmark of a configuration. Equal configurations give equal texts.
func New(c Config) (*Benchmark, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	k := c.kernel()
	return &Benchmark{Module: c.module(k), Job: c.job(), Counts: k.counts(c.marked())}, nil
}

// marked is the number of if-else that carry the mark.
func (c *Config) marked() int {
	if c.Marked == AllMarked {
		return 1<<c.Nesting - 1
	}
	return c.Marked
}

// kernel is what the parts of a kernel execute.
type kernel struct {
	uniform []instruction
	classes [][]instruction // of the work-items whose number is so modulo the number of classes
}

// kernel draws the instructions. Divergent ones are distributed to the classes evenly.
func (c *Config) kernel() *kernel {
	src := rand.New(rand.NewPCG(c.Seed, 0))
	divergent := (c.Instructions*c.Divergent + 50) / 100
	k := &kernel{uniform: c.draw(src, c.Instructions-divergent), classes: make([][]instruction, 1<<c.Nesting)}
	all := c.draw(src, divergent)
	for i := range k.classes {
		n := len(all) / (len(k.classes) - i)
		k.classes[i], all = all[:n], all[n:]
	}
	return k
}

// counts counts the instructions.
func (k *kernel) counts(marked int) Counts {
	n := Counts{Uniform: len(k.uniform), Branches: len(k.classes) - 1, Marked: marked}
	count := func(list []instruction) {
		for _, in := range list {
			if in.op.memory() {
				n.Memory++
			}
		}
	}
	count(k.uniform)
	for _, class := range k.classes {
		n.Divergent += len(class)
		count(class)
	}
	return n
}
