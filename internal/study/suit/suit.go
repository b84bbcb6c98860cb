// Package suit says which machines suit a module: which of them run its kernels, whether the GPUs that they describe
// would, and which methods bound kernels there.
//
// It runs nothing, and knows simulators and devices no more than other studies.
package suit

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"warpbound/estimate"
	"warpbound/internal/absexec"
	"warpbound/internal/analysis"
	"warpbound/internal/cfg"
	"warpbound/internal/flow"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/provenance"
	"warpbound/internal/workload"
)

// Module says which of the built-in machines suit a module. file is its name, which tells its language; kernel limits
// the answer to one kernel unless empty. It is an error if text is not of that language or if there is no such kernel.
func Module(file string, text []byte, kernel string) (*estimate.Machines, error) {
	parsed, err := workload.ParseModule(file, text)
	if err != nil {
		return nil, err
	}
	p, err := parsed.Lower()
	if err != nil {
		return nil, err
	}
	suiting, kernels, err := Program(p, kernel)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	return &estimate.Machines{
		Provenance: provenance.Of(), File: file, ModuleHash: hex.EncodeToString(sum[:]),
		Target: p.Target, Kernels: kernels, Machines: suiting,
	}, nil
}

// Program is Module for a program. It returns the machines, the best first, and the names of the kernels.
func Program(p *isa.Program, kernel string) ([]estimate.Suiting, []string, error) {
	kernels, err := kernelsOf(p, kernel)
	if err != nil {
		return nil, nil, err
	}
	machines, err := machine.ByTarget(p.Target)
	if err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(machines, usual(p.Target))
	var all []estimate.Suiting
	for _, m := range machines {
		all = append(all, suiting(m, p.Target, kernels))
	}
	slices.SortStableFunc(all, func(a, b estimate.Suiting) int { return trueFirst(a.Runs, b.Runs) })
	var names []string
	for _, k := range kernels {
		names = append(names, k.linked.Name)
	}
	return all, names, nil
}

// usual compares machines that are like no GPU: those first on which kernels find what is usual, warps of 32 threads
// and large CTAs, and then those that are simpler.
func usual(target string) func(a, b *machine.Machine) int {
	simple := []machine.Core{machine.Barrel, machine.Scoreboard, machine.Integrated, machine.Splitting}
	return func(a, b *machine.Machine) int {
		if a.Match(target) != machine.Unlike || b.Match(target) != machine.Unlike {
			return cmp.Compare(a.Match(target), b.Match(target))
		}
		const lanes = 32
		return cmp.Or(
			trueFirst(a.SM.WarpSize.Value == lanes, b.SM.WarpSize.Value == lanes),
			cmp.Compare(b.SM.CTAThreads.Value, a.SM.CTAThreads.Value),
			cmp.Compare(slices.Index(simple, a.Core), slices.Index(simple, b.Core)))
	}
}

// trueFirst compares what holds with what does not.
func trueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// kernel is what machines are asked about.
type kernel struct {
	linked    *isa.Kernel
	registers int   // of a thread
	shared    int   // bytes of a CTA that the kernel declares
	anywhere  error // why no machine runs it; nil if machines do
	followed  bool  // by static methods
}

