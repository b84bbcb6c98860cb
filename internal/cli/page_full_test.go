package cli

import (
	"bytes"
	"errors"
	"testing"
)

// fullDisk takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestLostPageFails calls commands that print a page, on a full disk.
func TestLostPageFails(t *testing.T) {
	for _, args := range [][]string{{}, {"help"}, {"help", "analyze"}, {"analyze", "--help"}, {"version"}, {"machines"}} {
		var stderr bytes.Buffer
		if code := Main(args, fullDisk{}, &stderr); code != exitFailure {
			t.Errorf("%q: exit code %d, want %d", args, code, exitFailure)
		}
		if got, want := stderr.String(), "warpbound: no space left\n"; got != want {
			t.Errorf("%q: %q, want %q", args, got, want)
		}
	}
}
