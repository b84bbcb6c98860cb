package job

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"warpbound/internal/isa"
)

// npy makes a file in NumPy's format.
func npy(version byte, dict, body string) string {
	header := npyMagic + string([]byte{version, 0})
	if version == 1 {
		header += string(binary.LittleEndian.AppendUint16(nil, uint16(len(dict))))
	} else {
		header += string(binary.LittleEndian.AppendUint32(nil, uint32(len(dict))))
	}
	return header + dict + body
}

func npyDict(descr, fortran, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }   \n", descr, fortran, shape)
}

func TestNPY(t *testing.T) {
	const body = "\x01\x00\x00\x00\x02\x00\x00\x00"
	for _, c := range []struct {
		typ          isa.Type
		file, reason string // no reason: the elements are body
	}{
		{isa.U32, npy(1, npyDict("<u4", "False", "2,"), body), ""},
		{isa.B32, npy(2, npyDict("<f4", "False", "2, 1"), body), ""},
		{isa.S8, npy(3, npyDict("|i1", "True", "8,"), body), ""},
		{isa.BF16, npy(1, npyDict("<u2", "False", "2, 2"), body), ""},
		{isa.F64, npy(1, npyDict("<f8", "False", ""), body), ""},
		{isa.U32, npy(1, npyDict("<i4", "False", "2,"), body), `has elements of type "<i4"; u32 needs <u4`},
		{isa.F32, npy(1, npyDict(">f4", "False", "2,"), body), `has elements of type ">f4"; f32 needs <f4`},
		{isa.B32, npy(1, npyDict("<f8", "False", "1,"), body), "b32 needs <u4 or <i4 or <f4"},
		{isa.B8, npy(1, npyDict("|b1", "False", "8,"), body), "b8 needs |u1 or |i1"},
		{isa.U32, npy(1, npyDict("<u4", "True", "1, 2"), body), "is in Fortran order"},
		{isa.U32, npy(1, npyDict("<u4", "False", "3,"), body), "has 8 bytes of elements; its shape (3,) needs 12"},
		{isa.U32, npy(1, npyDict("<u4", "False", "0,"), body), "needs 0"},
		{isa.U32, npy(1, npyDict("<u4", "False", "4294967296, 4294967296"), body), "too large"},
		{isa.U32, npy(1, npyDict("<u4", "False", "99999999999999999999,"), body), "too large"},
		{isa.U32, npy(1, npyDict("<u4", "False", "-1,"), body), "does not describe an array of plain numbers"},
		{isa.U32, npy(1, "{'descr': [('a', '<u4')], 'fortran_order': False, 'shape': (2,)}", body), "does not describe an array of plain numbers"},
		{isa.U32, npy(4, "", body), "has version 4"},
		{isa.U32, npy(1, "", "")[:9], "ends within the NumPy header"},
		{isa.U32, npy(2, npyDict("<u4", "False", "2,"), "")[:30], "ends within the NumPy header"},
		{isa.U32, "", "is not in NumPy's format"},
		{isa.U32, npyMagic, "is not in NumPy's format"},
	} {
		got, err := parseNPY([]byte(c.file), c.typ)
		switch {
		case c.reason == "" && (err != nil || string(got) != body):
			t.Errorf("%q: got %q, %v", c.file, got, err)
		case c.reason != "" && (err == nil || !strings.Contains(err.Error(), c.reason)):
			t.Errorf("%q: got %v, want %q", c.file, err, c.reason)
		}
	}
}

func TestNPYInJob(t *testing.T) {
	src := head + "[[param]]\nname = 'x'\ntype = 'u16'\ncount = 4\nfile = 'X.NPY'\n"
	open := files(map[string]string{"X.NPY": npy(1, npyDict("<u2", "False", "2, 2"), "abcdefgh")})
	j, err := Parse("j", []byte(src), open)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(j.Params[0].Content.Data); got != "abcdefgh" {
		t.Errorf("got %q", got)
	}
}
