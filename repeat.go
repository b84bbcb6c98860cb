package warpbound

import "warpbound/diag"

// several reports whether a run of the job can have several launches.
func (j *Job) several() bool { return j.bound.Job.Repeat.Several() }

// oneLaunch is an error if a run of the job can have several launches. what says what is about
// one of them alone.
func (j *Job) oneLaunch(what string) error {
	if !j.several() {
		return nil
	}
	return diag.Errorf(j.bound.Job.Repeat.Pos.Table,
		"%s one launch, and [repeat] makes several: leave [repeat] out for kernel %s alone; sim and search run them all",
		what, j.graph.Kernel.Name)
}
