package estimate

// Draft is a job that was written for a kernel of which only the module is known.
type Draft struct {
	Module  string // path of the module from the job file
	Kernel  string // as the job calls it
	Stem    string // a name for the job file, without an extension
	Machine string
	Launch  Launch
	Text    string  // of the job file
	Guesses []Guess // what was guessed of the arguments

	// The first test vectors of the job are executed without time.
	Blocks   int    // basic blocks of the kernel that can be reached
	Executed int    // those that were executed
	Missing  string // where another one begins, and what the branch to it depends on; empty if there is none
	Failed   string // how an execution failed and what that depends on, empty if none did
}

// Guess is what was guessed of an argument.
type Guess struct {
	Name string // in the job
	What string // value, or size and contents
	Why  string // what the guess rests on
}
