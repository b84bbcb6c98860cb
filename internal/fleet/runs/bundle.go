package runs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"warpbound/internal/campaign"
	"warpbound/internal/platform"
	"warpbound/internal/workload"
)

// setup is what workers need for all runs of an assignment.
type setup struct {
	Bundle    bundle            `json:"bundle"`
	Of        campaign.Identity `json:"of"`
	MaxCycles int64             `json:"max_cycles"`
	Record    []*record         `json:"record,omitempty"` // by launch; nil if nothing is recorded
	wanted
}

// read makes the job of a setup ready. It is an error if it is not that of the coordinator.
func read(text []byte) (*setup, *platform.Job, error) {
	var s setup
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, nil, err
	}
	j, err := s.Bundle.job()
	if err != nil {
		return nil, nil, err
	}
	own, err := campaign.Identify(j.Platform, j.Workload, s.MaxCycles)
	if err != nil {
		return nil, nil, err
	}
	own.Ipoints, own.Points = s.Of.Ipoints, s.Of.Points // which the coordinator says
	if diffs := s.Of.Differences(&own); diffs != nil {
		return nil, nil, errors.New(strings.Join(diffs, ", "))
	}
	return &s, j, nil
}

// bundle is a job with all files that it names.
type bundle struct {
	Name    string            `json:"name"`
	Machine string            `json:"machine"`
	Mode    string            `json:"mode"`
	Seed    int64             `json:"seed"`
	Files   map[string][]byte `json:"files"` // by the names under which they are read
}

// pack reads the files of a job again. It is an error if they are not those from which the job was made, or if it was
// changed since in a way that its files do not have.
func pack(j *platform.Job) (*bundle, error) {
	if j.MachineName == "" {
		return nil, fmt.Errorf("%s was not read from a directory, so that there are no files for workers", j.Name())
	}
	b := &bundle{Name: j.Spec.File, Machine: j.MachineName, Mode: j.ClockMode, Seed: j.Spec.Seed, Files: make(map[string][]byte)}
	again, err := b.load(func(name string) ([]byte, error) {
		text, err := workload.ReadFile(name)
		if err == nil {
			b.Files[name] = text
		}
		return text, err
	})
	if err != nil {
		return nil, err
	}
	here, err := campaign.Identify(j.Platform, j.Workload, 0)
	if err != nil {
		return nil, err
	}
	there, err := campaign.Identify(again.Platform, again.Workload, 0)
	if err != nil {
		return nil, err
	}
	if diffs := there.Differences(&here); diffs != nil {
		return nil, fmt.Errorf("%s cannot be given to workers: it is not as its files say (%s)", j.Name(), strings.Join(diffs, ", "))
	}
	return b, nil
}

// job makes the job of a bundle ready.
func (b *bundle) job() (*platform.Job, error) {
	return b.load(func(name string) ([]byte, error) {
		text, ok := b.Files[name]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		return text, nil
	})
}

// load makes a job ready whose files are read by a function.
func (b *bundle) load(read reading) (*platform.Job, error) {
	src, err := workload.ReadFS(read, b.Name)
	if err != nil {
		return nil, err
	}
	src = src.WithSeed(b.Seed)
	if b.Mode != "" {
		src = src.InMode(b.Mode)
	}
	return platform.Load(src, b.Machine)
}

// reading is a file system of which files are read whole, by any names.
type reading func(name string) ([]byte, error)

// ReadFile implements fs.ReadFileFS.
func (r reading) ReadFile(name string) ([]byte, error) { return r(name) }

// Open implements fs.FS.
func (r reading) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
}
