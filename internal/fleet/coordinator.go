package fleet

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"warpbound/internal/provenance"
)

// Coordinator has work done by the workers of a server.
type Coordinator struct {
	server *link
	tool   string
}

// Connect connects to a server, for which it waits until ctx ends. Close must follow.
func Connect(ctx context.Context, c Config) (*Coordinator, error) {
	s, err := connect(ctx, c)
	if err != nil {
		return nil, err
	}
	return &Coordinator{s, provenance.Of().Tool.String()}, nil
}

// Close ends the connection.
func (c *Coordinator) Close() { c.server.close() }

// Assignment is work of a kind. Goroutines may share it.
type Assignment struct {
	server *link
	kind   string
	tool   string
	id     string // new for each
	given  int    // items of Each so far

	notes  *nats.Subscription
	begins *nats.Subscription
	got    *nats.Subscription

	mu      sync.Mutex
	told    map[string]bool // notes
	waiting map[int]chan *nats.Msg
	tasks   map[int]*asked // under way, by the number of the first item
}

// asked is a task that workers were asked to do.
type asked struct {
	items []int
	begun int // how often
}

// Assign begins work of a kind: setup is what all its items need. Close must follow.
func (c *Coordinator) Assign(ctx context.Context, kind string, setup []byte) (a *Assignment, err error) {
	a = &Assignment{
		server: c.server, kind: kind, tool: c.tool, id: strings.ToLower(rand.Text()),
		told: make(map[string]bool), waiting: make(map[int]chan *nats.Msg), tasks: make(map[int]*asked),
	}
	defer func() {
		if err != nil {
			a.Close()
		}
	}()
	if a.notes, err = c.server.conn.Subscribe(noteSubject+a.id, a.tell); err != nil {
		return nil, err
	}
	if a.begins, err = c.server.conn.Subscribe(beginSubject+a.id, a.begin); err != nil {
		return nil, err
	}
	if a.got, err = c.server.conn.Subscribe(recordSubject+a.id+".*", a.arrive); err != nil {
		return nil, err
	}
	if err := a.got.SetPendingLimits(-1, -1); err != nil { // no more items are under way than are asked for
		return nil, err
	}
	return a, c.server.put(ctx, "setup", a.id, setup)
}

// tell passes a note of a worker on, once.
func (a *Assignment) tell(m *nats.Msg) {
	a.mu.Lock()
	first := !a.told[string(m.Data)]
	a.told[string(m.Data)] = true
	a.mu.Unlock()
	if first {
		a.server.config.note("%s", m.Data)
	}
}

// begin counts how often a task began. It begins again if its worker died, and is given up, after several workers, as one that
// workers die of.
func (a *Assignment) begin(m *nats.Msg) {
	var of beginning
	if err := json.Unmarshal(m.Data, &of); err != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.tasks[of.First]
	if t == nil {
		return
	}
	if t.begun++; t.begun <= tries {
		return
	}
	delete(a.tasks, of.First)
	for _, i := range t.items {
		if to := a.waiting[i]; to != nil {
			select {
			case to <- &nats.Msg{Header: nats.Header{headerFailed: {fmt.Sprintf("%d workers ended while they did it", tries)}}}:
			default: // it was done before that
			}
		}
	}
	go a.withdraw(of.Sequence)
}

// withdraw takes a task from the queue. One that stays is done once more, and counts no more.
func (a *Assignment) withdraw(sequence uint64) {
	ctx, cancel := context.WithTimeout(context.Background(), attempt)
	defer cancel()
	if queue, err := a.server.js.Stream(ctx, tasks); err == nil {
		queue.DeleteMsg(ctx, sequence)
	}
}

// arrive hands a record to whoever waits for it. An item for which nobody waits was done twice.
func (a *Assignment) arrive(m *nats.Msg) {
	number, err := strconv.Atoi(strings.TrimPrefix(m.Subject, a.records()))
	if err != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if to := a.waiting[number]; to != nil {
		select {
		case to <- m:
		default: // it has one
		}
	}
}

// records begins the subjects of records, before the number of an item.
func (a *Assignment) records() string { return recordSubject + a.id + "." }

// Ask asks for items, as one task, of which Await returns each once.
func (a *Assignment) Ask(ctx context.Context, items []Item) error {
	text, err := json.Marshal(&task{Kind: a.kind, Assignment: a.id, Tool: a.tool, Items: items})
	if err != nil {
		return err
	}
	t := &asked{}
	a.mu.Lock()
	for _, i := range items {
		a.waiting[i.Number] = make(chan *nats.Msg, 1)
		t.items = append(t.items, i.Number)
	}
	a.tasks[items[0].Number] = t
	a.mu.Unlock()
	name := fmt.Sprintf("%s.task.%d", a.id, items[0].Number)
	m := &nats.Msg{Subject: taskSubject + a.id, Header: nats.Header{}, Data: text}
	return a.server.publish(ctx, "task", m, name, jetstream.WithMsgID(name))
}

