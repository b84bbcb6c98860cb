package job

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"warpbound/internal/isa"
)

// number is a number of a job: an integer, or a float if int is nil.
type number struct {
	int   *big.Int
	float float64
}

// numberOf takes a TOML value.
func numberOf(v any) (number, error) {
	switch v := v.(type) {
	case int64:
		return number{int: big.NewInt(v), float: float64(v)}, nil
	case float64:
		return number{float: v}, nil
	}
	return number{}, fmt.Errorf("must hold numbers, not %s", kindOf(v))
}

// parseNumber reads an argument of uniform. Integers may be larger than TOML's.
func parseNumber(text string) (number, error) {
	float, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return number{}, fmt.Errorf("has %.40q where it must have a number", text)
	}
	if i, ok := new(big.Int).SetString(text, 10); ok {
		return number{int: i, float: float}, nil
	}
	return number{float: float}, nil
}

func (n number) String() string {
	if n.int != nil {
		return n.int.String()
	}
	return strconv.FormatFloat(n.float, 'g', -1, 64)
}

// encode gives the bits of a TOML value in a type. Floats are rounded to the
// nearest, ties to even; what is out of range is an error.
func encode(typ isa.Type, v any) (uint64, error) {
	n, err := numberOf(v)
	if err != nil {
		return 0, fmt.Errorf("must be a number, not %s", kindOf(v))
	}
	return encodeNumber(typ, n)
}

func encodeNumber(typ isa.Type, n number) (uint64, error) {
	if typ.IsFloat() {
		return encodeFloat(typ, n)
	}
	return encodeInt(typ, n)
}

func encodeFloat(typ isa.Type, n number) (uint64, error) {
	bits := floatBits(typ, n.float)
	if !math.IsInf(n.float, 0) && math.IsInf(floatValue(typ, bits), 0) {
		return 0, fmt.Errorf("is %v, too large for %s", n, typ)
	}
	return bits, nil
}

func encodeInt(typ isa.Type, n number) (uint64, error) {
	if n.int == nil {
		return 0, fmt.Errorf("is %v; %s needs an integer", n, typ)
	}
	lo, hi := intRange(typ)
	if n.int.Cmp(lo) < 0 || n.int.Cmp(hi) > 0 {
		return 0, fmt.Errorf("is %v; %s holds %v to %v", n, typ, lo, hi)
	}
	return lowBits(n.int, typ.Bits()), nil
}

// intRange returns the least and the greatest integer of a type. Plain bits may
// be written signed or unsigned.
func intRange(typ isa.Type) (lo, hi *big.Int) {
	one := big.NewInt(1)
	lo, hi = new(big.Int), new(big.Int)
	if typ.Class() != isa.Unsigned {
		lo.Neg(lo.Lsh(one, uint(typ.Bits()-1)))
	}
	if typ.Class() == isa.Signed {
		hi.Lsh(one, uint(typ.Bits()-1))
	} else {
		hi.Lsh(one, uint(typ.Bits()))
	}
	return lo, hi.Sub(hi, one)
}

// lowBits returns the low bits of the two's complement of n.
func lowBits(n *big.Int, bits int) uint64 {
	mask := new(big.Int).SetUint64(math.MaxUint64 >> (64 - bits))
	return mask.And(mask, n).Uint64()
}

// uniform makes the content sampled from lo to hi: for integers both inclusive,
// for floats without hi. The ends of floats are rounded to the type first.
func uniform(typ isa.Type, lo, hi number) (Content, error) {
	if typ.IsFloat() {
		return uniformFloat(typ, lo, hi)
	}
	for _, end := range []number{lo, hi} {
		if _, err := encodeInt(typ, end); err != nil {
			return Content{}, err
		}
	}
	span := new(big.Int).Sub(hi.int, lo.int)
	if span.Sign() < 0 {
		return Content{}, emptyRange(lo, hi)
	}
	if span.BitLen() > typ.Bits() {
		return Content{}, fmt.Errorf("from %v to %v has more values than %s", lo, hi, typ)
	}
	return Content{Kind: Uniform, Base: lowBits(lo.int, typ.Bits()), Span: span.Uint64()}, nil
}

func uniformFloat(typ isa.Type, lo, hi number) (Content, error) {
	c := Content{Kind: Uniform}
	for _, end := range []struct {
		of number
		to *float64
	}{{lo, &c.Low}, {hi, &c.High}} {
		bits, err := encodeFloat(typ, end.of)
		if err != nil {
			return Content{}, err
		}
		*end.to = floatValue(typ, bits)
	}
	switch width := c.High - c.Low; {
	case math.IsNaN(width) || math.IsInf(width, 0):
		return Content{}, errors.New("must have finite ends less than the largest f64 apart")
	case width < 0:
		return Content{}, emptyRange(lo, hi)
	}
	return c, nil
}

func emptyRange(lo, hi number) error {
	return fmt.Errorf("from %v to %v is empty; the lower end comes first", lo, hi)
}

// littleEndian returns the low size bytes.
func littleEndian(bits uint64, size int) []byte {
	data := make([]byte, size)
	putBits(data, bits)
	return data
}

// putBits stores the low len(dst) bytes, little-endian.
func putBits(dst []byte, bits uint64) {
	switch len(dst) {
	case 1:
		dst[0] = byte(bits)
	case 2:
		binary.LittleEndian.PutUint16(dst, uint16(bits))
	case 4:
		binary.LittleEndian.PutUint32(dst, uint32(bits))
	case 8:
		binary.LittleEndian.PutUint64(dst, bits)
	}
}
