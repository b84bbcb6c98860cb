package isa

import "testing"

// TestStrength checks the defaults of the PTX manual for instructions that name no order or scope.
func TestStrength(t *testing.T) {
	for _, c := range []struct {
		in    Instr
		order Order
		scope Scope
	}{
		{Instr{Op: Ld}, OrderWeak, ScopeDefault},
		{Instr{Op: St, Order: OrderRelaxed, Volatile: true}, OrderRelaxed, ScopeSystem},
		{Instr{Op: St, Order: OrderRelease, Scope: ScopeCTA}, OrderRelease, ScopeCTA},
		{Instr{Op: Atom}, OrderRelaxed, ScopeGPU},
		{Instr{Op: Red, Order: OrderAcqRel, Scope: ScopeSystem}, OrderAcqRel, ScopeSystem},
		{Instr{Op: Fence}, OrderAcqRel, ScopeGPU},
		{Instr{Op: Fence, Order: OrderSC, Scope: ScopeCTA}, OrderSC, ScopeCTA},
		{Instr{Op: Fence, Order: OrderRelaxed}, OrderRelaxed, ScopeGPU}, // between proxies
		{Instr{Op: Add}, OrderWeak, ScopeDefault},
	} {
		if order, scope := c.in.Strength(); order != c.order || scope != c.scope {
			t.Errorf("%s: %s, %s, want %s, %s", &c.in, order, scope, c.order, c.scope)
		}
	}
	for _, c := range []struct {
		order              Order
		acquires, releases bool
	}{
		{OrderWeak, false, false}, {OrderRelaxed, false, false}, {OrderAcquire, true, false},
		{OrderRelease, false, true}, {OrderAcqRel, true, true}, {OrderSC, true, true},
	} {
		if c.order.Acquires() != c.acquires || c.order.Releases() != c.releases {
			t.Errorf("%s: acquires %t, releases %t", c.order, c.order.Acquires(), c.order.Releases())
		}
	}
}
