//go:build unix

package cli

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	more "warpbound/internal/test/effort"
)

// program returns the path of this program as warpbound.
func program(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "warpbound")
	if err := os.Symlink(self, name); err != nil {
		t.Fatal(err)
	}
	return name
}

// output runs a program to its end.
func output(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	var stderr bytes.Buffer
	c := exec.Command(name, args...)
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, &stderr)
	}
	return out
}

// TestKilledCampaign kills processes at random moments. Whatever they left, the campaign ends with the same bytes.
func TestKilledCampaign(t *testing.T) {
	name := program(t)
	args := []string{"analyze", "../../kernels/bfs/job.toml", "--vectors", "50", "--format", "json"}
	begin := time.Now()
	want := output(t, name, args...)
	whole := time.Since(begin)
	args = append(args, "--campaign", filepath.Join(t.TempDir(), "campaign"))
	for range more.Times(10) {
		c := exec.Command(name, args...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(rand.N(whole / 3))
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		c.Wait()
	}
	for range 2 {
		if got := output(t, name, args...); !bytes.Equal(got, want) {
			t.Fatalf("after processes were killed:\n%s\nwant\n%s", got, want)
		}
	}
}
