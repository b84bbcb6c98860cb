package certify

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"warpbound/estimate"
)

// Arithmetic checks that the claim is what the method makes of the figures of the certificate, and of the
// bound of its path problem, and that the figures are those of the launch on the machine if that is not nil: an error says what
// they are instead.
func Arithmetic(c *Certificate, path int64, on *Machine) error {
	f := figures{by: make(map[string]int64)}
	for i := range c.Facts {
		fact := &c.Facts[i]
		if fact.Kind != Figure {
			continue
		}
		if _, twice := f.by[fact.At]; twice {
			return fmt.Errorf("figure %s stands there twice", fact.At)
		}
		f.by[fact.At] = fact.Value
	}
	var sum *big.Int
	switch method := c.Claim.Method; method {
	case "hybrid/warp":
		sum = big.NewInt(path)
	case "hybrid/dynamic":
		sum = add(f.get("warp"), f.get("jitter"))
		f.is("warp", path)
	case "hybrid/waves":
		waves := f.get("waves")
		stall := mul(add(f.get("warps_per_wave"), big.NewInt(-1)), f.get("delta"))
		sum = add(mul(waves, add(f.get("warp"), stall)), mul(add(waves, big.NewInt(-1)), f.get("gap")), f.get("first_start"))
		f.is("warp", path)
	case "hybrid/list":
		sum = add(f.get("first_start"), f.slots(), f.get("spread"), f.get("warp"))
		f.is("warp", path)
		if n := f.get("ctas"); on != nil && f.err == nil && n.Cmp(big.NewInt(on.CTAs)) > 0 { // there may be fewer, of one multiprocessor
			return fmt.Errorf("figure ctas is %d, and the launch has %d", n, on.CTAs)
		}
	case "static/cta":
		sum = f.get("dispatch")
		for i := 0; f.has(wave(i, "times")); i++ {
			sum = add(sum, mul(f.get(wave(i, "times")), f.get(wave(i, "cycles"))))
			f.same(wave(i, "cycles"), add(f.get(wave(i, "issue")), f.get(wave(i, "stall"))))
		}
		if on != nil {
			f.waves(on)
		}
	case "static/greedy":
		sum = new(big.Int)
		for _, term := range []string{"chain", "dispatch", "issue", "pipelines", "unit", "stalls", "crossbar", "caches", "tags", "blocked", "dram"} {
			sum.Add(sum, f.get(term))
		}
	case "static/oblivious":
		if c.Replay == nil {
			return errors.New("it has no run that stands for all")
		}
		sum = big.NewInt(c.Replay.Cycles)
		f.is("executions", 1)
	case "static/llc-simple", "static/llc-interval":
		sum = add(f.get("issue"), f.get("stall"), f.get("dispatch"))
	case "split/none", "split/dws", "split/pws":
		rounds := f.get("rounds")
		sum = add(mul(rounds, f.get("dispatch")), f.get("service"), f.get("passes"), f.get("last.cycles"))
		if on != nil {
			f.is("dispatch", on.Dispatch)
			f.is("groups", share(on.CTAs, on.SMs))
			f.is("rounds", share(share(on.CTAs, on.SMs), f.get("slots").Int64()))
		}
		if f.has("full.cycles") != (rounds.Cmp(big.NewInt(1)) > 0) {
			return fmt.Errorf("it has %d rounds, and other figures", rounds)
		}
		if f.has("full.cycles") {
			sum = add(sum, mul(add(rounds, big.NewInt(-1)), f.get("full.cycles")))
		}
		if f.has("schedule.rounds") {
			sum = add(mul(f.get("schedule.rounds"), f.get("dispatch")), f.get("schedule.wavefronts"))
		}
	default:
		return fmt.Errorf("there is no method %q", method)
	}
	if f.err != nil {
		return f.err
	}
	if sum.Cmp(big.NewInt(c.Claim.Cycles)) != 0 {
		return fmt.Errorf("it claims %d cycles, and its figures make %d", c.Claim.Cycles, sum)
	}
	return labels(c)
}

