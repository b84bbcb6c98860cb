//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestConcurrentInterrupt: a command that waits for the other end of a pipe ends with an interrupt too.
func TestConcurrentInterrupt(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- Main([]string{"analyze", "../../kernels/vectorAdd/job.toml", "--traces", pipe}, &stdout, &stderr)
	}()
	got := interrupt(t, syscall.SIGINT, code, func() bool { return true })
	if got != exitFailure || stdout.Len() > 0 || stderr.String() != "warpbound: interrupted\n" {
		t.Errorf("exit code %d, stdout %q, stderr %q", got, &stdout, &stderr)
	}
}

// interrupt sends signals, once ready says so, until there is an exit code.
func interrupt(t *testing.T, kind syscall.Signal, code <-chan int, ready func() bool) int {
	t.Helper()
	caught := make(chan os.Signal, 1) // so that one sent too early does no harm
	signal.Notify(caught, kind)
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
			if err := syscall.Kill(syscall.Getpid(), kind); err != nil {
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
		got := interrupt(t, syscall.SIGTERM, code, begun)
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

// An analysis that is stopped prints what an analysis of as many test vectors as it had run prints, and that it is
// incomplete. The times of its runs are those of as many test vectors, and other files that were there stay as they are.
func TestInterruptAnalyze(t *testing.T) {
	page, times, all := filepath.Join(t.TempDir(), "page.html"), filepath.Join(t.TempDir(), "times.csv"), filepath.Join(t.TempDir(), "all.csv")
	if err := os.WriteFile(page, []byte("of before"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		analyze := func(vectors int, more ...string) (int, map[string]any, string) {
			var stdout, stderr bytes.Buffer
			args := []string{"analyze", "../../kernels/bfs/job.toml", "--machine", "predictable-rr", "--format", "json", "--random-only", "--vectors", strconv.Itoa(vectors)}
			code := within(time.Hour, append(args, more...), &stdout, &stderr)
			var result map[string]any
			if stdout.Len() > 0 {
				if err := json.Unmarshal(stdout.Bytes(), &result); err != nil {
					t.Errorf("%v in %s", err, &stdout)
				}
			}
			return code, result, stderr.String()
		}
		var result map[string]any
		runs := 0
		for wait := 100 * time.Millisecond; runs == 0; wait *= 2 { // until there is a run
			var text string
			code := make(chan int, 1)
			go func() {
				var got int
				got, result, text = analyze(1e7, "--yes", "--html", page, "--times", times)
				code <- got
			}()
			begun := time.Now()
			if got := interrupt(t, kind, code, func() bool { return time.Since(begun) > wait }); got != exitFailure || !strings.HasSuffix(text, "warpbound: interrupted\n") {
				t.Fatalf("%v: exit code %d, %s", kind, got, text)
			}
			if n, ok := result["runs"].(float64); ok {
				runs = int(n)
			}
		}
		why := result["interrupted"].(map[string]any)
		if why["reason"] != "signal" || why["planned"] != 1e7 || !reflect.DeepEqual(why["missing"], []any{"runs", "races"}) {
			t.Errorf("%v: %v", kind, why)
		}
		got, want, _ := analyze(runs, "--times", all)
		if got != exitFine || len(result["estimates"].([]any)) == 0 {
			t.Errorf("%v: exit code %d after %v", kind, got, result)
		}
		known, err := os.ReadFile(times)
		complete, err2 := os.ReadFile(all)
		if err != nil || err2 != nil || !bytes.Equal(known, complete) || bytes.Count(known, []byte("\n")) != runs+1 {
			t.Errorf("%v: %d times after %d runs, %v, %v", kind, bytes.Count(known, []byte("\n"))-1, runs, err, err2)
		}
		for _, key := range []string{"runs", "observed", "estimates"} {
			a, b := result[key], want[key]
			if key == "estimates" { // one of them says what is known of races
				a, b = figures(a), figures(b)
			}
			if !reflect.DeepEqual(a, b) {
				t.Errorf("%v: %s is %v, of as many vectors %v", kind, key, a, b)
			}
		}
	}
	if text, err := os.ReadFile(page); err != nil || string(text) != "of before" {
		t.Errorf("the page is now %s, %v", text, err)
	}
}

// figures returns estimates without their assumptions.
func figures(estimates any) any {
	for _, e := range estimates.([]any) {
		delete(e.(map[string]any), "assumptions")
	}
	return estimates
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

// TestSearchCannotKeep: where nothing can be written, what a search of limited time has found is
// printed all the same.
func TestSearchCannotKeep(t *testing.T) {
	job, err := filepath.Abs("../../kernels/bfs/job.toml")
	if err != nil {
		t.Fatal(err)
	}
	gone := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(gone, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Chdir(gone)
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	args := []string{"search", job, "--strategy", "random", "--budget", "3", "--time", "1h", "--bounds=false"}
	if code := Main(args, &stdout, &stderr); code != exitFine {
		t.Errorf("exit code %d", code)
	}
	if text := stdout.String(); !strings.Contains(text, "Longest execution times found") || !strings.Contains(text, "were not saved (--out DIR)") {
		t.Errorf("printed\n%s", text)
	}
	if text := stderr.String(); !strings.Contains(text, "the best inputs could not be kept: ") {
		t.Errorf("printed on standard error\n%s", text)
	}
}
