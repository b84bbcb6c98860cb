package workload

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// KeptDir is the directory beside the job file whose saved inputs take part in every campaign, as job.inputs of job.toml.
func KeptDir(w *Workload) string {
	return strings.TrimSuffix(w.Spec.File, filepath.Ext(w.Spec.File)) + ".inputs"
}

// loadKept reads the inputs of KeptDir, nil if it does not exist or has none.
func loadKept(w *Workload) ([]SavedInputs, error) {
	dir := KeptDir(w)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	names, err := savedIn(dir)
	if err != nil || names == nil {
		return nil, err
	}
	all, err := w.LoadInputs(dir)
	if err != nil {
		return nil, fmt.Errorf("%w (inputs in %s take part in every campaign of the job: make it one for which they are inputs, or move them elsewhere)", err, dir)
	}
	return all, nil
}

// AndKept returns saved inputs behind those in KeptDir.
func AndKept(w *Workload, inputs []SavedInputs) []SavedInputs {
	all := slices.Clone(w.Kept)
	for _, in := range inputs {
		if !slices.ContainsFunc(w.Kept, func(k SavedInputs) bool { return filepath.Clean(k.File) == filepath.Clean(in.File) }) {
			all = append(all, in)
		}
	}
	return all
}

// Hash is a SHA-256, in hexadecimal, of the job with the inputs in KeptDir; job.Job.Hash if there are none.
func Hash(w *Workload) string {
	if w.Kept == nil {
		return w.Spec.Hash
	}
	h := sha256.New()
	fmt.Fprintln(h, w.Spec.Hash)
	for _, in := range w.Kept {
		fmt.Fprintf(h, "%q %s\n", filepath.Base(in.File), in.Inputs.Hash())
	}
	return hex.EncodeToString(h.Sum(nil))
}
