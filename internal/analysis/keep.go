package analysis

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"warpbound/internal/campaign"
	"warpbound/internal/provenance"
	"warpbound/internal/runner"
	"warpbound/internal/trace"
	"warpbound/internal/workload"
)

// keeping opens the keeper of a request for its campaign.
func (l List) keeping(p runner.Platform, w *workload.Workload, req *Request) error {
	id := campaign.Identity{Ipoints: campaign.NoIpoints}
	if err := identify(&id, p, w, req.MaxCycles); err != nil {
		return err
	}
	if records := l.recordings(p, w, req); records != nil {
		all, err := everyBlock(p, w, records)
		if err != nil {
			return err
		}
		h := sha256.New()
		for _, r := range all {
			fmt.Fprintf(h, "%q\n", r.recording.Ipoints())
		}
		id.Ipoints, id.Points = campaign.EveryBlock, hex.EncodeToString(h.Sum(nil))
	}
	return req.Campaign.Keep.Open(id)
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

// identify says what is run.
func identify(id *campaign.Identity, p runner.Platform, w *workload.Workload, maxCycles int64) error {
	spec, err := w.Changed()
	if err != nil {
		return err
	}
	written, err := spec.Write("", w.First().Bound.Inputs(0))
	if err != nil {
		return err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%d %s %s", w.First().Registers, w.Spec.CPU.Digest, w.Mode())
	parts := [][]byte{written.Text}
	for _, name := range slices.Sorted(maps.Keys(written.Data)) {
		parts = append(parts, []byte(name), written.Data[name])
	}
	for _, part := range parts {
		fmt.Fprintf(h, " %d ", len(part))
		h.Write(part)
	}
	opts := runner.Options{MaxCycles: maxCycles}
	id.Tool, id.Job, id.Module, id.Seed = provenance.Of().Tool.String(), w.Spec.Hash, w.Module.Hash, w.Spec.Seed
	id.Machine, id.Numbers = p.Name(), w.Machine.Hash()
	id.Changes, id.MaxCycles = hex.EncodeToString(h.Sum(nil)), opts.Limit()
	return nil
}

// recordable is what measured methods have recorded of a launch.
type recordable struct {
	recording *joint
	record    *runner.Record
}

// everyBlock is what measured methods have recorded if each block is to be.
func everyBlock(p runner.Platform, w *workload.Workload, methods List) ([]recordable, error) {
	var all []recordable
	for _, one := range w.Launches(func(int, int) bool { return false }) { // contents do not matter to what runs show
		problem, err := graphProblem(one)
		if err != nil {
			return nil, err
		}
		r, chosen, err := place(p, one, methods, problem, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, recordable{r, &runner.Record{Chosen: chosen, Points: r.Points(), Graph: r}})
	}
	return all, nil
}

// widen records every block in place of what recordings need, which is found in the traces then: so what is kept is enough for any
// placement of Ipoints.
func widen(p runner.Platform, w *workload.Workload, methods List, recordings []*joint, req *Request, opts *runner.Options) error {
	all, err := everyBlock(p, w, methods)
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
