package taint

import (
	"slices"

	"warpbound/internal/abi"
	"warpbound/internal/isa"
)

// hands notes that the instruction wrote something tainted, if lanes did.
func (x *step) hands(lanes uint64) {
	if lanes != 0 {
		x.spread[x.PC].made = true
	}
}

// chain notes by which instructions an input comes to the sink that the step is, and where the
// input lies. It is the shortest way among instructions that handed taint on in the launch; they
// need not have done so in this order.
func (x *step) chain(s *Sink) {
	before := map[int]int{} // by instruction that hands taint on: the one that takes it
	var queue []int
	visit := func(next []int, from int) {
		for _, pc := range next {
			if _, seen := before[pc]; !seen {
				before[pc] = from
				queue = append(queue, pc)
			}
		}
	}
	visit(x.writers(x.reached(s.Kind)), -1)
	if read := x.spread[x.PC].read; read != 0 { // an mbarrier, for example
		visit([]int{x.PC}, -1)
	}
	for len(queue) > 0 {
		pc := queue[0]
		queue = queue[1:]
		in, read := &x.kernel.Instrs[pc], x.spread[pc].read
		values, given := x.writers(registers(in)), true
		var stores []int
		if read != 0 && !x.given.any(read, 1) {
			stores = x.stores(read)
			given = len(stores) == 0
		}
		at, ok := x.parameter(in)
		s.Unsettled, s.Unordered = x.spread[pc].unsettled, x.spread[pc].unordered
		if ok || read != 0 && given || s.Unsettled || s.Unordered {
			if s.Origin = at; !ok {
				s.Origin = read
				s.Mixed = !s.Unsettled && !s.Unordered && x.order.decides() && !x.given.any(read, 1)
			}
			for ; pc >= 0; pc = before[pc] {
				s.Chain = append(s.Chain, &x.kernel.Instrs[pc])
			}
			slices.Reverse(s.Chain)
			return
		}
		visit(stores, pc)
		visit(values, pc)
	}
}

// reached returns the registers of the sink in which inputs reach it.
func (x *step) reached(kind Kind) (list []isa.Reg) {
	switch kind {
	case Guard:
		return []isa.Reg{x.in.Guard.Reg}
	case Spin:
		return slices.DeleteFunc(slices.Clone(x.Effect.Looked), func(r isa.Reg) bool { return x.warp.registers[r] == 0 })
	}
	for _, r := range registers(x.in) {
		if x.warp.registers[r]&x.mask != 0 {
			list = append(list, r)
		}
	}
	return list
}

// registers returns those that an instruction reads.
func registers(in *isa.Instr) (list []isa.Reg) {
	for _, o := range in.Src {
		if (o.Kind == isa.KindReg || o.Kind == isa.KindAddr || o.Kind == isa.KindVarAddr) && o.Reg != isa.NoReg {
			list = append(list, o.Reg)
		}
	}
	return list
}

// writers returns the instructions that wrote something tainted to one of the registers.
func (x *step) writers(of []isa.Reg) (list []int) {
	for pc := range x.kernel.Instrs {
		if x.spread[pc].made && slices.ContainsFunc(x.kernel.Instrs[pc].Dst, func(o isa.Operand) bool {
			return o.Kind == isa.KindReg && slices.Contains(of, o.Reg)
		}) {
			list = append(list, pc)
		}
	}
	return list
}

// stores returns the instructions that wrote something tainted to a byte, the one that read it perhaps among them; none
// if it is as the launch began.
func (x *step) stores(read uint64) (list []int) {
	for pc := range x.spread {
		if x.spread[pc].wrote.any(read, 1) {
			list = append(list, pc)
		}
	}
	return list
}

// parameter returns where a tainted parameter lies that an instruction reads as an operand.
func (x *step) parameter(in *isa.Instr) (at uint64, ok bool) {
	for _, o := range in.Src {
		if o.Kind != isa.KindParam {
			continue
		}
		p := &x.kernel.Params[o.Var]
		if x.params.any(uint64(p.Offset), uint64(p.Bytes)) {
			return abi.ParamAddress(p.Offset), true
		}
	}
	return 0, false
}
