// Package machine describes GPUs: limits, latencies and the shape of the memory
// system, each number with its unit and the source it comes from.
//
// There are four kinds of machines, named by their cores (Core): those with a
// scoreboard, pipelines and caches, the predictable ones, those that split
// wavefronts, and those that share a cache with a CPU.
//
// A description is a TOML file, read by Parse, or one of those that are built
// in (Names, Builtin). docs/machine-model says what the simulator makes of
// each number. A Machine is not changed after Parse made it.
//
// machine holds no behaviour but what follows from its numbers alone, such as how many CTAs an
// SM holds (Machine.Fit). It imports isa for the names of the timing classes, diag and tomlpos
// for positions, and opens no file but its own embedded ones.
package machine

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warpbound/internal/isa"
)

// Machine is the description of a GPU. The tags of the sections' fields say
// what a file must state: the unit, the smallest and the largest sensible value,
// and whether it must be a power of two. Sections and fields with the tag core
// are those of machines with one of these cores, and zero in others; a unit that
// differs on a core stands in the tag of its name. What has the tag optional may be
// left out on machines with one of these cores, or on all if it says yes, and is zero then.
type Machine struct {
	Name  string `toml:"name"`
	About string `toml:"about"`
	Core  Core   `toml:"core"`

	// Architecture is that of the GPU which the machine describes, as directives .target name it: "sm_20" for compute
	// capability 2.0; "mini-simt" for machine code of that name; MadeUp; or empty if the file does not say.
	Architecture string `toml:"architecture"`

	Sources map[string]string `toml:"sources"` // what abbreviations in the numbers' sources stand for
	Origins map[string]string `toml:"-"`       // the base, a name or a file, that states what the file does not, by the path of a number, word or class

	Clock        Clock             `toml:"clock"`
	Modes        []Mode            `toml:"mode"`
	SM           SM                `toml:"sm"`
	Pipelines    map[string]Number `toml:"pipelines" core:"scoreboard" unit:"pipelines per SM" min:"1" max:"16"`
	Classes      map[string]Timing `toml:"classes"`
	Operations   Operations        `toml:"operations" core:"scoreboard"`
	Tensor       Products          `toml:"tensor" core:"scoreboard"`
	StandIns     StandIns          `toml:"stand_ins" core:"scoreboard"`
	Dependences  map[string]Number `toml:"dependences" core:"scoreboard" optional:"yes" unit:"core cycles" min:"1" max:"100000"`
	Shared       Shared            `toml:"shared"`
	CarveOuts    map[string]Number `toml:"carve_outs" core:"scoreboard" optional:"yes" unit:"lines per set" min:"1" max:"64"`
	Memory       Memory            `toml:"memory" core:"barrel split"`
	Split        Split             `toml:"split" core:"split"`
	ICache       ICache            `toml:"icache" core:"scoreboard" optional:"yes"`
	CCache       CCache            `toml:"ccache" core:"scoreboard" optional:"yes"`
	LSU          LSU               `toml:"lsu" core:"scoreboard" optional:"yes"`
	L1           L1                `toml:"l1" core:"scoreboard integrated split" optional:"split"`
	Interconnect Interconnect      `toml:"interconnect" core:"scoreboard integrated"`
	L2           L2                `toml:"l2" core:"scoreboard"`
	LLC          LLC               `toml:"llc" core:"integrated"`
	Regulator    Regulator         `toml:"regulator" core:"integrated"`
	DRAM         DRAM              `toml:"dram" core:"scoreboard integrated"`
	CPU          CPU               `toml:"cpu" core:"integrated"`
}

// Core says how the SMs of a machine execute.
type Core string

// The cores.
const (
	// Scoreboard issues a warp's next instruction as soon as its registers and a
	// pipeline are free, and shares caches and DRAM between the SMs.
	Scoreboard Core = "scoreboard"

	// Barrel has one instruction of each warp under way, no caches, and memory of
	// its own for each SM, so that its times can be bounded without simulation.
	Barrel Core = "barrel"

	// Split has several SIMDs for each SM, each with a port, with one instruction of
	// each wavefront under way, and more of them for split wavefronts.
	Splitting Core = "split"

	// Integrated has one instruction of each warp under way and issues strictly in
	// turn. Its SMs share a last-level cache with a CPU, the accesses to which are
	// regulated.
	Integrated Core = "integrated"
)

