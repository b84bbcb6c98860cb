package jobs

import (
	"strconv"
	"strings"
)

// ParamKind tells the kinds of parameters apart.
type ParamKind int

// The kinds of parameters, each made by the function of that name.
const (
	KindScalar ParamKind = iota
	KindBuffer
	KindShared
	KindStruct
	KindFields
	KindArray
	KindView
)

// Param is an argument of the launch, a field of one, or a buffer.
type Param struct {
	// Name is the job's own, different from those of all others and without =. Everywhere else, a field is called
	// by the names of its structs and its own with points between them: "args.x".
	Name    string
	Kind    ParamKind
	Type    Type    // of the number or the elements; nothing for a view and shared memory, and nothing, u8 or b8 for a struct of bytes
	Count   int     // elements of a buffer or an array, bytes of shared memory or of a struct; nothing for a number and a view
	Content Content // of a number one value or two limits; nothing for shared memory, a view and a struct with fields
	Access  Access  // to a buffer
	Same    string  // of a view: the buffer, perhaps with a number of bytes behind its start: "x", "x+16"
	Fields  []Param // of a struct
	Offset  *int    // of a field in its struct, in bytes; nil: as C lays it out, behind the field before
}

// Access is what a kernel may do with a buffer.
type Access string

// The kinds of access. What is not allowed is a fault of a run.
const (
	ReadWrite Access = ""
	ReadOnly  Access = "read"
	WriteOnly Access = "write"
)

// Scalar is a number that is the same in every test vector. One that a job file cannot write in
// its type, such as one above 2^63 - 1, becomes plain bits of the same size.
func Scalar[T Real](name string, typ Type, value T) Param {
	return Param{Name: name, Kind: KindScalar, Type: typ, Content: Values(value)}
}

// Sampled is a number that is sampled anew for every test vector, as by Uniform.
func Sampled[T Real](name string, typ Type, low, high T) Param {
	return Param{Name: name, Kind: KindScalar, Type: typ, Content: Uniform(low, high)}
}

// Buffer is the address of count elements of global memory. The content is what they hold before
// the kernel starts: Zeros, Iota, Uniform, count Values, Bytes or DataFile.
func Buffer(name string, typ Type, count int, content Content) Param {
	return Param{Name: name, Kind: KindBuffer, Type: typ, Count: count, Content: content}
}

// Shared is the address of shared memory of some bytes, for each CTA its own.
func Shared(name string, bytes int) Param {
	return Param{Name: name, Kind: KindShared, Count: bytes}
}

// Struct is a struct of some bytes that is passed by value. The content is Bytes or DataFile.
func Struct(name string, bytes int, content Content) Param {
	return Param{Name: name, Kind: KindStruct, Type: U8, Count: bytes, Content: content}
}

// Fields is a struct that is passed by value, laid out as C does it.
func Fields(name string, fields ...Param) Param {
	return Param{Name: name, Kind: KindFields, Fields: fields}
}

// Array is a field of several numbers. The content is as of a buffer.
func Array(name string, typ Type, count int, content Content) Param {
	return Param{Name: name, Kind: KindArray, Type: typ, Count: count, Content: content}
}

// View is the address of a place in a buffer that is another parameter's, or one of Job.Buffers: "x",
// or "x+16" for the place 16 bytes behind its start.
func View(name, same string) Param {
	return Param{Name: name, Kind: KindView, Same: same}
}

// Symbol is what a .const or .global variable holds when the kernel starts: Values, Bytes or
// DataFile, which fill the variable.
type Symbol struct {
	Name    string // in the module
	Type    Type   // of the elements
	Content Content
}

// ContentKind tells the kinds of contents apart.
type ContentKind int

// The kinds of contents, each made by the function of that name.
const (
	ContentNone ContentKind = iota // nothing is said; a buffer then holds zeros
	ContentZeros
	ContentIota
	ContentUniform
	ContentValues
	ContentBytes
	ContentFile
	ContentUnset
)

// Content says what a number, a buffer, a struct or a variable holds.
type Content struct {
	Kind    ContentKind
	Numbers []Number // the values; or the two limits of ContentUniform
	Bytes   []byte
	File    string // of ContentFile

	// Pointers are addresses in what a buffer, an array or a struct holds, which must be fixed.
	Pointers []Pointer
}

// Pointer is an address of 8 bytes.
type Pointer struct {
	At int    // where it stands, in bytes
	To string // a buffer, perhaps with a number of bytes behind its start: "x", "x+16"
}

// Addresses are addresses one by one, as Pointer.To, for elements of 8 bytes; an empty one is 0.
func Addresses(to ...string) Content {
	c := Values(make([]int, len(to))...)
	for i, name := range to {
		if name != "" {
			c.Pointers = append(c.Pointers, Pointer{At: 8 * i, To: name})
		}
	}
	return c
}

// WithPointers returns the content with addresses in it.
func (c Content) WithPointers(pointers ...Pointer) Content {
	c.Pointers = pointers
	return c
}

// Zeros are zeros.
func Zeros() Content { return Content{Kind: ContentZeros} }

// Unset is nothing: a read of what the kernel has not written is a mistake, of which there is a warning. It
// gives zeros in a simulation.
func Unset() Content { return Content{Kind: ContentUnset} }

// Iota counts from 0. Integers begin anew at 0 when their width is used up.
func Iota() Content { return Content{Kind: ContentIota} }

// Uniform samples anew for every test vector: integers from low to high inclusive, floats from low
// up to but not including high, unless both are equal.
func Uniform[T Real](low, high T) Content {
	return Content{Kind: ContentUniform, Numbers: []Number{Num(low), Num(high)}}
}

// Values are numbers one by one.
func Values[T Real](values ...T) Content {
	numbers := make([]Number, len(values))
	for i, v := range values {
		numbers[i] = Num(v)
	}
	return Content{Kind: ContentValues, Numbers: numbers}
}

// Bytes are the elements as they are in memory, little-endian. They are not copied and must not
// change.
func Bytes(data []byte) Content { return Content{Kind: ContentBytes, Bytes: data} }

// DataFile is the content of a data file: in NumPy's format if its name ends in .npy, else the
// elements as they are in memory.
func DataFile(path string) Content { return Content{Kind: ContentFile, File: path} }

// Real are the types of Go's numbers.
type Real interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 |
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr |
		~float32 | ~float64
}

// Number is a number in decimal: an integer of any size, or a float if it has a point, an
// exponent, or is Inf or NaN. Integers are numbers for all types, floats only for float types.
type Number string

// Num returns a number of Go, without rounding.
func Num[T Real](v T) Number {
	var zero T
	half := 0.5
	switch isInteger := T(half) == 0; {
	case isInteger && zero-1 < 0:
		return Number(strconv.FormatInt(int64(v), 10))
	case isInteger:
		return Number(strconv.FormatUint(uint64(v), 10))
	}
	text := strconv.FormatFloat(float64(v), 'g', -1, 64)
	if strings.Trim(text, "-0123456789") == "" {
		text += ".0"
	}
	return Number(text)
}
