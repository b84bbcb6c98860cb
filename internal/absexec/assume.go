package absexec

import (
	"errors"
	"slices"
)

// Buffer is a buffer of a launch.
type Buffer struct {
	Name string
	Range
	ReadOnly bool // a write to it ends a run with a fault
	// Assumed says that this has to be relied on: nothing else tells that the kernel does not write to it.
	Assumed bool
}

// Ranges returns where the buffers lie that the kernel must not be seen to write to, and those that are
// only assumed not to be written.
func Ranges(buffers []Buffer) (checked, assumed []Range) {
	for _, b := range buffers {
		if b.Assumed {
			assumed = append(assumed, b.Range)
		} else {
			checked = append(checked, b.Range)
		}
	}
	return checked, assumed
}

// Assuming returns what bound makes of those of the buffers, as Config.Fixed, to which the
// kernel surely does not write: bound is called again without those to which it may, as long
// as its error is a *WriteError. Of buffers that are read-only it becomes an assumption instead.
func Assuming[T any](buffers []Buffer, bound func([]Buffer) (T, error)) (T, error) {
	for {
		t, err := bound(buffers)
		var write *WriteError
		if !errors.As(err, &write) {
			return t, err
		}
		buffers = slices.Clone(buffers)
		written := func(b Buffer) bool { return write.Range == Range{} || b.Range == write.Range }
		for i := range buffers {
			if b := &buffers[i]; b.ReadOnly && written(*b) {
				b.Assumed = true
			}
		}
		buffers = slices.DeleteFunc(buffers, func(b Buffer) bool { return !b.Assumed && written(b) })
	}
}
