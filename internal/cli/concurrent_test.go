//go:build unix

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestConcurrentWorkers has processes of this computer work, and look for the end of the one that
// began them. The race detector of each of these processes ends it with an exit code.
func TestConcurrentWorkers(t *testing.T) {
	name := program(t)
	args := []string{"analyze", "../../kernels/petriSmall/job.toml", "--vectors", "6", "--format", "json"}
	if got, want := output(t, name, append(args, "--workers", "2")...), output(t, name, args...); !bytes.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestConcurrentTimeout has a command run out of time that would take days.
func TestConcurrentTimeout(t *testing.T) {
	var stdout, stderr bytes.Buffer
	args := []string{"selfcheck", "--kernels", "1000000", "--methods", "static/cta", "--machine", "predictable-rr"}
	code := within(time.Hour, append(args, "--timeout", "1ms"), &stdout, &stderr)
	if code != exitFailure || !strings.Contains(stderr.String(), "warpbound: out of time (--timeout 1ms)") {
		t.Errorf("exit code %d, %s", code, &stderr)
	}
}

// TestConcurrentProgress has goroutines say how far they are while a display reads that.
func TestConcurrentProgress(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "lines"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p := newPace("job.toml", time.Now)
	d := newDisplay(file, p.texts)
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for done := range 100 {
				p.step(done, 100)
				d.step(done, 100)
				if i == 0 {
					d.texts()
				}
			}
		})
	}
	group.Wait()
	d.stop()
	d.stop()
}
