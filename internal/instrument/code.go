package instrument

import (
	"fmt"
	"strconv"
	"strings"

	"warpbound/internal/isa/ptx"
)

// The recording code in PTX. A register of its own is written ~name; NUMBER is that of a
// record, GUARD a predicate, perhaps negated, IF what makes an instruction depend on it, ADDRESS the type of an address, MAD the
// instruction that multiplies 32 bits and adds to an address, and CAST the one that makes an address of
// 64 bits.
const (
	registers = `
	.reg .pred ~lowest, ~fits;
	.reg .b32 ~below, ~next, ~limit, ~stride, ~warps, ~mask, ~slot, ~number;
	.reg .b64 ~time, ~word, ~base;
	.reg .ADDRESS ~region, ~at;`

	// begin finds the region of the warp, that of its number in the grid, and the slots of
	// the lane: warps are numbered along the linear index of threads (CUDA C++ Programming
	// Guide, "SIMT Architecture").
	begin = `
	mov.u32 ~below, %lanemask_lt;
	mov.u32 ~slot, %tid.z;
	mov.u32 ~stride, %ntid.y;
	mov.u32 ~mask, %tid.y;
	mad.lo.u32 ~slot, ~slot, ~stride, ~mask;
	mov.u32 ~warps, %ntid.x;
	mov.u32 ~mask, %tid.x;
	mad.lo.u32 ~slot, ~slot, ~warps, ~mask;
	shr.u32 ~slot, ~slot, 5;
	mul.lo.u32 ~warps, ~warps, ~stride;
	mov.u32 ~stride, %ntid.z;
	mad.lo.u32 ~warps, ~warps, ~stride, 31;
	shr.u32 ~warps, ~warps, 5;
	mov.u32 ~mask, %ctaid.z;
	mov.u32 ~stride, %nctaid.y;
	mov.u32 ~number, %ctaid.y;
	mad.lo.u32 ~mask, ~mask, ~stride, ~number;
	mov.u32 ~stride, %nctaid.x;
	mov.u32 ~number, %ctaid.x;
	mad.lo.u32 ~mask, ~mask, ~stride, ~number;
	mad.lo.u32 ~slot, ~mask, ~warps, ~slot;
	mov.ADDRESS ~at, ` + Symbol + `;
	mov.u32 ~mask, %laneid;
	MAD ~at, ~mask, 8, ~at;
	ld.global.v2.u64 {~base, ~word}, [` + Symbol + `];
	ld.global.v2.u32 {~next, ~limit}, [~at+16];
	CAST ~region, ~base;
	mov.b64 {~stride, ~number}, ~word;
	MAD ~region, ~slot, ~stride, ~region;`

	// Where functions record too, each lane keeps its next slot in the head of the region,
	// since registers are a function's own.
	cell = `
	.reg .ADDRESS ~cell;
	mov.u32 ~mask, %laneid;
	MAD ~cell, ~mask, 4, ~region;`
	load = `
	ld.global.u32 ~next, [~cell];`
	save = `
	@~lowest st.global.u32 [~cell], ~next;`
	saveFirst = `
	st.global.u32 [~cell], ~next;`

	// Where only the kernel records, it is in a register until the lane ends.
	saveLast = `
	mov.u32 ~mask, %laneid;
	MAD ~at, ~mask, 4, ~region;
	IF st.global.u32 [~at], ~next;`

	clock = `
	mov.u64 ~time, %clock64;`

	// The lanes that record together, and the lowest of them.
	active = `
	activemask.b32 ~mask;
	and.b32 ~slot, ~below, ~mask;
	setp.eq.u32 ~lowest, ~slot, 0;`
	activeGuarded = `
	@GUARD activemask.b32 ~mask;
	and.b32 ~slot, ~below, ~mask;
	setp.eq.and.u32 ~lowest, ~slot, 0, GUARD;`
	ballot = `
	setp.eq.u32 ~lowest, ~below, ~below;
	vote.ballot.b32 ~mask, ~lowest;
	and.b32 ~slot, ~below, ~mask;
	setp.eq.u32 ~lowest, ~slot, 0;`
	ballotGuarded = `
	vote.ballot.b32 ~mask, GUARD;
	and.b32 ~slot, ~below, ~mask;
	setp.eq.and.u32 ~lowest, ~slot, 0, GUARD;`

	// write writes the record into the lane's next slot if it has one, and counts it.
	write = `
	setp.lt.and.u32 ~fits, ~next, ~limit, ~lowest;
	MAD ~at, ~next, 16, ~region;
	mov.u32 ~number, NUMBER;
	mov.b64 ~word, {~number, ~mask};
	@~fits st.global.v2.u64 [~at+160], {~time, ~word};
	@~lowest add.u32 ~next, ~next, 1;`

	// The first and the last record of a warp also say where it is, and the time that all
	// multiprocessors share.
	startSM = `
	mov.u32 ~number, %smid;
	@~lowest st.global.u32 [~region+128], ~number;`
	startTimer = `
	mov.u64 ~word, %globaltimer;
	@~lowest st.global.u64 [~region+144], ~word;`
	exitSM = `
	mov.u32 ~number, %smid;
	@~lowest st.global.u32 [~region+132], ~number;`
	exitTimer = `
	mov.u64 ~word, %globaltimer;
	@~lowest st.global.u64 [~region+152], ~word;`
)

