package estimate

// Calibration is what microbenchmarks found out about a device, and the machine that it is
// described as.
type Calibration struct {
	Provenance
	Device       string          `json:"device"`     // as it was asked for
	Name         string          `json:"name"`       // its own
	Capability   string          `json:"capability"` // compute capability, for example "8.6"; empty if it stands in for a GPU
	Machine      string          `json:"machine"`
	MachineHash  string          `json:"machine_hash"`
	ClockHz      int64           `json:"clock_hz"` // of the machine's core cycles
	Repeats      int             `json:"repeats"`  // runs of each microbenchmark
	Measurements []Measurement   `json:"measurements"`
	Notes        []string        `json:"notes"` // what could not be measured as it should
	Before       Conditions      `json:"before"`
	After        Conditions      `json:"after"`
	Jobs         []CalibratedJob `json:"jobs,omitempty"`

	Interrupted *Interruption `json:"interrupted,omitempty"` // nil if all was measured
}

// Measurement is what one microbenchmark gave.
type Measurement struct {
	Name     string    `json:"name"`
	What     string    `json:"what"`
	Unit     string    `json:"unit"`
	Median   float64   `json:"median"`
	Min      float64   `json:"min"`
	Max      float64   `json:"max"`
	Outliers int       `json:"outliers"` // of the samples, none of which is left out
	Samples  []float64 `json:"samples"`
}

// CalibratedJob is the time of a job as the machine of a calibration has it simulated and as
// the device needs it.
type CalibratedJob struct {
	Job        string      `json:"job"`
	Kernel     string      `json:"kernel"`
	ModuleHash string      `json:"module_hash"` // SHA-256 of the module's text
	JobHash    string      `json:"job_hash"`    // of the job's file, of the data files that it names, and of inputs that are kept beside it
	Simulated  int64       `json:"simulated"`   // cycles
	Measured   Measurement `json:"measured"`    // cycles of the highest clock
	Ratio      float64     `json:"ratio"`       // simulated by the median of measured
}
