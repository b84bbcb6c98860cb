package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"warpbound/diag"
	"warpbound/internal/cuda"
	"warpbound/internal/instrument"
	"warpbound/internal/isa"
	"warpbound/internal/job"
)

// Config says what a Runner runs.
type Config struct {
	Device  cuda.Device
	Job     *job.Bound // with its launches as they are in the module that Prepare made
	Program *Program
	Records bool          // the program has recording code for the job's kernel
	Timeout time.Duration // of each launch; 0 for none
}

// Runner runs a job on a device. Before each run it brings the buffers, and the variables of
// the module in global memory, to the same state; the heap of the device keeps what kernels
// leave allocated. It may be used by one goroutine at a time, until Close.
type Runner struct {
	cfg     Config
	device  cuda.Device
	module  cuda.Module
	kernels []kernel // by job.Job.Runs
	buffers []buffer // by parameter
	initial []variable
	layout  instrument.Layout // if the program records
	trace   cuda.Pointer      // the buffer of recording code; 0 as long as there is none
	records []byte            // its contents
	symbol  cuda.Pointer      // instrument.Symbol
}

// kernel is a kernel as one of the launches of a run has it.
type kernel struct {
	cuda.Function
	bound   *job.Bound
	params  []byte
	offsets []int // in dynamic shared memory, by parameter
	dynamic int   // bytes of it
}

// buffer is a buffer on the device, and its contents after a run.
type buffer struct {
	at   cuda.Pointer
	data []byte
}

// variable is a variable of the module, and what it holds before a run.
type variable struct {
	at   cuda.Pointer
	data []byte
}

// New loads the program. What the device's compiler rejects is an error with places in the
// user's module. It is an error if a kernel uses a variable in global memory that a function
// declares: no host can restore it between runs.
func New(cfg Config) (*Runner, error) {
	r := &Runner{cfg: cfg, device: cfg.Device, buffers: make([]buffer, len(cfg.Job.Job.Whole().Params))}
	var err error
	if r.module, err = cfg.Device.Load(cfg.Program.Text); err != nil {
		return nil, cfg.Program.explain(err)
	}
	if err := r.prepare(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// explain gives what the compiler rejects its places in the user's module. A log in which
// nothing is known as an error is shown as a whole.
func (p *Program) explain(err error) error {
	build, ok := errors.AsType[*cuda.BuildError](err)
	if !ok || len(build.Log) == 0 {
		return err
	}
	errorsOnly := slices.ContainsFunc(build.Log, func(m cuda.Message) bool { return m.Severity == cuda.Error })
	var list diag.List
	for _, m := range build.Log {
		if m.Severity == cuda.Error || !errorsOnly {
			list.Add(diag.Errorf(p.place(m.Line), "%s", m.Text))
		}
	}
	return fmt.Errorf("the GPU's compiler rejects the module: %w\n%w", build.Err, list.Err())
}

// prepare finds the kernels and the variables, and makes room for the buffers.
func (r *Runner) prepare() error {
	whole := r.cfg.Job.Job.Whole()
	bounds := append([]*job.Bound{r.cfg.Job}, r.cfg.Job.Then...)
	for _, b := range bounds {
		f, err := r.module.Function(b.Kernel.Name)
		if err != nil {
			return err
		}
		k := kernel{Function: f, bound: b}
		k.offsets, k.dynamic = dynamicShared(b.Job)
		r.kernels = append(r.kernels, k)
	}
	for i, p := range whole.Params {
		if p.Kind != job.Buffer {
			continue
		}
		at, err := r.device.Alloc(max(p.Bytes, 1))
		if err != nil {
			return diag.Errorf(p.Pos, "%s: %w", p.Name, err)
		}
		r.buffers[i] = buffer{at: at, data: make([]byte, p.Bytes)}
	}
	if r.cfg.Records {
		if pos, key := whole.SeveralAt(); whole.Several() {
			return diag.Errorf(pos, "recording code records one launch, and %s makes several in a run", key)
		}
		at, _, err := r.module.Global(instrument.Symbol)
		if err != nil {
			return err
		}
		r.symbol = at
		spec := r.cfg.Job.Job
		if r.layout, err = instrument.NewLayout(spec.Grid, spec.Block, instrument.NewCapacity(firstRecords)); err != nil {
			return err
		}
	}
	for _, b := range bounds {
		if err := r.variables(b.Kernel); err != nil {
			return err
		}
	}
	for _, b := range bounds {
		if err := r.symbols(b); err != nil {
			return err
		}
	}
	return nil
}

// variables notes what the variables of a kernel in global memory hold before any launch.
func (r *Runner) variables(k *isa.Kernel) error {
	for i := range k.Vars {
		v := &k.Vars[i]
		if v.Space != isa.Global || v.Name == instrument.Symbol {
			continue
		}
		at, bytes, err := r.module.Global(v.Name)
		if errors.Is(err, cuda.ErrNotFound) {
			return diag.Errorf(v.Pos, "variable %s cannot be restored between runs on a device: declare it at module scope", v.Name)
		}
		if err != nil {
			return err
		}
		if slices.ContainsFunc(r.initial, func(w variable) bool { return w.at == at }) {
			continue
		}
		data := make([]byte, bytes)
		if err := r.device.Read(at, data); err != nil {
			return err
		}
		r.initial = append(r.initial, variable{at, data})
	}
	return nil
}

// symbols gives variables the initial contents that the job has for them.
func (r *Runner) symbols(b *job.Bound) error {
	for _, s := range b.Symbols {
		v := &b.Kernel.Vars[s.Var]
		at, bytes, err := r.module.Global(v.Name)
		if err != nil {
			return diag.Errorf(v.Pos, "%w", err)
		}
		data := make([]byte, bytes)
		copy(data, s.Data)
		i := slices.IndexFunc(r.initial, func(w variable) bool { return w.at == at })
		if i < 0 {
			i = len(r.initial)
			r.initial = append(r.initial, variable{at: at})
		}
		r.initial[i].data = data
	}
	return nil
}

// Attributes returns what the compiler made of the job's kernel, and how many CTAs of the
// launch an SM holds at a time.
func (r *Runner) Attributes() (cuda.FunctionAttributes, int, error) {
	f := &r.kernels[0]
	threads := 1
	for _, n := range r.cfg.Job.Job.Block {
		threads *= n
	}
	ctas, err := f.Occupancy(threads, f.dynamic)
	return f.Attributes(), ctas, err
}

// Warnings returns what the device's compiler warns of.
func (r *Runner) Warnings() []diag.Warning { return r.cfg.Program.Warnings(r.module.Log()) }

// Close takes everything off the device.
func (r *Runner) Close() error {
	var errs []error
	free := func(p cuda.Pointer) {
		if p != 0 {
			errs = append(errs, r.device.Free(p))
		}
	}
	for _, b := range r.buffers {
		free(b.at)
	}
	free(r.trace)
	errs = append(errs, r.module.Unload())
	err := errors.Join(errs...)
	if errors.Is(err, cuda.ErrLost) {
		return nil // everything went with the device
	}
	return err
}

// within returns the context of a launch.
func (r *Runner) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.cfg.Timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, r.cfg.Timeout)
}
