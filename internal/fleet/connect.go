// Package fleet has work done by worker processes, on this computer and on others, which share a NATS server with
// JetStream.
//
// A coordinator puts what all items of an assignment need into an object store, and tasks of a few items into a work
// queue. Workers take them from there, and put a record of each item into a stream. An item may be done twice, when a
// worker dies or a message is lost, and counts once. What is done is up to the kind of an assignment: fleet must not know any.
package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Config says which server is used.
type Config struct {
	URL string // nats://HOST:PORT, tls://HOST:PORT, or several with commas between; "" for none
	// Files, or "" for none: credentials, certificates of authorities (none: those of the system), and certificate and key of this process.
	Creds, CA, Cert, Key string
	Note                 func(text string) // is told what people should know; may be nil
}

// The names of what is on the server.
const (
	tasks   = "WARPBOUND_TASKS"
	records = "WARPBOUND_RECORDS"
	bucket  = "warpbound"

	taskSubject   = "warpbound.task."   // and the assignment
	recordSubject = "warpbound.record." // and the assignment, and the item
	noteSubject   = "warpbound.note."   // and the assignment
	beginSubject  = "warpbound.begin."  // and the assignment

	durable = "workers"
)

// Times of the protocol.
const (
	alive     = 6 * time.Second // a worker that says nothing for so long has died
	beats     = 4               // in this time, in which a worker says that it does a task
	forgotten = 24 * time.Hour  // after which the server drops what nobody has taken
	twice     = 2 * time.Minute
	attempt   = 3 * time.Second // for an answer of the server
	transfer  = 5 * time.Minute // for an object, of whatever size: one that lacks a piece is waited for in vain
	tries     = 5               // for an object that a server may not have yet, and for a task whose workers die
	fetch     = 2 * time.Second // for a task, before it is asked for again
	pause     = 200 * time.Millisecond
	wait      = time.Second // between looks for a record of which no message has come
)

// long is from how many bytes on what a message says goes to the object store: servers refuse long messages.
const long = 256 << 10

// headers of messages.
const (
	headerObject = "Warpbound-Object" // what the message says is this object of the store
	headerFailed = "Warpbound-Failed" // of records: there is none, for this reason
)

// link is a connection to a server that comes back when it is lost.
type link struct {
	config  Config
	conn    *nats.Conn
	js      jetstream.JetStream
	records jetstream.Stream
	objects jetstream.ObjectStore
}

// note tells people something.
func (c *Config) note(format string, args ...any) {
	if c.Note != nil {
		c.Note(fmt.Sprintf(format, args...))
	}
}

// connect connects to a server that has, or gets, the streams. It waits for one until ctx ends.
func connect(ctx context.Context, c Config) (*link, error) {
	opts := []nats.Option{
		nats.Name("warpbound"), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true), nats.ReconnectWait(pause), nats.ReconnectBufSize(-1),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				c.note("connection to %s lost: %v", c.URL, err)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { c.note("connected to %s again", c.URL) }),
	}
	if c.Creds != "" {
		opts = append(opts, nats.UserCredentials(c.Creds))
	}
	if c.CA != "" {
		opts = append(opts, nats.RootCAs(c.CA))
	}
	if c.Cert != "" {
		opts = append(opts, nats.ClientCert(c.Cert, c.Key))
	}
	conn, err := nats.Connect(c.URL, opts...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.URL, err)
	}
	s := &link{config: c, conn: conn}
	if err := s.prepare(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return s, nil
}

