package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"warpbound/internal/test/effort"
	"warpbound/internal/test/fleettest"
)

// echo is a kind of work whose records are the setup, and what an item says.
func echo() Kind {
	return Kind{Name: "echo", Prepare: func(setup []byte) (Do, error) {
		return func(_ context.Context, items []Item, each func(int, []byte, error) error) error {
			for _, i := range items {
				if err := each(i.Number, append(bytes.Clone(setup), i.Data...), nil); err != nil {
					return err
				}
			}
			return nil
		}, nil
	}}
}

// soon is after how long without a word a worker has died where tests wait for that. Who is slow in
// other tests is not dead.
const soon = time.Second

// work starts a worker that does a kind of work, and returns what ends it.
func work(t *testing.T, url string, k Kind) (end func()) {
	return fleettest.Work(t, func(ctx context.Context) error { return Work(ctx, Config{URL: url}, k) })
}

// assign begins an assignment that ends with the test.
func assign(t *testing.T, c Config, kind string) *Assignment {
	t.Helper()
	to, err := Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(to.Close)
	a, err := to.Assign(t.Context(), kind, []byte("echo "))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

// says is what an item says: some say much.
func says(i int) []byte {
	text := fmt.Append(nil, i, ".")
	if i%20 == 3 {
		text = bytes.Repeat(text, long)
	}
	return text
}

// all has n items done, so many of them a task, and tells of each that its record was taken.
func all(t *testing.T, a *Assignment, n, together int, taken func(i int)) {
	t.Helper()
	next := 0
	err := a.Each(t.Context(), n, together, func(i int) ([]byte, error) { return says(i), nil }, func(i int, record []byte) error {
		if i != next {
			t.Errorf("item %d comes after %d of them", i, next)
		}
		next++
		if want := append([]byte("echo "), says(i)...); !bytes.Equal(record, want) {
			t.Errorf("item %d has a record of %d bytes, %.40q, not of %d", i, len(record), record, len(want))
		}
		taken(i)
		return nil
	})
	if err != nil || next != n {
		t.Errorf("%d items of %d, %v", next, n, err)
	}
}

func quiet(int) {}

// TestEach has 1, 2 and 3 workers do items, which come once each and in their order.
func TestEach(t *testing.T) {
	for _, n := range []int{1, 2, 3} {
		s := fleettest.New(t)
		for range n {
			work(t, s.URL, echo())
		}
		a := assign(t, Config{URL: s.URL}, "echo")
		for _, together := range []int{1, 4, 100} {
			all(t, a, 50, together, quiet)
		}
	}
}

// TestDoneTwice has workers put each record on the server twice.
func TestDoneTwice(t *testing.T) {
	s := fleettest.New(t)
	k := echo()
	k.Prepare = func(setup []byte) (Do, error) {
		do, err := echo().Prepare(setup)
		return func(ctx context.Context, items []Item, each func(int, []byte, error) error) error {
			return errors.Join(do(ctx, items, each), do(ctx, items, each))
		}, err
	}
	work(t, s.URL, k)
	work(t, s.URL, k)
	a := assign(t, Config{URL: s.URL}, "echo")
	all(t, a, 50, 3, quiet)
	all(t, a, 50, 1, quiet)
}

// TestDyingWorker has a worker die in the middle of a task, which goes to another one.
func TestDyingWorker(t *testing.T) {
	s := fleettest.New(t)
	began := make(chan bool)
	k := echo()
	k.Prepare = func(setup []byte) (Do, error) {
		return func(ctx context.Context, items []Item, each func(int, []byte, error) error) error {
			err := each(items[0].Number, append(setup, items[0].Data...), nil)
			close(began)
			<-ctx.Done()
			return errors.Join(err, ctx.Err())
		}, nil
	}
	works := func(k Kind) (end func()) {
		return fleettest.Work(t, func(ctx context.Context) error {
			return takeTasks(ctx, Config{URL: s.URL}, soon, []Kind{k})
		})
	}
	end := works(k)
	go func() {
		<-began
		end()
		works(echo())
	}()
	all(t, assign(t, Config{URL: s.URL}, "echo"), 20, 4, quiet)
}

// TestConcurrentBeats has a worker say several times, during a task, that it does it.
func TestConcurrentBeats(t *testing.T) {
	s := fleettest.New(t)
	k := echo()
	k.Prepare = func(setup []byte) (Do, error) {
		do, err := echo().Prepare(setup)
		return func(ctx context.Context, items []Item, each func(int, []byte, error) error) error {
			time.Sleep(soon * 3 / 5)
			return do(ctx, items, each)
		}, err
	}
	fleettest.Work(t, func(ctx context.Context) error { return takeTasks(ctx, Config{URL: s.URL}, soon, []Kind{k}) })
	all(t, assign(t, Config{URL: s.URL}, "echo"), 2, 1, quiet)
}

// TestConcurrentDeaths has workers die at one of the items, which is then not done there: whoever
// asks gets to know that, and has the others.
func TestConcurrentDeaths(t *testing.T) {
	s := fleettest.New(t)
	const deadly = 5
	died := atomic.Int64{}
	k := echo()
	k.Prepare = func(setup []byte) (Do, error) {
		do, err := echo().Prepare(setup)
		return func(ctx context.Context, items []Item, each func(int, []byte, error) error) error {
			for _, i := range items {
				if i.Number == deadly {
					died.Add(1)
					return context.Canceled // as one that dies, it does not acknowledge the task
				}
				if err := do(ctx, []Item{i}, each); err != nil {
					return err
				}
			}
			return nil
		}, err
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			takeTasks(ctx, Config{URL: s.URL}, soon, []Kind{k})
		}
	}()
	told := make(chan string, 100)
	a := assign(t, Config{URL: s.URL, Note: func(text string) {
		if strings.HasPrefix(text, "a worker could") { // not of the connection
			told <- text
		}
	}}, "echo")
	var without []int
	err := a.Each(t.Context(), 12, 3, func(i int) ([]byte, error) { return says(i), nil }, func(i int, record []byte) error {
		if record == nil {
			without = append(without, i)
		}
		return nil
	})
	if want := "a worker could not do echo 5: 5 workers ended while they did it"; err != nil || !slices.Equal(without, []int{deadly}) || <-told != want {
		t.Errorf("without records: %v, %v", without, err)
	}
	if n := died.Load(); n < tries {
		t.Errorf("%d workers died", n)
	}
}

