package emu

import (
	"fmt"
	"strings"
	"testing"
)

const tile = ".shared .align 16 .b8 s[1024];"

// filled gives each of 256 words of shared memory its number and returns the address in %rd2.
const filled = `mov.u64 %rd2, s; mov.u32 %r1, %r0;
fill: mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd3, %rd2; st.shared.u32 [%rd3], %r1; add.u32 %r1, %r1, 32; setp.lt.u32 %p0, %r1, 256; @%p0 bra fill;
bar.warp.sync -1;
`

// TestLoadMatrices loads matrices whose rows are at multiples of 32 bytes, the second 16 bytes behind the
// first, the third and fourth 512 and 528 bytes.
func TestLoadMatrices(t *testing.T) {
	const rows = `and.b32 %r2, %r0, 7; shl.b32 %r2, %r2, 5; and.b32 %r3, %r0, 8; shl.b32 %r3, %r3, 1; add.u32 %r2, %r2, %r3;
and.b32 %r3, %r0, 16; shl.b32 %r3, %r3, 5; and.b32 %r3, %r3, 512; add.u32 %r2, %r2, %r3; `
	// Elements of 16 bits count from 0 by halves of words.
	element := func(matrix, row, column int) uint32 {
		half := (32*row + 16*(matrix%2) + 512*(matrix/2) + 2*column) / 2
		return uint32(half / 2 * (1 - half%2)) // words below 65536: upper halves are zero
	}
	for _, n := range []int{1, 2, 4} {
		for _, trans := range []bool{false, true} {
			word := "."
			if trans {
				word = ".trans."
			}
			registers := strings.Join([]string{"%r4", "%r5", "%r6", "%r7"}[:n], ", ")
			for chosen := range n {
				t.Run(fmt.Sprintf("x%d %v matrix %d", n, trans, chosen), func(t *testing.T) {
					s := scenario{vars: tile, block: 32, body: filled + rows + "cvt.u64.u32 %rd4, %r2; add.u64 %rd4, %rd4, %rd2;\n" +
						wildAbove(8*n) + fmt.Sprintf("ldmatrix.sync.aligned.m8n8.x%d%sshared.b16 {%s}, [%%rd4];\nst.global.u32 [%%rd1], %%r%d; ret;", n, word, registers, 4+chosen)}
					s.expect(t, func(lane int) uint32 {
						row, column := lane/4, lane%4*2
						if trans {
							return element(chosen, column, row) | element(chosen, column+1, row)<<16
						}
						return element(chosen, row, column) | element(chosen, row, column+1)<<16
					})
				})
			}
		}
	}
}

// wildAbove makes the addresses of lanes wild that give none.
func wildAbove(lanes int) string {
	return fmt.Sprintf("setp.ge.u32 %%p1, %%r0, %d; @%%p1 mov.u64 %%rd4, 3;\n", lanes)
}

// TestStoreMatrices stores matrices and loads them again, transposed or not.
func TestStoreMatrices(t *testing.T) {
	const own = `mov.u64 %rd2, s; and.b32 %r2, %r0, 15; mul.wide.u32 %rd4, %r2, 16; add.u64 %rd4, %rd4, %rd2; mul.lo.u32 %r4, %r0, 0x10001; add.u32 %r4, %r4, 0x1000000; not.b32 %r5, %r4;
`
	for _, c := range []struct{ name, body string }{
		{"as they are", "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%rd4], {%r4, %r5}; ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r6, %r7}, [%rd4];"},
		{"transposed twice", "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%rd4], {%r4, %r5}; ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r6, %r7}, [%rd4];"},
		{"transposed back in registers", "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%rd4], {%r4, %r5}; ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r6, %r7}, [%rd4];" +
			"movmatrix.sync.aligned.m8n8.trans.b16 %r6, %r6; movmatrix.sync.aligned.m8n8.trans.b16 %r7, %r7;"},
		{"word by word", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%rd4], {%r4}; mul.wide.u32 %rd5, %r0, 4; add.u64 %rd5, %rd5, %rd2; ld.shared.u32 %r6, [%rd5]; not.b32 %r7, %r6;"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scenario{vars: tile, block: 32, body: own + c.body + "not.b32 %r7, %r7; sub.u32 %r7, %r7, %r6; add.u32 %r6, %r6, %r7; st.global.u32 [%rd1], %r6; ret;"}
			s.expect(t, func(lane int) uint32 { return uint32(lane)*0x10001 + 0x1000000 })
		})
	}
}

