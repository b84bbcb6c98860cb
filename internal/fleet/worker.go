package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"warpbound/internal/provenance"
)

// Work takes tasks of all assignments of a server and does those of some kinds, until ctx ends.
func Work(ctx context.Context, c Config, kinds ...Kind) error { return takeTasks(ctx, c, alive, kinds) }

// takeTasks is Work with a time in which a worker that says nothing has died.
func takeTasks(ctx context.Context, c Config, alive time.Duration, kinds []Kind) error {
	s, err := connect(ctx, c)
	if err != nil {
		return err
	}
	defer s.close()
	w := &worker{server: s, alive: alive, kinds: kinds}
	for ctx.Err() == nil {
		if err := w.next(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return ctx.Err()
}

// worker does tasks, one after the other.
type worker struct {
	server *link
	alive  time.Duration
	kinds  []Kind
	queue  jetstream.Consumer // nil if it is to be found on the server

	id string // of the last assignment, which is ready
	do Do
}

// next does a task, or returns after a while if there is none.
func (w *worker) next(ctx context.Context) error {
	if w.queue == nil {
		err := w.server.persist(ctx, "queue", func(ctx context.Context) (err error) {
			w.queue, err = w.server.js.CreateOrUpdateConsumer(ctx, tasks, jetstream.ConsumerConfig{
				Durable: durable, AckPolicy: jetstream.AckExplicitPolicy, AckWait: w.alive, MaxAckPending: 10000,
			})
			return err
		})
		if err != nil {
			return err
		}
		w.server.config.note("waiting for work")
	}
	within, cancel := context.WithTimeout(ctx, fetch)
	defer cancel()
	batch, err := w.queue.Fetch(1, jetstream.FetchContext(within))
	if err == nil {
		for m := range batch.Messages() {
			if err := w.serve(ctx, m); err != nil {
				return err
			}
		}
		err = batch.Error()
	}
	switch {
	case err == nil, errors.Is(err, nats.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return nil
	case w.server.conn.IsClosed():
		return fmt.Errorf("%s: %w", w.server.config.URL, err)
	}
	w.queue = nil // the connection comes back, or the server has lost the queue
	rest(ctx)
	return nil
}

// rest waits a little.
func rest(ctx context.Context) {
	select {
	case <-time.After(pause):
	case <-ctx.Done():
	}
}

// serve does the task of a message, and tells the server meanwhile that it is under way. A message is acknowledged once all
// records are on the server.
func (w *worker) serve(ctx context.Context, m jetstream.Msg) error {
	working, done := context.WithCancel(ctx)
	defer done()
	go func() {
		for {
			select {
			case <-time.After(w.alive / beats):
				m.InProgress()
			case <-working.Done():
				return
			}
		}
	}()
	t, refusal, err := w.prepare(ctx, m)
	if errors.Is(err, jetstream.ErrObjectNotFound) { // the coordinator has ended, the task was done before, or a server is behind others
		if about, err := m.Metadata(); err == nil && about.NumDelivered > tries {
			m.Ack()
			return nil
		}
		m.NakWithDelay(wait)
		rest(ctx)
		return nil
	}
	if err != nil {
		return err
	}
	if refusal != nil {
		text := "a worker refuses work: " + refusal.Error()
		w.server.config.note("%s", text)
		w.server.conn.Publish(noteSubject+t.Assignment, []byte(text)) // a note that is lost comes again with the task
		m.NakWithDelay(wait)                                          // to another worker
		rest(ctx)
		return nil
	}
	if err := w.begins(t, m); err != nil {
		return err
	}
	err = w.do(ctx, t.Items, func(number int, record []byte, failed error) error {
		return w.send(ctx, t.Assignment, number, record, failed)
	})
	if err != nil {
		return err
	}
	m.Ack() // or it is done again
	if object := m.Headers().Get(headerObject); object != "" {
		within, cancel := context.WithTimeout(ctx, attempt)
		defer cancel()
		w.server.objects.Delete(within, object) // or the server forgets it
	}
	return nil
}

// begins tells the coordinator that a task begins, so that it gets to know of one at which workers die. A message that is lost
// leaves them one try more.
func (w *worker) begins(t *task, m jetstream.Msg) error {
	about, err := m.Metadata()
	if err != nil {
		return err
	}
	text, err := json.Marshal(beginning{t.Items[0].Number, about.Sequence.Stream})
	if err != nil {
		return err
	}
	w.server.conn.Publish(beginSubject+t.Assignment, text)
	return nil
}

// prepare makes ready what the task of a message needs. It refuses one that this worker would not do as the coordinator does.
func (w *worker) prepare(ctx context.Context, m jetstream.Msg) (t *task, refusal, err error) {
	text, err := w.server.said(ctx, "task", m.Headers(), m.Data())
	if err != nil {
		return nil, nil, err
	}
	t = &task{Assignment: strings.TrimPrefix(m.Subject(), taskSubject)}
	if err := json.Unmarshal(text, t); err != nil {
		return t, err, nil
	}
	if w.id == t.Assignment {
		return t, nil, nil
	}
	if own := provenance.Of().Tool.String(); own != t.Tool {
		return t, fmt.Errorf("it is %s, and the work is for %s", own, t.Tool), nil
	}
	at := slices.IndexFunc(w.kinds, func(k Kind) bool { return k.Name == t.Kind })
	if at < 0 {
		return t, fmt.Errorf("it does no %s", t.Kind), nil
	}
	setup, err := w.server.get(ctx, "setup", t.Assignment)
	if err != nil {
		return nil, nil, err
	}
	do, refusal := w.kinds[at].Prepare(setup)
	if refusal == nil {
		w.id, w.do = t.Assignment, do
	}
	return t, refusal, nil
}

// send puts a record on the server, or why there is none.
func (w *worker) send(ctx context.Context, id string, number int, record []byte, failed error) error {
	name := fmt.Sprintf("%s.%d", id, number)
	m := &nats.Msg{Subject: recordSubject + name, Header: nats.Header{}, Data: record}
	if failed != nil {
		m.Header.Set(headerFailed, strings.ReplaceAll(failed.Error(), "\n", " "))
	}
	return w.server.publish(ctx, "record", m, name)
}