// Number is one number of a description.
type Number struct {
	Value  int64  `toml:"value"`
	Unit   string `toml:"unit"`
	Source string `toml:"source"`
	Basis  Basis  `toml:"basis"` // empty if the description does not say it
	Range  Range  `toml:"range"`
}

// Clock holds the clock domains. A core cycle is the time in which a scheduler
// issues one instruction for a whole warp.
type Clock struct {
	Core Number `toml:"core" unit:"Hz" min:"1000" max:"8000000000"`
	DRAM Number `toml:"dram" core:"scoreboard" unit:"Hz" min:"1000" max:"8000000000"`
}

// SM holds the streaming multiprocessors and what limits their occupancy.
type SM struct {
	Count      Number `toml:"count" unit:"SMs" min:"1" max:"256"`
	WarpSize   Number `toml:"warp_size" unit:"threads per warp" min:"1" max:"64" shape:"power of two"`
	Schedulers Number `toml:"schedulers" unit:"schedulers per SM" split:"SIMDs per SM" min:"1" max:"32"`

	Policy Choice[Policy] `toml:"policy" choices:"gto gty lrr rr oldest youngest random"`
	// PolicySeed is where the random numbers begin by which policy and order "random" choose; left out it is 0.
	PolicySeed Number `toml:"policy_seed" core:"scoreboard" unit:"seed" min:"0" max:"9007199254740992" optional:"yes"`
	// SubCores is on if each scheduler has pipelines of its own, all but the one for memory; otherwise, or if it is left out, they
	// share those of the SM.
	SubCores Choice[Switch] `toml:"sub_cores" core:"scoreboard" choices:"on off" optional:"yes"`
	// IndependentThreads is on if every diverged thread of a warp goes forward and barriers count threads, as from sm_70 on;
	// otherwise, or if it is left out, a warp executes one path to its end and then the other, and arrives at barriers as a whole.
	IndependentThreads Choice[Switch] `toml:"independent_threads" core:"scoreboard" choices:"on off" optional:"yes"`

	// PathTurn and WaitTurn say when paths of a diverged warp take turns, as Turns, if threads are independent, and SwapPaths that
	// the other path behind a branch runs first.
	PathTurn  Number         `toml:"path_turn" core:"scoreboard" unit:"branches" min:"1" max:"1000000" optional:"yes"`
	WaitTurn  Number         `toml:"wait_turn" core:"scoreboard" unit:"branches" min:"1" max:"1000000" optional:"yes"`
	SwapPaths Choice[Switch] `toml:"swap_paths" core:"scoreboard" choices:"on off" optional:"yes"`

	Warps        Number `toml:"warps" unit:"warps per SM" min:"1" max:"512"`
	CTAs         Number `toml:"ctas" unit:"CTAs per SM" min:"1" max:"128"`
	Threads      Number `toml:"threads" unit:"threads per SM" min:"1" max:"32768"`
	CTAThreads   Number `toml:"cta_threads" unit:"threads per CTA" min:"1" max:"8192"`
	Registers    Number `toml:"registers" unit:"registers per SM" min:"1" max:"1048576"`
	RegisterUnit Number `toml:"register_unit" unit:"registers per warp" min:"1" max:"65536"`
	WarpUnit     Number `toml:"warp_unit" unit:"warps per CTA" min:"1" max:"64"`
	Shared       Number `toml:"shared" unit:"bytes per SM" min:"0" max:"1048576"`
	SharedUnit   Number `toml:"shared_unit" unit:"bytes per CTA" min:"1" max:"65536"`
	// SharedReserved is what each CTA takes beside what it declares.
	SharedReserved Number `toml:"shared_reserved" core:"scoreboard" unit:"bytes per CTA" min:"0" max:"65536" optional:"yes"`

	Dispatch Number `toml:"dispatch" unit:"core cycles per CTA" barrel:"core cycles per wave" integrated:"core cycles per wave" min:"1" max:"100000"`
	Barrier  Number `toml:"barrier" unit:"core cycles" min:"1" max:"100000"`
}