// TestProductOfAWarp multiplies a matrix of ones with one of twos.
func TestProductOfAWarp(t *testing.T) {
	s := scenario{block: 64, body: `mov.u32 %r1, 0x3c003c00; mov.u32 %r2, 0x40004000; mov.u32 %r3, 0x3f800000;
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r3, %r4, %r5, %r6}, {%r1, %r1, %r1, %r1}, {%r2, %r2}, {%r3, %r3, %r3, %r3};
sub.u32 %r4, %r4, %r5; add.u32 %r3, %r3, %r4; st.global.u32 [%rd1], %r3; ret;`}
	s.expect(t, func(int) uint32 { return 0x42040000 }) // 33
}

// TestMatricesNeedWholeWarps executes operations on matrices by parts of a warp: behind a branch, after
// some have exited, under a guard, and in a CTA that ends within a warp.
func TestMatricesNeedWholeWarps(t *testing.T) {
	const half = "mov.u64 %rd2, s; setp.lt.u32 %p0, %r0, 40; "
	for name, op := range map[string]string{
		"mma":       "mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%r1, %r2}, {%r1}, {%r2}, {%r1, %r2};",
		"ldmatrix":  "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%rd2];",
		"stmatrix":  "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%rd2], {%r1};",
		"movmatrix": "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r1;",
	} {
		const message = "all 32 threads of a warp must execute the instruction together, and those of the lanes 0x"
		t.Run(name, func(t *testing.T) {
			for _, c := range []struct {
				body  string
				block int
				lanes string
			}{
				{half + "@%p0 bra on; " + op + " on: ret;", 64, "thread (40,0,0): " + name},
				{half + "@!%p0 exit; " + op + " ret;", 64, "thread (32,0,0): " + name},
				{half + "@%p0 " + op + " ret;", 64, "lanes 0xffffff00 do not"},
				{half + op + " ret;", 40, "lanes 0xffffff00 do not"},
			} {
				s := scenario{vars: tile, body: c.body, block: c.block}
				s.expectError(t, nil, "k.ptx:", message, c.lanes)
			}
		})
	}
}

// TestMatrixFaults accesses rows where there are none.
func TestMatrixFaults(t *testing.T) {
	const rows = "mov.u64 %rd2, s; mul.wide.u32 %rd3, %r0, 16; add.u64 %rd3, %rd3, %rd2; "
	for _, c := range []struct {
		name, body string
		cause      error
		parts      []string
	}{
		{"misaligned", "add.u64 %rd3, %rd3, 8; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%rd3]; ret;", ErrMisaligned, []string{"16 bytes at", "thread (0,0,0)"}},
		{"beyond", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%rd3+768]; ret;", ErrOutOfBounds, []string{"thread (16,0,0)"}},
		{"in global memory", "stmatrix.sync.aligned.m8n8.x1.b16 [%rd0], {%r1}; ret;", ErrOutOfBounds, []string{"in shared space; the address lies in global space"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scenario{vars: tile, body: rows + c.body, block: 32}
			s.expectError(t, c.cause, c.parts...)
		})
	}
}

// TestMatrixAccesses checks what is told of accesses to matrices: 16 bytes of each lane that gives
// an address, and of the reads what nobody wrote.
func TestMatrixAccesses(t *testing.T) {
	const rows = "mov.u64 %rd2, s; mul.wide.u32 %rd3, %r0, 16; add.u64 %rd3, %rd3, %rd2; "
	s := scenario{vars: tile, body: rows + "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%rd3], {%r0}; ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r2}, [%rd3]; ret;"}
	s.block = 64
	found := s.uninitialised(t, 1)
	// The first warp writes rows 0 to 7 and reads 0 to 15, the second writes 32 to 39 and reads 32 to 47.
	if len(found) != 1 || found[0].Bytes != 16 || found[0].Count != 16 || found[0].Thread != [3]int{8, 0, 0} {
		t.Errorf("found %v", found)
	}
}