// labels checks that the claim is not stronger than the times that it rests on, that nobody calls proven
// what was measured, and that a static method rests on no runs.
func labels(c *Certificate) error {
	measured := strings.HasPrefix(c.Claim.Method, "hybrid/")
	switch {
	case measured && (c.Runs == nil || c.Path == nil):
		return fmt.Errorf("%s rests on runs and the path problem of a warp, and it lacks them", c.Claim.Method)
	case c.Replay != nil && c.Claim.Method != "static/oblivious":
		return fmt.Errorf("it has a run that stands for all, on which %s does not rest", c.Claim.Method)
	case !measured && (c.Runs != nil || c.Path != nil):
		return fmt.Errorf("it has runs or the path problem of a warp, on which %s does not rest", c.Claim.Method)
	}
	for i := range c.Facts {
		f := &c.Facts[i]
		if f.Kind != Figure && f.Kind != Edge {
			continue
		}
		if measured && f.Evidence != estimate.Observed {
			return fmt.Errorf("%s is called %s, and a measured method has it from runs", f, f.Evidence)
		}
		if estimate.Weakest(f.Evidence, c.Claim.Evidence) != c.Claim.Evidence {
			return fmt.Errorf("it claims to be %s, and %s is %s", c.Claim.Evidence, f, f.Evidence)
		}
	}
	return nil
}

// Machine is what the composition of a claim needs to know of a launch on a machine.
type Machine struct {
	CTAs     int64 // of the launch
	SMs      int64 // to which they are distributed in turn
	Dispatch int64 // cycles of a wave or round
}

// share is how many of a number of things one of several has that has most.
func share(all, among int64) int64 {
	if among < 1 {
		return 0
	}
	return (all + among - 1) / among
}

// waves checks that the waves of static/cta hold the CTAs of their multiprocessor, each with its dispatch.
func (f *figures) waves(on *Machine) {
	times, ctas := new(big.Int), new(big.Int)
	for i := 0; f.has(wave(i, "times")); i++ {
		times = add(times, f.get(wave(i, "times")))
		ctas = add(ctas, mul(f.get(wave(i, "times")), f.get(wave(i, "ctas"))))
	}
	f.same("dispatch", mul(times, big.NewInt(on.Dispatch)))
	sm := f.get("sm")
	if own := big.NewInt(share(on.CTAs-sm.Int64(), on.SMs)); f.err == nil && (sm.Sign() < 0 || ctas.Cmp(own) != 0) {
		f.err = fmt.Errorf("its waves hold %d CTAs, and SM %d has %d", ctas, sm, own)
	}
}

// slots checks the times for which CTAs hold all slots of a machine, and returns the least of them.
func (f *figures) slots() *big.Int {
	n, slots := f.get("ctas"), f.get("slots")
	if f.err == nil && (n.Sign() < 1 || slots.Sign() < 1) {
		f.err = fmt.Errorf("it has %d CTAs and %d slots", n, slots)
	}
	if f.err != nil {
		return new(big.Int)
	}
	before, gap := add(n, big.NewInt(-1)), f.get("gap")
	rounds := add(new(big.Int).Div(before, slots), big.NewInt(1))
	f.same("rounds", rounds)
	f.same("by_rounds", mul(add(rounds, big.NewInt(-1)), add(f.get("longest"), gap)))
	f.same("by_sum", new(big.Int).Div(add(f.get("total"), mul(before, gap)), slots))
	if byRounds, bySum := f.get("by_rounds"), f.get("by_sum"); byRounds.Cmp(bySum) < 0 {
		return byRounds
	}
	return f.get("by_sum")
}

func wave(i int, name string) string { return fmt.Sprintf("waves[%d].%s", i, name) }

// figures are numbers by their names.
type figures struct {
	by  map[string]int64
	err error // the first that is missing or does not agree
}

func (f *figures) has(name string) bool { _, ok := f.by[name]; return ok }

func (f *figures) get(name string) *big.Int {
	n, ok := f.by[name]
	if !ok && f.err == nil {
		f.err = fmt.Errorf("it has no figure %s", name)
	}
	return big.NewInt(n)
}

func (f *figures) is(name string, n int64) { f.same(name, big.NewInt(n)) }

func (f *figures) same(name string, n *big.Int) {
	if have := f.get(name); f.err == nil && have.Cmp(n) != 0 {
		f.err = fmt.Errorf("figure %s is %d, and follows to be %d", name, have, n)
	}
}

func add(all ...*big.Int) *big.Int {
	sum := new(big.Int)
	for _, n := range all {
		sum.Add(sum, n)
	}
	return sum
}

func mul(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }
