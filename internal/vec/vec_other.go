//go:build !amd64 || purego

package vec

// Fast returns nil.
func Fast(Op) Func { return nil }

// FastTest returns nil.
func FastTest(Test) TestFunc { return nil }

// FastAccess returns nil.
func FastAccess(Access) AccessFunc { return nil }
