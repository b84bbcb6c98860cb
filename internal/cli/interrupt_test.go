//go:build unix

package cli

import (
	"bytes"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
	got := interrupt(t, code, func() bool { return true })
	if got != exitFailure || stdout.Len() > 0 || stderr.String() != "warpbound: interrupted\n" {
		t.Errorf("exit code %d, stdout %q, stderr %q", got, &stdout, &stderr)
	}
}

// interrupt sends interrupts, once ready says so, until there is an exit code.
func interrupt(t *testing.T, code <-chan int, ready func() bool) int {
	t.Helper()
	caught := make(chan os.Signal, 1) // so that one sent too early does no harm
	signal.Notify(caught, os.Interrupt)
	defer signal.Stop(caught)
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	deadline := time.After(time.Hour)
	for {
		select {
		case got := <-code:
			return got
		case <-again.C:
			if !ready() {
				continue
			}
			if err := syscall.Kill(syscall.Getpid(), syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			<-caught // before anything stops to catch it
		case <-deadline:
			t.Fatal("still running")
		}
	}
}

// A search that is interrupted leaves its best inputs, and goes on to what it would have found.
func TestInterruptSearch(t *testing.T) {
	budget := 150
	search := func(dir string, more ...string) (int, string) {
		var stdout, stderr bytes.Buffer
		args := []string{"search", "../../kernels/bfs/job.toml", "--strategy", "random+ga", "--budget", strconv.Itoa(budget),
			"--population", "10", "--patience", "0", "--bounds=false", "--out", dir}
		code := within(time.Hour, append(args, more...), &stdout, &stderr)
		return code, strings.ReplaceAll(stdout.String(), dir, "DIR") + stderr.String()
	}
	var parts, text string
	for {
		parts = t.TempDir()
		code := make(chan int, 1)
		go func() {
			var got int
			got, text = search(parts)
			code <- got
		}()
		begun := func() bool { _, err := os.Stat(filepath.Join(parts, "state.json")); return err == nil }
		got := interrupt(t, code, begun)
		if got == exitFine { // it ended before it was interrupted
			budget *= 2
			continue
		}
		if got != exitFailure || !strings.Contains(text, "Interrupted: no bounds computed.") || !strings.HasSuffix(text, "warpbound: interrupted\n") {
			t.Fatalf("exit code %d, printed\n%s", got, text)
		}
		break
	}
	if out := readAll(t, parts); len(out["worst.toml"]) == 0 || len(out["worst.level.bin"]) == 0 {
		t.Errorf("no inputs are left: %v", slices.Collect(maps.Keys(out)))
	}
	whole := t.TempDir()
	_, want := search(whole)
	got, text := search(parts, "--resume")
	if got != exitFine || text != want {
		t.Errorf("exit code %d, printed\n%s\nwant\n%s", got, text, want)
	}
	first, second := readAll(t, whole), readAll(t, parts)
	for name, data := range first {
		if name != "worst.toml" && second[name] != data { // which has the way to the module
			t.Errorf("%s is another", name)
		}
	}
}

// readAll returns the files of a directory.
func readAll(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(text)
	}
	return files
}
