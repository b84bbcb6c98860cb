//go:build !amd64 || purego

package vec

// Spread returns the bits in which lanes differ from the first.
func Spread(v *Vector) uint64 { return spread(v) }

// Fast returns nil.
func Fast(Op) Func { return nil }

// FastTest returns nil.
func FastTest(Test) TestFunc { return nil }

// FastAccess returns nil.
func FastAccess(Access) AccessFunc { return nil }