// The numbers of the first and of the last records of warps.
const (
	startNumber = 1<<32 - 1
	exitNumber  = 1<<32 - 2
)

// writer makes recording code.
type writer struct {
	target target
	prefix string // of the names of its registers
	bits   int    // of addresses
	memory bool   // functions record too, so the next slot is kept in memory
}

// at makes statements of code, with the position of what they stand before.
func (w *writer) at(pos ptx.Pos, number uint32, guard ptx.Guard, code ...string) ([]ptx.Stmt, error) {
	name, condition := guard.Name, ""
	if guard.Not {
		name = "!" + name
	}
	if name != "" {
		condition = "@" + name
	}
	address, mad, cast := "u64", "mad.wide.u32", "mov.u64"
	if w.bits == 32 {
		address, mad, cast = "u32", "mad.lo.u32", "cvt.u32.u64"
	}
	text := strings.NewReplacer(
		"~", w.prefix, "NUMBER", strconv.FormatUint(uint64(number), 10), "GUARD", name, "IF", condition, "ADDRESS", address, "MAD", mad, "CAST", cast,
	).Replace(strings.Join(code, ""))
	m, err := ptx.Parse("recording code", []byte(".version 2.0\n.func f()\n{"+text+"\n}\n"))
	if err != nil {
		return nil, fmt.Errorf("before line %d: %w", pos.Line, err)
	}
	stmts := m.Items[1].(*ptx.Func).Body.Stmts
	for _, s := range stmts {
		switch x := s.(type) {
		case *ptx.Instr:
			x.Pos = pos
		case *ptx.Decl:
			x.Pos = pos
		}
	}
	return stmts, nil
}

// lanes is the code that finds the lanes that record.
func (w *writer) lanes(guard ptx.Guard) string {
	switch guarded := guard.Name != ""; {
	case guarded && w.target.active:
		return activeGuarded
	case guarded:
		return ballotGuarded
	case w.target.active:
		return active
	}
	return ballot
}

// record is the code of a record: the clock is read first.
func (w *writer) record(guard ptx.Guard) string {
	if w.memory {
		return clock + load + w.lanes(guard) + write + save
	}
	return clock + w.lanes(guard) + write
}

// begin is what a function with recording code begins with. The kernel records the start of
// its warps, with the time before anything else.
func (w *writer) begin(pos ptx.Pos, entry bool) ([]ptx.Stmt, error) {
	code := []string{registers}
	if entry {
		code = append(code, clock)
	}
	code = append(code, begin)
	if w.memory {
		code = append(code, cell)
	}
	if entry {
		code = append(code, w.lanes(ptx.Guard{}), write, startSM)
		if w.memory {
			code = append(code, saveFirst)
		}
		if w.target.timer {
			code = append(code, startTimer)
		}
	}
	return w.at(pos, startNumber, ptx.Guard{}, code...)
}

// ipoint records that a warp is at a point.
func (w *writer) ipoint(pos ptx.Pos, number uint32) ([]ptx.Stmt, error) {
	return w.at(pos, number, ptx.Guard{}, w.record(ptx.Guard{}))
}

// exit records that lanes of a warp end if the guard holds.
func (w *writer) exit(pos ptx.Pos, guard ptx.Guard) ([]ptx.Stmt, error) {
	code := []string{w.record(guard), exitSM}
	if !w.memory {
		code = append(code, saveLast)
	}
	if w.target.timer {
		code = append(code, exitTimer)
	}
	return w.at(pos, exitNumber, guard, code...)
}
