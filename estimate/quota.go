package estimate

// Quotas is what quotas of regulated accesses to a shared cache make of the bounds of jobs.
type Quotas struct {
	Provenance
	Method string     `json:"method"`
	Jobs   []QuotaJob `json:"jobs"`
	// Tried are the quotas that were tried, ascending: every one from First to Last if All.
	Tried []QuotaBound `json:"tried"`
	First int64        `json:"first"`
	Last  int64        `json:"last"`
	All   bool         `json:"all"`
	Best  int          `json:"best"` // of Tried: the least sum of bounds, and the least quota of those

	Interrupted *Interruption `json:"interrupted,omitempty"` // nil if all quotas were tried
}

// QuotaJob is a job whose accesses are regulated.
type QuotaJob struct {
	Job             string `json:"job"`
	Kernel          string `json:"kernel"`
	KernelDemangled string `json:"kernel_demangled,omitempty"` // the name in the source, where Kernel is a mangled symbol
	Machine         string `json:"machine"`
	MachineHash     string `json:"machine_hash"`
	ModuleHash      string `json:"module_hash"` // SHA-256 of the module's text
	JobHash         string `json:"job_hash"`    // of the job's file, of the data files that it names, and of inputs that are kept beside it
	Quota           int64  `json:"quota"`       // that job and machine have
	Cycles          int64  `json:"cycles"`      // the bound with it
}

// QuotaBound is what one quota gives.
type QuotaBound struct {
	Quota  int64   `json:"quota"`
	Cycles []int64 `json:"cycles"` // the bound of each job
	Sum    int64   `json:"sum"`
}