// Policy says which of the warps that could issue does.
type Policy string

// The scheduling policies.
const (
	GTO Policy = "gto" // the same warp as last time, otherwise the oldest
	GTY Policy = "gty" // the same warp as last time, otherwise the youngest
	LRR Policy = "lrr" // the next one that can issue, in a circle
	RR  Policy = "rr"  // strictly in turn; warps that wait at a barrier are passed over

	Oldest   Policy = "oldest"   // the oldest that can
	Youngest Policy = "youngest" // the youngest that can
	AnyWarp  Policy = "random"   // one of those that can, by random numbers that SM.PolicySeed begins
)

// Policies returns the scheduling policies; in-order cores have one of them.
func Policies() []Policy { return []Policy{GTO, GTY, LRR, RR, Oldest, Youngest, AnyWarp} }

// Order says in which order a bank of the DRAM serves the requests that its controller sees.
type Order string

// The orders of memory service.
const (
	FRFCFS     Order = "fr-fcfs" // those to the open row first, otherwise the oldest; also if a machine states none
	FCFS       Order = "fcfs"    // the oldest first
	AnyRequest Order = "random"  // by a random number that each is given, which SM.PolicySeed begins
	LIFO       Order = "lifo"    // the youngest first
)

// Orders returns the orders of memory service.
func Orders() []Order { return []Order{FRFCFS, FCFS, AnyRequest, LIFO} }

// Named returns the name of the core with its article, for messages.
func (c Core) Named() string {
	if c == Integrated {
		return "an " + string(c) + " core"
	}
	return "a " + string(c) + " core"
}

// policy returns the only one that in-order cores have.
func (c Core) policy() Policy {
	if c == Integrated {
		return RR
	}
	return LRR
}

// Index says how a cache chooses the set of an address.
type Index string

// The ways to choose a set.
const (
	Linear Index = "linear" // the lowest bits of the number of the line
	Fermi  Index = "fermi"  // those, xor bits 13 to 15, 17 and 19 of the address
	Hashed Index = "hashed" // those, xor all further groups of as many bits
)

// Requests says into how many requests the memory of a barrel core divides an
// access of a warp.
type Requests string

// The ways to count requests.
const (
	BySegment Requests = "segment" // as many as segments, words, banks or lanes need
	ByAccess  Requests = "access"  // one
)

// Choice is one of several words and where it comes from.
type Choice[T Policy | Order | Index | Requests | SplitMode | Switch] struct {
	Value  T      `toml:"value"`
	Source string `toml:"source"`
	Basis  Basis  `toml:"basis"` // empty if the description does not say it
}

// row returns the choice as a row of the given path.
func (c Choice[T]) row(path string) Row {
	return Row{Path: path, Value: string(c.Value), Source: c.Source, Basis: c.Basis}
}

// Timing says how instructions of one class execute. A pipeline accepts the next
// instruction Initiation core cycles after this one, and the result is ready
// Latency core cycles after issue. For memory this holds for one access that
// hits the cache nearest to the SM. On a barrel core Initiation is how long the
// instruction, or each request of an access, holds the port, and there are no
// pipelines; on a split core it is so for the memory, and what is no access holds the
// port for as many passes as Initiation has.
type Timing struct {
	Pipeline   string `toml:"pipeline"`
	Latency    int64  `toml:"latency"`
	Initiation int64  `toml:"initiation"`
	Unit       string `toml:"unit"`
	Source     string `toml:"source"`

	Basis           Basis `toml:"basis"` // of both numbers, the weaker one; empty if the description does not say it
	LatencyRange    Range `toml:"latency_range"`
	InitiationRange Range `toml:"initiation_range"`
}

// timingUnit is the unit of both numbers of a Timing, maxLatency their maximum.
const (
	timingUnit = "core cycles"
	maxLatency = 100_000
)

