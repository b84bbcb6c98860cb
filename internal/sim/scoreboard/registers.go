package scoreboard

import (
	"cmp"
	"slices"

	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
)

// registers numbers the registers of a kernel. Where the machine says that instructions of some pipelines can use a result later
// than others (machine.Machine.Dependences), each group of readers has numbers of its own: what a warp waits for is then the time
// of one number, as on machines that do not tell readers apart.
type registers struct {
	machine *machine.Machine
	readers map[string]int // by pipeline, or machine.Guard: the group; 0 for all others
	number  [][]int32      // by group and register: 0 for one that the group does not name
	regs    int            // numbers that are in use, with those that stand for none
}

// numberRegisters numbers the registers of a kernel in the order in which instructions name them.
func numberRegisters(code *emu.Code, m *machine.Machine) *registers {
	r := &registers{machine: m, readers: map[string]int{}, regs: firstReg}
	groups := 1
	for _, d := range m.SortedDependences() {
		if _, known := r.readers[d.Consumer]; !known {
			r.readers[d.Consumer] = groups
			groups++
		}
	}
	r.number = make([][]int32, groups)
	for i := range r.number {
		r.number[i] = make([]int32, len(code.Kernel().Regs))
	}
	for pc := range code.Len() {
		in := code.Instr(pc)
		in.Reads(func(reg isa.Reg) { r.name(r.reader(in, reg), reg) })
		in.Writes(func(reg isa.Reg) { r.name(r.group(in), reg) })
	}
	return r
}

// name gives a register a number for a group of readers, unless it has one.
func (r *registers) name(group int, reg isa.Reg) {
	if r.number[group][reg] == 0 {
		r.number[group][reg] = int32(r.regs)
		r.regs++
	}
}

// group returns the group of readers that an instruction belongs to.
func (r *registers) group(in *isa.Instr) int { return r.readers[r.machine.InstrTiming(in).Pipeline] }

// reader returns the group as whose member an instruction reads a register.
func (r *registers) reader(in *isa.Instr, reg isa.Reg) int {
	if guards, ok := r.readers[machine.Guard]; ok && in.Guard.Set && in.Guard.Reg == reg {
		return guards
	}
	return r.group(in)
}

// reads returns the numbers of the registers that an instruction must wait for, those that it writes among them.
func (r *registers) reads(in *isa.Instr) []int32 {
	var reads []int32
	in.Reads(func(reg isa.Reg) { reads = append(reads, r.number[r.reader(in, reg)][reg]) })
	in.Writes(func(reg isa.Reg) { reads = append(reads, r.number[r.group(in)][reg]) })
	slices.Sort(reads)
	return slices.Compact(reads)
}

// writes returns the registers that an instruction writes, for every group that reads them.
func (r *registers) writes(in *isa.Instr) []result {
	var writes []result
	from := r.machine.InstrTiming(in).Pipeline
	late := make([]int64, len(r.number))
	for consumer, group := range r.readers {
		late[group] = readyAt(r.machine.Dependences[machine.Pair(from, consumer)].Value, false)
	}
	in.Writes(func(reg isa.Reg) {
		for group, numbers := range r.number {
			if n := numbers[reg]; n != 0 {
				writes = append(writes, result{n, late[group]})
			}
		}
	})
	slices.SortStableFunc(writes, func(a, b result) int { return cmp.Compare(a.late, b.late) })
	return writes
}
