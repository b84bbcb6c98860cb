package smt

// Select returns the element of an array at an index.
func (b *Builder) Select(array, index *Term) *Term {
	check(array.sort.Kind == ArrayKind && index.sort == Bits(array.sort.Width), "select of %v at %v", array.sort, index.sort)
	for !b.plain {
		if array.op == Fill {
			return array.args[0]
		}
		if array.op != Store {
			break
		}
		if array.args[1] == index {
			return array.args[2]
		}
		if !b.mustDiffer(array.args[1], index) {
			break
		}
		array = array.args[0]
	}
	return b.intern(node{op: Select, sort: Bits(array.sort.Elem), args: [3]*Term{array, index}})
}

// mustDiffer reports whether two terms are seen to differ always: they are different constants
// or have different constants added to one term.
func (b *Builder) mustDiffer(x, y *Term) bool {
	bx, kx := offset(x)
	by, ky := offset(y)
	return bx == by && kx != ky
}

// offset splits a term in one and a constant that is added to it.
func offset(x *Term) (base *Term, k uint64) {
	switch {
	case x.op == Const:
		return nil, x.value
	case x.op == BvAdd && x.args[1].op == Const:
		return x.args[0], x.args[1].value
	}
	return x, 0
}

// Store returns the array with another element at an index.
func (b *Builder) Store(array, index, elem *Term) *Term {
	s := array.sort
	check(s.Kind == ArrayKind && index.sort == Bits(s.Width) && elem.sort == Bits(s.Elem), "store of %v at %v in %v", elem.sort, index.sort, s)
	if !b.plain {
		switch {
		case elem.op == Select && elem.args[0] == array && elem.args[1] == index:
			return array
		case array.op == Store && array.args[1] == index:
			return b.Store(array.args[0], index, elem)
		case array.op == Fill && array.args[0] == elem:
			return array
		}
	}
	return b.intern(node{op: Store, sort: s, args: [3]*Term{array, index, elem}})
}
