package campaign

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"warpbound/estimate"
	"warpbound/internal/job"
	"warpbound/internal/runner"
	"warpbound/internal/trace"
)

// Record is what the runs of a vector gave, for Keepers. It says all that a campaign takes of them.
type Record struct {
	Cycles   int64      // the longest time
	Launches []Executed // by job.Job.Runs
	// Traces are what the executions of each launch recorded, in the binary format, as runs that are numbered from 0
	// in their order; nil if nothing was recorded.
	Traces [][]byte

	// Followed says that the inputs were followed, with what runner.Outcome says of it.
	Followed, Invariant bool
	Reached             *estimate.Reached // nil if they reach nothing

	Turned bool // diverged paths of a warp took turns in a run
}

// Key tells the vectors of a job apart: a random test vector by its number in decimal, saved inputs by a hash of what they
// hold, wherever in a campaign they are.
type Key string

// VectorKey is that of a random test vector.
func VectorKey(vector int) Key { return Key(strconv.Itoa(vector)) }

// Vector returns the number of a random test vector, false for saved inputs.
func (k Key) Vector() (int, bool) {
	n, err := strconv.Atoi(string(k))
	return n, err == nil && n >= 0
}

// savedKey is the key of saved inputs.
func savedKey(in *job.Inputs) Key { return Key("inputs-" + in.Hash()) }

// Keeper keeps what vectors gave, so that they need not be run again. Goroutines may share it.
type Keeper interface {
	// Open tells of which campaign the outcomes are. It is an error if the keeper has those of another one.
	Open(of Identity) error
	// Load returns what a vector gave, nil if that is not known.
	Load(of Key) (*Record, error)
	// Save keeps what a vector gave.
	Save(of Key, r *Record) error
	// LoadNote and SaveNote are the same for the outcome of a run that is not one of the vectors, by its name.
	LoadNote(name string) ([]byte, error)
	SaveNote(name string, text []byte) error
	// Within returns the keeper of another campaign that belongs to this one, by its name. It lasts as long as this one.
	Within(name string) (Keeper, error)
}

// key returns the key of a vector.
func (v *vectors) key(i int) Key {
	if i < v.random {
		return VectorKey(i)
	}
	return savedKey(v.saves(i).Inputs)
}

// vector returns what a vector gave: what is kept of it, or else what its runs give, which is kept then.
func (c *campaign) vector(w *worker, i int, followed bool, run func() (*outcome, error)) (*outcome, error) {
	w.from = c.originOf(i)
	keep := c.spec.Keep
	if keep == nil {
		return run()
	}
	key := c.key(i)
	r, err := keep.Load(key)
	if err != nil {
		return nil, &runner.UnusableError{Err: err}
	}
	if r != nil && (r.Followed || !followed) {
		return w.replay(i, r)
	}
	out, err := run()
	if err != nil || out == nil {
		return nil, err
	}
	if err := keep.Save(key, out.record(followed)); err != nil {
		return nil, &runner.UnusableError{Err: err}
	}
	out.traces, out.known = nil, nil
	return out, nil
}

// record is the outcome as it is kept.
func (o *outcome) record(followed bool) *Record {
	if o.known != nil {
		return o.known
	}
	r := &Record{Cycles: o.cycles, Launches: o.launches, Followed: followed, Turned: o.turned}
	if followed {
		r.Invariant, r.Reached = o.invariant, o.reached
	}
	for _, t := range o.traces {
		r.Traces = append(r.Traces, t.text.Bytes())
	}
	return r
}

// replay is the outcome of a vector of which a record is known.
func (w *worker) replay(i int, r *Record) (*outcome, error) {
	o, err := w.outcome(i, r)
	if err != nil || w.rec == nil {
		return o, err
	}
	if len(r.Traces) != len(w.launches) {
		return nil, &runner.UnusableError{Err: fmt.Errorf("what is kept of vector %d has traces of %d launches, not of %d", i, len(r.Traces), len(w.launches))}
	}
	o.sinks = w.begin().sinks
	for launch, text := range r.Traces {
		src, err := trace.NewReader(bytes.NewReader(text))
		if err != nil {
			return nil, &runner.UnusableError{Err: fmt.Errorf("the trace that is kept of vector %d: %w", i, err)}
		}
		if err := trace.Copy(numbered{w.to(launch), i}, src); err != nil {
			return nil, &replayError{err}
		}
	}
	return o, nil
}

// outcome is what a record says of a vector, without sinks.
func (w *worker) outcome(i int, r *Record) (*outcome, error) {
	if len(r.Launches) != len(w.launches) {
		return nil, &runner.UnusableError{Err: fmt.Errorf("what is kept of vector %d is of %d launches, not of %d", i, len(r.Launches), len(w.launches))}
	}
	return &outcome{of: w, cycles: r.Cycles, launches: r.Launches, turned: r.Turned, invariant: r.Invariant, reached: r.Reached, known: r}, nil
}

// numbered gives all runs the number of a vector.
type numbered struct {
	trace.Sink
	vector int
}

func (n numbered) BeginRun(int) error { return n.Sink.BeginRun(n.vector) }

// recording is the trace of a launch that is to be kept.
type recording struct {
	text bytes.Buffer
	to   *trace.Writer
	runs int
}

// newRecordings begins the traces of launches, whose Ipoints have no names there: those of the campaign are known.
func newRecordings(records []*runner.Record) ([]*recording, error) {
	all := make([]*recording, len(records))
	for i, r := range records {
		points := 0
		for _, at := range r.Points {
			points = max(points, int(at)+1)
		}
		all[i] = new(recording)
		var err error
		if all[i].to, err = trace.NewWriter(&all[i].text, &trace.Header{Ipoints: make([]trace.IpointInfo, points)}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// add adds an execution.
func (r *recording) add(run *trace.Run) error {
	err := run.Replay(numbered{r.to, r.runs})
	r.runs++
	return err
}

// closeRecordings completes traces.
func closeRecordings(all []*recording) error {
	var errs []error
	for _, r := range all {
		errs = append(errs, r.to.Close())
	}
	return errors.Join(errs...)
}