// TestFailing has no record of what workers fail to do, and says why.
func TestFailing(t *testing.T) {
	s := fleettest.New(t)
	work(t, s.URL, Kind{Name: "echo", Prepare: func([]byte) (Do, error) {
		return func(_ context.Context, items []Item, each func(int, []byte, error) error) error {
			return each(items[0].Number, nil, errors.New("it is\nodd"))
		}, nil
	}})
	var notes atomic.Value
	a := assign(t, Config{URL: s.URL, Note: func(text string) {
		if strings.HasPrefix(text, "a worker") { // not of the connection
			notes.Store(text)
		}
	}}, "echo")
	count := 0
	err := a.Each(t.Context(), 9, 1, func(int) ([]byte, error) { return nil, nil }, func(_ int, record []byte) error {
		if record != nil {
			t.Errorf("the record %q", record)
		}
		count++
		return nil
	})
	if text := notes.Load(); err != nil || count != 9 || text != "a worker could not do echo 8: it is odd" {
		t.Errorf("%v, %d, %q", err, count, text)
	}
}

// TestRefusals has workers refuse what they would not do as the coordinator does, which the user
// gets to know. Another worker does it.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		kind string
		tool string
		of   func([]byte) (Do, error)
		want string
	}{
		{kind: "echo", tool: "warpbound v9", of: echo().Prepare, want: "a worker refuses work: it is warpbound (devel), and the work is for warpbound v9"},
		{kind: "else", of: echo().Prepare, want: "a worker refuses work: it does no else"},
		{kind: "echo", of: func([]byte) (Do, error) { return nil, errors.New("no echo here") }, want: "a worker refuses work: no echo here"},
	} {
		s := fleettest.New(t)
		end := work(t, s.URL, Kind{Name: "echo", Prepare: c.of})
		told := make(chan string, 100)
		a := assign(t, Config{URL: s.URL, Note: func(text string) { told <- text }}, c.kind)
		if c.tool != "" {
			a.tool = c.tool
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			done <- a.Each(ctx, 3, 1, func(i int) ([]byte, error) { return says(i), nil }, func(int, []byte) error { return nil })
		}()
		got := <-told
		for !strings.HasPrefix(got, "a worker") { // of the connection
			got = <-told
		}
		if got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		end()
		if c.tool == "" {
			k := echo()
			k.Name = c.kind
			work(t, s.URL, k)
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		cancel()
		if c.tool != "" {
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
	}
}

// TestServerRestarts stops the only server while items are done, and starts it again on the same
// files.
func TestServerRestarts(t *testing.T) {
	s := fleettest.New(t)
	work(t, s.URL, echo())
	work(t, s.URL, echo())
	all(t, assign(t, Config{URL: s.URL}, "echo"), 60, 1, func(i int) {
		if i%25 == 10 {
			s.Restart(t)
		}
	})
}

// TestCluster stops servers of a cluster, one after the other, while items are done.
func TestCluster(t *testing.T) {
	servers, url := fleettest.Cluster(t, 3)
	work(t, url, echo())
	work(t, url, echo())
	a := assign(t, Config{URL: url}, "echo")
	stopped, next := effort.Some(t, servers, 1), 0
	all(t, a, 60, 2, func(i int) {
		if i%20 == 10 && next < len(stopped) {
			stopped[next].Restart(t)
			next++
		}
	})
	err := a.server.persist(t.Context(), "stream", func(ctx context.Context) error {
		stream, err := a.server.js.Stream(ctx, records)
		if err == nil && stream.CachedInfo().Config.Replicas != 3 {
			t.Errorf("%+v", stream.CachedInfo().Config)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestNothingIsLeft has no object on the server once an assignment is forgotten.
func TestNothingIsLeft(t *testing.T) {
	s := fleettest.New(t)
	a := assign(t, Config{URL: s.URL}, "echo")
	for i := range 24 { // which nobody does
		if err := a.Ask(t.Context(), []Item{{i, says(i)}}); err != nil {
			t.Fatal(err)
		}
	}
	a.forget(t.Context())
	if left, err := a.server.objects.List(t.Context()); !errors.Is(err, jetstream.ErrNoObjectsFound) {
		t.Errorf("%d objects are left, %v", len(left), err)
	}
}

// TestCredentials has a server refuse a connection.
func TestCredentials(t *testing.T) {
	s := fleettest.New(t)
	s.Secure(t, "secret")
	with := func(secret string) string { return strings.Replace(s.URL, "//", "//"+secret+"@", 1) }
	if _, err := Connect(t.Context(), Config{URL: with("wrong")}); !errors.Is(err, nats.ErrAuthorization) {
		t.Error(err)
	}
	for _, c := range []Config{{Creds: "none.creds"}, {CA: "none.pem"}, {Cert: "none.pem", Key: "none.key"}} {
		c.URL = with("secret")
		if _, err := Connect(t.Context(), c); err == nil || !strings.Contains(err.Error(), "none") {
			t.Errorf("%+v: %v", c, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := Connect(ctx, Config{URL: "nats://127.0.0.1:1"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
