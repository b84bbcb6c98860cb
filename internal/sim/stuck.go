package sim

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"warpbound/diag"
	"warpbound/internal/emu"
	"warpbound/internal/symbol"
)

// Waiting is the state of a warp that had not retired when a run was given up.
type Waiting struct {
	SM, CTA, Warp int // the warp within its CTA, which is one of the grid
	Split         int // as in Step
	Emu           *emu.Warp
	Site
}

// Site is where a warp is and what it waits for there.
type Site struct {
	PC     int      // index of its next instruction, or of the barrier at which it waits
	Instr  string   // that instruction
	Pos    diag.Pos // in the module
	Loc    diag.Pos // in the source that the compiler was given
	Active uint64   // lanes that take part in it, whatever its guard
	Alive  uint64   // lanes whose threads have not exited
	Depth  int      // entries of the reconvergence stack
	What   string   // what it waits for
}

// StuckError says that a run was given up, and where its warps were.
type StuckError struct {
	Kernel  string
	Cycle   int64
	Err     error // ErrCycleLimit, ErrLivelock, or that no warp can go on
	CTAs    int   // of the grid
	Started int   // of them
	Done    int   // of those
	Waiting []int // CTAs that have not started, in ascending order
	Warps   []Waiting
	Loops   []Loop // in which warps recur, in a livelock
}

// Loop is a loop that warps execute again and again.
type Loop struct {
	PC       int      // index of its first instruction
	Pos, Loc diag.Pos // of that, in the module and in the source
	Reads    []string // the places in memory that they read
	Warps    int      // that are in it
	One      Waiting  // of them
}

// ErrLivelock is the cause of the error of a run that never ends although warps execute
// instructions.
var ErrLivelock = fmt.Errorf("%w: all warps repeat a loop or wait at barriers, and nothing that they read can change",
	emu.ErrLivelock)

// FindLoops finds the loops of the warps that recur (emu.Warp.Recurs), on a machine of so many SMs.
// It executes them once more.
func (e *StuckError) FindLoops(code *emu.Code, sms int) error {
	var eff emu.Effect
	for _, w := range e.Warps {
		if !w.Emu.Recurs() {
			continue
		}
		found, err := w.Emu.FollowLoop(&emu.Env{SM: w.SM, SMs: sms}, &eff)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(e.Loops, func(l Loop) bool { return l.PC == found.Start })
		if i < 0 {
			i = len(e.Loops)
			in := code.Instr(found.Start)
			e.Loops = append(e.Loops, Loop{PC: found.Start, Pos: in.Pos, Loc: in.Loc, One: w})
		}
		l := &e.Loops[i]
		l.Warps++
		for _, place := range found.Reads {
			if !slices.Contains(l.Reads, place) {
				l.Reads = append(l.Reads, place)
			}
		}
	}
	return nil
}

// maxPlaces is how many of the places that a loop reads a message names.
const maxPlaces = 3

// String says what the loop waits for.
func (l Loop) String() string {
	text := fmt.Sprintf("the loop at %s", l.Pos)
	if l.Loc.Known() {
		text += fmt.Sprintf(" (%s)", l.Loc)
	}
	if len(l.Reads) == 0 {
		text += " never ends and reads no memory: "
	} else {
		shown := l.Reads[:min(len(l.Reads), maxPlaces)]
		text += " waits for a change of " + strings.Join(shown, ", and of ")
		if n := len(l.Reads) - len(shown); n > 0 {
			text += fmt.Sprintf(", and of %d other places", n)
		}
		text += ": "
	}
	text += warpsOf([]Waiting{l.One})
	if l.Warps > 1 {
		text += fmt.Sprintf(" and %d others", l.Warps-1)
	}
	return text
}

// listRanges lists numbers in ascending order, those that follow each other together.
func listRanges(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		n := 1
		for i+n < len(numbers) && numbers[i+n] == numbers[i]+n {
			n++
		}
		text := fmt.Sprint(numbers[i])
		if n > 1 {
			text += fmt.Sprintf("-%d", numbers[i+n-1])
		}
		parts = append(parts, text)
		i += n
	}
	return strings.Join(parts, ", ")
}

