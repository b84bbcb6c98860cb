package runs

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"warpbound/internal/campaign"
	"warpbound/internal/fleet"
	"warpbound/internal/runner"
)

// serverVariable has TestServer be a server, with its files in this directory.
const serverVariable = "WARPBOUND_TEST_SERVER"

// TestServer is a server that prints its URL, and ends when its input does. It is no test but for others.
func TestServer(t *testing.T) {
	dir := os.Getenv(serverVariable)
	if dir == "" {
		t.Skip("is run by others")
	}
	url, stop, err := fleet.Serve(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	fmt.Println(url)
	io.Copy(io.Discard, os.Stdin)
}

// elsewhere starts a server in a process of its own, so that what that holds is not counted here.
func elsewhere(t *testing.T) (url string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, "-test.run=^TestServer$")
	c.Env = append(os.Environ(), serverVariable+"="+t.TempDir())
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		c.Wait()
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "nats://") {
			return lines.Text()
		}
	}
	t.Fatalf("the server does not start: %v", lines.Err())
	return ""
}

// TestMemory has a worker run ten thousand vectors: neither it nor the campaign takes memory for each.
func TestMemory(t *testing.T) {
	j := load(t)
	const n = 10_000
	more := int64(n) * 64 // less than what is known of a vector, and more than all else that comes and goes
	url := elsewhere(t)
	work(t, url)
	away := &share(t, j, fleet.Config{URL: url}).vectors
	of, err := campaign.Identify(j.Platform, j.Workload, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := away.Open(of); err != nil {
		t.Fatal(err)
	}
	ran := func(vectors int, progress func(done int)) {
		t.Helper()
		spec := campaign.Spec{Vectors: vectors, Elsewhere: away, Progress: func(done, _ int) { progress(done) }}
		result, _, err := campaign.Run(t.Context(), j.Platform, j.Workload, spec, runner.Options{}, nil)
		if err != nil || result.Runs != vectors {
			t.Fatalf("%+v, %v", result, err)
		}
	}
	ran(100, quiet)
	first := held()
	ran(n, func(done int) {
		if done%(n/4) > 0 {
			return
		}
		now := held()
		for until := time.Now().Add(10 * time.Minute); now > first+more && time.Now().Before(until); now = held() {
			time.Sleep(10 * time.Millisecond) // until the worker has nothing to do, and no run holds memory
		}
		if now > first+more {
			t.Errorf("after %d vectors %d bytes are held, and %d before", done, now, first)
		}
	})
}

// held is how many bytes are in use.
func held() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
