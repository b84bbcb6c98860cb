// Package fleettest has servers and workers for the tests of what workers do.
//
// It must not import internal/fleet, whose tests use it.
package fleettest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Server is a server that has its port and files each time it is started.
type Server struct {
	URL  string
	opts *server.Options
	now  *server.Server
}

// New starts a server that ends with the test.
func New(t *testing.T) *Server {
	t.Helper()
	s := prepare(t, port(t))
	s.start(t)
	return s
}

// Cluster starts the servers of a cluster, and returns the URL of all of them.
func Cluster(t *testing.T, n int) (servers []*Server, all string) {
	t.Helper()
	var urls []string
	var routes []*url.URL
	for i := range n {
		s, route := prepare(t, port(t)), port(t)
		s.opts.ServerName = fmt.Sprintf("s%d", i)
		s.opts.Cluster = server.ClusterOpts{Name: "cluster", Host: "127.0.0.1", Port: route}
		routes = append(routes, &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", route)})
		servers, urls = append(servers, s), append(urls, s.URL)
	}
	for _, s := range servers {
		s.opts.Routes = routes
		s.start(t)
	}
	return servers, strings.Join(urls, ",")
}

// port returns a port that is free now.
func port(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func prepare(t *testing.T, port int) *Server {
	t.Helper()
	s := &Server{
		URL:  fmt.Sprintf("nats://127.0.0.1:%d", port),
		opts: &server.Options{Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true},
	}
	t.Cleanup(s.stop)
	return s
}

func (s *Server) start(t *testing.T) {
	t.Helper()
	var err error
	if s.now, err = server.NewServer(s.opts.Clone()); err != nil {
		t.Fatal(err)
	}
	s.now.Start()
	if !s.now.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
}

func (s *Server) stop() {
	if s.now != nil {
		s.now.Shutdown()
		s.now.WaitForShutdown()
	}
}

// Restart stops the server and starts it again on the same files.
func (s *Server) Restart(t *testing.T) {
	t.Helper()
	s.stop()
	s.start(t)
}

// Secure has the server ask for a secret from now on.
func (s *Server) Secure(t *testing.T, secret string) {
	t.Helper()
	s.opts.Authorization = secret
	s.Restart(t)
}

// Work runs a worker until the test ends, or end is called.
func Work(t *testing.T, work func(ctx context.Context) error) (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- work(ctx) }()
	end = sync.OnceFunc(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("a worker ends with %v", err)
		}
	})
	t.Cleanup(end)
	return end
}