func kernelsOf(p *isa.Program, name string) ([]kernel, error) {
	var all []kernel
	for _, f := range p.Entries() {
		if f.Extern || name != "" && f.Name != name {
			continue
		}
		linked, err := isa.Link(p, f.Name)
		if err != nil {
			return nil, err
		}
		all = append(all, describe(linked))
	}
	if len(all) > 0 {
		return all, nil
	}
	if name != "" {
		_, err := isa.Link(p, name) // which says what kernels there are
		if err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s defines no kernel", p.File)
}

func describe(linked *isa.Kernel) kernel {
	k := kernel{linked: linked, anywhere: refused(linked)}
	for _, v := range linked.Vars {
		if v.Space == isa.Shared {
			k.shared += v.Bytes
		}
	}
	g, err := cfg.Build(linked)
	if err != nil {
		k.anywhere = cmp.Or(k.anywhere, err)
		return k
	}
	k.registers, k.followed = flow.Allocated(g), absexec.Unfollowed(g) == nil
	return k
}

// refused returns why a kernel runs nowhere, nil if it may run.
func refused(k *isa.Kernel) error {
	for i := range k.Instrs {
		if in := &k.Instrs[i]; in.Obstacle() != "" {
			return fmt.Errorf("%v: cannot execute %s: %s", in.Pos, k.Format(in), in.Obstacle())
		}
	}
	if c := k.Bounds.Cluster; max(c[0], 1)*max(c[1], 1)*max(c[2], 1) > 1 {
		return fmt.Errorf("kernel %s requires clusters of several CTAs; only clusters of one CTA are modelled", k.Name)
	}
	return nil
}

// fits returns why a kernel does not run on a machine with the least launch that it allows.
func (k *kernel) fits(m *machine.Machine) error {
	if k.anywhere != nil {
		return k.anywhere
	}
	if err := k.linked.CheckWarps(int(m.SM.WarpSize.Value)); err != nil {
		return err
	}
	if err := m.CheckProducts(k.linked); err != nil {
		return err
	}
	block := [3]int{1, 1, 1}
	for i, n := range k.linked.Bounds.ReqNtid {
		block[i] = max(n, 1)
	}
	_, err := m.Fit(machine.Launch{Grid: [3]int{1, 1, 1}, Block: block, Registers: k.registers, StaticShared: k.shared})
	return err
}

var matches = [...]string{machine.Runs: "runs", machine.Differs: "differs", machine.Unsaid: "unsaid", machine.Unlike: "unlike"}

// suiting says how a machine suits the kernels of a module for a target.
func suiting(m *machine.Machine, target string, kernels []kernel) estimate.Suiting {
	s := estimate.Suiting{
		Machine: m.Name, MachineHash: m.Hash(), Architecture: m.Architecture, Match: matches[m.Match(target)],
		Methods: []estimate.OfferedMethod{}, Reasons: refusals(m, kernels),
	}
	if s.Runs = len(s.Reasons) == 0; !s.Runs {
		return s
	}
	if reason := architecture(m, target); reason != "" {
		s.Reasons = append(s.Reasons, reason)
	}
	if reason := standIns(m, kernels); reason != "" {
		s.Reasons = append(s.Reasons, reason)
	}
	if reason := fewThreads(m, kernels); reason != "" {
		s.Reasons = append(s.Reasons, reason)
	}
	var lost string
	if s.Methods, lost = offered(m, kernels); lost != "" {
		s.Reasons = append(s.Reasons, lost)
	}
	return s
}

// refusals says for each kernel that does not run on a machine why.
func refusals(m *machine.Machine, kernels []kernel) []string {
	all := []string{}
	for _, k := range kernels {
		err := k.fits(m)
		if err == nil {
			continue
		}
		reason, _, _ := strings.Cut(err.Error(), "\n") // the first of several
		if len(kernels) > 1 {
			reason = "kernel " + k.linked.Name + ": " + reason
		}
		all = append(all, reason)
	}
	return all
}

// architecture says what it means that code for a target runs on a machine.
func architecture(m *machine.Machine, target string) string {
	switch m.Match(target) {
	case machine.Runs:
		if m.Architecture != target {
			return fmt.Sprintf("%s runs code for %s", m.Architecture, target)
		}
		return "what the module targets"
	case machine.Differs:
		return fmt.Sprintf("a GPU of %s does not run code for %s: instruction timings, caches and occupancy are its own", isa.Named(m.Architecture), target)
	case machine.Unsaid:
		return "its file does not say what architecture it describes"
	}
	if _, isGPU := isa.ParseTarget(m.Architecture); isGPU {
		return fmt.Sprintf("describes %s, which code for %s is not for", m.Architecture, target)
	}
	like := map[machine.Core]string{
		machine.Scoreboard: "caches and scoreboards", machine.Barrel: "made to be bounded, without caches",
		machine.Integrated: "SMs share a cache with a CPU", machine.Splitting: "wavefronts split at branches, without caches",
	}[m.Core]
	if lanes := m.SM.WarpSize.Value; lanes != 32 {
		like += fmt.Sprintf(", %d threads in a warp", lanes)
	}
	return "like no GPU: " + like
}

// fewThreads says if a CTA has fewer threads on a machine than a kernel allows, or than is usual.
func fewThreads(m *machine.Machine, kernels []kernel) string {
	const usual = 512
	text := fmt.Sprintf("a CTA has %d threads at most", m.SM.CTAThreads.Value)
	for _, k := range kernels {
		limit := k.linked.Bounds.MaxNtid
		if n := max(limit[0], 1) * max(limit[1], 1) * max(limit[2], 1); int64(n) > m.SM.CTAThreads.Value {
			return fmt.Sprintf("%s, not the %d that kernel %s allows", text, n, k.linked.Name)
		}
	}
	if m.SM.CTAThreads.Value < usual {
		return text
	}
	return ""
}

// standIns says which features of the kernels the machine's generation lacks.
func standIns(m *machine.Machine, kernels []kernel) string {
	var lacks []string
	for _, k := range kernels {
		for i := range k.linked.Instrs {
			if f, _, lack := m.StandIn(&k.linked.Instrs[i]); lack {
				if what := fmt.Sprintf("%s (sm_%d)", f.What, f.Since); !slices.Contains(lacks, what) {
					lacks = append(lacks, what)
				}
			}
		}
	}
	switch len(lacks) {
	case 0:
		return ""
	case 1, 2, 3:
		return "lacks " + joined(lacks) + ", which stand-ins time"
	}
	return fmt.Sprintf("lacks %s and %d more, which stand-ins time", joined(lacks[:2]), len(lacks)-2)
}

func joined(list []string) string {
	text := list[0]
	for i, s := range list[1:] {
		if i == len(list)-2 {
			text += " and " + s
		} else {
			text += ", " + s
		}
	}
	return text
}

// offered lists the methods that bound all of the kernels on a machine, and why static methods that the machine
// allows do not.
func offered(m *machine.Machine, kernels []kernel) (methods []estimate.OfferedMethod, lost string) {
	methods = []estimate.OfferedMethod{}
	for _, of := range analysis.Methods() {
		if _, followed := of.Method.(method.Followed); followed || of.Applies(m) != nil { // a run tells whether there is a bound
			continue
		}
		evidence := estimate.Observed
		if _, static := of.Method.(method.Static); static {
			if at := slices.IndexFunc(kernels, func(k kernel) bool { return !k.followed }); at >= 0 {
				lost = "nothing is proven of kernel " + kernels[at].linked.Name + ": static methods do not follow mbarriers and bulk copies"
				continue
			}
			evidence = estimate.Proven
		}
		for _, n := range of.Names() {
			if n.Part == "" {
				methods = append(methods, estimate.OfferedMethod{Method: n.ID, Evidence: evidence})
			}
		}
	}
	return methods, lost
}
