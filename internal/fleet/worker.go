package fleet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"warpbound/internal/campaign"
	"warpbound/internal/campaign/store"
	"warpbound/internal/platform"
	"warpbound/internal/provenance"
	"warpbound/internal/runner"
)

// Work takes tasks of all campaigns of a server and runs them, until ctx ends.
func Work(ctx context.Context, c Config) error {
	s, err := connect(ctx, c)
	if err != nil {
		return err
	}
	defer s.close()
	w := &worker{server: s}
	for ctx.Err() == nil {
		if err := w.next(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return ctx.Err()
}

// worker runs tasks, one after the other.
type worker struct {
	server *link
	queue  jetstream.Consumer // nil if it is to be found on the server
	codec  store.Codec

	id      string // of the last campaign, which is ready
	on      *platform.Job
	options runner.Options
}

// next runs a task, or returns after a while if there is none.
func (w *worker) next(ctx context.Context) error {
	if w.queue == nil {
		err := w.server.persist(ctx, "queue", func(ctx context.Context) (err error) {
			w.queue, err = w.server.js.CreateOrUpdateConsumer(ctx, tasks, jetstream.ConsumerConfig{
				Durable: durable, AckPolicy: jetstream.AckExplicitPolicy, AckWait: alive, MaxAckPending: 10000,
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

// serve runs the task of a message, and tells the server meanwhile that it is under way. A message is acknowledged once all
// records are on the server.
func (w *worker) serve(ctx context.Context, m jetstream.Msg) error {
	var t task
	if err := decode(m.Data(), &t); err != nil || t.Kind != kindVectors {
		w.server.config.note("refused a task of kind %q", t.Kind)
		return w.later(ctx, m)
	}
	working, done := context.WithCancel(ctx)
	defer done()
	go func() {
		for {
			select {
			case <-time.After(beat):
				m.InProgress()
			case <-working.Done():
				return
			}
		}
	}()
	refusal, err := w.prepare(ctx, &t)
	if errors.Is(err, jetstream.ErrObjectNotFound) { // the coordinator has ended
		m.Ack()
		return nil
	}
	if err != nil {
		return err
	}
	if refusal != "" {
		w.server.config.note("%s", refusal)
		w.server.conn.Publish(noteSubject+t.Campaign, []byte(refusal)) // a note that is lost comes again with the task
		return w.later(ctx, m)
	}
	err = campaign.Records(ctx, w.on.Platform, w.on.Workload, w.options, t.Vectors, func(vector int, r *campaign.Record, err error) error {
		return w.send(ctx, t.Campaign, vector, r, err)
	})
	if err != nil {
		return err
	}
	m.Ack() // or it is run again
	return nil
}

// later leaves a task to other workers.
func (w *worker) later(ctx context.Context, m jetstream.Msg) error {
	m.NakWithDelay(wait)
	rest(ctx)
	return nil
}

// prepare makes the job of a task ready. It refuses one that this worker would not run as the coordinator does.
func (w *worker) prepare(ctx context.Context, t *task) (refusal string, err error) {
	if w.id == t.Campaign {
		return "", nil
	}
	refuse := func(format string, args ...any) (string, error) {
		return "a worker refuses the campaign: " + fmt.Sprintf(format, args...), nil
	}
	if own := provenance.Of().Tool.String(); own != t.Of.Tool {
		return refuse("it is %s, and the campaign is of %s", own, t.Of.Tool)
	}
	var text []byte
	var missing error
	err = w.server.within(ctx, transfer, "job", func(ctx context.Context) (err error) {
		text, err = w.server.objects.GetBytes(ctx, t.Campaign)
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			missing, err = err, nil
		}
		return err
	})
	if err = errors.Join(err, missing); err != nil {
		return "", err
	}
	var s setup
	if err := decode(text, &s); err != nil {
		return refuse("%v", err)
	}
	j, err := s.Bundle.job()
	if err != nil {
		return refuse("%v", err)
	}
	own, err := campaign.Identify(j.Platform, j.Workload, s.MaxCycles)
	if err != nil {
		return refuse("%v", err)
	}
	own.Ipoints, own.Points = t.Of.Ipoints, t.Of.Points // which the coordinator says
	if diffs := t.Of.Differences(&own); diffs != nil {
		return refuse("%s", strings.Join(diffs, ", "))
	}
	w.id, w.on, w.options = t.Campaign, j, s.options()
	return "", nil
}

// send puts a record on the server, or why there is none.
func (w *worker) send(ctx context.Context, id string, vector int, r *campaign.Record, failed error) error {
	m := nats.NewMsg(fmt.Sprintf("%s%s.%d", recordSubject, id, vector))
	if failed != nil {
		m.Header.Set(headerFailed, strings.ReplaceAll(failed.Error(), "\n", " "))
	} else {
		data, err := w.codec.Encode(r)
		if err != nil {
			return err
		}
		if m.Data = data; len(data) >= largeRecord {
			name := fmt.Sprintf("%s.%d", id, vector)
			err := w.server.within(ctx, transfer, "record", func(ctx context.Context) error {
				_, err := w.server.objects.PutBytes(ctx, name, data)
				return err
			})
			if err != nil {
				return err
			}
			m.Data = nil
			m.Header.Set(headerObject, name)
		}
	}
	return w.server.persist(ctx, "record", func(ctx context.Context) error {
		_, err := w.server.js.PublishMsg(ctx, m)
		return err
	})
}
