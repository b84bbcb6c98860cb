package warpbound_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rule forbids that a package which matches From depends on one that matches Never. A name ending in /...
// matches the packages below it too, /* only those.
type rule struct {
	From  string
	Never []string
	Why   string
}

// arrows are the import rules of docs/architecture.md: they forbid dependencies, direct or not.
var arrows = []rule{
	{"diag", []string{"warpbound", "estimate", "internal/..."}, "positions know nothing of the project"},
	{"jobs", []string{"warpbound", "estimate", "internal/..."}, "jobs in Go are plain data, which programs that embed the tool can name"},
	{"internal/tomlpos", []string{"internal/isa", "internal/job", "internal/machine"}, "what is said of any document knows none"},
	{"internal/sourceloop", []string{"warpbound", "estimate", "internal/flow/...", "internal/job", "internal/workload", "internal/method/...", "internal/runner/..."}, "what a compiler made of a loop is in the program alone"},
	{"internal/partition", []string{"warpbound", "estimate", "internal/..."}, "boxes have no meaning"},
	{"internal/budget", []string{"estimate", "internal/..."}, "how long something may take depends on nothing"},

	{"internal/compile", []string{"warpbound", "estimate", "internal/isa/*", "internal/machine", "internal/emu", "internal/sim/...", "internal/workload", "internal/runner/...", "internal/method/...", "internal/cli"}, "compilers know no program"},
	{"internal/symbol", []string{"warpbound", "estimate", "internal/..."}, "what a name means does not depend on what has it"},
	{"internal/vec", []string{"estimate", "internal/..."}, "arithmetic on vectors knows no program"},
	{"internal/gcn3", []string{"estimate", "internal/..."}, "machine code knows no program"},
	{"internal/cuda", []string{"estimate", "internal/..."}, "what a driver does is independent of who uses it"},
	{"internal/abi", []string{"internal/..."}, "an address map knows no program"},
	{"internal/calibrate", []string{"internal/isa/*", "internal/emu", "internal/sim/...", "internal/method/...", "internal/job", "internal/workload", "internal/runner/...", "internal/platform", "internal/cuda/*", "internal/cli"}, "what measures devices is given them, simulated ones too"},
	{"internal/cuda/driver", []string{"internal/isa/...", "internal/machine", "internal/emu", "internal/sim/...", "internal/method/...", "internal/job", "internal/workload", "internal/runner/...", "internal/platform", "internal/cli"}, "a binding knows nothing of who uses it"},
	{"internal/workload", []string{"warpbound", "internal/method/...", "internal/runner/...", "internal/sim/...", "internal/cuda/...", "internal/instrument"}, "a job that is ready to run knows neither what runs it nor what bounds it"},
	{"internal/runner", []string{"internal/method/...", "internal/runner/*", "internal/sim/...", "internal/cuda/...", "internal/instrument"}, "the contract knows neither simulators nor devices"},
	{"internal/runner/simulated", []string{"internal/method/...", "internal/cuda/...", "internal/runner/device", "internal/runner/gpu", "internal/instrument", "internal/campaign", "internal/analysis"}, "what simulates knows neither methods nor devices"},
	{"internal/runner/device", []string{"internal/method/...", "internal/sim/...", "internal/runner/simulated", "internal/cuda/*", "internal/campaign", "internal/analysis"}, "a driver is given to what measures on devices"},
	{"internal/runner/gpu", []string{"internal/workload", "internal/method/...", "internal/sim/...", "internal/emu", "internal/machine", "internal/cuda/*", "internal/report", "internal/cli"}, "runs on a device need neither a simulator nor a driver of their own"},
	{"internal/platform", []string{"internal/method/...", "internal/campaign", "internal/analysis", "internal/study/..."}, "what a machine's name means does not depend on what bounds it"},
	{"internal/scaffold", []string{"warpbound", "internal/method/...", "internal/campaign", "internal/analysis", "internal/study/...", "internal/report", "internal/cli"}, "a job is guessed without time, before anything bounds it"},
	{"internal/campaign", []string{"internal/method/...", "internal/sim/...", "internal/cuda/...", "internal/runner/*", "internal/platform", "internal/analysis"}, "what hands inputs to runners knows no runner"},
	{"internal/campaign/store", []string{"internal/method/...", "internal/sim/...", "internal/cuda/...", "internal/runner/*", "internal/platform", "internal/analysis", "internal/study/...", "internal/cli"}, "what keeps outcomes knows nothing that makes them"},
	{"internal/fleet", []string{"warpbound", "internal/job", "internal/workload", "internal/runner/...", "internal/platform", "internal/campaign/...", "internal/method/...", "internal/analysis", "internal/study/...", "internal/selfcheck", "internal/report", "internal/cli"}, "what has work done does not know what it is"},
	{"internal/fleet/runs", []string{"warpbound", "internal/selfcheck", "internal/reproduce", "internal/report", "internal/cli"}, "what has runs made does not know who asks"},
	{"internal/analysis", []string{"internal/sim/...", "internal/cuda/...", "internal/runner/*", "internal/platform", "internal/study/...", "internal/report"}, "what bounds a job sees runners by their contract alone"},
	{"internal/study/*", []string{"warpbound", "internal/report", "internal/selfcheck", "internal/reproduce", "internal/cli"}, "studies know nothing of who asks for them"},
	{"internal/study/compare", []string{"internal/workload", "internal/runner/...", "internal/method/...", "internal/analysis", "internal/sim/..."}, "results are read as they are saved"},
	{"internal/study/changes", []string{"internal/sim/...", "internal/cuda/...", "internal/runner/*", "internal/platform"}, "studies see runners by their contract alone"},
	{"internal/study/check", []string{"internal/workload", "internal/runner/...", "internal/method/...", "internal/analysis", "internal/sim/..."}, "bounds are brought to whoever judges them"},
	{"internal/study/differential", []string{"internal/sim/...", "internal/cuda/...", "internal/runner/*", "internal/platform"}, "a comparison with executions without time needs no simulator"},
	{"internal/study/profile", []string{"internal/method/...", "internal/sim/...", "internal/cuda/...", "internal/runner/*", "internal/platform", "internal/analysis"}, "a profile is of a run, whatever bounds it"},
	{"internal/study/quota", []string{"internal/sim/...", "internal/cuda/...", "internal/runner/*", "internal/platform"}, "studies see runners by their contract alone"},
	{"internal/study/search", []string{"internal/sim/...", "internal/cuda/...", "internal/runner/*", "internal/platform"}, "studies see runners by their contract alone"},
	{"internal/study/sensitivity", []string{"internal/sim/...", "internal/cuda/...", "internal/runner/*", "internal/platform"}, "studies see runners by their contract alone"},
	{"internal/study/splits", []string{"internal/sim/...", "internal/cuda/...", "internal/runner/*", "internal/platform"}, "studies see runners by their contract alone"},
	{"internal/study/suit", []string{"internal/sim/...", "internal/cuda/...", "internal/runner/*", "internal/platform"}, "what suits a module is said without running it"},
	{"internal/cuda/standin", []string{"internal/method/...", "internal/runner/...", "internal/platform", "internal/cli"}, "what stands in for a driver knows no more of its users than a driver"},
	{"internal/constraint", []string{"warpbound", "estimate", "internal/..."}, "constraints do not know what their facts are about"},
	{"internal/graph", []string{"internal/isa/..."}, "graph algorithms know no instruction set"},
	{"internal/ipet", []string{"internal/isa/...", "internal/cfg", "internal/trace"}, "path problems know no instruction set"},
	{"internal/contract", []string{"warpbound", "estimate", "internal/..."}, "relations do not know what their numbers are"},
	{"internal/kernelgen", []string{"estimate", "internal/..."}, "random kernels are text, for whatever reads text"},
	{"internal/synthetic", []string{"estimate", "internal/..."}, "benchmarks are text, for whatever reads text"},
	{"internal/stream", []string{"internal/isa/...", "internal/machine", "internal/emu", "internal/sim/...", "internal/method/..."}, "a stream of accesses knows no machine"},
	{"internal/smt", []string{"estimate", "internal/..."}, "formulas know no program and start no process"},
	{"internal/smt/...", []string{"internal/isa", "internal/emu"}, "solvers know no program"},
	{"internal/symexec", []string{"internal/isa/*", "internal/machine", "internal/emu", "internal/sim/...", "internal/method/...", "internal/trace"}, "paths have no timing, and share with emu, which replays them, single results alone"},
	{"internal/trace", []string{"estimate", "internal/..."}, "traces also come from elsewhere"},
	{"internal/isa", []string{"internal/isa/*", "internal/cfg", "internal/machine", "internal/emu", "internal/sim/..."}, "the program is neutral: no syntax, no timing"},
	{"internal/taint", []string{"internal/isa/*", "internal/machine", "internal/sim/...", "internal/trace", "internal/method/..."}, "what inputs reach has no timing"},
	{"internal/race", []string{"internal/isa/*", "internal/machine", "internal/emu", "internal/sim/...", "internal/method/..."}, "the order of accesses has nothing to do with how they are executed"},
	{"internal/cfg", []string{"internal/isa/*", "internal/machine", "internal/emu", "internal/sim/...", "internal/method/..."}, "flow graphs have no timing"},
	{"internal/splitting/...", []string{"internal/isa/*", "internal/flow/...", "internal/machine", "internal/emu", "internal/sim/...", "internal/method/..."}, "a pass over programs has no timing"},
	{"internal/flow", []string{"internal/isa/*", "internal/machine", "internal/emu", "internal/sim/...", "internal/method/..."}, "flow facts have no timing"},
	{"internal/flow/gated", []string{"internal/isa/*", "internal/machine", "internal/emu", "internal/sim/...", "internal/method/..."}, "forms have no timing"},
	{"internal/flow/strided", []string{"internal/isa", "internal/isa/*", "internal/cfg", "internal/graph", "internal/flow/*", "internal/machine", "internal/alu", "internal/emu", "internal/semantics", "internal/sim/...", "internal/method/..."}, "sets of words know no program"},
	{"internal/flow/launchfacts", []string{"internal/isa/*", "internal/cfg", "internal/flow/access", "internal/flow/agreement", "internal/flow/fixpoint", "internal/flow/loopbound", "internal/flow/transfer", "internal/flow/value", "internal/machine", "internal/alu", "internal/emu", "internal/semantics", "internal/sim/...", "internal/method/..."}, "what is known of a launch is known before it is analysed"},
	{"internal/flow/affine", []string{"internal/isa/*", "internal/cfg", "internal/flow/access", "internal/flow/agreement", "internal/flow/fixpoint", "internal/flow/loopbound", "internal/flow/transfer", "internal/flow/value", "internal/machine", "internal/alu", "internal/emu", "internal/semantics", "internal/sim/...", "internal/method/..."}, "forms know no flow of control"},
	{"internal/flow/transfer", []string{"internal/isa/*", "internal/flow/access", "internal/flow/agreement", "internal/flow/fixpoint", "internal/flow/loopbound", "internal/flow/value", "internal/machine", "internal/alu", "internal/emu", "internal/semantics", "internal/sim/...", "internal/method/..."}, "what instructions make of values does not depend on the order in which they are executed"},
	{"internal/flow/fixpoint", []string{"internal/isa/*", "internal/flow/access", "internal/flow/agreement", "internal/flow/loopbound", "internal/flow/value", "internal/machine", "internal/alu", "internal/emu", "internal/semantics", "internal/sim/...", "internal/method/..."}, "a solution is found before anything follows from it"},
	{"internal/flow/agreement", []string{"internal/isa/*", "internal/flow/access", "internal/flow/loopbound", "internal/flow/value", "internal/machine", "internal/alu", "internal/emu", "internal/semantics", "internal/sim/...", "internal/method/..."}, "what lanes agree on follows from a solution"},
	{"internal/flow/loopbound", []string{"internal/isa/*", "internal/flow/access", "internal/flow/value", "internal/machine", "internal/alu", "internal/emu", "internal/semantics", "internal/sim/...", "internal/method/..."}, "bounds of loops are a pass after the solution"},
	{"internal/flow/access", []string{"internal/isa/*", "internal/flow/value", "internal/machine", "internal/alu", "internal/emu", "internal/semantics", "internal/sim/...", "internal/method/..."}, "accesses are described after the solution"},
	{"internal/flow/value", []string{"internal/isa/*", "internal/machine", "internal/alu", "internal/emu", "internal/semantics", "internal/sim/...", "internal/method/..."}, "values have no timing and are found without executing"},
	{"internal/flow/divergence", []string{"internal/isa/*", "internal/machine", "internal/alu", "internal/emu", "internal/semantics", "internal/sim/...", "internal/method/..."}, "verdicts have no timing"},
	{"internal/flow/ranking", []string{"internal/isa/*", "internal/machine", "internal/emu", "internal/sim/...", "internal/method/...", "internal/smt/process"}, "ranking functions have no timing, and whoever finds them starts no solver"},
	{"internal/flow/promote", []string{"internal/isa/*", "internal/machine", "internal/alu", "internal/emu", "internal/semantics", "internal/sim/...", "internal/method/..."}, "what analyses take for registers is found without executing"},
	{"internal/flow/racefree", []string{"internal/isa/*", "internal/machine", "internal/alu", "internal/emu", "internal/race", "internal/semantics", "internal/sim/...", "internal/method/..."}, "a verdict on races is found without executing"},
	{"internal/machine", []string{"internal/cfg", "internal/emu", "internal/sim/...", "internal/method/..."}, "a machine is a description"},
	{"internal/alu", []string{"internal/isa/*", "internal/abi", "internal/cfg", "internal/graph", "internal/flow/...", "internal/machine", "internal/emu", "internal/semantics", "internal/sim/...", "internal/trace", "internal/method/..."}, "what an instruction computes has no place and no time"},
	{"internal/emu", []string{"internal/isa/*", "internal/machine", "internal/sim/...", "internal/trace", "internal/method/..."}, "semantics have no timing"},
	{"internal/scalar", []string{"internal/isa/*", "internal/machine", "internal/alu", "internal/emu", "internal/sim/...", "internal/semantics", "internal/method/..."}, "a second opinion shares nothing with the first"},
	{"internal/absexec", []string{"internal/isa/*", "internal/machine", "internal/emu", "internal/sim/...", "internal/method/...", "internal/trace", "internal/ipet"}, "abstract execution has no timing, and shares with emu single results alone"},
	{"internal/semantics", []string{"internal/isa/*", "internal/cfg", "internal/machine", "internal/emu", "internal/sim/...", "internal/trace", "internal/method/..."}, "facts of a launch are found without executing it"},
	{"internal/sim/...", []string{"internal/isa/*", "internal/method/...", "internal/ipet", "internal/flow/...", "internal/workload", "internal/runner/...", "internal/platform"}, "the simulator is independent evidence against the methods"},
	{"internal/sim", []string{"internal/sim/*"}, "the contract of simulators knows none of them"},
	{"internal/sim/scoreboard", []string{"internal/sim/*"}, "simulators share their contract, and those of in-order cores what is in core"},
	{"internal/sim/core", []string{"internal/sim/barrel", "internal/sim/integrated", "internal/sim/scoreboard", "internal/sim/split"}, "what simulators share knows none of them"},
	{"internal/sim/barrel", []string{"internal/sim/integrated", "internal/sim/scoreboard", "internal/sim/split"}, "simulators do not know each other"},
	{"internal/sim/integrated", []string{"internal/sim/barrel", "internal/sim/scoreboard", "internal/sim/split"}, "simulators do not know each other"},
	{"internal/sim/split", []string{"internal/sim/barrel", "internal/sim/integrated", "internal/sim/scoreboard"}, "simulators do not know each other"},
	{"internal/test/...", []string{"internal/method/..."}, "the tests of all rooms may use the helpers"},
	{"internal/test/arithmetic", []string{"warpbound", "estimate", "internal/isa/*", "internal/alu", "internal/vec", "internal/scalar", "internal/semantics", "internal/saturating", "internal/machine", "internal/emu", "internal/flow/..."}, "an oracle shares nothing with what it is held against"},
	{"internal/test/emutest", []string{"internal/sim/..."}, "the tests of simulators and methods use it"},
	{"internal/test/fleettest", []string{"internal/fleet/..."}, "the tests of workers use it"},
	{"internal/test/jobtest", []string{"internal/analysis", "internal/campaign", "internal/study/..."}, "the tests of what runs and bounds jobs use it"},
	{"internal/test/simtest", []string{"internal/sim/*"}, "the tests of simulators use it"},
	{"internal/test/smttest", []string{"internal/isa", "internal/emu"}, "solvers know no program"},
	{"internal/test/fuzzsource", []string{"internal/isa", "internal/machine", "internal/job"}, "decisions have no meaning"},
	{"internal/test/goldentest", []string{"estimate", "internal/..."}, "texts have no meaning"},
	{"internal/test/pagetest", []string{"estimate", "internal/..."}, "pages have no meaning"},
	{"internal/test/isatest", []string{"internal/isa/*", "internal/machine", "internal/job", "internal/emu"}, "the table of operations is neutral"},
	{"internal/test/interleavings", []string{"estimate", "internal/..."}, "what threads can do in any order is written from the manual alone"},
	{"internal/test/interp", []string{"internal/isa/*", "internal/machine", "internal/emu", "internal/sim/..."}, "forms are executed by what shares single results with emu alone"},
	{"internal/method/...", []string{"internal/isa/*", "internal/sim/...", "internal/emu", "internal/job", "internal/workload", "internal/runner/...", "internal/platform", "internal/campaign", "internal/analysis", "internal/study/..."}, "the methods are independent of what they are tested against"},
	{"internal/method/search", []string{"internal/isa/*", "internal/machine", "internal/workload", "internal/runner/...", "internal/trace"}, "whoever runs the kernel is behind an interface"},
	{"internal/method/search/genetic", []string{"estimate", "internal/..."}, "genes have no meaning"},
	{"internal/method/search/guided", []string{"estimate", "internal/emu", "internal/isa/*", "internal/job", "internal/machine", "internal/workload", "internal/runner/...", "internal/sim/..."}, "whoever runs the kernel is behind an interface"},
	{"internal/method/llc/published", []string{"estimate", "internal/..."}, "published equations know only latencies"},
	{"internal/method", []string{"internal/method/*", "internal/workload", "internal/runner/...", "internal/instrument", "internal/report", "internal/cli"}, "the contract knows no method, and nothing that runs"},
	{"internal/method/charge", []string{"internal/method", "internal/method/*", "internal/absexec"}, "what methods share knows none of them"},
	{"internal/method/cells", []string{"internal/method", "internal/method/*"}, "what methods share knows none of them"},
	{"internal/method/cost", []string{"internal/method", "internal/method/*"}, "what methods share knows none of them"},
	{"internal/flow/influence", []string{"internal/isa/*", "internal/machine", "internal/alu", "internal/emu", "internal/taint", "internal/semantics", "internal/sim/...", "internal/method/..."}, "what inputs reach is found without executing, for doubts alone"},
	{"internal/method/untested", []string{"internal/method/*"}, "what methods share knows no method"},
	{"internal/adversary", []string{"warpbound", "internal/sim/...", "internal/runner/...", "internal/platform", "internal/campaign", "internal/analysis", "internal/study/..."}, "whoever runs inputs tells how long they took"},
	{"internal/method/reach", []string{"internal/method/*"}, "what methods share knows no method"},
	{"internal/method/cta/...", []string{"internal/method/hybrid/...", "internal/method/llc/...", "internal/method/search/...", "internal/method/split/..."}, "methods do not know each other"},
	{"internal/method/greedy", []string{"internal/method/cta/...", "internal/method/hybrid/...", "internal/method/llc/...", "internal/method/oblivious", "internal/method/search/...", "internal/method/split/..."}, "methods do not know each other"},
	{"internal/method/hybrid/...", []string{"internal/method/cta/...", "internal/method/llc/...", "internal/method/search/...", "internal/method/split/..."}, "methods do not know each other"},
	{"internal/method/llc/...", []string{"internal/method/cta/...", "internal/method/hybrid/...", "internal/method/search/...", "internal/method/split/..."}, "methods do not know each other"},
	{"internal/method/oblivious", []string{"internal/method/cta/...", "internal/method/hybrid/...", "internal/method/llc/...", "internal/method/search/...", "internal/method/split/...", "internal/taint", "internal/runner/...", "internal/sim/..."}, "methods do not know each other, nor what runs or follows anything"},
	{"internal/method/phases", []string{"internal/method/cta/...", "internal/method/greedy", "internal/method/hybrid/...", "internal/method/llc/...", "internal/method/oblivious", "internal/method/search/...", "internal/method/split/..."}, "methods do not know each other"},
	{"internal/method/search/...", []string{"internal/method/cta/...", "internal/method/hybrid/...", "internal/method/llc/...", "internal/method/split/..."}, "methods do not know each other"},
	{"internal/method/split/...", []string{"internal/method/cta/...", "internal/method/hybrid/...", "internal/method/llc/...", "internal/method/search/..."}, "methods do not know each other"},
	{"internal/method/llc/reuse", []string{"estimate", "internal/..."}, "sequences of lines know no programs and no timing"},
	{"estimate", []string{"warpbound", "internal/..."}, "results compute nothing, and programs that embed the tool name all that is in them"},
	{"internal/certify", []string{"warpbound", "internal/..."}, "a format depends on results alone"},
	{"internal/certify/words", []string{"warpbound", "estimate", "internal/..."}, "words have no meaning"},
	{"internal/premise", []string{"warpbound", "estimate", "internal/..."}, "words of assumptions know nothing of what they are about"},
	{"internal/certify/loops", []string{"warpbound", "estimate", "internal/..."}, "a checker has a graph of its own"},
	{"internal/certify/check", []string{"internal/isa/*", "internal/graph", "internal/cfg", "internal/flow/...", "internal/absexec", "internal/alu", "internal/semantics", "internal/symexec", "internal/ipet", "internal/emu", "internal/sim/...", "internal/workload", "internal/method/...", "internal/analysis", "internal/certify/maker"}, "a checker shares no analysis with what it checks"},
	{"internal/certify/obligations", []string{"internal/emu", "internal/sim/...", "internal/workload", "internal/method/...", "internal/analysis", "internal/certify/maker", "internal/flow/access", "internal/flow/agreement", "internal/flow/fixpoint", "internal/flow/loopbound", "internal/flow/transfer", "internal/flow/value", "internal/smt/process"}, "formulas are made of certificates, not of analyses"},
	{"internal/certify/maker", []string{"internal/emu", "internal/sim/...", "internal/workload", "internal/method/cta/...", "internal/method/hybrid/...", "internal/method/llc/...", "internal/method/split/...", "internal/analysis"}, "certificates are made of what the methods found"},
	{"internal/causes", []string{"warpbound", "estimate", "internal/..."}, "who reports events says what they are"},
	{"internal/halt", []string{"warpbound", "internal/..."}, "why work ends does not depend on what works"},
	{"internal/provenance", []string{"warpbound", "internal/..."}, "which build it is depends on nothing"},
	{"internal/suggest", []string{"warpbound", "estimate", "internal/..."}, "names have no meaning"},
	{"internal/report/layered", []string{"warpbound", "estimate", "internal/..."}, "a drawing knows boxes and lines"},
	{"internal/report/chart", []string{"warpbound", "estimate", "diag", "internal/report", "internal/symbol", "internal/isa/...", "internal/sim/...", "internal/method/...", "internal/job", "internal/workload", "internal/analysis", "internal/study/...", "internal/cli"}, "a chart knows numbers and names"},
	{"internal/report/*", []string{"internal/method/...", "internal/sim/...", "internal/emu", "internal/job", "internal/workload", "internal/runner/...", "internal/platform", "internal/campaign", "internal/analysis", "internal/study/...", "internal/cli"}, "reports only render"},
	{"internal/report", []string{"internal/method/...", "internal/sim/...", "internal/emu", "internal/job", "internal/workload", "internal/runner/...", "internal/platform", "internal/campaign", "internal/analysis", "internal/study/...", "internal/cli"}, "reports only render"},
	{"internal/isa/ptx", []string{"internal/isa/minisimt", "internal/isa/klang", "internal/cfg", "internal/flow/...", "internal/machine", "internal/emu", "internal/sim/..."}, "a front end ends at isa"},
	{"internal/isa/minisimt", []string{"internal/isa/ptx", "internal/isa/klang", "internal/cfg", "internal/flow/...", "internal/machine", "internal/emu", "internal/sim/..."}, "a front end ends at isa"},
	{"internal/isa/klang", []string{"internal/isa/ptx", "internal/cfg", "internal/flow/...", "internal/machine", "internal/emu", "internal/sim/..."}, "a compiler ends at machine code"},
	{"internal/instrument", []string{"internal/isa/minisimt", "internal/isa/klang", "internal/cuda/...", "internal/machine", "internal/emu", "internal/sim/...", "internal/workload", "internal/runner/...", "internal/method/...", "internal/job"}, "instrumentation knows texts and buffers, not what runs or analyses them"},
	{"internal/ifconvert", []string{"warpbound", "estimate", "internal/isa/minisimt", "internal/isa/klang", "internal/flow/...", "internal/machine", "internal/emu", "internal/sim/...", "internal/workload", "internal/runner/...", "internal/method/...", "internal/analysis", "internal/study/...", "internal/job"}, "what is written in place of branches is found in the program alone"},
	{"internal/isa/clex", []string{"internal/isa"}, "tokens have no meaning"},
	{"internal/test/effort", []string{"internal/..."}, "the tests of all packages use it"},
	{"kernels", []string{"estimate", "internal/..."}, "reference results are independent of the tool"},
}