// Shared holds the banks of shared memory.
type Shared struct {
	Banks      Number `toml:"banks" unit:"banks" min:"1" max:"64" shape:"power of two"`
	BankBytes  Number `toml:"bank_width" unit:"bytes" min:"4" max:"16" shape:"power of two"`
	AtomicPass Number `toml:"atomic_pass" core:"scoreboard" unit:"core cycles" min:"1" max:"100000"`
}

// Memory holds the memory of each SM of a machine with barrel or split cores.
type Memory struct {
	Requests Choice[Requests] `toml:"requests" choices:"segment access"`
	Segment  Number           `toml:"segment" unit:"bytes" min:"32" max:"4096" shape:"power of two"`
}

// ICache holds the instruction cache of each SM, which is empty when a launch begins. A machine without one has
// every instruction at hand. With Stream so many lines behind the one that is asked for are fetched along with it.
type ICache struct {
	Sets Number `toml:"sets" unit:"sets per SM" min:"1" max:"4096" shape:"power of two"`
	Ways Number `toml:"ways" unit:"lines per set" min:"1" max:"64"`
	Line Number `toml:"line" unit:"instructions" min:"1" max:"256" shape:"power of two"`
	Miss Number `toml:"miss" unit:"core cycles" min:"1" max:"100000"`

	Stream Number `toml:"stream" unit:"lines" min:"1" max:"64" optional:"yes"`
}

// CCache holds the cache of each SM for parameters and constants, which is empty when a launch begins. A machine without one has
// all of them at hand.
type CCache struct {
	Sets Number `toml:"sets" unit:"sets per SM" min:"1" max:"4096" shape:"power of two"`
	Ways Number `toml:"ways" unit:"lines per set" min:"1" max:"64"`
	Line Number `toml:"line" unit:"bytes" min:"16" max:"1024" shape:"power of two"`
	Miss Number `toml:"miss" unit:"core cycles" min:"1" max:"100000"`
}

// LSU holds the way of memory instructions to the load/store unit of an SM: each scheduler has a buffer and computes addresses, and
// all share the unit itself. On a machine without it a memory instruction issues when the unit takes it.
type LSU struct {
	Buffer   Number `toml:"buffer" unit:"instructions per scheduler" min:"1" max:"64"`
	Latency  Number `toml:"latency" unit:"core cycles" min:"1" max:"1000"` // from issue until an instruction leaves its buffer
	Address  Number `toml:"address" unit:"core cycles per instruction of a scheduler" min:"1" max:"1000"`
	Interval Number `toml:"interval" unit:"core cycles per instruction of an SM" min:"1" max:"1000"`
	Tags     Number `toml:"tags" unit:"tags per core cycle" min:"1" max:"64"`
	Tag      Number `toml:"tag" unit:"bytes per tag" min:"32" max:"4096" shape:"power of two"`
}

// L1 holds the data cache of each SM, which is empty when a launch begins. A machine with split cores need not have one; its lines are
// the segments of memory, and its sets are chosen by the low bits of their numbers.
type L1 struct {
	Sets Number `toml:"sets" unit:"sets per SM" min:"1" max:"4096" shape:"power of two"`
	Ways Number `toml:"ways" unit:"lines per set" min:"1" max:"64"`
	Line Number `toml:"line" core:"scoreboard integrated" unit:"bytes" min:"32" max:"256" shape:"power of two"`

	Index Choice[Index] `toml:"index" core:"scoreboard integrated" choices:"linear fermi hashed"`

	Hit   Number `toml:"hit" core:"split" unit:"core cycles" min:"1" max:"100000"`
	MSHRs Number `toml:"mshrs" core:"scoreboard" unit:"entries per SM" min:"1" max:"1024"`
	Merge Number `toml:"merge" core:"scoreboard" unit:"accesses per entry" min:"1" max:"1024"`
}

