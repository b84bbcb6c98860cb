package estimate

// Quotas is what quotas of regulated accesses to a shared cache make of the bounds of jobs.
type Quotas struct {
	Method string     `json:"method"`
	Jobs   []QuotaJob `json:"jobs"`
	// Tried are the quotas that were tried, ascending: every one from First to Last if All.
	Tried []QuotaBound `json:"tried"`
	First int64        `json:"first"`
	Last  int64        `json:"last"`
	All   bool         `json:"all"`
	Best  int          `json:"best"` // of Tried: the least sum of bounds, and the least quota of those
}

// QuotaJob is a job whose accesses are regulated.
type QuotaJob struct {
	Job     string `json:"job"`
	Kernel  string `json:"kernel"`
	Machine string `json:"machine"`
	Quota   int64  `json:"quota"`  // that job and machine have
	Cycles  int64  `json:"cycles"` // the bound with it
}

// QuotaBound is what one quota gives.
type QuotaBound struct {
	Quota  int64   `json:"quota"`
	Cycles []int64 `json:"cycles"` // the bound of each job
	Sum    int64   `json:"sum"`
}
