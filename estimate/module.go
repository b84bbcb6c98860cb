package estimate

import "fmt"

// Module describes a module and the kernels that were asked for.
type Module struct {
	Provenance
	File        string    `json:"file"`
	ModuleHash  string    `json:"module_hash"`        // SHA-256 of its text
	JobHash     string    `json:"job_hash,omitempty"` // of the job whose launch is taken into account
	Language    string    `json:"language"`
	Version     string    `json:"version"`
	Target      string    `json:"target"`
	AddressBits int       `json:"address_bits"`
	Kernels     []Kernel  `json:"kernels"`
	Refused     []Refusal `json:"refused"` // what keeps kernels from being executed, in the order of the kernels
	Warnings    []Warning `json:"warnings"`
}

// Refusal is a reason why kernels cannot be executed or bounded.
type Refusal struct {
	Reason  string   `json:"reason"`
	Pos     string   `json:"pos"` // the first place of this reason in the first of the kernels
	Kernels []string `json:"kernels"`
}

// Kernel describes one kernel, calls expanded.
type Kernel struct {
	Name         string   `json:"name"`
	Demangled    string   `json:"demangled,omitempty"` // the name in the source, where Name is a mangled symbol
	Pos          string   `json:"pos"`
	Params       []string `json:"params"` // name and type
	Instructions int      `json:"instructions"`
	Registers    int      `json:"registers"` // estimated for each thread, 32 bits each
	Shared       int      `json:"shared"`    // bytes of static shared memory
	Blocks       []Block  `json:"blocks"`
	Loops        []Loop   `json:"loops"`
	Branches     []Branch `json:"branches"`
	Accesses     []Access `json:"accesses"` // to global and shared memory
	Added        []Edge   `json:"added_edges"`
	Reducible    bool     `json:"reducible"`
	Launch       *Launch  `json:"launch"` // with which bounds and accesses were found; null without one

	// Races is what is known of data races for all inputs of the launch; left out where the values of the kernel are not
	// known.
	Races *RaceVerdict `json:"races,omitempty"`

	// NotAnalysed lists what is not known since time was up, and is empty or left out for that; nil
	// if nothing is missing.
	NotAnalysed []Inspected `json:"not_analysed,omitempty"`
}

// Inspected is a part of what is known of a kernel without running it.
type Inspected string

// The parts for which a kernel is analysed.
const (
	InspectedBranches Inspected = "branches" // which of them diverge
	InspectedEdges    Inspected = "edges added by divergence"
	InspectedLoops    Inspected = "bounds of loops"
	InspectedAccesses Inspected = "accesses"
	InspectedRaces    Inspected = "data races"
)

// Block is a basic block: the instructions [Start, End).
type Block struct {
	Name      string      `json:"name"`
	Pos       string      `json:"pos"`
	Start     int         `json:"start"`
	End       int         `json:"end"`
	Edges     []Successor `json:"edges"`
	Reachable bool        `json:"reachable"`
	Code      []string    `json:"code"`
}

// Successor is where an edge of a block leads, and why.
type Successor struct {
	To   string `json:"to"`
	Kind string `json:"kind"`
}

// Loop is a loop of the flow graph before divergent edges are added.
type Loop struct {
	Header string   `json:"header"`
	Pos    string   `json:"pos"`
	Depth  int      `json:"depth"` // 1 for an outermost loop
	Blocks []string `json:"blocks"`
	Back   []Edge   `json:"back_edges"`
	Bound  string   `json:"bound"` // with its evidence, or what to do for one

	Iterations *int64  `json:"iterations"` // most returns of a thread to the header for one entry; null if not known
	PerWarp    *int64  `json:"per_warp"`   // the same of a warp
	Warps      []int64 `json:"warps"`      // Iterations of the threads of each warp of a CTA, where they differ
	Formula    string  `json:"formula"`    // Iterations in terms of launch constants, if that says more
	Evidence   string  `json:"evidence"`   // proven, or empty
	Reason     string  `json:"reason"`     // what the bound follows from, or what stands against one
}

// Branch is a branch, and on what threads agree that execute it.
type Branch struct {
	Block      string  `json:"block"`
	Instr      int     `json:"instruction"`
	Pos        string  `json:"pos"`
	Reconverge string  `json:"reconverges_at"` // where lanes reconverge
	Verdict    string  `json:"verdict"`        // "grid-uniform", "cta-uniform", "warp-uniform", "divergent" or "unknown"
	Origin     *Origin `json:"origin"`         // what makes the verdict more than grid-uniform; null if nothing does or it is not known
}

// Origin is where a difference between threads comes from.
type Origin struct {
	Text string `json:"text"` // an instruction, or a loop in words
	Pos  string `json:"pos"`
}

// Edge joins two blocks by name.
type Edge struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Access says which memory the lanes of a warp access together at an instruction.
type Access struct {
	Instr   int    `json:"instruction"`
	Pos     string `json:"pos"`
	Kind    string `json:"kind"`  // load, store or atomic
	Space   string `json:"space"` // global, shared, or generic if the address tells
	Bytes   int    `json:"bytes"` // of one lane
	Address string `json:"address"`
	Stride  *int64 `json:"stride"` // bytes from lane to lane; null if not always the same
	Unit    string `json:"unit"`   // what Min and Max count: segments, or accesses of the busiest bank
	Min     int    `json:"least"`
	Max     int    `json:"most"`
	Reason  string `json:"reason"` // what is missing for closer numbers
}

// String says what one execution costs.
func (a *Access) String() string {
	text := fmt.Sprintf("%d", a.Max)
	if a.Min < a.Max {
		text = fmt.Sprintf("%d to %d", a.Min, a.Max)
	}
	switch {
	case a.Max != 1:
		text += " " + a.Unit
	case a.Space == "shared":
		text += " bank access"
	default:
		text += " segment"
	}
	if a.Stride != nil {
		text += fmt.Sprintf(", stride %d", *a.Stride)
	}
	return text
}
