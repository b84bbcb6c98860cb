package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"warpbound/estimate"
	"warpbound/internal/symbol"
)

// shares is the number of breakdown rows that the text shows.
const shares = 8

// Details writes all of an analysis. run is a profile of its longest run, nil if there is none, and hz the machine's clock in cycles per
// second.
func Details(w io.Writer, a *estimate.Analysis, run *estimate.Profile, hz float64) error {
	p := &printer{w: w}
	p.printf("%s\n\n", headline(a, hz))
	printViolations(p, a)
	writeBracket(p, a, hz)
	p.printf("%s on %s (%.4g MHz)%s, job %s\n", kernelsOf(a), a.Machine, hz/1e6, scheduled(a.Threads)+within(a.Alone, a.ClockMode), a.Job)
	p.printf("%s", launched(a))
	if a.Runs > 0 {
		p.printf("; %s, seed %d", counted(a.Runs, "run"), a.Seed)
	}
	p.printf("\n")
	incompleteRuns(p, a.Interrupted, a.Runs)
	p.printf("\n")
	if a.Observed != nil {
		observed(p, a, hz)
	}
	convergence(p, a.Convergence)
	if a.Device != nil {
		device(p, a.Device)
	}
	bounds(p, a, hz)
	trials(p, a)
	coverage(p, a.Coverage)
	writeMovedBounds(p, a)
	sensitivity(p, a)
	policies(p, a)
	placements(p, a)
	ifConversion(p, a, hz)
	launchText(p, a)
	if e := shown(a); e != nil && len(e.Breakdown) > 0 {
		breakdown(p, e)
		if e.ByLine != nil {
			writeLines(p, e, run)
		}
	}
	assumptions(p, a.Estimates)
	contract(p, a.Contract)
	races(p, a.Races)
	warnings(p, besides(a.Warnings))
	return p.err
}

// Violation begins a line of text that says that a bound is void. Terminals show it in red.
const Violation = "VIOLATION: "

// printViolations says which bounds runs exceed.
func printViolations(p *printer, a *estimate.Analysis) {
	for i := range a.Void {
		p.printf("%s%s\n\n", Violation, a.Void[i].Text)
	}
}

// besides returns the warnings that say something else than refusals do.
func besides(all []estimate.Warning) []estimate.Warning {
	return slices.DeleteFunc(slices.Clone(all), func(w estimate.Warning) bool { return w.ID == "no-static-bound" })
}

// Standing says of an estimate what its evidence is, and of what is proven on a machine with numbers that are assumed, that
// it is so of the model and how many these are.
func Standing(e estimate.Evidence, n *estimate.Numbers) string {
	if e != estimate.Proven || n == nil || n.Assumed == 0 {
		return string(e)
	}
	return fmt.Sprintf("%s of the model, %s of %s assumed", e, group(int64(n.Assumed)), counted(n.All(), "number"))
}

// numbersOf returns the numbers of the machine on which an estimate of an analysis may depend.
func numbersOf(a *estimate.Analysis, method string) *estimate.Numbers {
	for i := range a.Estimates {
		if e := &a.Estimates[i]; e.Method == method {
			return e.Numbers
		}
	}
	return nil
}

// within continues what a time rests on: who else uses the GPU, and the mode of its clocks.
func within(alone bool, mode string) string {
	text := ""
	if alone {
		text = ", alone on the GPU"
	}
	if mode != "" {
		text += ", mode " + mode
	}
	return text
}

// scheduled says how a job has the threads of a warp scheduled; nothing for as the machine has it.
func scheduled(threads string) string {
	return map[string]string{"lockstep": ", threads in lock-step", "independent": ", threads independent"}[threads]
}

// refused says why methods have no estimate. Those that are not for the machine are of interest where nothing else bounds
// the whole.
func refused(p *printer, a *estimate.Analysis) {
	for _, r := range a.Refused {
		if !r.Machine {
			p.printf("  %s\n", noBound(r))
		}
	}
	if others := notForMachine(a); others != "" {
		p.printf("  not for this machine: %s\n", others)
	}
}

// noBound says where and why a method has no estimate.
func noBound(r estimate.MethodRefusal) string {
	why := strings.TrimSpace(strings.TrimPrefix(r.Reason, r.Pos+":"))
	return fmt.Sprintf("%s: %s has no bound: %s", r.Pos, r.Method, why)
}

// notForMachine lists the methods that are not for the machine, if nothing else bounds the whole.
func notForMachine(a *estimate.Analysis) string {
	var names []string
	for _, r := range a.Refused {
		if r.Machine && a.Answer == nil {
			names = append(names, r.Method)
		}
	}
	return strings.Join(names, ", ")
}

