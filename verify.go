package warpbound

import (
	"context"
	"io"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/method"
)

// ErrRefuted is the error of a certificate that does not prove what it claims.
var ErrRefuted = analysis.ErrRefuted

// Verify checks that the claim of a certificate follows from its facts, in exact arithmetic and without a
// solver (docs/formats.md). It believes the facts, so that the claim is asserted: those of a job are checked by Job.Verify. It is ErrRefuted
// if the claim does not follow, and another error if the certificate cannot be read.
func Verify(r io.Reader) (*estimate.Proof, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return analysis.VerifyAlone(text)
}

// VerifyOptions say how a certificate is checked.
type VerifyOptions struct {
	Rerun     bool  // make the runs again in which facts were observed
	MaxCycles int64 // give up a run after so many cycles; 0 for 2^30
}

// Verify checks a certificate that Analyze wrote for the job, with facts that it derives anew from the job
// (docs/methods/certificates.md). What it cannot confirm stands in the proof, whose evidence is Asserted then; it is made once more by
// the method, and runs are made again if that is asked for. The verdict says which of these it was: a claim that nobody derived or
// made again is asserted. It is ErrRefuted if the certificate does not hold, or is not of the job, and another error if it cannot be read.
func (j *Job) Verify(ctx context.Context, r io.Reader, opts VerifyOptions) (*estimate.Proof, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return analysis.Verify(ctx, j.on.Platform, j.on.Workload, text, analysis.VerifyRequest{
		Rerun: opts.Rerun, MaxCycles: opts.MaxCycles, Placement: method.ParsePlacement,
	})
}