// Await waits for the record of an item, nil if it could not be done there. It comes as a message, or is found on the
// server if that was lost.
func (a *Assignment) Await(ctx context.Context, number int) ([]byte, error) {
	a.mu.Lock()
	from := a.waiting[number]
	a.mu.Unlock()
	for {
		select {
		case m := <-from:
			return a.take(ctx, number, m.Header, m.Data)
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		var m *jetstream.RawStreamMsg
		err := a.server.persist(ctx, "record", func(ctx context.Context) (err error) {
			m, err = a.server.records.GetLastMsgForSubject(ctx, a.records()+strconv.Itoa(number))
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				m, err = nil, nil
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if m != nil {
			return a.take(ctx, number, m.Header, m.Data)
		}
	}
}

// take reads a record, and has the server drop it.
func (a *Assignment) take(ctx context.Context, number int, header nats.Header, data []byte) ([]byte, error) {
	a.mu.Lock()
	delete(a.waiting, number)
	for first, t := range a.tasks {
		if t.items = slices.DeleteFunc(t.items, func(i int) bool { return i == number }); len(t.items) == 0 {
			delete(a.tasks, first)
		}
	}
	a.mu.Unlock()
	if why := header.Get(headerFailed); why != "" {
		a.server.config.note("a worker could not do %s %d: %s", a.kind, number, why)
		return nil, nil
	}
	for try := 0; header.Get(headerObject) != ""; try++ {
		within, cancel := context.WithTimeout(ctx, attempt<<try)
		found, err := a.server.objects.GetBytes(within, header.Get(headerObject))
		cancel()
		if err == nil {
			data = found
			break
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if try == tries { // what no server has must not hold up the rest
			a.server.config.note("the record of %s %d is lost: %v", a.kind, number, err)
			return nil, nil
		}
		rest(ctx)
	}
	return data, a.drop(ctx, number, header.Get(headerObject))
}

// drop removes what was taken. That it stays is no error: the server forgets it.
func (a *Assignment) drop(ctx context.Context, number int, object string) error {
	within, cancel := context.WithTimeout(ctx, attempt)
	defer cancel()
	a.server.records.Purge(within, jetstream.WithPurgeSubject(a.records()+strconv.Itoa(number)))
	if object != "" {
		a.server.objects.Delete(within, object)
	}
	return ctx.Err()
}

// ahead is how many tasks Each asks for before it has what the first of them gives.
const ahead = 32

// Each has n items done, so many of them a task, and hands on the record of each in their order, nil for one that could not be
// done elsewhere. data says what is to be done. It is for one goroutine at a time.
func (a *Assignment) Each(ctx context.Context, n, together int, data func(i int) ([]byte, error), take func(i int, record []byte) error) error {
	first, asked := a.given, 0
	a.given += n
	for i := range n {
		for asked < min(n, i+ahead*together) {
			var items []Item
			for ; len(items) < together && asked < n; asked++ {
				text, err := data(asked)
				if err != nil {
					return err
				}
				items = append(items, Item{first + asked, text})
			}
			if err := a.Ask(ctx, items); err != nil {
				return err
			}
		}
		record, err := a.Await(ctx, first+i)
		if err != nil {
			return err
		}
		if err := take(i, record); err != nil {
			return err
		}
	}
	return nil
}

// Close removes the assignment from the server, as far as that is possible soon.
func (a *Assignment) Close() {
	for _, s := range []*nats.Subscription{a.notes, a.begins, a.got} {
		if s != nil {
			s.Unsubscribe()
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	a.forget(ctx)
}

// forget removes what the server has of the assignment.
func (a *Assignment) forget(ctx context.Context) {
	if queue, err := a.server.js.Stream(ctx, tasks); err == nil {
		queue.Purge(ctx, jetstream.WithPurgeSubject(taskSubject+a.id))
	}
	a.server.records.Purge(ctx, jetstream.WithPurgeSubject(a.records()+"*"))
	all, err := a.server.objects.List(ctx)
	if err != nil {
		return
	}
	for _, o := range all {
		if strings.HasPrefix(o.Name, a.id) {
			a.server.objects.Delete(ctx, o.Name)
		}
	}
}