func warnings(p *printer, list []estimate.Warning) {
	for _, warn := range list {
		p.printf("warning: %s: %s [%s]\n", warn.Pos, warn.Text, warn.ID)
	}
}

// printer remembers the first error of writing.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// table lays out rows of tab-separated cells that body writes.
func (p *printer) table(body func(rows *printer)) {
	tw := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', tabwriter.AlignRight)
	rows := &printer{w: tw, err: p.err}
	body(rows)
	if p.err = rows.err; p.err == nil {
		p.err = tw.Flush()
	}
}

// counted renders a number of things.
func counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return group(int64(n)) + " " + thing
}

func dims(d [3]int) string { return fmt.Sprintf("%d x %d x %d", d[0], d[1], d[2]) }

func observed(p *printer, a *estimate.Analysis, hz float64) {
	o := a.Observed
	p.printf("Observed%s, %s:\n", inMode(a), span(a))
	p.table(func(rows *printer) {
		rows.printf("  minimum\t%s cycles\t%s\t\n", group(o.Min), milliseconds(Duration(o.Min, hz)))
		rows.printf("  mean\t%s cycles\t%s\t\n", group(int64(o.Mean+0.5)), milliseconds(Duration(int64(o.Mean+0.5), hz)))
		rows.printf("  maximum\t%s cycles\t%s\thigh-water mark%s\t\n", group(o.Max), milliseconds(Duration(o.Max, hz)), longest(a))
	})
	for _, in := range a.Inputs {
		p.printf("  %s: %s cycles\n", in.File, group(in.Cycles))
	}
	if at := a.Longest; at != nil && at.Adversarial != "" {
		p.printf("  to repeat the longest run: warpbound sim %s --adversarial %s\n", a.Job, at.Adversarial)
	}
	p.printf("\n")
}

// longest says which run the high-water mark is of, if they differ.
func longest(a *estimate.Analysis) string {
	switch at := a.Longest; {
	case at == nil || a.Observed.Min == a.Observed.Max:
		return ""
	case at.Vector != nil:
		return fmt.Sprintf(", vector %d", *at.Vector)
	case at.Adversarial != "":
		return ", adversarial: " + at.Adversarial
	default:
		return ", " + at.Inputs
	}
}

// span says from where to where the observed times go.
func span(a *estimate.Analysis) string {
	switch {
	case a.Device == nil:
		return "launch to last retirement"
	case a.Device.Recorded == nil:
		return "by CUDA events around the launch"
	}
	return "first start to last exit on one SM, with instrumentation"
}

func bounds(p *printer, a *estimate.Analysis, hz float64) {
	if len(a.Estimates) == 0 {
		p.printf("No estimates.\n")
		refused(p, a)
		return
	}
	p.printf("WCET estimates:\n")
	p.table(func(rows *printer) {
		names := []string{"method"}
		for _, e := range a.Estimates {
			names = append(names, e.Method)
		}
		names = padded(names)
		rows.printf("  %s\tcycles\ttime\tabove maximum\tevidence\t\n", names[0])
		for i, e := range a.Estimates {
			rows.printf("  %s\t%s\t%s\t%s\t%s\t\n", names[i+1], group(e.Cycles), milliseconds(Duration(e.Cycles, hz)), aboveRuns(a, &e), Standing(e.Evidence, e.Numbers))
		}
	})
	for _, e := range a.Estimates {
		if e.Explain != "" {
			p.printf("  %s: %s\n", e.Method, e.Explain)
		}
		if part := e.Partition; part != nil {
			p.printf("  %s: the greatest of the bounds of %d parts of the inputs, for %s\n", e.Method, part.Parts, part.Inputs)
		}
		if c, ok := e.Detail.(estimate.SharedCache); ok {
			p.printf("  %s: %s\n", e.Method, misses(c, e.Partition))
		}
		if line := figures(e.Detail); line != "" {
			p.printf("  %s: %s\n", e.Method, line)
		}
	}
	for _, line := range otherModes(a) {
		p.printf("  %s\n", line)
	}
	refused(p, a)
	p.printf("\n")
}

// figures lists the numbers of a method that has no detail of its own kind, empty of others.
func figures(d estimate.Detail) string {
	own, ok := d.(*estimate.Figures)
	if !ok {
		return ""
	}
	var list []string
	for _, f := range own.Figures {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %s", f.Name, group(f.Value), f.Unit)))
	}
	return strings.Join(list, ", ")
}

