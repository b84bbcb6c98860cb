package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"warpbound/internal/campaign"
	"warpbound/internal/platform"
	"warpbound/internal/runner"
	"warpbound/internal/test/effort"
	"warpbound/internal/trace"
	"warpbound/internal/workload"
)

// files are a job whose vectors take different times.
var files = map[string]string{
	"module/loop.ptx": `.version 6.3
.target sm_70
.address_size 64
// as often as n says
.visible .entry loop(.param .u32 n)
{
	.reg .pred %p;
	.reg .b32 %r<3>;
	ld.param.u32 %r1, [n];
	mov.u32 %r2, 0;
$NEXT:
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p, %r2, %r1;
	@%p bra $NEXT;
	ret;
}
`,
	"job/job.toml": `module = "../module/loop.ptx"
machine = "fermi-c2050"
grid = [2]
block = [64]
[[param]]
name = "n"
type = "u32"
range = [0, 99]
`,
}

// load reads the job from a directory.
func load(t *testing.T, changes ...string) *platform.Job {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(strings.NewReplacer(changes...).Replace(text)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	src, err := workload.Read(filepath.Join(dir, "job/job.toml"))
	if err != nil {
		t.Fatal(err)
	}
	j, err := platform.Load(src, "")
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// serve starts a server.
func serve(t *testing.T) (url string) {
	t.Helper()
	url, stop, err := Serve(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return url
}

// work starts a worker and returns what ends it.
func work(t *testing.T, url string) (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- Work(ctx, Config{URL: url}) }()
	end = sync.OnceFunc(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("a worker ends with %v", err)
		}
	})
	t.Cleanup(end)
	return end
}

// timesSink notes how long runs take.
type timesSink struct {
	run  int
	seen []string
}

func (s *timesSink) BeginRun(number int) error { s.run = number; return nil }
func (s *timesSink) Record(trace.Record) error { return nil }
func (s *timesSink) EndRun(end int64) error {
	s.seen = append(s.seen, fmt.Sprintf("%06d:%d", s.run, end))
	return nil
}
func (s *timesSink) Absorb(other trace.Sink) error {
	s.seen = append(s.seen, other.(*timesSink).seen...)
	return nil
}

// run runs a campaign, whose vectors are run elsewhere unless that is nil, and says all that it gave.
func run(ctx context.Context, t *testing.T, j *platform.Job, away campaign.Elsewhere, vectors int, progress func(int)) string {
	t.Helper()
	spec := campaign.Spec{Vectors: vectors, Progress: func(done, _ int) { progress(done) }}
	if away != nil {
		id, err := campaign.Identify(j.Platform, j.Workload, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := away.Open(id); err != nil {
			t.Fatal(err)
		}
		spec.Elsewhere = away
	}
	points := make([]trace.Ipoint, len(j.First().Graph.Blocks))
	for i := range points {
		points[i] = trace.Ipoint(i)
	}
	opts := runner.Options{Record: []*runner.Record{{Chosen: slices.Repeat([]bool{true}, len(points)), Points: points}}}
	result, sinks, err := campaign.Run(ctx, j.Platform, j.Workload, spec, opts, func(int) trace.Sink { return new(timesSink) })
	if err != nil {
		return err.Error()
	}
	var seen []string
	for _, s := range sinks[0] {
		seen = append(seen, s.(*timesSink).seen...)
	}
	slices.Sort(seen)
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s %v", text, seen)
}

func quiet(int) {}

// TestWorkers has 1, 2 and 3 workers run campaigns, which give the same.
func TestWorkers(t *testing.T) {
	j := load(t)
	want := run(t.Context(), t, j, nil, 60, quiet)
	for _, n := range []int{1, 2, 3} {
		url := serve(t)
		for range n {
			work(t, url)
		}
		away, err := NewCoordinator(t.Context(), Config{URL: url}, j)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if got := run(t.Context(), t, j, away, 60, quiet); got != want {
				t.Errorf("%d workers: %s, want %s", n, got, want)
			}
		}
		away.Close()
	}
}

// TestFailingVectors has vectors fail elsewhere, which gives the error of a run here: that of the lowest.
func TestFailingVectors(t *testing.T) {
	j := load(t)
	url := serve(t)
	work(t, url)
	var notes atomic.Int64
	away, err := NewCoordinator(t.Context(), Config{URL: url, Note: func(string) { notes.Add(1) }}, j)
	if err != nil {
		t.Fatal(err)
	}
	defer away.Close()
	spec := campaign.Spec{Vectors: 9}
	opts := runner.Options{MaxCycles: 700}
	_, _, want := campaign.Run(t.Context(), j.Platform, j.Workload, spec, opts, nil)
	id, err := campaign.Identify(j.Platform, j.Workload, 700)
	if err != nil {
		t.Fatal(err)
	}
	if err := away.Open(id); err != nil {
		t.Fatal(err)
	}
	spec.Elsewhere = away
	_, _, err = campaign.Run(t.Context(), j.Platform, j.Workload, spec, opts, nil)
	if err == nil || want == nil || err.Error() != want.Error() || notes.Load() == 0 {
		t.Errorf("%v, want %v", err, want)
	}
}