// Error tells the state of every warp; warps in the same state share a line.
func (e *StuckError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s, cycle %d: %v; %d of %d CTAs have started, %d have ended", symbol.Readable(e.Kernel), e.Cycle, e.Err, e.Started, e.CTAs, e.Done)
	if len(e.Loops) > 0 && len(e.Waiting) > 0 {
		fmt.Fprintf(&b, "; CTAs %s have not, and start only where others end: let none wait for more than fit at a time",
			listRanges(e.Waiting))
	}
	for _, l := range e.Loops {
		fmt.Fprintf(&b, "\n\t%s", l)
	}
	sites := map[Site][]Waiting{}
	var order []Site
	for _, w := range e.Warps {
		if sites[w.Site] == nil {
			order = append(order, w.Site)
		}
		sites[w.Site] = append(sites[w.Site], w)
	}
	slices.SortStableFunc(order, func(s, t Site) int { return cmp.Compare(s.PC, t.PC) })
	for _, s := range order {
		fmt.Fprintf(&b, "\n\t%s\n\t\t%s", s, warpsOf(sites[s]))
	}
	return b.String()
}

// String renders the state on one line.
func (s Site) String() string {
	where := ""
	if s.Pos.Known() {
		where = s.Pos.String() + ": "
	}
	if s.Loc.Known() {
		where += "(" + s.Loc.String() + ") "
	}
	if s.Alive == 0 {
		return where + s.What
	}
	return fmt.Sprintf("%sinstruction %d, %s: %s; active lanes %#x, %d of %d alive; stack depth %d",
		where, s.PC, s.Instr, s.What, s.Active, bits.OnesCount64(s.Active), bits.OnesCount64(s.Alive), s.Depth)
}

// warpsOf lists warps by CTA, those of a CTA with consecutive numbers together.
func warpsOf(warps []Waiting) string {
	var parts []string
	for i := 0; i < len(warps); {
		w := warps[i]
		n := 1
		for i+n < len(warps) && warps[i+n].CTA == w.CTA && warps[i+n].Warp == w.Warp+n && warps[i+n].Split == w.Split {
			n++
		}
		text := fmt.Sprintf("SM %d CTA %d warp %d", w.SM, w.CTA, w.Warp)
		if n > 1 {
			text = fmt.Sprintf("SM %d CTA %d warps %d-%d", w.SM, w.CTA, w.Warp, w.Warp+n-1)
		}
		if w.Split > 0 {
			text += fmt.Sprintf(" on split SIMD %d", w.Split)
		}
		parts = append(parts, text)
		i += n
	}
	return strings.Join(parts, ", ")
}

// Unwrap returns the cause.
func (e *StuckError) Unwrap() error { return e.Err }

// As makes it a *diag.LimitError if the run reached its limit, and else a *diag.DeadlockError.
func (e *StuckError) As(target any) bool {
	limit := errors.Is(e.Err, ErrCycleLimit)
	switch to := target.(type) {
	case **diag.LimitError:
		*to = &diag.LimitError{Kernel: e.Kernel, Cycle: e.Cycle, Err: e}
		return limit
	case **diag.DeadlockError:
		*to = &diag.DeadlockError{Kernel: e.Kernel, Cycle: e.Cycle, Err: e}
		return !limit
	}
	return false
}

// SiteOf says where a warp is whose next instruction, or last one if it has
// exited, has the index pc. If it waits at a barrier, that is where it is.
func SiteOf(code *emu.Code, w *emu.Warp, pc int, what string) Site {
	at := Site{PC: pc, Alive: w.Alive(), What: what}
	if w.AtBarrier() {
		at.PC = w.Barrier()
	}
	if w.Depth() > 0 {
		at.Active, at.Depth = w.Active(), w.Depth()
	}
	in := code.Instr(at.PC)
	at.Instr, at.Pos, at.Loc = code.Kernel().Format(in), in.Pos, in.Loc
	return at
}