// Interconnect holds what joins the SMs with the shared cache: the crossbar to the
// memory partitions of a machine with a scoreboard, or the slots of an integrated one.
// It runs with the core clock.
type Interconnect struct {
	Flit    Number `toml:"flit" core:"scoreboard" unit:"bytes per core cycle" min:"1" max:"1024"`
	Header  Number `toml:"header" core:"scoreboard" unit:"bytes per packet" min:"1" max:"1024"`
	Slot    Number `toml:"slot" core:"integrated" unit:"core cycles" min:"1" max:"1024"`
	Latency Number `toml:"latency" unit:"core cycles" min:"1" max:"100000"`
	Buffer  Number `toml:"buffer" core:"scoreboard" unit:"packets per SM" min:"1" max:"1024"`
	Credits Number `toml:"credits" unit:"requests per SM" min:"1" max:"4096"`
}

// L2 holds the partitions of the shared cache. It runs with the core clock. With Copies it is not empty when a launch begins: what
// the host copies to the GPU goes through it.
type L2 struct {
	Partitions Number `toml:"partitions" unit:"partitions" min:"1" max:"256"`
	Interleave Number `toml:"interleave" unit:"bytes" min:"32" max:"65536" shape:"power of two"`
	Sets       Number `toml:"sets" unit:"sets per partition" min:"1" max:"65536" shape:"power of two"`
	Ways       Number `toml:"ways" unit:"lines per set" min:"1" max:"64"`
	Line       Number `toml:"line" unit:"bytes" min:"32" max:"256" shape:"power of two"`
	MSHRs      Number `toml:"mshrs" unit:"entries per partition" min:"1" max:"65536"`
	Merge      Number `toml:"merge" unit:"accesses per entry" min:"1" max:"1024"`
	Latency    Number `toml:"latency" unit:"core cycles" min:"1" max:"100000"`
	Initiation Number `toml:"initiation" unit:"core cycles per access" min:"1" max:"100000"`
	Atomic     Number `toml:"atomic" unit:"core cycles per operation on one address" min:"1" max:"100000"`

	Copies Choice[Switch] `toml:"copies" choices:"on off" optional:"yes"`
	// Hash is on if a row of chunks, one for each partition, begins at another partition than the row before (scoreboard's locate).
	Hash Choice[Switch] `toml:"hash" choices:"on off" optional:"yes"`
	// Far is how much longer than in the half of the L2 that is near an SM a line is fetched from the other one, there and back. If it is
	// left out or 0, all partitions are equally near.
	Far Number `toml:"far" unit:"core cycles" min:"0" max:"100000" optional:"yes"`
}

// DRAM holds the memory behind each partition, or behind the shared cache of an
// integrated machine. All times but Latency and those of the latter are in cycles of its
// own clock.
type DRAM struct {
	Latency Number `toml:"latency" core:"scoreboard" unit:"core cycles" min:"0" max:"100000"`
	Queue   Number `toml:"queue" core:"scoreboard" unit:"requests per partition" min:"1" max:"4096"`
	// Order is in which order banks serve requests; left out it is FRFCFS.
	Order Choice[Order] `toml:"order" core:"scoreboard" choices:"fr-fcfs fcfs random lifo" optional:"yes"`
	Banks Number        `toml:"banks" unit:"banks per partition" integrated:"banks" min:"1" max:"256" shape:"power of two"`
	Row   Number        `toml:"row" unit:"bytes per bank" min:"32" max:"65536" shape:"power of two"`
	Burst Number        `toml:"burst" core:"scoreboard" unit:"bytes" min:"1" max:"256" shape:"power of two"`
	CCD   Number        `toml:"ccd" core:"scoreboard" unit:"DRAM cycles" min:"1" max:"100000"`
	RRD   Number        `toml:"rrd" core:"scoreboard" unit:"DRAM cycles" min:"0" max:"100000"`
	RCD   Number        `toml:"rcd" core:"scoreboard" unit:"DRAM cycles" min:"1" max:"100000"`
	RAS   Number        `toml:"ras" core:"scoreboard" unit:"DRAM cycles" min:"1" max:"100000"`
	RP    Number        `toml:"rp" core:"scoreboard" unit:"DRAM cycles" min:"1" max:"100000"`
	RC    Number        `toml:"rc" core:"scoreboard" unit:"DRAM cycles" min:"1" max:"100000"`
	CL    Number        `toml:"cl" core:"scoreboard" unit:"DRAM cycles" min:"1" max:"100000"`
	WL    Number        `toml:"wl" core:"scoreboard" unit:"DRAM cycles" min:"1" max:"100000"`
	CDLR  Number        `toml:"cdlr" core:"scoreboard" unit:"DRAM cycles" min:"0" max:"100000"`
	WR    Number        `toml:"wr" core:"scoreboard" unit:"DRAM cycles" min:"0" max:"100000"`
	// Background is what others than the kernel move to and from all partitions together: a CPU, a display, other engines.
	Background Number `toml:"background" core:"scoreboard" unit:"bytes per second" min:"1" max:"100000000000000" optional:"yes"`

	Slot     Number `toml:"slot" core:"integrated" unit:"core cycles" min:"1" max:"1024"`
	Open     Number `toml:"open" core:"integrated" unit:"core cycles" min:"1" max:"100000"`
	Conflict Number `toml:"conflict" core:"integrated" unit:"core cycles" min:"1" max:"100000"`
}

