package flowtest

import (
	"context"
	"sync/atomic"
)

// Ending is a context that ends when it has been asked often enough whether it has, so that what
// tests see of it does not depend on time. It counts how often it is asked.
type Ending struct {
	context.Context
	after int64
	asked atomic.Int64
}

// EndAfter returns a context that says so many times that it has not ended.
func EndAfter(n int64) *Ending { return &Ending{Context: context.Background(), after: n} }

// Err implements context.Context.
func (e *Ending) Err() error {
	if e.asked.Add(1) > e.after {
		return context.Canceled
	}
	return nil
}

// Asked returns how often the context has been asked whether it has ended.
func (e *Ending) Asked() int64 { return e.asked.Load() }
