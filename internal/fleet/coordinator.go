package fleet

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"warpbound/internal/campaign"
	"warpbound/internal/campaign/store"
	"warpbound/internal/platform"
	"warpbound/internal/runner"
)

// headers of records.
const (
	headerObject = "Warpbound-Object" // the record is this object of the store
	headerFailed = "Warpbound-Failed" // there is none, for this reason
)

// Coordinator has vectors of a job run by workers. It implements campaign.Elsewhere.
type Coordinator struct {
	server *link
	bundle *bundle
	codec  store.Codec
	of     campaign.Identity

	id    string // of the campaign, new for each
	notes *nats.Subscription
	got   *nats.Subscription

	mu      sync.Mutex
	told    map[string]bool // notes
	waiting map[int]chan *nats.Msg
}

// NewCoordinator connects to a server, for which it waits until ctx ends. Close must follow.
func NewCoordinator(ctx context.Context, c Config, j *platform.Job) (*Coordinator, error) {
	b, err := pack(j)
	if err != nil {
		return nil, err
	}
	s, err := connect(ctx, c)
	if err != nil {
		return nil, err
	}
	return &Coordinator{server: s, bundle: b}, nil
}

// Open implements campaign.Elsewhere.
func (c *Coordinator) Open(of campaign.Identity) error {
	c.of = of
	return nil
}

// Begin implements campaign.Elsewhere.
func (c *Coordinator) Begin(ctx context.Context, opts runner.Options) error {
	c.forget()
	c.mu.Lock()
	c.id, c.told, c.waiting = strings.ToLower(rand.Text()), make(map[string]bool), make(map[int]chan *nats.Msg)
	c.mu.Unlock()
	s := &setup{Bundle: *c.bundle, MaxCycles: opts.MaxCycles}
	s.Bundle.Seed = c.of.Seed // held-out vectors have another one than the job
	for _, r := range opts.Record {
		s.Record = append(s.Record, &record{Chosen: r.Chosen, Points: r.Points})
	}
	text, err := encode(s)
	if err != nil {
		return err
	}
	if c.notes, err = c.server.conn.Subscribe(noteSubject+c.id, c.tell); err != nil {
		return err
	}
	if c.got, err = c.server.conn.Subscribe(recordSubject+c.id+".*", c.arrive); err != nil {
		return err
	}
	if err := c.got.SetPendingLimits(-1, -1); err != nil { // no more vectors are under way than are asked for
		return err
	}
	return c.server.within(ctx, transfer, "job", func(ctx context.Context) error {
		_, err := c.server.objects.PutBytes(ctx, c.id, text)
		return err
	})
}

// tell passes a note of a worker on, once.
func (c *Coordinator) tell(m *nats.Msg) {
	c.mu.Lock()
	first := !c.told[string(m.Data)]
	c.told[string(m.Data)] = true
	c.mu.Unlock()
	if first {
		c.server.config.note("%s", m.Data)
	}
}

// arrive hands a record to whoever waits for it. A vector for which nobody waits was run twice.
func (c *Coordinator) arrive(m *nats.Msg) {
	vector, err := strconv.Atoi(strings.TrimPrefix(m.Subject, recordSubject+c.id+"."))
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if to := c.waiting[vector]; to != nil {
		select {
		case to <- m:
		default: // it has one
		}
	}
}

// Ask implements campaign.Elsewhere.
func (c *Coordinator) Ask(ctx context.Context, vectors []int) error {
	text, err := encode(&task{Kind: kindVectors, Campaign: c.id, Of: c.of, Vectors: vectors})
	if err != nil {
		return err
	}
	c.mu.Lock()
	for _, v := range vectors {
		c.waiting[v] = make(chan *nats.Msg, 1)
	}
	c.mu.Unlock()
	return c.server.persist(ctx, "task", func(ctx context.Context) error {
		_, err := c.server.js.Publish(ctx, taskSubject+c.id, text, jetstream.WithMsgID(fmt.Sprintf("%s.%d", c.id, vectors[0])))
		return err
	})
}

// Await implements campaign.Elsewhere. The record of a vector comes as a message, or is found on the server if that was lost.
func (c *Coordinator) Await(ctx context.Context, vector int) (*campaign.Record, error) {
	c.mu.Lock()
	from := c.waiting[vector]
	c.mu.Unlock()
	subject := fmt.Sprintf("%s%s.%d", recordSubject, c.id, vector)
	for {
		select {
		case m := <-from:
			return c.take(ctx, vector, m.Header, m.Data)
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		var m *jetstream.RawStreamMsg
		err := c.server.persist(ctx, "record", func(ctx context.Context) error {
			stream, err := c.server.js.Stream(ctx, records)
			if err == nil {
				m, err = stream.GetLastMsgForSubject(ctx, subject)
			}
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				m, err = nil, nil
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if m != nil {
			return c.take(ctx, vector, m.Header, m.Data)
		}
	}
}

// take reads a record, and has the server drop it.
func (c *Coordinator) take(ctx context.Context, vector int, header nats.Header, data []byte) (*campaign.Record, error) {
	c.mu.Lock()
	delete(c.waiting, vector)
	c.mu.Unlock()
	name := header.Get(headerObject)
	if name != "" {
		err := c.server.within(ctx, transfer, "record", func(ctx context.Context) (err error) {
			data, err = c.server.objects.GetBytes(ctx, name)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if why := header.Get(headerFailed); why != "" {
		c.server.config.note("a worker could not run vector %d: %s", vector, why)
		return nil, nil
	}
	r, err := c.codec.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("the record of vector %d: %w", vector, err)
	}
	return r, c.drop(ctx, vector, name)
}

// drop removes what was taken. That it stays is no error: the server forgets it.
func (c *Coordinator) drop(ctx context.Context, vector int, object string) error {
	within, cancel := context.WithTimeout(ctx, attempt)
	defer cancel()
	if stream, err := c.server.js.Stream(within, records); err == nil {
		stream.Purge(within, jetstream.WithPurgeSubject(fmt.Sprintf("%s%s.%d", recordSubject, c.id, vector)))
	}
	if object != "" {
		c.server.objects.Delete(within, object)
	}
	return ctx.Err()
}

// forget removes what the server has of the campaign, as far as that is possible soon.
func (c *Coordinator) forget() {
	if c.id == "" {
		return
	}
	for _, s := range []*nats.Subscription{c.notes, c.got} {
		if s != nil {
			s.Unsubscribe()
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for name, subject := range map[string]string{tasks: taskSubject + c.id, records: recordSubject + c.id + ".*"} {
		if stream, err := c.server.js.Stream(ctx, name); err == nil {
			stream.Purge(ctx, jetstream.WithPurgeSubject(subject))
		}
	}
	c.server.objects.Delete(ctx, c.id)
}

// Close removes the campaign from the server and ends the connection.
func (c *Coordinator) Close() {
	c.forget()
	c.server.close()
}