// CarveOut is how a launch divides the memory of an SM that shared memory and L1 have together.
type CarveOut struct {
	KiB  int64 // of shared memory
	Ways int64 // of the L1
}

// SortedCarveOuts returns the ways to divide the memory of an SM, from the least shared memory on: none if the L1 is as it is
// whatever a launch needs. The keys of the description must be in order.
func (m *Machine) SortedCarveOuts() []CarveOut {
	var all []CarveOut
	for key, ways := range m.CarveOuts {
		kib, _ := strconv.ParseInt(key, 10, 64)
		all = append(all, CarveOut{kib, ways.Value})
	}
	slices.SortFunc(all, func(a, b CarveOut) int { return cmp.Compare(a.KiB, b.KiB) })
	return all
}

// Operations are the timings of groups of operations that differ from those of their classes, by name; a machine need not have
// any. See isa.Groups.
type Operations map[string]Timing

// Guard stands in Dependences for the guard of an instruction, whatever its pipeline, that of a branch among them.
const Guard = "guard"

// Dependence is how many core cycles later than after the latency of the producer's class instructions of a pipeline, or guards,
// can use a result.
type Dependence struct {
	Producer, Consumer string // pipelines; the consumer may be Guard
	Late               Number
}

// Pair returns the key of Dependences for a producer and a consumer.
func Pair(producer, consumer string) string { return producer + " " + consumer }

// SortedDependences returns the dependences between pipelines that take longer than others, in the order of their keys.
func (m *Machine) SortedDependences() []Dependence {
	var all []Dependence
	for _, key := range sortedKeys(m.Dependences) {
		producer, consumer, _ := strings.Cut(key, " ")
		all = append(all, Dependence{producer, consumer, m.Dependences[key]})
	}
	return all
}

// StandIns are the timings of instructions that the machine's generation does not
// have, by the names of isa.Features: what a device of that generation would need
// for them is not known, and a stated number stands in. The source says which class
// or generation it is taken from. A machine without any has all features.
type StandIns map[string]Timing

// StandIn returns the feature of the instruction and its timing if the machine's
// generation lacks it.
func (m *Machine) StandIn(in *isa.Instr) (isa.Feature, Timing, bool) {
	f, ok := in.Feature()
	t, lacks := m.StandIns[f.Name]
	return f, t, ok && lacks
}

// WarmCopies reports whether what the host copies to the GPU is in the L2 when a launch begins, as far as there is room.
func (m *Machine) WarmCopies() bool { return m.L2.Copies.Value == On }

// IndependentThreads reports whether the threads of a warp are scheduled independently of each other: each goes forward
// however long the others loop, and barriers count threads.
func (m *Machine) IndependentThreads() bool { return m.SM.IndependentThreads.Value == On }

// Chance reports whether the machine chooses something at random.
func (m *Machine) Chance() bool {
	return m.SM.Policy.Value == AnyWarp || m.DRAM.Order.Value == AnyRequest
}

