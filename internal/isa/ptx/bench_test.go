package ptx

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"warpbound/internal/isa"
)

// large returns a module of about size bytes with many kernels, made of one
// that clang compiled without optimisation.
func large(b *testing.B, size int) []byte {
	b.Helper()
	src, err := os.ReadFile("../../../kernels/bitonicSort/ptx/bitonicSort.O0.sm_70.ptx")
	if err != nil {
		b.Fatal(err)
	}
	header := []byte(".version 6.3\n.target sm_70\n.address_size 64\n")
	_, body, ok := bytes.Cut(src, []byte(".address_size 64\n"))
	if !ok {
		b.Fatal("the kernel has no .address_size")
	}
	out := header
	for i := 0; len(out) < size; i++ {
		one := bytes.ReplaceAll(body, []byte("bitonicSort"), fmt.Appendf(nil, "bitonicSort%d", i))
		out = append(out, bytes.ReplaceAll(one, []byte("_ZL"), fmt.Appendf(nil, "_ZL%d", i))...)
	}
	return out
}

var sink *isa.Program

func BenchmarkParse(b *testing.B) {
	src := large(b, 4<<20)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("large.ptx", src); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseAndLower(b *testing.B) {
	src := large(b, 4<<20)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		m, err := Parse("large.ptx", src)
		if err != nil {
			b.Fatal(err)
		}
		if sink, err = Lower(m); err != nil {
			b.Fatal(err)
		}
	}
}
