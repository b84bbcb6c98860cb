package calibrate

import (
	"context"
	"fmt"

	"warpbound/internal/cuda"
)

// access is a way to memory that is measured by chains of dependent accesses: every lane
// accesses a cell of its own again and again. The cell of lane l is at (l >> n) * stride.
type access struct {
	name    string
	shared  int    // bytes of shared memory
	prepare string // makes the cells; %w0 is (lane >> n) * stride, %a0 its lower half
	step    string // one access, which waits for the one before
	begin   string // makes the address from %dep
	sink    string
}

// cell computes where the cell of a lane is.
const cell = `	and.b32 %a0, %thread, 31;
	shr.u32 %a0, %a0, %n;
	mul.lo.u32 %a0, %a0, %stride;
	cvt.u64.u32 %w0, %a0;
`

// sharedBytes is how much shared memory its microbenchmarks use.
const sharedBytes = 32 << 10

// The accesses. A cell that is loaded holds its own address, one that is changed holds 0,
// and so do constants.
var (
	sharedLoad = access{
		name: "shared", shared: sharedBytes,
		prepare: "\tmov.u64 %w1, sh;\n\tcvt.u32.u64 %a1, %w1;\n\tadd.u32 %a1, %a1, %a0;\n\tst.shared.u32 [%a1], %a1;\n",
		begin:   "\tadd.u32 %a2, %a1, %dep;\n", step: "\tld.shared.u32 %a2, [%a2];\n", sink: "\tmov.u32 %sink, %a2;\n",
	}
	sharedAtomic = access{
		name: "shared_atomic", shared: sharedBytes,
		prepare: "\tmov.u64 %w1, sh;\n\tcvt.u32.u64 %a1, %w1;\n\tadd.u32 %a1, %a1, %a0;\n\tst.shared.u32 [%a1], %zero;\n",
		begin:   "\tadd.u32 %a2, %a1, %dep;\n", step: "\tatom.shared.add.u32 %a3, [%a2], %zero;\n\tadd.u32 %a2, %a1, %a3;\n", sink: "\tmov.u32 %sink, %a2;\n",
	}
	constantLoad = access{
		name:    "constant",
		prepare: "\tmov.u64 %w1, ring;\n\tadd.u64 %w1, %w1, %w0;\n\tcvt.u32.u64 %a1, %w1;\n",
		begin:   "\tadd.u32 %a2, %a1, %dep;\n", step: "\tld.const.u32 %a3, [%a2];\n\tadd.u32 %a2, %a1, %a3;\n", sink: "\tmov.u32 %sink, %a2;\n",
	}
	globalLoad    = globalChain("global", ".ca")
	l2Load        = globalChain("l2", ".cg")
	globalAtomics = access{
		name:    "atomic",
		prepare: "\tadd.u64 %w1, %data, %w0;\n\tst.global.u32 [%w1], %zero;\n\tmembar.gl;\n",
		begin:   "\tcvt.u64.u32 %w2, %dep;\n\tadd.u64 %w2, %w1, %w2;\n",
		step:    "\tatom.global.add.u32 %a3, [%w2], %zero;\n\tcvt.u64.u32 %w2, %a3;\n\tadd.u64 %w2, %w1, %w2;\n",
		sink:    "\tcvt.u32.u64 %sink, %w2;\n",
	}
)

// globalChain loads from global memory, with a cache operator.
func globalChain(name, operator string) access {
	return access{
		name:    name,
		prepare: "\tadd.u64 %w1, %data, %w0;\n\tst.global.u64 [%w1], %w1;\n\tmembar.gl;\n",
		begin:   "\tcvt.u64.u32 %w2, %dep;\n\tadd.u64 %w2, %w1, %w2;\n",
		step:    "\tld.global" + operator + ".u64 %w2, [%w2];\n",
		sink:    "\tcvt.u32.u64 %sink, %w2;\n",
	}
}

// kernel makes so many accesses one after the other.
func (a *access) kernel(name string, steps int) kernel {
	return kernel{name: name, shared: a.shared, prepare: cell + a.prepare, section: a.begin + repeat(a.step, steps), sink: a.sink}
}

// chainer measures one kind of access with different cells.
type chainer struct {
	p      *prober
	access access
	fns    []cuda.Function
	close  func() error
}

// chainSteps are the lengths of the two chains of accesses.
var chainSteps = [2]int{8, 24}

func (p *prober) chain(a access) (*chainer, error) {
	fns, unload, err := p.load(a.kernel("short", chainSteps[0]), a.kernel("long", chainSteps[1]))
	if err != nil {
		return nil, err
	}
	return &chainer{p: p, access: a, fns: fns, close: unload}, nil
}

