package warpbound

import (
	"context"

	"warpbound/estimate"
	"warpbound/internal/study/convert"
)

// IfConvertOptions say how a module is converted.
type IfConvertOptions struct {
	Vectors   int   // test vectors that are run with both modules; 0 for the job's number, and 20 at most
	MaxCycles int64 // give up a run after so many cycles; 0 for 2^30
}

// IfConvert replaces the branches that inputs reach by selections, until static/oblivious applies, and returns the text of the module that
// has the same results and always takes the same time. It is an error, with position and reason, if that is not possible, and if
// the job was changed since it was loaded.
func (j *Job) IfConvert(ctx context.Context, opts IfConvertOptions) ([]byte, *estimate.IfConversion, error) {
	return convert.Convert(ctx, j.on, convert.Options{Vectors: opts.Vectors, MaxCycles: opts.MaxCycles})
}
