package calibrate

import (
	"context"
	"fmt"

	"warpbound/internal/isa"
)

// kind is how the registers of a chain are written.
type kind struct {
	reg string // of chain %d
	// inject begins chain %[1]s with %dep, so that it waits for the clock, and number %[2]d,
	// so that no compiler finds two chains equal.
	inject  string
	combine string // exclusive-ors chain %[1]s into %sink
}

var (
	word   = kind{"%%r%d", "add.u32 %[1]s, %%dep, 2*%[2]d+3;", "xor.b32 %%sink, %%sink, %[1]s;"}
	single = kind{"%%f%d", "add.u32 %%tmp, %%dep, 0x3f800000+%[2]d; mov.b32 %[1]s, %%tmp;", "mov.b32 %%tmp, %[1]s; xor.b32 %%sink, %%sink, %%tmp;"}
	double = kind{"%%d%d", "add.u32 %%tmp, %%dep, 0x3ff00000+%[2]d; mov.b64 %[1]s, {%%dep, %%tmp};", "mov.b64 {%%a0, %%tmp}, %[1]s; xor.b32 %%sink, %%sink, %%tmp;"}
)

// Kinds of chains that also use three: max(min(x, a), a) would be a without either.
var (
	singleThree = kind{single.reg, single.inject + " cvt.rn.f32.u32 %%fthree, %%three;", single.combine}
	doubleThree = kind{double.reg, double.inject + " cvt.rn.f64.u32 %%dthree, %%three;", double.combine}
)

// chain is code of one class of which every instruction waits for the one before. The
// operands are parameters, and neighbours are such that no compiler makes one of two.
type chain struct {
	kind
	code []string // in turn, for chain register %[1]s
}

// chains are what measures the classes of arithmetic.
var chains = map[isa.Class]chain{
	isa.IntAdd:     {word, []string{"add.u32 %[1]s, %[1]s, %%three;", "xor.b32 %[1]s, %[1]s, %%top;"}},
	isa.IntMinMax:  {word, []string{"min.u32 %[1]s, %[1]s, %%top;", "max.u32 %[1]s, %[1]s, %%three;"}},
	isa.IntMul:     {word, []string{"mul.lo.u32 %[1]s, %[1]s, %%three;"}},
	isa.IntMad:     {word, []string{"mad.lo.u32 %[1]s, %[1]s, %%three, %%top;"}},
	isa.IntDiv:     {word, []string{"div.u32 %[1]s, %%top, %[1]s;"}},
	isa.FP32Add:    {single, []string{"add.rn.f32 %[1]s, %[1]s, %%ftwo;"}},
	isa.FP32MinMax: {singleThree, []string{"min.f32 %[1]s, %[1]s, %%ftwo;", "max.f32 %[1]s, %[1]s, %%fthree;"}},
	isa.FP32Mul:    {single, []string{"mul.rn.f32 %[1]s, %[1]s, %%ftwo;"}},
	isa.FP32Mad:    {single, []string{"fma.rn.f32 %[1]s, %[1]s, %%ftwo, %%ftwo;"}},
	isa.FP32Div:    {single, []string{"div.rn.f32 %[1]s, %%ftwo, %[1]s;"}},
	isa.FP64Add:    {double, []string{"add.rn.f64 %[1]s, %[1]s, %%dtwo;"}},
	isa.FP64MinMax: {doubleThree, []string{"min.f64 %[1]s, %[1]s, %%dtwo;", "max.f64 %[1]s, %[1]s, %%dthree;"}},
	isa.FP64Mul:    {double, []string{"mul.rn.f64 %[1]s, %[1]s, %%dtwo;"}},
	isa.FP64Mad:    {double, []string{"fma.rn.f64 %[1]s, %[1]s, %%dtwo, %%dtwo;"}},
	isa.FP64Div:    {double, []string{"div.rn.f64 %[1]s, %%dtwo, %[1]s;"}},
	isa.SFU:        {single, []string{"rsqrt.approx.ftz.f32 %[1]s, %[1]s;"}},
	isa.Sync:       {word, []string{"shfl.sync.bfly.b32 %[1]s, %[1]s, 1, 31, 0xffffffff;"}},
}

