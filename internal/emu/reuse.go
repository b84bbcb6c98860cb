package emu

// sized returns a slice of n elements, in s's storage if it is large enough.
// The elements hold what they held.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