// direct are rules about what packages import themselves. They are for those that reach, through what they
// use, what they must not use themselves.
var direct = []rule{
	{"warpbound", []string{"internal/isa/...", "internal/cfg", "internal/flow/...", "internal/emu", "internal/sim/...", "internal/absexec", "internal/cuda/...", "internal/runner/*", "internal/method/cta/...", "internal/method/hybrid/...", "internal/method/llc/...", "internal/method/split/..."}, "the facade has no logic"},
	{"internal/platform", []string{"internal/isa/...", "internal/cfg", "internal/emu", "internal/sim/...", "internal/runner/gpu", "internal/trace"}, "platforms are found here, and run elsewhere"},
	{"internal/runner", []string{"internal/isa/...", "internal/cfg", "internal/emu", "internal/machine"}, "the contract says what goes in and out"},
	{"internal/campaign", []string{"internal/isa/...", "internal/cfg", "internal/emu", "internal/machine"}, "inputs and times have no program"},
	{"internal/analysis", []string{"internal/isa/...", "internal/emu", "internal/alu"}, "what programs mean is up to workloads and methods"},
	{"internal/study/*", []string{"internal/sim/...", "internal/emu", "internal/alu", "internal/cuda/*"}, "studies take bounds and runs, however these are made"},
	{"internal/study/quota", []string{"internal/runner/..."}, "a quota is chosen by bounds"},
	{"internal/selfcheck", []string{"internal/sim/...", "internal/emu", "internal/runner/...", "internal/method/..."}, "what holds of kernels is checked from outside"},
	{"internal/cli", []string{"internal/isa/...", "internal/cfg", "internal/emu", "internal/sim/...", "internal/runner/...", "internal/campaign", "internal/analysis", "internal/study/...", "internal/method/..."}, "commands ask the public package"},
}

