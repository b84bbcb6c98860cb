package fleet

import "context"

// Kind is a kind of work that workers can do.
type Kind struct {
	Name string
	// Prepare makes ready what all items of an assignment need. An error is why this worker must not do it.
	Prepare func(setup []byte) (Do, error)
}

// Do does items, and hands on the record of each, which is not empty, or why there is none, in the order in which they end.
// It is an error if that fails, or that of ctx.
type Do func(ctx context.Context, items []Item, each func(number int, record []byte, failed error) error) error

// Item is a piece of work.
type Item struct {
	Number int    `json:"number"`         // tells the items of an assignment from each other
	Data   []byte `json:"data,omitempty"` // says what is to be done, unless the number does
}

// task is what a worker takes from the queue.
type task struct {
	Kind       string `json:"kind"`
	Assignment string `json:"assignment"`
	Tool       string `json:"tool"` // version and commit of whoever asks
	Items      []Item `json:"items"`
}

// beginning is what a worker says as it begins a task.
type beginning struct {
	First    int    `json:"first"`    // number of its first item
	Sequence uint64 `json:"sequence"` // of its message in the queue
}
