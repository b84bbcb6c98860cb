package reuse_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"warpbound/internal/method/llc/reuse"
)

// obvious classifies accesses of cores without rates from the definition: every earlier use of
// a line is tried, and the lines of all accesses between are listed.
type obvious struct {
	cache    reuse.Cache
	settle   int64
	cores    []reuse.Core
	outcomes map[reuse.Ref]reuse.Outcome
}

func (o *obvious) access(r reuse.Ref) *reuse.Access { return &o.cores[r.Core].Accesses[r.At] }

func (o *obvious) window(r reuse.Ref) reuse.Window { return o.cores[r.Core].Windows[r.At] }

func (o *obvious) all(visit func(reuse.Ref)) {
	for c := range o.cores {
		for i := range o.cores[c].Accesses {
			visit(reuse.Ref{Core: c, At: i})
		}
	}
}

func (o *obvious) before(p, a reuse.Ref) bool {
	return p.Core == a.Core && p.At < a.At || p.Core != a.Core && o.window(p).To < o.window(a).From
}

func (o *obvious) touches(a *reuse.Access, set uint64) bool {
	for line := a.First; line <= a.Last; line++ {
		if line%uint64(o.cache.Sets) == set {
			return true
		}
	}
	return false
}

func (o *obvious) stays(p, a reuse.Ref) bool {
	line := o.access(a).First
	different, unknown := make(map[uint64]bool), int64(0)
	for c, span := range reuse.Between(o.cores, p, a) {
		for i := span.From; i < span.To; i++ {
			switch z := &o.cores[c].Accesses[i]; {
			case !o.touches(z, line%uint64(o.cache.Sets)):
			case z.First != z.Last:
				unknown += z.Max
			case z.First != line:
				different[z.First] = true
			}
		}
	}
	return int64(len(different))+unknown < int64(o.cache.Ways)
}

func (o *obvious) classify(a reuse.Ref) reuse.Outcome {
	if outcome, ok := o.outcomes[a]; ok {
		return outcome
	}
	access, outcome := o.access(a), reuse.Outcome{}
	if access.First != access.Last {
		return outcome
	}
	first := true
	o.all(func(p reuse.Ref) {
		z := o.access(p)
		may := p.Core == a.Core && p.At < a.At || p.Core != a.Core && o.window(p).From <= o.window(a).To
		if may && (z.First == access.First || z.First != z.Last && o.touches(z, access.First%uint64(o.cache.Sets))) {
			first = false
		}
		if z.First != access.First || z.Last != access.First || z.Min == 0 || !o.before(p, a) || !o.stays(p, a) {
			return
		}
		outcome.Class = reuse.Hit
		if o.settle < o.window(a).From-o.window(p).To || o.classify(p).Filled {
			outcome.Filled = true
		}
		outcome.Own = outcome.Own || p.Core == a.Core
	})
	if outcome.Class != reuse.Hit && first {
		outcome.Class = reuse.First
	}
	o.outcomes[a] = outcome
	return outcome
}

func TestAnalyzeAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cache := reuse.Cache{Sets: rapid.IntRange(1, 3).Draw(t, "sets"), Ways: rapid.IntRange(1, 6).Draw(t, "ways")}
		settle := int64(rapid.IntRange(0, 3).Draw(t, "settle"))
		cores := make([]reuse.Core, rapid.IntRange(1, 4).Draw(t, "cores"))
		lines := rapid.IntRange(1, 14).Draw(t, "lines")
		certain := rapid.Bool().Draw(t, "certain")
		for c := range cores {
			cores[c] = randomWindows(t, randomAccesses(t, lines, 12, certain))
		}
		got, err := reuse.Analyze(t.Context(), cache, settle, cores)
		if err != nil {
			t.Fatal(err)
		}
		o := &obvious{cache, settle, cores, make(map[reuse.Ref]reuse.Outcome)}
		want := make([][]reuse.Outcome, len(cores))
		counted := reuse.Misses{Cores: make([]int64, len(cores))}
		for c := range cores {
			want[c] = make([]reuse.Outcome, len(cores[c].Accesses))
			for i := range want[c] {
				want[c][i] = o.classify(reuse.Ref{Core: c, At: i})
				if want[c][i].Class != reuse.Hit {
					counted.Total += cores[c].Accesses[i].Max
					if !cores[c].Aside {
						counted.Main += cores[c].Accesses[i].Max
					}
					counted.Cores[c] += cores[c].Accesses[i].Max
				}
			}
		}
		if diff := cmp.Diff(want, got.Cores); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(counted, got.Counted); diff != "" {
			t.Fatal(diff)
		}
	})
}

// randomAccesses draws a sequence; certain ones happen once and touch one line.
func randomAccesses(t *rapid.T, lines, maximum int, certain bool) []reuse.Access {
	accesses := make([]reuse.Access, rapid.IntRange(0, maximum).Draw(t, "accesses"))
	for i := range accesses {
		accesses[i] = reuse.Line(uint64(rapid.IntRange(0, lines-1).Draw(t, "line")))
		if certain {
			continue
		}
		switch rapid.IntRange(0, 9).Draw(t, "doubt") {
		case 0:
			accesses[i].Last += uint64(rapid.IntRange(0, 3).Draw(t, "range"))
		case 1:
			accesses[i].Min = 0
		case 2:
			accesses[i].Max = int64(rapid.IntRange(1, 3).Draw(t, "most"))
		}
	}
	return accesses
}

// randomWindows draws windows whose ends do not fall, a few of them without end.
func randomWindows(t *rapid.T, accesses []reuse.Access) reuse.Core {
	core := reuse.Core{Accesses: accesses, Aside: rapid.IntRange(0, 3).Draw(t, "aside") == 0}
	from, to := int64(0), int64(0)
	for range accesses {
		from += int64(rapid.IntRange(0, 2).Draw(t, "from"))
		if to < reuse.Forever {
			to = max(to, from) + int64(rapid.IntRange(0, 1).Draw(t, "to"))
		}
		if rapid.IntRange(0, 19).Draw(t, "endless") == 0 {
			to = reuse.Forever
		}
		core.Windows = append(core.Windows, reuse.Window{From: from, To: to})
	}
	return core
}
