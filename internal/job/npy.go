package job

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"warpbound/internal/isa"
)

// The header of NumPy's format is a Python dictionary on one line.
var (
	npyDescr   = regexp.MustCompile(`'descr'\s*:\s*'([^']*)'`)
	npyFortran = regexp.MustCompile(`'fortran_order'\s*:\s*(True|False)`)
	npyShape   = regexp.MustCompile(`'shape'\s*:\s*\(([0-9,\s]*)\)`)
)

const npyMagic = "\x93NUMPY"

// parseNPY returns the elements of an array in NumPy's format, versions 1 to 3
// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html),
// which must be of the given type, little-endian, and in C order unless it has
// one dimension.
func parseNPY(data []byte, typ isa.Type) ([]byte, error) {
	header, body, err := npyHeader(data)
	if err != nil {
		return nil, err
	}
	descr := npyDescr.FindStringSubmatch(header)
	fortran := npyFortran.FindStringSubmatch(header)
	shape := npyShape.FindStringSubmatch(header)
	if descr == nil || fortran == nil || shape == nil {
		return nil, errors.New("the NumPy header does not describe an array of plain numbers")
	}
	if want := npyTypes(typ); !strings.Contains(" "+want+" ", " "+descr[1]+" ") {
		return nil, fmt.Errorf("has elements of type %q; %s needs %s", descr[1], typ, strings.ReplaceAll(want, " ", " or "))
	}
	count, dims, err := npyCount(shape[1])
	if err != nil {
		return nil, err
	}
	if fortran[1] == "True" && dims > 1 {
		return nil, errors.New("is in Fortran order; save it in C order (numpy.ascontiguousarray)")
	}
	if want := count * int64(typ.Bytes()); int64(len(body)) != want {
		return nil, fmt.Errorf("has %d bytes of elements; its shape (%s) needs %d", len(body), shape[1], want)
	}
	return body, nil
}

// npyHeader splits a file into its dictionary and its elements.
func npyHeader(data []byte) (header string, body []byte, err error) {
	rest, ok := strings.CutPrefix(string(data[:min(len(data), 8)]), npyMagic)
	if !ok || len(rest) < 2 {
		return "", nil, errors.New("is not in NumPy's format, as its name says")
	}
	data = data[8:]
	width := 4
	switch rest[0] {
	case 1:
		width = 2
	case 2, 3:
	default:
		return "", nil, fmt.Errorf("has version %d of NumPy's format; 1 to 3 are read", rest[0])
	}
	if len(data) < width {
		return "", nil, errors.New("ends within the NumPy header")
	}
	length := uint64(binary.LittleEndian.Uint16(data))
	if width == 4 {
		length = uint64(binary.LittleEndian.Uint32(data))
	}
	data = data[width:]
	if uint64(len(data)) < length {
		return "", nil, errors.New("ends within the NumPy header")
	}
	return string(data[:length]), data[length:], nil
}

// npyTypes lists what NumPy calls a type, separated by spaces.
func npyTypes(typ isa.Type) string {
	size := typ.Bytes()
	order := "<"
	if size == 1 {
		order = "|"
	}
	kinds := map[isa.TypeClass]string{isa.Unsigned: "u", isa.Signed: "i", isa.Float: "f", isa.Bits: "uif"}[typ.Class()]
	switch {
	case typ == isa.BF16: // NumPy has no such float
		kinds = "u"
	case size == 1:
		kinds = strings.TrimSuffix(kinds, "f")
	}
	var names []string
	for _, kind := range kinds {
		names = append(names, fmt.Sprintf("%s%c%d", order, kind, size))
	}
	return strings.Join(names, " ")
}

// npyCount multiplies the dimensions of a shape.
func npyCount(shape string) (count int64, dims int, err error) {
	count = 1
	for _, field := range strings.Split(shape, ",") {
		field = strings.TrimSpace(field)
		if field == "" {
			continue
		}
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil || n > 0 && count > math.MaxInt64/maxElement/n {
			return 0, 0, fmt.Errorf("has the shape (%s), which is too large", shape)
		}
		count *= n
		dims++
	}
	return count, dims, nil
}

// maxElement is the size in bytes of the largest type.
const maxElement = 8
