package emu

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"warpbound/internal/abi"
	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// print formats what a thread prints as printf does and writes it out. It
// returns what CUDA's vprintf does: the number of arguments, or -1 if there is no
// format.
func (w *Warp) print(lane int, format, args uint64) (int, error) {
	if format == 0 {
		return -1, nil
	}
	text, err := w.text(lane, format)
	if err != nil {
		return 0, err
	}
	p := printing{warp: w, lane: lane, next: args}
	for text != "" {
		plain, rest, more := strings.Cut(text, "%")
		p.out.WriteString(plain)
		if text = rest; !more {
			break
		}
		if text, err = p.conversion(text); err != nil {
			return 0, err
		}
	}
	if out := w.cta.grid.launch.Out; out != nil {
		if _, err := out.Write([]byte(p.out.String())); err != nil {
			return 0, fmt.Errorf("cannot write what the kernel prints: %w", err)
		}
	}
	return p.count, nil
}

// printing is the state of one print.
type printing struct {
	warp  *Warp
	lane  int
	next  uint64 // address of the next argument
	count int    // arguments so far
	out   strings.Builder
}

// conversion is what stands between % and its letter.
type conversion struct {
	flags     string
	width     int
	precision int // -1 if there is none
	bytes     int // of an integer
}

// conversion formats one conversion, at whose % the text begins, and returns
// what follows it. An unknown one is printed as it stands.
func (p *printing) conversion(text string) (string, error) {
	whole := text
	c := conversion{precision: -1, bytes: 4}
	rest := strings.TrimLeft(text, "-+ #0")
	c.flags = text[:len(text)-len(rest)]
	var err error
	if c.width, rest, err = p.number(rest); err != nil {
		return "", err
	}
	if c.width < 0 {
		c.flags, c.width = c.flags+"-", -c.width
	}
	if after, ok := strings.CutPrefix(rest, "."); ok {
		if c.precision, rest, err = p.number(after); err != nil {
			return "", err
		}
	}
	switch {
	case strings.HasPrefix(rest, "hh"):
		c.bytes, rest = 1, rest[2:]
	case strings.HasPrefix(rest, "ll"):
		c.bytes, rest = 8, rest[2:]
	case strings.HasPrefix(rest, "h"):
		c.bytes, rest = 2, rest[1:]
	case strings.HasPrefix(rest, "l"):
		c.bytes, rest = p.warp.code.kernel.AddressBits/8, rest[1:]
	case strings.HasPrefix(rest, "z"), strings.HasPrefix(rest, "t"):
		c.bytes, rest = p.warp.code.kernel.AddressBits/8, rest[1:]
	case strings.HasPrefix(rest, "j"):
		c.bytes, rest = 8, rest[1:]
	}
	if rest == "" {
		p.out.WriteString("%" + whole)
		return "", nil
	}
	formatted, ok, err := p.format(c, rest[0])
	if err != nil {
		return "", err
	}
	if !ok {
		p.out.WriteByte('%')
		return whole, nil
	}
	p.out.WriteString(formatted)
	return rest[1:], nil
}

// maxField bounds the width and the precision of a conversion.
const maxField = 1 << 12

// number reads a width or precision: digits, or * for the next argument.
func (p *printing) number(text string) (int, string, error) {
	if rest, ok := strings.CutPrefix(text, "*"); ok {
		x, err := p.arg(4)
		return max(-maxField, min(int(int32(x)), maxField)), rest, err
	}
	rest := strings.TrimLeft(text, "0123456789")
	digits := text[:len(text)-len(rest)]
	if digits == "" {
		return 0, rest, nil
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		n = maxField
	}
	return min(n, maxField), rest, nil
}

// arg reads the next argument. Arguments of fewer than 4 bytes are passed as 4,
// and all are aligned to their size.
func (p *printing) arg(bytes int) (uint64, error) {
	size := max(bytes, 4)
	p.next = abi.AlignUp(p.next, uint64(size))
	data, err := p.warp.read(p.lane, p.next, size)
	if err != nil {
		return 0, err
	}
	p.next += uint64(size)
	p.count++
	if size == 4 {
		return uint64(binary.LittleEndian.Uint32(data)), nil
	}
	return binary.LittleEndian.Uint64(data), nil
}

// format formats the next argument; ok is false for an unknown letter.
func (p *printing) format(c conversion, letter byte) (text string, ok bool, err error) {
	var x uint64
	switch letter {
	case '%':
		return "%", true, nil
	case 'd', 'i', 'u', 'x', 'X', 'o':
		x, err = p.arg(c.bytes)
		return c.integer(letter, x), true, err
	case 'c':
		x, err = p.arg(4)
		return c.padded(string([]byte{byte(x)})), true, err
	case 'e', 'E', 'f', 'F', 'g', 'G', 'a', 'A':
		x, err = p.arg(8)
		return c.float(letter, math.Float64frombits(x)), true, err
	case 'p':
		if x, err = p.arg(p.warp.code.kernel.AddressBits / 8); x == 0 {
			return c.padded("(nil)"), true, err
		}
		return c.padded("0x" + strconv.FormatUint(x, 16)), true, err
	case 's':
		if x, err = p.arg(p.warp.code.kernel.AddressBits / 8); err == nil {
			text = "(null)"
			if x != 0 {
				text, err = p.warp.text(p.lane, x)
			}
		}
		if c.precision >= 0 && c.precision < len(text) {
			text = text[:c.precision]
		}
		return c.padded(text), true, err
	}
	return "", false, nil
}

