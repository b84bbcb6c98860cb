package estimate

// Draft is a job that was written for a kernel of which only the module is known.
type Draft struct {
	Module     string // path of the module from the job file
	Kernel     string
	Several    bool // the module has other kernels
	Machine    string
	MachineWhy string // it is this machine
	Launch     Launch
	Text       string // of the job file
}
