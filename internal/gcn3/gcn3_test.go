package gcn3

import (
	"strings"
	"testing"
)

func TestEncoding(t *testing.T) {
	for _, c := range []struct {
		in   Instr
		word uint32
		text string
	}{
		{Instr{Op: Split, Low: 0, High: 1}, 0xbf7f0100, "split s0, s1"},
		{Instr{Op: Split, Low: 101, High: 0}, 0xbf7f0065, "split s101, s0"},
		{Instr{Op: Split, Low: VCCLo, High: VCCHi}, 0xbf7f6b6a, "split vcc_lo, vcc_hi"},
		{Instr{Op: Split, Low: 7, High: 7}, 0xbf7f0707, "split s7, s7"},
		{Instr{Op: Merge}, 0xbfff0000, "merge"},
	} {
		word, err := c.in.Encode()
		if err != nil || word != c.word {
			t.Errorf("%v is 0x%08x, error %v, want 0x%08x", c.in, word, err, c.word)
		}
		if in, err := Decode(c.word); err != nil || in != c.in {
			t.Errorf("0x%08x is %v, error %v, want %v", c.word, in, err, c.in)
		}
		if got := c.in.String(); got != c.text {
			t.Errorf("0x%08x is written %q, want %q", c.word, got, c.text)
		}
	}
}

// TestFields checks every value of each field against Fig. 3a: sources in bits 0 to 7 and
// 8 to 15, the opcode in bits 16 to 31.
func TestFields(t *testing.T) {
	for s := range 256 {
		reg := Scalar(s)
		want := s <= 101 || s == 106 || s == 107
		for _, in := range []Instr{{Op: Split, Low: reg, High: 5}, {Op: Split, Low: 5, High: reg}} {
			word, err := in.Encode()
			if (err == nil) != want {
				t.Errorf("source %d: error %v", s, err)
			}
			if err == nil && (word&0xff != uint32(in.Low) || word>>8&0xff != uint32(in.High) || word>>16 != 0xbf7f) {
				t.Errorf("%v is 0x%08x", in, word)
			}
		}
	}
	for op := range 1 << 16 {
		_, err := Decode(uint32(op) << 16)
		if want := op == 0xbf7f || op == 0xbfff; (err == nil) != want {
			t.Errorf("opcode 0x%04x: error %v", op, err)
		}
	}
}

// TestFormats checks that the opcodes are those of the formats that GCN3 has for two scalar
// sources and for none, and beyond the ones that it uses: SOPC 0 to 19, SOPP 0 to 29.
func TestFormats(t *testing.T) {
	const sopc, sopp = 0b101111110, 0b101111111
	if Split>>7 != sopc || Split&0x7f <= 19 {
		t.Errorf("split has opcode 0x%04x", uint16(Split))
	}
	if Merge>>7 != sopp || Merge&0x7f <= 29 {
		t.Errorf("merge has opcode 0x%04x", uint16(Merge))
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		word uint32
		want string
	}{
		{0xbf7f7f00, "0xbf7f7f00: source 127 of split is no scalar register; want s0 to s101, vcc_lo or vcc_hi"},
		{0xbf7f0080, "source 128 of split"},
		{0xbfff0001, "merge has no operands, not s1 and s0"},
		{0xbfff0100, "merge has no operands, not s0 and s1"},
		{0xbf040100, "unknown opcode 0xbf04 is neither split (0xbf7f) nor merge (0xbfff)"},
		{0, "unknown opcode 0x0000"},
	} {
		if in, err := Decode(c.word); err == nil || in != (Instr{}) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("0x%08x: got %v and error %v, want an error with %q", c.word, in, err, c.want)
		}
	}
}

// FuzzDecode checks that encoding what was decoded gives the same bits, and that nothing is
// returned with an error.
func FuzzDecode(f *testing.F) {
	for _, word := range []uint32{0xbf7f0100, 0xbf7f6b6a, 0xbfff0000, 0xbfff0001, 0xbf7fffff, 0} {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word uint32) {
		in, err := Decode(word)
		if err != nil {
			if in != (Instr{}) {
				t.Fatalf("0x%08x: got %v with error %v", word, in, err)
			}
			return
		}
		if again, err := in.Encode(); err != nil || again != word {
			t.Fatalf("0x%08x decodes to %v and encodes to 0x%08x, error %v", word, in, again, err)
		}
	})
}