func (c *conversion) has(flag string) bool { return strings.Contains(c.flags, flag) }

// padded fills a text up to the width with blanks.
func (c *conversion) padded(text string) string {
	fill := strings.Repeat(" ", max(c.width-len(text), 0))
	if c.has("-") {
		return text + fill
	}
	return fill + text
}

// signed puts a sign or prefix before digits and fills up to the width: with
// zeros between the two if zeros is set.
func (c *conversion) signed(sign, digits string, zeros bool) string {
	if zeros && c.has("0") && !c.has("-") {
		digits = strings.Repeat("0", max(c.width-len(sign)-len(digits), 0)) + digits
	}
	return c.padded(sign + digits)
}

// plus gives the sign that a number shows.
func (c *conversion) plus(negative bool) string {
	switch {
	case negative:
		return "-"
	case c.has("+"):
		return "+"
	case c.has(" "):
		return " "
	}
	return ""
}

func (c *conversion) integer(letter byte, x uint64) string {
	x &= alu.LowBits(8 * c.bytes)
	sign, base := "", 10
	switch letter {
	case 'd', 'i':
		shift := 64 - 8*c.bytes
		signed := int64(x<<shift) >> shift
		sign = c.plus(signed < 0)
		if signed < 0 {
			x = -uint64(signed)
		}
	case 'x', 'X':
		base = 16
		if c.has("#") && x != 0 {
			sign = "0x"
		}
	case 'o':
		base = 8
	}
	digits := strconv.FormatUint(x, base)
	if x == 0 && c.precision == 0 {
		digits = ""
	}
	digits = strings.Repeat("0", max(c.precision-len(digits), 0)) + digits
	if letter == 'o' && c.has("#") && !strings.HasPrefix(digits, "0") {
		digits = "0" + digits
	}
	text := c.signed(sign, digits, c.precision < 0)
	if letter == 'X' {
		return strings.ToUpper(text)
	}
	return text
}

func (c *conversion) float(letter byte, x float64) string {
	sign := c.plus(math.Signbit(x))
	lower := letter | 0x20
	var text string
	switch {
	case math.IsInf(x, 0):
		text = c.signed(sign, "inf", false)
	case math.IsNaN(x):
		text = c.signed(sign, "nan", false)
	default:
		text = c.signed(c.digits(lower, math.Abs(x), sign))
	}
	if letter != lower {
		return strings.ToUpper(text)
	}
	return text
}

// digits formats a number that is not negative; it passes the sign on.
func (c *conversion) digits(letter byte, x float64, sign string) (string, string, bool) {
	precision := c.precision
	if precision < 0 && letter != 'a' {
		precision = 6
	}
	switch letter {
	case 'a':
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'x', precision, 64), "p")
		short := strings.TrimLeft(exponent[1:], "0") // at least one digit
		if short == "" {
			short = "0"
		}
		return sign + "0x", mantissa[2:] + "p" + exponent[:1] + short, true
	case 'g':
		text := strconv.FormatFloat(x, 'g', max(precision, 1), 64)
		if c.has("#") {
			text = fmt.Sprintf("%#.*g", max(precision, 1), x)
		}
		return sign, text, true
	}
	text := strconv.FormatFloat(x, letter, precision, 64)
	if precision == 0 && c.has("#") {
		mantissa, exponent, found := strings.Cut(text, "e")
		if text = mantissa + "."; found {
			text += "e" + exponent
		}
	}
	return sign, text, true
}

// maxString bounds the strings that a kernel gives to the runtime, in bytes.
const maxString = 1 << 16

// text reads the bytes at an address up to a zero byte.
func (w *Warp) text(lane int, addr uint64) (string, error) {
	var text []byte
	for len(text) < maxString {
		data, err := w.read(lane, addr+uint64(len(text)), 1)
		if err != nil {
			return "", err
		}
		if data[0] == 0 {
			return string(text), nil
		}
		text = append(text, data[0])
	}
	return "", fmt.Errorf("the string at 0x%x is longer than %d bytes", addr, maxString)
}

// read returns the n bytes at a generic address.
func (w *Warp) read(lane int, addr uint64, n int) ([]byte, error) {
	r := w.region(addr)
	if r == nil {
		return nil, fmt.Errorf("%w: %d bytes at 0x%x%s", ErrOutOfBounds, n, addr, w.cta.grid.nowhere(isa.Generic, addr))
	}
	if addr-r.base > r.size || r.size-(addr-r.base) < uint64(n) {
		return nil, fmt.Errorf("%w: %d bytes at 0x%x%s", ErrOutOfBounds, n, addr, w.cta.grid.place(r, addr))
	}
	return r.data[addr-r.base+uint64(lane)*r.stride:][:n], nil
}