// prepare makes the streams that are missing.
func (s *link) prepare(ctx context.Context) (err error) {
	if s.js, err = jetstream.New(s.conn); err != nil {
		return fmt.Errorf("%s: %w", s.config.URL, err)
	}
	return s.persist(ctx, "streams", func(ctx context.Context) error {
		replicas := 1
		if s.conn.ConnectedClusterName() != "" {
			replicas = 3
		}
		for _, cfg := range []jetstream.StreamConfig{
			{Name: tasks, Subjects: []string{taskSubject + "*"}, Retention: jetstream.WorkQueuePolicy, MaxAge: forgotten, Duplicates: twice, Replicas: replicas},
			{Name: records, Subjects: []string{recordSubject + "*.*"}, MaxMsgsPerSubject: 1, AllowDirect: true, MaxAge: forgotten, Duplicates: twice, Replicas: replicas},
		} {
			if _, err := s.js.CreateStream(ctx, cfg); err != nil && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
				return err
			}
		}
		var err error
		if s.records, err = s.js.Stream(ctx, records); err != nil {
			return err
		}
		s.objects, err = s.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: bucket, TTL: forgotten, Replicas: replicas})
		if errors.Is(err, jetstream.ErrBucketExists) {
			s.objects, err = s.js.ObjectStore(ctx, bucket)
		}
		return err
	})
}

// persist does something that needs the server until it is done, or until ctx ends. What the server does not allow is an
// error at once.
func (s *link) persist(ctx context.Context, what string, do func(context.Context) error) error {
	return s.within(ctx, attempt, what, do)
}

// within is persist where each attempt may take twice as long as the one before, up to a limit.
func (s *link) within(ctx context.Context, limit time.Duration, what string, do func(context.Context) error) error {
	told := false
	for longest := attempt; ; longest = min(2*longest, limit) {
		within, cancel := context.WithTimeout(ctx, longest)
		err := do(within)
		cancel()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case s.conn.IsClosed():
			if last := s.conn.LastError(); last != nil {
				err = last
			}
			return fmt.Errorf("%s: %w", s.config.URL, err)
		case final(err):
			return fmt.Errorf("%s: %s: %w", s.config.URL, what, err)
		}
		if !told {
			told = true
			if last := s.conn.LastError(); last != nil && !s.conn.IsConnected() {
				err = last
			}
			s.config.note("waiting for %s: %v", s.config.URL, err)
		}
		rest(ctx)
	}
}

// final reports whether an error comes again.
func final(err error) bool {
	if api := (*jetstream.APIError)(nil); errors.As(err, &api) {
		return api.Code >= 400 && api.Code < 500 && api.ErrorCode != jetstream.JSErrCodeStreamNotFound
	}
	return errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, nats.ErrPermissionViolation) || errors.Is(err, nats.ErrMaxPayload)
}

// publish puts a message into a stream, with what it says in an object of a name if that is long.
func (s *link) publish(ctx context.Context, what string, m *nats.Msg, object string, opts ...jetstream.PublishOpt) error {
	if len(m.Data) >= long {
		if err := s.put(ctx, what, object, m.Data); err != nil {
			return err
		}
		m.Data = nil
		m.Header.Set(headerObject, object)
	}
	return s.persist(ctx, what, func(ctx context.Context) error {
		_, err := s.js.PublishMsg(ctx, m, opts...)
		return err
	})
}

// said returns what a message says.
func (s *link) said(ctx context.Context, what string, header nats.Header, data []byte) ([]byte, error) {
	if object := header.Get(headerObject); object != "" {
		return s.get(ctx, what, object)
	}
	return data, nil
}

// put makes an object, and reads it again: its pieces are sent beside each other, and are stored in another order if a cluster
// changes its leader meanwhile. Such an object is made anew.
func (s *link) put(ctx context.Context, what, name string, data []byte) error {
	return s.within(ctx, transfer, what, func(ctx context.Context) error {
		if _, err := s.objects.PutBytes(ctx, name, data); err != nil {
			return err
		}
		_, err := s.objects.GetBytes(ctx, name)
		return err
	})
}

// get returns an object. It is jetstream.ErrObjectNotFound if there is none.
func (s *link) get(ctx context.Context, what, name string) (data []byte, err error) {
	var missing error
	err = s.within(ctx, transfer, what, func(ctx context.Context) (err error) {
		data, err = s.objects.GetBytes(ctx, name)
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			missing, err = err, nil
		}
		return err
	})
	return data, errors.Join(err, missing)
}

// close ends the connection.
func (s *link) close() { s.conn.Close() }
