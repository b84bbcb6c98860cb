package estimate

// Reason tells why work ended before it was complete.
type Reason string

// The reasons.
const (
	BySignal  Reason = "signal"  // Ctrl-C, or a request to terminate
	ByTimeout Reason = "timeout" // of the user
	ByMemory  Reason = "memory"  // the limit of memory
	ByCost    Reason = "cost"    // the rest would have taken longer than the user allowed
	ByFailure Reason = "failure" // an error, which is told beside the result
	ByCaller  Reason = "caller"  // a program that uses the package has cancelled it
)

// Interruption says that a result is incomplete. What it holds is true all the same: it is the result of less work.
type Interruption struct {
	Reason  Reason   `json:"reason"`            // "signal", "timeout", "memory", "cost", "failure" or "caller"
	Planned int      `json:"planned,omitempty"` // how many runs, or other steps, there were to be
	Missing []string `json:"missing"`           // what has no answer: names of methods, "runs", "races", or other parts of the result
}
