package analysis

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"warpbound/internal/method"
	"warpbound/internal/runner"
	"warpbound/internal/trace"
	"warpbound/internal/workload"
)

// description says how the recordings of a request are made, so that another process can make the same.
type description struct {
	Methods        []string             `json:"methods"` // a name of each
	PublishedEdges bool                 `json:"published_edges,omitempty"`
	Launches       []describedRecording `json:"launches"`
}

// describedRecording is the recording of a launch.
type describedRecording struct {
	Chosen  []bool             `json:"chosen"` // blocks that were to carry an Ipoint
	Points  []trace.Ipoint     `json:"points"`
	Ipoints []trace.IpointInfo `json:"ipoints"`
}

// describe describes recordings; nil if they have sinks that another process cannot fill.
func describe(p runner.Platform, methods List, recordings []*joint, chosen [][]bool, req Request) (json.RawMessage, error) {
	d := &description{PublishedEdges: req.PublishedEdges}
	for i := range methods {
		d.Methods = append(d.Methods, methods[i].Names()[0].ID)
	}
	for i, r := range recordings {
		if !r.portable(p.Clocks()) {
			return nil, nil
		}
		d.Launches = append(d.Launches, describedRecording{chosen[i], r.Points(), r.Ipoints()})
	}
	return json.Marshal(d)
}

// Sinks returns what makes the sinks of a campaign in another process, as described for it. It is an error if they are not the same
// there. The error may be that of ctx.
func (l List) Sinks(
	ctx context.Context, p runner.Platform, w *workload.Workload, described json.RawMessage,
) (func(launch int) trace.Sink, error) {
	var d description
	if err := json.Unmarshal(described, &d); err != nil {
		return nil, err
	}
	var methods List
	for _, id := range d.Methods {
		m := l.Find(id)
		if m == nil {
			return nil, fmt.Errorf("there is no method %s", id)
		}
		methods = append(methods, *m)
	}
	all := w.Launches(func(int, int) bool { return false }) // contents do not matter to what runs show
	if len(all) != len(d.Launches) {
		return nil, fmt.Errorf("the job has %d launches here and %d there", len(all), len(d.Launches))
	}
	var recordings []*joint
	for i, one := range all {
		at := &d.Launches[i]
		chosen := func(*method.Sites) ([]bool, error) { return at.Chosen, nil }
		r, _, err := recordingOf(ctx, p, one, methods, d.PublishedEdges, chosen)
		if err != nil {
			return nil, err
		}
		if !slices.Equal(r.Points(), at.Points) || !slices.Equal(r.Ipoints(), at.Ipoints) {
			return nil, fmt.Errorf("%s has other Ipoints here than there", w.Name())
		}
		recordings = append(recordings, r)
	}
	return func(launch int) trace.Sink { return recordings[launch].Sink(p.Clocks()) }, nil
}