// TestRefusals has workers refuse campaigns of others, which the user gets to know.
func TestRefusals(t *testing.T) {
	j := load(t)
	url := serve(t)
	work(t, url)
	for _, c := range []struct {
		change func(*campaign.Identity)
		want   string
	}{
		{func(i *campaign.Identity) { i.Tool = "warpbound v9" }, "a worker refuses the campaign: it is warpbound (devel), and the campaign is of warpbound v9"},
		{func(i *campaign.Identity) { i.Numbers = "1234" }, "a worker refuses the campaign: the hash of the machine's numbers is 1234 there and "},
		{func(i *campaign.Identity) { i.Job = "1234" }, "a worker refuses the campaign: the hash of the job is 1234 there and "},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var told []string
		away, err := NewCoordinator(ctx, Config{URL: url, Note: func(text string) {
			told = append(told, text)
			cancel()
		}}, j)
		if err != nil {
			t.Fatal(err)
		}
		id, err := campaign.Identify(j.Platform, j.Workload, 0)
		if err != nil {
			t.Fatal(err)
		}
		c.change(&id)
		if err := away.Open(id); err != nil {
			t.Fatal(err)
		}
		_, _, err = campaign.Run(ctx, j.Platform, j.Workload, campaign.Spec{Vectors: 9, Elsewhere: away}, runner.Options{}, nil)
		away.Close()
		if !errors.Is(err, context.Canceled) || len(told) != 1 || !strings.HasPrefix(told[0], c.want) {
			t.Errorf("%v, %q, want %s", err, told, c.want)
		}
		cancel()
	}
}

// TestPack refuses jobs that are not as their files say.
func TestPack(t *testing.T) {
	j := load(t)
	b, err := pack(j)
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Files) != 2 {
		t.Errorf("%d files", len(b.Files))
	}
	if err := os.WriteFile(j.Spec.File, []byte(files["job/job.toml"]+"vectors = 7\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := pack(j); err == nil {
		t.Error("the file of the job has changed")
	}
}

// listen returns the options of a server with files in a directory, on a port that it has each time.
func listen(t *testing.T, dir string) *server.Options {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return &server.Options{Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port, JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true}
}

// start starts a server.
func start(t *testing.T, opts *server.Options) *server.Server {
	t.Helper()
	own := opts.Clone()
	s, err := server.NewServer(own)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not start")
	}
	return s
}

// TestServerRestarts stops the only server while vectors are run, and starts it again on the same files.
func TestServerRestarts(t *testing.T) {
	j := load(t)
	const n = 60
	want := run(t.Context(), t, j, nil, n, quiet)
	opts := listen(t, t.TempDir())
	s := start(t, opts)
	defer func() { s.Shutdown() }()
	url := "nats://127.0.0.1:" + strconv.Itoa(opts.Port)
	work(t, url)
	work(t, url)
	away, err := NewCoordinator(t.Context(), Config{URL: url}, j)
	if err != nil {
		t.Fatal(err)
	}
	defer away.Close()
	restart := func(done int) {
		if done%25 == 10 {
			s.Shutdown()
			s.WaitForShutdown()
			s = start(t, opts)
		}
	}
	if got := run(t.Context(), t, j, away, n, restart); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestCluster stops the servers of a cluster, one after the other, while vectors are run.
func TestCluster(t *testing.T) {
	j := load(t)
	const n = 60
	want := run(t.Context(), t, j, nil, n, quiet)
	var all []*server.Options
	var routes []*url.URL
	var urls []string
	for i := range 3 {
		opts, route := listen(t, t.TempDir()), listen(t, "")
		opts.ServerName = fmt.Sprintf("s%d", i)
		opts.Cluster = server.ClusterOpts{Name: "three", Host: "127.0.0.1", Port: route.Port}
		routes = append(routes, &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", route.Port)})
		urls = append(urls, fmt.Sprintf("nats://127.0.0.1:%d", opts.Port))
		all = append(all, opts)
	}
	var servers []*server.Server
	for _, opts := range all {
		opts.Routes = routes
		servers = append(servers, start(t, opts))
	}
	defer func() {
		for _, s := range servers {
			s.Shutdown()
		}
	}()
	cluster := strings.Join(urls, ",")
	work(t, cluster)
	work(t, cluster)
	away, err := NewCoordinator(t.Context(), Config{URL: cluster}, j)
	if err != nil {
		t.Fatal(err)
	}
	defer away.Close()
	next := 0
	restart := func(done int) {
		if done%20 == 10 && next < min(3, effort.Times(1)) {
			servers[next].Shutdown()
			servers[next].WaitForShutdown()
			servers[next] = start(t, all[next])
			next++
		}
	}
	if got := run(t.Context(), t, j, away, n, restart); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	err = away.server.persist(t.Context(), "stream", func(ctx context.Context) error {
		stream, err := away.server.js.Stream(ctx, records)
		if err == nil && stream.CachedInfo().Config.Replicas != 3 {
			t.Errorf("%+v", stream.CachedInfo().Config)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestCredentials has a server refuse a connection.
func TestCredentials(t *testing.T) {
	opts := listen(t, t.TempDir())
	opts.Authorization = "secret"
	s := start(t, opts)
	defer s.Shutdown()
	_, err := NewCoordinator(t.Context(), Config{URL: fmt.Sprintf("nats://wrong@127.0.0.1:%d", opts.Port)}, load(t))
	if !errors.Is(err, nats.ErrAuthorization) {
		t.Error(err)
	}
	for _, c := range []Config{{Creds: "none.creds"}, {CA: "none.pem"}, {Cert: "none.pem", Key: "none.key"}} {
		c.URL = fmt.Sprintf("nats://secret@127.0.0.1:%d", opts.Port)
		if _, err := NewCoordinator(t.Context(), c, load(t)); err == nil || !strings.Contains(err.Error(), "none") {
			t.Errorf("%+v: %v", c, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := NewCoordinator(ctx, Config{URL: "nats://127.0.0.1:1"}, load(t)); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
