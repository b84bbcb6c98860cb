package campaign

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"warpbound/internal/provenance"
	"warpbound/internal/runner"
	"warpbound/internal/workload"
)

// Identity is what the outcome of a vector depends on besides the vector. Whoever keeps or brings outcomes compares it.
type Identity struct {
	Tool      string `json:"tool"`       // version and commit
	Job       string `json:"job_sha256"` // as it was read
	Module    string `json:"module_sha256"`
	Machine   string `json:"machine"`
	Numbers   string `json:"machine_sha256"` // of the machine, with its choices
	Seed      int64  `json:"seed"`
	Changes   string `json:"launch_sha256"` // of the job as it is run, with whatever differs from the file
	MaxCycles int64  `json:"max_cycles"`
	Ipoints   string `json:"ipoints"`        // EveryBlock or NoIpoints
	Points    string `json:"ipoints_sha256"` // their names
}

// What Identity.Ipoints may say.
const (
	EveryBlock = "every block"
	NoIpoints  = "nothing"
)

// Identify returns the identity of the runs of a workload of which nothing is recorded.
func Identify(p runner.Platform, w *workload.Workload, maxCycles int64) (Identity, error) {
	spec, err := w.Changed()
	if err != nil {
		return Identity{}, err
	}
	written, err := spec.Write("", w.First().Bound.Inputs(0))
	if err != nil {
		return Identity{}, err
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
	return Identity{
		Tool: provenance.Of().Tool.String(), Job: w.Spec.Hash, Module: w.Module.Hash, Machine: p.Name(), Numbers: w.Machine.Hash(), Seed: w.Spec.Seed,
		Changes: hex.EncodeToString(h.Sum(nil)), MaxCycles: opts.Limit(), Ipoints: NoIpoints,
	}, nil
}

// Differences says what a campaign has that another one has not, nil if that is nothing: there and here are where they
// are. That less is recorded than the other one has is no difference.
func (i *Identity) Differences(other *Identity) []string {
	var diffs []string
	differ := func(what string, have, want any) {
		if have != want {
			diffs = append(diffs, fmt.Sprintf("%s is %v there and %v here", what, have, want))
		}
	}
	hashes := func(what, have, want string) {
		if have != want {
			diffs = append(diffs, fmt.Sprintf("the hash of the %s is %.12s there and %.12s here", what, have, want))
		}
	}
	differ("the version of the tool", i.Tool, other.Tool)
	hashes("job", i.Job, other.Job)
	hashes("module", i.Module, other.Module)
	differ("the machine", i.Machine, other.Machine)
	if i.Machine == other.Machine {
		hashes("machine's numbers", i.Numbers, other.Numbers)
	}
	differ("the seed", i.Seed, other.Seed)
	differ("the limit of a run in cycles", i.MaxCycles, other.MaxCycles)
	if other.Ipoints != NoIpoints {
		differ("what is recorded", i.Ipoints, other.Ipoints)
	}
	if i.Ipoints != NoIpoints && other.Ipoints == i.Ipoints {
		hashes("Ipoints", i.Points, other.Points)
	}
	if diffs == nil { // it says little where another thing differs
		hashes("launch", i.Changes, other.Changes)
	}
	return diffs
}
