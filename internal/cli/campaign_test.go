//go:build unix

package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warpbound"
	"warpbound/internal/test/effort"
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
	var stderr bytes.Buffer
	c := exec.Command(name, args...)
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Errorf("%v: %v\n%s", args, err, &stderr)
	}
	return out
}

// moments are at how many moments processes are killed, of which tests draw some.
const moments = 100

// TestKilledCampaign kills processes at random moments. Whatever they left, the campaign ends with
// the same bytes.
func TestKilledCampaign(t *testing.T) {
	name := program(t)
	args := []string{"analyze", "../../kernels/substringSearch/job.toml", "--vectors", "50", "--format", "json"}
	begin := time.Now()
	want := output(t, name, args...)
	whole := time.Since(begin)
	args = append(args, "--campaign", filepath.Join(t.TempDir(), "campaign"))
	for _, moment := range effort.Draw(t, moments) {
		c := exec.Command(name, args...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(whole / 3 * time.Duration(moment%moments) / moments)
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

// workerCommands are commands whose work other processes can do.
var workerCommands = [][]string{
	{"analyze", "../../kernels/substringSearch/job.toml", "--vectors", "50", "--format", "json"},
	{"search", "../../kernels/petriSmall/job.toml", "--strategy", "random+ga", "--budget", "60", "--population", "20",
		"--vectors", "10", "--format", "json"},
	{"selfcheck", "--kernels", "12", "--machine", "mini-simt", "--format", "json"},
}

// TestLearningWorkers has two workers learn from the traces of their runs, whatever is to be
// learnt. Nothing is run here for want of a worker that can.
func TestLearningWorkers(t *testing.T) {
	name := program(t)
	for _, args := range [][]string{
		{"petriSmall/job.toml", "--published-edges", "--ipoints", "every:2"},
		{"petriSmall/job.toml", "--until-stable", "--vectors", "200"}, // which it does not need
		{"petriSmall/job.toml", "--holdout", "12", "--ipoints", "none"},
		{"bfs/job.toml", "--ipoints", "headers", "--campaign", filepath.Join(t.TempDir(), "campaign")},
		{"relaxation/application.toml"},
	} {
		args[0] = "../../kernels/" + args[0]
		args = append([]string{"analyze", "--vectors", "60", "--format", "json"}, args...)
		want := output(t, name, slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "--campaign" || strings.HasSuffix(a, "/campaign") })...)
		var notes bytes.Buffer
		c := exec.Command(name, append(args, "--workers", "2")...)
		c.Stderr = &notes
		if got, err := c.Output(); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v: %v\n%s\nwant\n%s", args, err, got, want)
		}
		if bytes.Contains(notes.Bytes(), []byte("could not")) {
			t.Errorf("%v: %s", args, &notes)
		}
	}
}

// TestWorkersFail: a run that the graph does not describe is the same error whoever makes it.
func TestWorkersFail(t *testing.T) {
	name := program(t)
	args := []string{"analyze", "../../kernels/knapsack/job.toml", "--published-edges", "--methods", "hybrid/dynamic", "--vectors", "5"}
	fails := func(args ...string) (why string) {
		var stderr bytes.Buffer
		c := exec.Command(name, args...)
		c.Stderr = &stderr
		if c.Run() == nil {
			t.Errorf("%v does not fail", args)
		}
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		return lines[len(lines)-1]
	}
	want := fails(args...)
	if got := fails(append(args, "--workers", "1")...); got != want || !strings.Contains(want, "the control-flow graph does not allow") {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestKilledWorkers kills workers at random moments, and then has two processes of this computer
// work: nothing is lost, and nothing counts twice.
func TestKilledWorkers(t *testing.T) {
	name := program(t)
	for _, args := range workerCommands {
		t.Run(args[0], func(t *testing.T) {
			want := output(t, name, args...)
			if got := output(t, name, append(args, "--workers", "2")...); !bytes.Equal(got, want) {
				t.Errorf("two workers:\n%s\nwant\n%s", got, want)
			}
			url, stop, err := warpbound.ServeFleet(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer stop()
			dir := filepath.Join(t.TempDir(), "campaign")
			away := append(args, "--nats", url)
			if args[0] == "analyze" {
				away = append(away, "--campaign", dir)
			}
			done := make(chan []byte)
			go func() { done <- output(t, name, away...) }()
			worker := func() *exec.Cmd {
				w := exec.Command(name, "worker", "--nats", url)
				if err := w.Start(); err != nil {
					t.Error(err)
				}
				return w
			}
			kill := func(w *exec.Cmd) {
				w.Process.Kill()
				w.Wait()
			}
			for _, moment := range effort.Draw(t, moments) {
				w := worker()
				time.Sleep(500 * time.Millisecond * time.Duration(moment%moments) / moments)
				kill(w)
			}
			w := worker()
			defer kill(w)
			if got := <-done; !bytes.Equal(got, want) {
				t.Errorf("after workers were killed:\n%s\nwant\n%s", got, want)
			}
			if args[0] != "analyze" {
				return
			}
			if got := output(t, name, append(args, "--campaign", dir)...); !bytes.Equal(got, want) {
				t.Errorf("what is kept gives:\n%s\nwant\n%s", got, want)
			}
		})
	}
}