// misses says how many accesses to the cache that SMs share can miss it, and what the bound of times is: of one part of the inputs, if they
// have parts.
func misses(c estimate.SharedCache, of *estimate.Partition) string {
	maximum, all := c.MaxMisses()
	text := fmt.Sprintf("at most %s of %s by SMs to the shared cache miss", group(maximum), accesses(all))
	if of != nil {
		text = fmt.Sprintf("at most %s by SMs to the shared cache miss; in that part at most %s of %s", accesses(of.Misses), group(maximum), accesses(all))
	}
	if !c.Ordered() {
		text += "; the time is a sum over all instructions that warps may execute, since their order is unknown"
	}
	if n := c.Optional(); n > 0 {
		text += fmt.Sprintf("; whether %s of them are made is unknown", group(n))
	}
	return text
}

func accesses(n int64) string {
	if n == 1 {
		return "1 access"
	}
	return group(n) + " accesses"
}

// inMode says how wavefronts split in the runs of an analysis, if they can.
func inMode(a *estimate.Analysis) string {
	if a.SplitMode == "" {
		return ""
	}
	return " in mode " + a.SplitMode
}

// aboveRuns renders by how much an estimate is above the longest run that it covers.
func aboveRuns(a *estimate.Analysis, e *estimate.Estimate) string {
	runs := a.Covered(e)
	if runs == nil {
		return "-"
	}
	return above(e.Cycles, runs.Max)
}

// otherModes says what estimates are above whose wavefronts split in another way than in the
// runs of the analysis.
func otherModes(a *estimate.Analysis) []string {
	var lines []string
	for i := range a.Estimates {
		e := &a.Estimates[i]
		mode, other := a.OtherMode(e)
		if runs := a.Covered(e); other && runs != nil {
			lines = append(lines, fmt.Sprintf("%s: for mode %s, in which runs of the same inputs take %s cycles at most", e.Method, mode, group(runs.Max)))
		}
	}
	return lines
}

// shown is the estimate whose breakdown the text shows: that of the kernel's
// tightest bound, or if that has none, as one run has none that stands for all, of the least other one; or of whatever there is.
func shown(a *estimate.Analysis) *estimate.Estimate {
	best := a.Tightest()
	if best == nil && len(a.Estimates) > 0 {
		return &a.Estimates[0]
	}
	if best == nil || best.Breakdown != nil {
		return best
	}
	best = nil
	for i := range a.Estimates {
		e := &a.Estimates[i]
		if _, other := a.OtherMode(e); !other && e.Bounds() && e.Breakdown != nil && (best == nil || e.Cycles < best.Cycles) {
			best = e
		}
	}
	return best
}

// padded renders names left-aligned in cells of a table that aligns right.
func padded(names []string) []string {
	width := 0
	for _, n := range names {
		width = max(width, len(n))
	}
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = n + strings.Repeat(" ", width-len(n))
	}
	return out
}

func breakdown(p *printer, e *estimate.Estimate) {
	p.printf("Breakdown of the %s cycles of %s:\n", group(e.Cycles), e.Method)
	p.table(func(rows *printer) {
		rows.printf("  share\tcycles\ttimes\t  block\n")
		for _, s := range e.Breakdown[:min(shares, len(e.Breakdown))] {
			percent := 0.0
			if e.Cycles > 0 {
				percent = 100 * float64(s.Cycles) / float64(e.Cycles)
			}
			at := ""
			if s.Pos != "" {
				at = " at " + s.Pos
			}
			rows.printf("  %.1f %%\t%s\t%s\t  %s%s\n", percent, group(s.Cycles), group(s.Count), symbol.Label(s.Name), at)
		}
	})
	if rest := len(e.Breakdown) - shares; rest > 0 {
		p.printf("  and %d more\n", rest)
	}
	p.printf("\n")
}

// assumptions lists each assumption once, with the methods that make it.
func assumptions(p *printer, estimates []estimate.Estimate) {
	var order []string
	methods := map[string][]string{}
	for _, e := range estimates {
		for _, text := range e.Assumptions {
			if methods[text] == nil {
				order = append(order, text)
			}
			methods[text] = append(methods[text], e.Method)
		}
	}
	if len(order) == 0 {
		return
	}
	p.printf("Assumptions:\n")
	for _, text := range order {
		who := ""
		if len(methods[text]) < len(estimates) {
			who = " (" + strings.Join(methods[text], ", ") + ")"
		}
		p.printf("  - %s%s\n", text, who)
	}
	p.printf("\n")
}