// files are the only packages that may open files or start processes.
var files = []string{"internal/cli", "internal/job", "internal/workload", "internal/campaign/store", "internal/study/splits", "internal/smt/process", "internal/compile", "internal/test/smttest", "internal/test/effort", "internal/test/goldentest", "internal/test/pagetest", "cmd/warpbound", "cmd/samejson"}

// goList runs go list. It opens all sources itself too, so that a result in the test cache
// is not taken for that of others: the cache does not see what another process reads.
func goList(t *testing.T, args ...string) []string {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".go" {
			_, err = os.Stat(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list %s: %v", strings.Join(args, " "), err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

func matches(pkg, pattern string) bool {
	name := strings.TrimPrefix(pkg, "warpbound/")
	if above, only := strings.CutSuffix(pattern, "/*"); only {
		return strings.HasPrefix(name, above+"/")
	}
	below, tree := strings.CutSuffix(pattern, "/...")
	return name == below || tree && strings.HasPrefix(name, below+"/")
}

// dependencies returns what a package of the project depends on in the project.
func dependencies(pkg string, imports map[string][]string) []string {
	var deps []string
	var visit func(string)
	visit = func(p string) {
		for _, next := range imports[p] {
			if slices.Contains(deps, next) || !strings.HasPrefix(next, "warpbound/") {
				continue
			}
			deps = append(deps, next)
			visit(next)
		}
	}
	visit(pkg)
	return deps
}

func TestImportRules(t *testing.T) {
	imports := make(map[string][]string)
	for _, line := range goList(t, "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...") {
		pkg, list, _ := strings.Cut(line, " ")
		imports[pkg] = strings.Fields(list)
	}
	keep := func(rules []rule, verb string, of func(pkg string) []string) {
		for _, r := range rules {
			used := false
			for pkg := range imports {
				if !matches(pkg, r.From) {
					continue
				}
				used = true
				for _, dep := range of(pkg) {
					for _, never := range r.Never {
						if matches(dep, never) && !matches(dep, r.From) {
							t.Errorf("%s %s %s: %s", pkg, verb, dep, r.Why)
						}
					}
				}
			}
			if !used {
				t.Errorf("the rule for %s matches no package", r.From)
			}
		}
	}
	keep(arrows, "depends on", func(pkg string) []string { return dependencies(pkg, imports) })
	keep(direct, "imports", func(pkg string) []string { return imports[pkg] })
}

// TestOnlyTestsUseHelpers finds no import of the helpers of tests but in tests.
func TestOnlyTestsUseHelpers(t *testing.T) {
	for _, line := range goList(t, "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...") {
		pkg, imports, _ := strings.Cut(line, " ")
		if matches(pkg, "internal/test/...") {
			continue
		}
		for _, imp := range strings.Fields(imports) {
			if matches(imp, "internal/test/...") {
				t.Errorf("%s imports %s, but is no test", pkg, imp)
			}
		}
	}
}

func TestOnlySomeRoomsOpenFiles(t *testing.T) {
	for _, line := range goList(t, "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...") {
		pkg, imports, _ := strings.Cut(line, " ")
		if slices.ContainsFunc(files, func(f string) bool { return matches(pkg, f) }) {
			continue
		}
		for _, imp := range strings.Fields(imports) {
			if imp == "os" || imp == "os/exec" || imp == "path/filepath" {
				t.Errorf("%s imports %s: only %s may", pkg, imp, strings.Join(files, ", "))
			}
		}
	}
}

// TestPackagesHaveRows finds each package in the table of docs/architecture.md, and nothing else there.
func TestPackagesHaveRows(t *testing.T) {
	text, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			continue
		}
		for name := range strings.SplitSeq(cells[1], ", ") {
			rows = append(rows, strings.Trim(name, " `"))
		}
	}
	for _, pkg := range goList(t, "./...") {
		room := strings.TrimPrefix(pkg, "warpbound/")
		if room == "warpbound" {
			room = "warpbound.go` and its neighbours"
		}
		at := slices.Index(rows, room)
		if at < 0 {
			t.Errorf("%s has no row", pkg)
			continue
		}
		rows = slices.Delete(rows, at, at+1)
	}
	if len(rows) != 2 { // the head of the table
		t.Errorf("rows of no package, or several of one: %q", rows)
	}
}

func TestPackagesHaveComments(t *testing.T) {
	for _, pkg := range goList(t, "-f", "{{if not .Doc}}{{.ImportPath}}{{end}}", "./...") {
		if pkg != "" {
			t.Errorf("%s has no package comment", pkg)
		}
	}
}