// step returns how long one access takes if the cell of lane l is at (l >> n) * stride.
func (c *chainer) step(ctx context.Context, stride, n int) ([]float64, error) {
	samples, err := c.p.slopes(ctx, shape{ctas: 1, warps: 1, stride: stride, n: n}, [2]cuda.Function(c.fns), float64(chainSteps[1]-chainSteps[0]))
	if err != nil {
		return nil, fmt.Errorf("microbenchmark %s: %w", c.access.name, err)
	}
	return samples, nil
}

// cells measures an access once.
func (p *prober) cells(ctx context.Context, a access, stride, n int) ([]float64, error) {
	c, err := p.chain(a)
	if err != nil {
		return nil, err
	}
	defer c.close()
	return c.step(ctx, stride, n)
}

// scaled returns the differences of two lists of samples over a number.
func scaled(a, b []float64, over float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = (a[i] - b[i]) / over
	}
	return out
}

// banks is what is measured of shared memory: the time of an access in one pass, of one
// more pass, how many bytes all banks hold side by side and how many one does, and the
// passes that an atomic operation takes.
type banks struct {
	latency, pass, row, width, atomicPass *Measurement
}

// banks measures shared memory.
func (p *prober) banks(ctx context.Context) (*banks, error) {
	c, err := p.chain(sharedLoad)
	if err != nil {
		return nil, err
	}
	defer c.close()
	one, err := c.step(ctx, 0, 0)
	if err != nil {
		return nil, err
	}
	// With twice the stride twice as many lanes want a bank, until all 32 want the same.
	const maximum = sharedBytes / 32
	var all, last []float64
	row := 0
	for stride := 4; stride <= maximum && row == 0; stride *= 2 {
		if all, err = c.step(ctx, stride, 0); err != nil {
			return nil, err
		}
		if last != nil && median(all) < median(last)*(1+fits) && median(all) > median(one)*(1+fits) {
			row = stride / 2
		}
		last = all
	}
	if row == 0 {
		return nil, fmt.Errorf("microbenchmark shared: no stride up to %d bytes puts all lanes into one bank", maximum)
	}
	width, err := c.width(ctx, row, median(one)+(median(all)-median(one))/62)
	if err != nil {
		return nil, err
	}
	passes := max(1, 32*width/row) // of all lanes on one word
	pass := scaled(all, one, float64(32-passes))
	out := &banks{
		latency: &Measurement{Name: "mem-shared.latency", What: "a chain of loads of one word by all lanes", Unit: "core cycles", Samples: make([]float64, len(one))},
		pass:    &Measurement{Name: "mem-shared.initiation", What: fmt.Sprintf("loads by 32 lanes from one bank, %d bytes apart, less those of one word, for each further lane", row), Unit: "core cycles", Samples: pass},
		row:     &Measurement{Name: "shared.row", What: "the least stride at which all lanes want the same bank", Unit: "bytes", Samples: []float64{float64(row)}},
		width:   &Measurement{Name: "shared.bank_width", What: "the least distance of words in different rows and banks, less a row", Unit: "bytes", Samples: []float64{float64(width)}},
	}
	for i := range one {
		out.latency.Samples[i] = one[i] - float64(passes-1)*pass[i]
	}
	out.atomicPass, err = p.atomicPass(ctx, row, width, out.pass.Median())
	return out, err
}

// width returns how many bytes of a bank lie side by side. Lane 0 loads the first word, all
// others one at the beginning of the next row and a bit further: as long as that is in the
// first bank, a load takes longer than limit.
func (c *chainer) width(ctx context.Context, row int, limit float64) (int, error) {
	lanes := c.access
	lanes.prepare = "\tsetp.ne.u32 %p0, %a0, 0;\n\tselp.u32 %a0, %stride, 0, %p0;\n" + lanes.prepare
	two, err := c.p.chain(lanes)
	if err != nil {
		return 0, err
	}
	defer two.close()
	width := 4
	for ; width < 16; width *= 2 {
		time, err := two.step(ctx, row+width, 0)
		if err != nil {
			return 0, err
		}
		if median(time) < limit {
			break
		}
	}
	return width, nil
}

// atomicPass measures how many passes of a load an atomic operation on one bank takes.
func (p *prober) atomicPass(ctx context.Context, row, width int, pass float64) (*Measurement, error) {
	c, err := p.chain(sharedAtomic)
	if err != nil {
		return nil, err
	}
	defer c.close()
	same, err := c.step(ctx, row, 0)
	if err != nil {
		return nil, err
	}
	spread, err := c.step(ctx, width, 0)
	if err != nil {
		return nil, err
	}
	further := 32 - max(1, 32*width/row)
	return &Measurement{Name: "shared.atomic_pass", What: "atomic additions by 32 lanes on one bank, less those on all banks, for each further lane and pass of loads",
		Unit: "core cycles", Samples: scaled(same, spread, float64(further)*pass)}, nil
}
