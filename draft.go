package warpbound

import (
	"context"

	"warpbound/estimate"
	"warpbound/internal/scaffold"
	"warpbound/internal/study/suit"
)

// DraftOptions say for what a job is drafted.
type DraftOptions struct {
	Kernel  string // its name; empty for the only one of the module
	Path    string // of the module from where the job file will be
	Machine string // name of a built-in one; empty for the one that suits the kernel best
}

// Draft writes a job for a kernel of a module, with guesses for what the module does not say. file
// is its name, which tells its language. It is an error if the machine does not run the kernel.
func Draft(ctx context.Context, file string, src []byte, opts DraftOptions) (*estimate.Draft, error) {
	return scaffold.Write(ctx, scaffold.Request{File: file, Text: src, Options: scaffold.Options(opts), Suits: suit.Program})
}
