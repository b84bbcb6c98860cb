package minisimt_test

import (
	"encoding/binary"
	"fmt"
	"math"

	"warpbound/internal/isa/minisimt"
)

// machine executes a kernel thread by thread: each until it comes to a barrier or ends,
// and on when all have. It knows no warps, and sync means nothing to it.
type machine struct {
	kernel *minisimt.Kernel
	types  map[string]minisimt.Type
	memory map[uint32][]byte // by address of the buffer
}

// thread is a thread and its variables, as their bits.
type thread struct {
	vars map[string]uint32
	pc   int
}

// maxSteps bounds the instructions of a thread.
const maxSteps = 100_000

func (m *machine) run(threads int, params map[string]uint32) error {
	m.types = map[string]minisimt.Type{}
	for _, v := range append(m.kernel.Params, m.kernel.Vars...) {
		m.types[v.Name] = v.Type
	}
	var all []*thread
	for i := range threads {
		t := &thread{vars: map[string]uint32{"Tid": uint32(i), "Ntid": uint32(threads), "Ctaid": 0, "Nctaid": 1}}
		for name, v := range params {
			t.vars[name] = v
		}
		all = append(all, t)
	}
	for live := true; live; {
		live = false
		for _, t := range all {
			if err := m.untilBarrier(t); err != nil {
				return err
			}
			live = live || t.pc < len(m.kernel.Code)
		}
	}
	return nil
}

func (m *machine) untilBarrier(t *thread) error {
	for range maxSteps {
		if t.pc >= len(m.kernel.Code) {
			return nil
		}
		in := &m.kernel.Code[t.pc]
		t.pc++
		switch in.Op {
		case minisimt.Barrier:
			return nil
		case minisimt.Bz, minisimt.Bnz:
			if (m.bits(t, in.A, minisimt.Int) == 0) == (in.Op == minisimt.Bz) {
				t.pc = in.Target - m.kernel.Start
			}
		case minisimt.Jump:
			t.pc = in.Target - m.kernel.Start
		case minisimt.Load:
			t.vars[in.Dst] = binary.LittleEndian.Uint32(m.at(t.vars[in.A.Name]))
		case minisimt.Store:
			binary.LittleEndian.PutUint32(m.at(t.vars[in.A.Name]), m.bits(t, in.B, m.types[in.A.Name].Elem()))
		case minisimt.Const:
			t.vars[in.Dst] = m.copied(t, in)
		case minisimt.Binop:
			t.vars[in.Dst] = m.binop(t, in)
		}
	}
	return fmt.Errorf("a thread does not end")
}

func (m *machine) at(address uint32) []byte {
	for base, data := range m.memory {
		if address >= base && address-base < uint32(len(data)) {
			return data[address-base:]
		}
	}
	return nil
}

// bits returns a value; a number is of type want if it may be.
func (m *machine) bits(t *thread, v minisimt.Value, want minisimt.Type) uint32 {
	switch {
	case v.Name != "":
		return t.vars[v.Name]
	case v.IsFloat:
		return math.Float32bits(v.Float)
	case want == minisimt.Float:
		return math.Float32bits(float32(v.Int))
	}
	return uint32(v.Int)
}

func (m *machine) typeOf(v minisimt.Value) minisimt.Type {
	switch {
	case v.Name == "" && v.IsFloat:
		return minisimt.Float
	case v.Name == "":
		return minisimt.NoType
	case m.types[v.Name] == minisimt.NoType:
		return minisimt.Int // Tid and the like
	}
	return m.types[v.Name]
}

func (m *machine) copied(t *thread, in *minisimt.Instr) uint32 {
	to := m.types[in.Dst]
	bits := m.bits(t, in.A, to)
	switch from := m.typeOf(in.A); {
	case to == minisimt.Float && from == minisimt.Int:
		return math.Float32bits(float32(int32(bits)))
	case to == minisimt.Int && from == minisimt.Float:
		return uint32(int32(math.Float32frombits(bits)))
	}
	return bits
}

func (m *machine) binop(t *thread, in *minisimt.Instr) uint32 {
	at, bt := m.typeOf(in.A), m.typeOf(in.B)
	if at.Elem() != minisimt.NoType {
		return t.vars[in.A.Name] + 4*m.bits(t, in.B, minisimt.Int)
	}
	a, b := m.bits(t, in.A, bt), m.bits(t, in.B, at)
	if in.Operator == "*" && at == minisimt.Bool {
		return a * m.bits(t, in.B, minisimt.Int)
	}
	if at == minisimt.Float || bt == minisimt.Float {
		return floats(in.Operator, math.Float32frombits(a), math.Float32frombits(b))
	}
	return integers(in.Operator, int32(a), int32(b))
}

func truth(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

func integers(operator string, a, b int32) uint32 {
	switch operator {
	case "+":
		return uint32(a + b)
	case "-":
		return uint32(a - b)
	case "*":
		return uint32(a * b)
	case "/":
		return uint32(a / b)
	case "%":
		return uint32(a % b)
	case "&":
		return uint32(a & b)
	case "|":
		return uint32(a | b)
	case "^":
		return uint32(a ^ b)
	case "<<":
		return uint32(a) << b
	case ">>":
		return uint32(a >> b)
	}
	return compared(operator, a, b)
}

func floats(operator string, a, b float32) uint32 {
	var x float32
	switch operator {
	case "+":
		x = a + b
	case "-":
		x = a - b
	case "*":
		x = a * b
	case "/":
		x = a / b
	default:
		return compared(operator, a, b)
	}
	if x != x {
		return 0x7fffffff
	}
	return math.Float32bits(x)
}

func compared[T int32 | float32](operator string, a, b T) uint32 {
	switch operator {
	case "<":
		return truth(a < b)
	case "<=":
		return truth(a <= b)
	case ">":
		return truth(a > b)
	case ">=":
		return truth(a >= b)
	case "==":
		return truth(a == b)
	}
	return truth(a != b)
}
