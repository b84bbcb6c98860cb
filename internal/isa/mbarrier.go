package isa

// MbarrierOp is what Mbarrier does to a barrier object in memory.
type MbarrierOp uint8

// The operations on an mbarrier object, as the PTX manual defines them (Parallel Synchronization and
// Communication Instructions: mbarrier). The address is the first source. Those that arrive give the state
// of the object before, unless the result is dropped.
const (
	MbarrierNone           MbarrierOp = iota
	MbarrierInit                      // b is the number of arrivals that a phase expects
	MbarrierInval                     // the memory may be used for other things
	MbarrierArrive                    // b arrivals, one without b
	MbarrierArriveExpect              // expects b bytes, then one arrival
	MbarrierArriveOnly                // b arrivals, which do not complete the phase
	MbarrierDrop                      // b arrivals, one without b, that later phases do not expect
	MbarrierDropExpect                // expects b bytes, then as MbarrierDrop
	MbarrierDropOnly                  // as MbarrierDrop, and does not complete the phase
	MbarrierExpect                    // b bytes more have to be transferred in the phase
	MbarrierComplete                  // b bytes have been transferred
	MbarrierCopies                    // an arrival when the copies of the thread are done, which the phase is made to expect
	MbarrierCopiesExpected            // the same, which the phase expects anyway
	MbarrierTest                      // whether the phase of the state b is complete
	MbarrierTestParity                // whether the phase of parity b is
	MbarrierTry                       // as MbarrierTest, perhaps after a while
	MbarrierTryParity
)

// Tests reports whether the operation asks for a phase, and its result is a truth value.
func (m MbarrierOp) Tests() bool { return m >= MbarrierTest }

// Arrives reports whether the operation is an arrival, with a state for its result.
func (m MbarrierOp) Arrives() bool { return m >= MbarrierArrive && m <= MbarrierDropOnly }

// order is that of an operation which does not name one. That copies are complete releases what they wrote.
func (m MbarrierOp) order() Order {
	switch {
	case m == MbarrierInit, m == MbarrierInval:
		return OrderWeak
	case m == MbarrierExpect:
		return OrderRelaxed
	case m.Tests():
		return OrderAcquire
	}
	return OrderRelease
}

var mbarrierNames = []string{
	MbarrierNone: "", MbarrierInit: "init", MbarrierInval: "inval",
	MbarrierArrive: "arrive", MbarrierArriveExpect: "arrive.expect_tx", MbarrierArriveOnly: "arrive.noComplete",
	MbarrierDrop: "arrive_drop", MbarrierDropExpect: "arrive_drop.expect_tx", MbarrierDropOnly: "arrive_drop.noComplete",
	MbarrierExpect: "expect_tx", MbarrierComplete: "complete_tx", MbarrierCopies: "copies", MbarrierCopiesExpected: "copies.noinc",
	MbarrierTest: "test_wait", MbarrierTestParity: "test_wait.parity", MbarrierTry: "try_wait", MbarrierTryParity: "try_wait.parity",
}

// String implements fmt.Stringer.
func (m MbarrierOp) String() string { return mbarrierNames[m] }

// fits reports whether the operation has as many results and sources.
func (m MbarrierOp) fits(results, sources int) bool {
	switch m {
	case MbarrierInval, MbarrierCopies, MbarrierCopiesExpected:
		return results == 0 && sources == 1
	case MbarrierInit, MbarrierExpect, MbarrierComplete:
		return results == 0 && sources == 2
	case MbarrierArrive, MbarrierDrop:
		return results == 1
	}
	return results == 1 && sources == 2
}
