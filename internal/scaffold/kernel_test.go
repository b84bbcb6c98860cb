package scaffold

import (
	"math"
	"slices"
	"testing"

	"warpbound/internal/isa"
)

// TestNames calls kernels and job files by the names of the source, as far as these tell the kernels apart.
func TestNames(t *testing.T) {
	const sobel, float, double = "_ZN6filter5sobelEPKhPhii", "_Z5scaleIfEvPT_i", "_Z5scaleIdEvPT_i"
	for _, c := range []struct {
		kernels    []string
		kernel     string
		name, file string
	}{
		{[]string{"saxpy"}, "saxpy", "saxpy", "module"},
		{[]string{"saxpy", "dot"}, "saxpy", "saxpy", "saxpy"},
		{[]string{sobel}, sobel, "filter::sobel", "module"},
		{[]string{sobel, float}, sobel, "filter::sobel", "sobel"},
		{[]string{sobel, float}, float, "scale<float>", "scale"},
		{[]string{float, double}, double, "scale<double>", double},
	} {
		p := new(isa.Program)
		for _, k := range c.kernels {
			p.Funcs = append(p.Funcs, &isa.Func{Name: k, Entry: true})
		}
		name := plainest(p, c.kernel)
		found, err := p.Kernel(name)
		if name != c.name || err != nil || found.Name != c.kernel {
			t.Errorf("%s of %s is called %s (%v), want %s", c.kernel, c.kernels, name, err, c.name)
		}
		if file := stem(p, "dir/module.ptx", c.kernel); file != c.file {
			t.Errorf("the job of %s of %s is %s, want %s", c.kernel, c.kernels, file, c.file)
		}
	}
}

// TestParameterTypes reads the types of parameters from symbols.
func TestParameterTypes(t *testing.T) {
	for kernel, want := range map[string][]string{
		"_Z5sobelPKhPhii": {"unsigned char const*", "unsigned char*", "int", "int"},
		"_Z8blurRowsILi3EhEv4ViewIKT0_ES0_IS1_EPKf": {"View<unsigned char const>", "View<unsigned char>", "float const*"},
		"_Z4callPFviEi": {"void (*)(int)", "int"},
		"saxpy":         nil,
	} {
		k := &isa.Kernel{Name: kernel, Params: make([]isa.Var, len(want))}
		if got := parameterTypes(k); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", kernel, got, want)
		}
		k.Params = append(k.Params, isa.Var{})
		if got := parameterTypes(k); got != nil {
			t.Errorf("%s with a parameter more: %q", kernel, got)
		}
	}
}

// TestHalf rounds to numbers of 16 bits towards zero.
func TestHalf(t *testing.T) {
	for x, want := range map[float64]uint16{0: 0, 1: 0x3c00, -2: 0xc000, 0.333: 0x3553, 65504: 0x7bff, 1e-9: 0, math.Copysign(0, -1): 0x8000} {
		if got := half(x); got != want {
			t.Errorf("half(%v) = %#x, want %#x", x, got, want)
		}
	}
}

// TestOffsets holds row offsets against the lengths of rows.
func TestOffsets(t *testing.T) {
	for i := range 100 {
		if row := offset(i+1) - offset(i); row != float64(i%10) {
			t.Errorf("row %d has %v elements", i, row)
		}
	}
}
