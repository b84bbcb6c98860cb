package outside

import (
	"errors"
	"fmt"
	"testing"

	"warpbound/diag"
	"warpbound/estimate"
)

// TestDetails reads a detail of every type.
func TestDetails(t *testing.T) {
	for _, detail := range []estimate.Detail{
		nil, &estimate.HybridWarp{}, &estimate.HybridDynamic{}, &estimate.HybridWaves{}, &estimate.HybridList{}, &estimate.HybridPlacements{}, &estimate.HybridPhases{}, &estimate.Oblivious{}, &estimate.CTA{}, &estimate.LLC{},
		&estimate.Split{}, &estimate.SplitMeasured{}, &estimate.Search{}, &estimate.Figures{}, &estimate.Sum{},
	} {
		if text, err := Details(detail); err != nil || text == "" {
			t.Errorf("%T: %q, %v", detail, text, err)
		}
	}
}

// TestKinds tells errors of all kinds apart, within another error.
func TestKinds(t *testing.T) {
	cause := errors.New("cause")
	seen := make(map[string]bool)
	for _, err := range []error{
		&diag.UnboundedLoopError{Err: cause}, &diag.FaultError{Err: cause}, &diag.DeadlockError{Err: cause}, &diag.LimitError{Err: cause},
		&diag.UnsupportedError{Err: cause}, &diag.LaunchError{Err: cause}, &diag.ContradictionError{Err: cause}, &diag.OverflowError{Err: cause},
		&diag.TraceError{Err: cause}, &diag.MissingSolverError{Err: cause}, &diag.DifferenceError{Err: cause}, &diag.MissingDeviceError{Err: cause},
		&diag.Error{Err: cause},
	} {
		kind := Kind(fmt.Errorf("in a run: %w", err))
		if kind == "" || seen[kind] || !errors.Is(err, cause) {
			t.Errorf("%T is %q", err, kind)
		}
		seen[kind] = true
	}
	if kind := Kind(cause); kind != "" {
		t.Errorf("an error of no kind is %q", kind)
	}
}