// Turns returns, of a machine that schedules threads independently, the number of branches that a warp executes on one path while
// others could run, and that of a diverged warp until lanes that wait for others at a reconvergence point go on without them, unless it spins.
// Nobody has published when a GPU changes paths: the numbers of machines that state none are such that lanes that have work for long are not
// interrupted; a warp that spins is told by its registers.
func (m *Machine) Turns() (path, wait int) {
	path, wait = 1<<16, 1<<16
	if n := m.SM.PathTurn.Value; n > 0 {
		path = int(n)
	}
	if n := m.SM.WaitTurn.Value; n > 0 {
		wait = int(n)
	}
	return path, wait
}

// LockStep reports whether the lanes of a warp that are on one path execute each instruction
// together, so that its program order orders what they do. Devices from sm_70 on do not promise
// that (CUDA C++ Programming Guide, Independent Thread Scheduling): a machine with scoreboards does
// not if it has all features that came with sm_70, unless that is chosen for a run.
func (m *Machine) LockStep() bool {
	if m.Core != Scoreboard {
		return true
	}
	if t := m.SM.IndependentThreads; t.Value == On || t.Source == chosen {
		return t.Value == Off
	}
	for _, f := range isa.Features() {
		if _, lacks := m.StandIns[f.Name]; f.Since == 70 && lacks {
			return true
		}
	}
	return false
}

// Assumed reports whether the source says that nobody has measured or published the numbers.
func (t Timing) Assumed() bool { return strings.Contains(t.Source, "assumed: ") }

// timings tells apart the sections whose keys are names of instructions that a description may leave out.
type timings interface{ timings() map[string]Timing }

func (o Operations) timings() map[string]Timing { return o }
func (s StandIns) timings() map[string]Timing   { return s }

// InstrTiming returns the timing of an instruction: what stands in for it, or that of its product or its group of operations if the
// machine has one, or that of its class.
func (m *Machine) InstrTiming(in *isa.Instr) Timing {
	_, t := m.instrTiming(in)
	return t
}

// instrTiming is InstrTiming with the path of the timing in the description.
func (m *Machine) instrTiming(in *isa.Instr) (string, Timing) {
	if f, t, ok := m.StandIn(in); ok {
		return "stand_ins." + f.Name, t
	}
	if t, ok := m.Tensor[in.Product()]; ok {
		return "tensor." + in.Product(), t
	}
	if len(m.Operations) > 0 {
		for _, g := range isa.Groups() {
			if t, ok := m.Operations[g.Name]; ok && g.Of(in) {
				return "operations." + g.Name, t
			}
		}
	}
	return "classes." + in.Class().String(), m.Timing(in.Class())
}

// Timing returns the timing of a class. Every machine has one for every class
// of isa.Classes.
func (m *Machine) Timing(c isa.Class) Timing { return m.Classes[c.String()] }

// ClockRatio returns the frequencies of core and DRAM divided by their greatest
// common divisor. The machine must have a scoreboard.
func (m *Machine) ClockRatio() (core, dram int64) {
	a, b := m.Clock.Core.Value, m.Clock.DRAM.Value
	for b != 0 {
		a, b = b, a%b
	}
	return m.Clock.Core.Value / a, m.Clock.DRAM.Value / a
}

// Nanoseconds converts core cycles to whole nanoseconds, rounded down.
func (m *Machine) Nanoseconds(cycles int64) int64 {
	hz := m.Clock.Core.Value
	return cycles/hz*1e9 + cycles%hz*1e9/hz
}

// Hash identifies what the description says of the machine: the SHA-256 of its
// name and of every number with its unit, in hexadecimal. Sources, comments, the
// order of a file and the architecture, which no time depends on, do not change it. The core need not be in it, since
// machines with different cores have different numbers.
func (m *Machine) Hash() string {
	h := sha256.New()
	fmt.Fprintf(h, "name %q\n", m.Name)
	for _, r := range m.Rows() {
		fmt.Fprintf(h, "%s %q %q\n", r.Path, r.Value, r.Unit)
	}
	return hex.EncodeToString(h.Sum(nil))
}
