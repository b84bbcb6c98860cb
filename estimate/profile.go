package estimate

// Profile says where the time of one run goes, and shows the code that it is spent in.
type Profile struct {
	Run     LongestRun       `json:"run"`
	Kernels []ProfiledKernel `json:"kernels"` // by launch of a run
	Files   []SourceFile     `json:"-"`       // the module, and the sources that its code is of as far as they can be read
	// Timeline is left out of a job with several launches in a run, and Chain where nobody asked for it.
	Timeline *Timeline `json:"timeline,omitempty"`
	Chain    *Chain    `json:"chain,omitempty"`
}

// SourceFile is the text of a file.
type SourceFile struct {
	Name string
	Text string
}

// ProfiledKernel is what a run executed of one launch.
type ProfiledKernel struct {
	Kernel string          `json:"kernel"`
	Lines  []ProfiledLine  `json:"lines"` // that have instructions, in the order of the module and then of the source
	Blocks []ProfiledBlock `json:"blocks"`
	Loops  []ProfiledLoop  `json:"loops"`
}

// ProfiledLine is the instructions of a line of the module which are from one line of the source.
type ProfiledLine struct {
	Line         string `json:"line"`             // file:line in the module
	Source       string `json:"source,omitempty"` // the same in the compiler's source, if the module tells it
	Issues       int64  `json:"issues"`           // by warps
	Lanes        int64  `json:"lanes"`            // that executed them, in all issues together
	Diverged     int64  `json:"diverged"`         // issues without some of the lanes that had not exited
	Transactions int64  `json:"transactions"`     // lines of global and local memory that they accessed
	// Cycles are those from the issue of the instruction before, of the same warp, in all issues together: several warps may wait in one cycle. Waits
	// are the same by what was waited for last, as in the chain of causes.
	Cycles int64            `json:"cycles"`
	Waits  map[string]int64 `json:"waits,omitempty"`
}

// ProfiledBlock is a basic block.
type ProfiledBlock struct {
	Name   string `json:"name"`
	Line   string `json:"line"`   // file:line of its first instruction, in the compiler's source if it is known
	Issues int64  `json:"issues"` // of its first instruction
	Cycles int64  `json:"cycles"` // as of a line
	// Dead is set if nothing leads to it from the entry of the kernel.
	Dead bool  `json:"dead,omitempty"`
	Next []int `json:"next"` // blocks that may follow; as many as there are blocks stand for the exit
}

// ProfiledLoop is a loop of the flow graph.
type ProfiledLoop struct {
	Header int   `json:"header"` // a block
	Blocks []int `json:"blocks"` // those of inner loops included
}

// Timeline is what warps waited for, and when.
type Timeline struct {
	Width int64         `json:"width"` // of a bin, in cycles
	Kinds []string      `json:"kinds"` // by letter: the first one is a
	Rows  []TimelineRow `json:"rows"`
}

// TimelineRow is a warp, or all those of a CTA or of an SM where there are many.
type TimelineRow struct {
	SM   int    `json:"sm"`
	CTA  int    `json:"cta"`  // in the grid; -1 of all of the SM
	Warp int    `json:"warp"` // in the CTA; -1 of all of it
	Bins string `json:"bins"` // for each bin a letter: the kind of most of its cycles; a blank is nothing
}

// WarpIssue is an instruction that a warp issued.
type WarpIssue struct {
	SM, CTA, Warp int    // the CTA in the grid, the warp in the CTA
	Split         int    // the split SIMD on which a part of a split wavefront executes, from 1; else 0
	Since, Cycle  int64  // when the warp issued its instruction before, and this one; equal if it is the first one
	Wait          string // what the warp waited for last, as in the chain of causes
	Line          string // file:line of the instruction, in the compiler's source if it is known
}
