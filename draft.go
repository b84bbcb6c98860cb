package warpbound

import (
	"context"

	"warpbound/estimate"
	"warpbound/internal/scaffold"
	"warpbound/internal/study/suit"
)

// DraftOptions say for what a job is drafted.
type DraftOptions struct {
	Kernel string // its name; empty for the only one of the module
	Path   string // of the module from where the job file will be
}

// Draft writes a job for a kernel of a module, with guesses for all that the module does not say. file is the module's
// name, which tells its language.
func Draft(ctx context.Context, file string, src []byte, opts DraftOptions) (*estimate.Draft, error) {
	return scaffold.Write(ctx, scaffold.Request{File: file, Text: src, Path: opts.Path, Kernel: opts.Kernel, Suits: suit.Program})
}
