package absexec

import (
	"errors"
	"slices"
)

// Buffer is a buffer of a launch.
type Buffer struct {
	Name string
	Range
}

// Ranges returns where buffers lie.
func Ranges(buffers []Buffer) []Range {
	var ranges []Range
	for _, b := range buffers {
		ranges = append(ranges, b.Range)
	}
	return ranges
}

// Assuming returns what bound makes of those of the buffers, as Config.Fixed, to which the
// kernel surely does not write: bound is called again without those to which it may, as long
// as its error is a *WriteError.
func Assuming[T any](buffers []Buffer, bound func([]Buffer) (T, error)) (T, error) {
	for {
		t, err := bound(buffers)
		var write *WriteError
		if !errors.As(err, &write) {
			return t, err
		}
		buffers = slices.DeleteFunc(slices.Clone(buffers), func(b Buffer) bool {
			return write.Range == Range{} || b.Range == write.Range
		})
	}
}
