//go:build linux && !nocuda && (amd64 || arm64)

package driver

import (
	"fmt"

	"warpbound/internal/cuda"
)

// result is a CUresult: what every function of the driver API returns.
type result int32

// The results that are told apart (cuda.h).
const (
	success        result = 0
	invalidValue   result = 1
	outOfMemory    result = 2
	stubLibrary    result = 34
	noDevice       result = 100
	invalidDevice  result = 101
	eccError       result = 214
	notFound       result = 500
	notReady       result = 600
	illegalAddress result = 700
	launchTimeout  result = 702
	assertFailed   result = 710
	stackError     result = 714
	badInstruction result = 715
	misaligned     result = 716
	badSpace       result = 717
	badPC          result = 718
	launchFailed   result = 719
)

// fault reports whether a result says that a kernel did what it must not. The context in
// which it ran cannot be used any more.
func (r result) fault() bool {
	switch r {
	case eccError, illegalAddress, assertFailed, stackError, badInstruction, misaligned, badSpace, badPC, launchFailed:
		return true
	}
	return false
}

// call makes an error of the result of a call, nil if it succeeded.
func (l *library) call(name string, r result) error {
	if r == success {
		return nil
	}
	e := &cuda.CallError{Call: name, Code: int(r)}
	var p *byte
	if l.GetErrorName(r, &p) == success {
		e.Name = text(p)
	}
	if l.GetErrorString(r, &p) == success {
		e.Text = text(p)
	}
	switch r {
	case outOfMemory:
		return fmt.Errorf("%w: %w", cuda.ErrMemory, e)
	case noDevice, invalidDevice:
		return fmt.Errorf("%w: %w", cuda.ErrNoDevice, e)
	case notFound:
		return fmt.Errorf("%w: %w", cuda.ErrNotFound, e)
	}
	return e
}
