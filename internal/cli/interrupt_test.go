//go:build unix

package cli

import (
	"bytes"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A command that waits for the other end of a pipe ends with an interrupt too.
func TestInterruptWhileBlocked(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- Main([]string{"analyze", "../../kernels/vectorAdd/job.toml", "--traces", pipe}, &stdout, &stderr)
	}()
	caught := make(chan os.Signal, 1) // so that one sent too early does no harm
	signal.Notify(caught, os.Interrupt)
	defer signal.Stop(caught)
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	deadline := time.After(grace + 10*time.Second)
	for {
		select {
		case got := <-code:
			if got != exitFailure || stdout.Len() > 0 || stderr.String() != "warpbound: interrupted\n" {
				t.Errorf("exit code %d, stdout %q, stderr %q", got, &stdout, &stderr)
			}
			return
		case <-again.C:
			if err := syscall.Kill(syscall.Getpid(), syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			<-caught // before anything stops to catch it
		case <-deadline:
			t.Fatal("still running")
		}
	}
}