// measured returns the classes of chains in the order of isa.Classes.
func measured() []isa.Class {
	var out []isa.Class
	for _, c := range isa.Classes() {
		if _, ok := chains[c]; ok {
			out = append(out, c)
		}
	}
	return out
}

// register returns the register of a chain with a number.
func (c *chain) register(number int) string { return fmt.Sprintf(c.reg, number) }

// step writes instruction number i of the chain in a register.
func (c *chain) step(b *text, number, i int) {
	fmt.Fprintf(b, "\t"+c.code[i%len(c.code)]+"\n", c.register(number))
}

// begin and end write what stands before and after the steps of a chain.
func (c *chain) begin(b *text, number int) {
	fmt.Fprintf(b, "\t"+c.inject+"\n", c.register(number), number)
}

func (c *chain) end(b *text, number int) {
	fmt.Fprintf(b, "\t"+c.combine+"\n", c.register(number))
}

// sections makes a kernel of so many independent chains of each class in turn, each of so
// many steps: counts are the steps of a class before those of the next follow. If there are
// several classes, warp number w begins w instructions later, so that warps which take turns
// do not all wait for the same class.
func sections(name string, steps, width int, classes []isa.Class, counts []int) kernel {
	var section, sink text
	next := 0 // number of a chain's register
	first := make([]int, len(classes))
	for k, class := range classes {
		c := chains[class]
		first[k] = next
		for range width {
			c.begin(&section, next)
			c.end(&sink, next)
			next++
		}
	}
	period := 0
	if len(classes) > 1 {
		for _, n := range counts {
			period += n
		}
		fmt.Fprintf(&section, "\trem.u32 %%tmp, %%warp, %d;\n", period)
		for i := 1; i < period; i++ {
			fmt.Fprintf(&section, "\tsetp.eq.u32 %%p0, %%tmp, %d;\n\t@%%p0 bra FROM%d;\n", i, i)
		}
	}
	done, at := make([]int, len(classes)), 0
	for range steps {
		for k, class := range classes {
			c := chains[class]
			for range counts[k] {
				if at > 0 && at < period {
					fmt.Fprintf(&section, "FROM%d:\n", at)
				}
				at++
				c.step(&section, first[k]+done[k]%width, done[k]/width)
				done[k]++
			}
		}
	}
	return kernel{name: name, section: section.String(), sink: sink.String()}
}

// latencySteps are the lengths of two chains. The difference of their times is free of
// what stands around the chains.
var latencySteps = [2]int{16, 48}

// latency measures after how many cycles an instruction of a class can use the result of
// the one before it.
func (p *prober) latency(ctx context.Context, class isa.Class) (*Measurement, error) {
	one, ones := []isa.Class{class}, []int{1}
	samples, err := p.slope(ctx, shape{ctas: 1, warps: 1},
		sections("short", latencySteps[0], 1, one, ones), sections("long", latencySteps[1], 1, one, ones), float64(latencySteps[1]-latencySteps[0]))
	return &Measurement{Name: class.String() + ".latency", What: "a chain of dependent instructions", Unit: "core cycles", Samples: samples}, err
}

// busyWarps are the warps of an SM that issue all that they can: at least one for each
// scheduler. busyWidth are the independent chains of each: so many that one warp alone
// keeps its scheduler busy, since schedulers may prefer some warps until only one is left.
const (
	busyWarps = 8
	busyWidth = 24
)

// interval measures how many cycles of an SM counts[k] instructions of classes[k], for all
// k together, take when warps have as many of them to issue as they can.
func (p *prober) interval(ctx context.Context, classes []isa.Class, counts []int) ([]float64, error) {
	width := busyWidth / len(classes)
	return p.slope(ctx, shape{ctas: 1, warps: busyWarps},
		sections("short", width*3, width, classes, counts),
		sections("long", width*9, width, classes, counts), float64(width*6*busyWarps))
}
