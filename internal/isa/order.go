package isa

// Order is how an access to memory, or a fence, is ordered with other accesses of its thread, as the
// memory consistency model of the PTX manual defines it.
type Order uint8

// The orders. An access that is at least OrderRelaxed is strong: it takes part in synchronisation
// and does not race with other strong accesses whose scopes include each other's threads.
const (
	OrderWeak    Order = iota // an ordinary load or store
	OrderRelaxed              // also volatile and mmio
	OrderAcquire
	OrderRelease
	OrderAcqRel
	OrderSC // of fences
)

// Acquires reports whether what follows is ordered behind what other threads did before they released it.
func (o Order) Acquires() bool { return o == OrderAcquire || o >= OrderAcqRel }

// Releases reports whether what precedes is ordered before what other threads do after they acquired it.
func (o Order) Releases() bool { return o >= OrderRelease }

// Scope is the set of threads with which an access or a fence synchronises.
type Scope uint8

// The scopes. ScopeDefault is that of instructions which do not name one.
const (
	ScopeDefault Scope = iota
	ScopeCTA
	ScopeCluster
	ScopeGPU
	ScopeSystem
)

// Strength returns the order of an access or a fence and its scope, with the defaults of
// the PTX manual: an atomic operation is relaxed, and a fence both acquires and releases.
// Of other instructions it is OrderWeak.
func (in *Instr) Strength() (Order, Scope) {
	order, scope := in.Order, in.Scope
	switch in.Op {
	case Atom, Red:
		order = max(order, OrderRelaxed)
	case Mbarrier:
		if scope == ScopeDefault {
			scope = ScopeCTA
		}
		if order == OrderWeak {
			order = in.Mbarrier.order()
		}
	case Fence:
		if order == OrderWeak {
			order = OrderAcqRel
		}
	}
	if scope == ScopeDefault {
		switch {
		case in.Op == Atom, in.Op == Red, in.Op == Fence:
			scope = ScopeGPU
		case order != OrderWeak: // volatile
			scope = ScopeSystem
		}
	}
	return order, scope
}

var orderNames = []string{
	OrderWeak: "weak", OrderRelaxed: "relaxed", OrderAcquire: "acquire", OrderRelease: "release", OrderAcqRel: "acq_rel", OrderSC: "sc",
}

// String implements fmt.Stringer.
func (o Order) String() string { return orderNames[o] }

var scopeNames = []string{ScopeDefault: "default", ScopeCTA: "cta", ScopeCluster: "cluster", ScopeGPU: "gpu", ScopeSystem: "sys"}

// String implements fmt.Stringer.
func (s Scope) String() string { return scopeNames[s] }
