package analysis

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"warpbound/internal/campaign"
	"warpbound/internal/runner"
	"warpbound/internal/trace"
	"warpbound/internal/workload"
)

// keeping opens what keeps and what brings the outcomes of a request for its campaign.
func (l List) keeping(ctx context.Context, p runner.Platform, w *workload.Workload, req *Request) error {
	id, err := campaign.Identify(p, w, req.MaxCycles)
	if err != nil {
		return err
	}
	if records := l.recordings(p, w, req); records != nil {
		all, err := everyBlock(ctx, p, w, records)
		if err != nil {
			return err
		}
		h := sha256.New()
		for _, r := range all {
			fmt.Fprintf(h, "%q\n", r.recording.Ipoints())
		}
		id.Ipoints, id.Points = campaign.EveryBlock, hex.EncodeToString(h.Sum(nil))
	}
	return req.Campaign.Open(id)
}

// recordings returns the measured methods that a request makes record something, nil if there is none.
func (l List) recordings(p runner.Platform, w *workload.Workload, req *Request) List {
	if !req.measured(l) || req.EndToEnd || req.Traces != nil {
		return nil
	}
	var some List
	for _, m := range l.recorders(p) {
		if m.Applies(w.Machine) == nil {
			some = append(some, m)
		}
	}
	return some
}

// recordable is what measured methods have recorded of a launch.
type recordable struct {
	recording *joint
	record    *runner.Record
}

// everyBlock is what measured methods have recorded if each block is to be.
func everyBlock(ctx context.Context, p runner.Platform, w *workload.Workload, methods List) ([]recordable, error) {
	var all []recordable
	for _, one := range w.Launches(func(int, int) bool { return false }) { // contents do not matter to what runs show
		r, chosen, err := recordingOf(ctx, p, one, methods, false, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, recordable{r, &runner.Record{Chosen: chosen, Points: r.Points(), Graph: r}})
	}
	return all, nil
}

// widen records every block in place of what recordings need, which is found in the traces then: so what is kept is enough for any
// placement of Ipoints.
func widen(
	ctx context.Context, p runner.Platform, w *workload.Workload, methods List, recordings []*joint, req *Request,
	opts *runner.Options,
) error {
	all, err := everyBlock(ctx, p, w, methods)
	if err != nil {
		return err
	}
	for i, r := range all {
		opts.Record[i] = r.record
		from := trace.Header{Ipoints: r.recording.Ipoints()}
		to, err := from.Translate(recordings[i].Ipoints())
		if err != nil {
			return err
		}
		req.Campaign.Translate = append(req.Campaign.Translate, to)
	}
	return nil
}

// noted returns the outcome of a run that is not one of the vectors: what is kept of it, or else what run gives, which
// is kept then.
func noted[T any](keep campaign.Keeper, name string, run func() (T, error)) (out T, err error) {
	if keep == nil {
		return run()
	}
	text, err := keep.LoadNote(name)
	if err != nil {
		return out, err
	}
	if text != nil {
		err = json.Unmarshal(text, &out)
		return out, err
	}
	if out, err = run(); err != nil {
		return out, err
	}
	if text, err = json.Marshal(out); err != nil {
		return out, err
	}
	return out, keep.SaveNote(name, text)
}
