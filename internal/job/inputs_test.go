package job

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/isa"
)

// bound is a job that no kernel was asked about.
func bound(t testing.TB, src string) *Bound {
	t.Helper()
	j, err := Parse("j", []byte(src), files(map[string]string{"z.bin": "abcd"}))
	if err != nil {
		t.Fatal(err)
	}
	return &Bound{Job: j}
}

// varied draws in every way there is.
func varied() string {
	src := head + "seed = 42\n"
	for i, typ := range valueTypes {
		src += fmt.Sprintf("[[param]]\nname = 'b%d'\ntype = '%s'\ncount = 1000\ninit = 'uniform(1, 100)'\n", i, typ)
		src += fmt.Sprintf("[[param]]\nname = 's%d'\ntype = '%s'\nrange = [1, 100]\n", i, typ)
	}
	return src + "[[param]]\nname = 'i'\ntype = 'u8'\ncount = 300\ninit = 'iota'\n"
}

// TestInputsGolden holds the bytes of the inputs fast: whoever repeats a job must
// get the same ones.
func TestInputsGolden(t *testing.T) {
	b := bound(t, varied())
	hash := sha256.New()
	for vector := range 5 {
		in := b.Inputs(vector)
		for i := range in.Buffers {
			hash.Write(in.Scalars[i])
			hash.Write(in.Buffers[i])
		}
	}
	const want = "904842d6cf46c272ade8e0f61a564e4380bee36e90937e98f47daa7a8b396fdc"
	if got := fmt.Sprintf("%x", hash.Sum(nil)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestInputsIndependence checks that neither the order of the vectors nor what a
// buffer held before has any influence.
func TestInputsIndependence(t *testing.T) {
	b := bound(t, varied())
	again := &Inputs{}
	for _, vector := range []int{3, 0, 2} {
		b.Fill(vector, again)
		for i := range again.Buffers {
			slices.Reverse(again.Buffers[i])
		}
		b.Fill(vector, again)
		want := b.Inputs(vector)
		for i := range want.Buffers {
			if !bytes.Equal(want.Buffers[i], again.Buffers[i]) || !bytes.Equal(want.Scalars[i], again.Scalars[i]) {
				t.Errorf("vector %d: parameter %d differs", vector, i)
			}
		}
	}
}

func TestInputsDiffer(t *testing.T) {
	src := head + "[[param]]\nname = 'x'\ntype = 'u64'\ncount = 64\ninit = 'uniform(0, 18446744073709551615)'\n" +
		"[[param]]\nname = 'y'\ntype = 'u64'\ncount = 64\ninit = 'uniform(0, 18446744073709551615)'\n"
	seen := map[uint64]bool{}
	words := 0
	for _, seed := range []string{"seed = 1\n", "seed = 2\n", "seed = -1\n"} {
		b := bound(t, seed+src)
		for vector := range 10 {
			for _, buffer := range b.Inputs(vector).Buffers {
				for ; len(buffer) > 0; buffer = buffer[8:] {
					seen[binary.LittleEndian.Uint64(buffer)] = true
					words++
				}
			}
		}
	}
	if len(seen) != words {
		t.Errorf("%d of %d words are distinct", len(seen), words)
	}
}

func TestFillAllocatesNothing(t *testing.T) {
	b := bound(t, varied())
	in := b.Inputs(0)
	vector := 0
	if n := testing.AllocsPerRun(10, func() { vector++; b.Fill(vector, in) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestUniformStaysInRange draws from random ranges and checks that every value
// lies in its range and, if the range is small, that every value comes up.
func TestUniformStaysInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom(valueTypes[:]).Draw(t, "type")
		rng := generator(rapid.Int64().Draw(t, "seed"), 0, 0)
		if typ.IsFloat() {
			checkFloats(t, typ, &rng)
		} else {
			checkIntegers(t, typ, &rng)
		}
	})
}

func checkFloats(t *rapid.T, typ isa.Type, rng *rand.PCG) {
	end := func(name string) float64 {
		word := rapid.Uint64Max(math.MaxUint64>>(64-typ.Bits())).Draw(t, name)
		return floatValue(typ, word)
	}
	c, err := uniform(typ, number{float: end("lo")}, number{float: end("hi")})
	if err != nil {
		t.Skip(err)
	}
	dst := make([]byte, 50*typ.Bytes())
	c.fill(dst, typ, rng)
	for ; len(dst) > 0; dst = dst[typ.Bytes():] {
		x := floatValue(typ, load(dst[:typ.Bytes()]))
		if x < c.Low || x > c.High || x == c.High && c.Low < c.High {
			t.Fatalf("%v is not in [%v, %v)", x, c.Low, c.High)
		}
	}
}

func checkIntegers(t *rapid.T, typ isa.Type, rng *rand.PCG) {
	limit := uint64(math.MaxUint64) >> (64 - typ.Bits())
	c := Content{Kind: Uniform, Base: rapid.Uint64Max(limit).Draw(t, "base")}
	c.Span = min(rapid.Uint64().Draw(t, "span"), limit)
	dst := make([]byte, 200*typ.Bytes())
	c.fill(dst, typ, rng)
	seen := map[uint64]bool{}
	for ; len(dst) > 0; dst = dst[typ.Bytes():] {
		offset := (load(dst[:typ.Bytes()]) - c.Base) & limit
		if offset > c.Span {
			t.Fatalf("%d above the base is beyond %d", offset, c.Span)
		}
		seen[offset] = true
	}
	if c.Span < 4 && len(seen) != int(c.Span)+1 {
		t.Fatalf("only %d of %d values come up in 200", len(seen), c.Span+1)
	}
}

func load(data []byte) uint64 {
	var word [8]byte
	copy(word[:], data)
	return binary.LittleEndian.Uint64(word[:])
}

// TestUniformExcludesHigh draws where rounding leads to the upper end.
func TestUniformExcludesHigh(t *testing.T) {
	for _, c := range []struct {
		typ       isa.Type
		low, high float64
	}{
		{isa.F16, 1, 1 + 0x1p-10}, {isa.F16, -0x1p-24, 0}, {isa.BF16, -1, -1 + 0x1p-8},
		{isa.F32, 1, 1 + 0x1p-23}, {isa.F64, 1, 1 + 0x1p-52}, {isa.F64, -5e-324, 0},
	} {
		rng := generator(1, 0, 0)
		for range 100 {
			if x := floatValue(c.typ, between(&rng, c.typ, c.low, c.high)); x < c.low || x >= c.high {
				t.Fatalf("%s: %v is not in [%v, %v)", c.typ, x, c.low, c.high)
			}
		}
	}
}

// TestUpToIsUniform compares the counts of the remainders of a range that divides
// 2^64 badly: without the rejection some words would come up twice as often.
func TestUpToIsUniform(t *testing.T) {
	const span = 3 << 62 // three quarters of all words
	rng := generator(7, 0, 0)
	var counts [3]int
	const draws = 30000
	for range draws {
		counts[upTo(&rng, span-1)>>62]++
	}
	for i, n := range counts {
		if math.Abs(float64(n)-draws/3) > 400 { // five standard deviations
			t.Errorf("third %d comes up %d times in %d", i, n, draws)
		}
	}
}

func TestIota(t *testing.T) {
	c := Content{Kind: Iota}
	dst := make([]byte, 600)
	c.fill(dst[:300], isa.U8, nil)
	if dst[255] != 255 || dst[256] != 0 || dst[299] != 43 {
		t.Errorf("u8 counts %v", dst[250:300])
	}
	c.fill(dst, isa.BF16, nil)
	if got := floatValue(isa.BF16, load(dst[2*299:])); got != 300 { // 299 is a tie
		t.Errorf("bf16 counts 299 as %v", got)
	}
}

func BenchmarkFill(b *testing.B) {
	for _, typ := range []string{"u32", "f32"} {
		b.Run(typ, func(b *testing.B) {
			job := bound(b, head+"[[param]]\nname = 'x'\ntype = '"+typ+"'\ncount = 65536\ninit = 'uniform(0, 1000)'\n")
			in := job.Inputs(0)
			b.SetBytes(4 * 65536)
			for i := range b.N {
				job.Fill(i, in)
			}
		})
	}
}

// TestPart compares parts of contents with all of them: there is one of each content that does not
// depend on other elements.
func TestPart(t *testing.T) {
	src := head + "[[param]]\nname = 'p'\ntype = 'u64'\ncount = 4\nvalues = [1, 2, 3, 4]\npointers = [{at = 8, to = 'z'}]\n" +
		"[[param]]\nname = 'z'\ntype = 'u16'\ncount = 21\ninit = 'zeros'\n[[param]]\nname = 'r'\ntype = 'f32'\ncount = 9\ninit = 'uniform(0, 1)'\n"
	for i, typ := range valueTypes {
		src += fmt.Sprintf("[[param]]\nname = 'i%d'\ntype = '%s'\ncount = 300\ninit = 'iota'\n", i, typ)
		src += fmt.Sprintf("[[param]]\nname = 'v%d'\ntype = '%s'\ncount = 5\nvalues = [3, 1, 4, 1, 5]\n", i, typ)
	}
	b := bound(t, src)
	whole := b.Inputs(0)
	for i := range b.Job.Params {
		p := &b.Job.Params[i]
		for _, in := range []*Inputs{b.Vector(0), whole} {
			want := whole.Buffers[i]
			for offset := range len(want) + 1 {
				for n := range min(17, len(want)-offset+1) {
					got := in.Part(i, offset, n)
					none := in != whole && (p.Content.Kind == Uniform || p.Content.Pointers != nil)
					if none != (got == nil) || !none && !bytes.Equal(got, want[offset:][:n]) {
						t.Fatalf("%d bytes from %d of %s are %x", n, offset, p.Name, got)
					}
				}
			}
		}
	}
}

// TestVector compares the buffers that are made where they are wanted with those that
// inputs hold.
func TestVector(t *testing.T) {
	b := bound(t, varied())
	in := &Inputs{}
	for _, vector := range []int{3, 0, 2} {
		b.SetVector(vector, in)
		want := b.Inputs(vector)
		for i := range b.Job.Params {
			if !bytes.Equal(in.Scalars[i], want.Scalars[i]) || in.Buffers[i] != nil {
				t.Errorf("vector %d: parameter %d holds %x and %x", vector, i, in.Scalars[i], in.Buffers[i])
			}
			if b.Job.Params[i].Kind != Buffer {
				continue
			}
			for _, from := range []*Inputs{in, want} {
				written := bytes.Repeat([]byte{0xa5}, from.Size(i))
				from.Write(i, written)
				if !bytes.Equal(written, want.Buffers[i]) || !bytes.Equal(from.Contents(i, written[:0]), want.Buffers[i]) {
					t.Errorf("vector %d: buffer %d is %x, not %x", vector, i, written, want.Buffers[i])
				}
			}
		}
	}
	if n := testing.AllocsPerRun(5, func() { b.SetVector(1, in) }); n != 0 {
		t.Errorf("a vector in memory that there is allocates %v times", n)
	}
}
