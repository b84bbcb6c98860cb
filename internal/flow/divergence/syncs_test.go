package divergence_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/test/flowtest"
)

// TestSyncedKernels watches random kernels whose lanes reconverge at syncs.
func TestSyncedKernels(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := &synced{t: rt}
		p.sequence(3)
		module := "kernel k(int* out)\nint u, v, d, m, x" + p.counters.String() + "\nbool q, r\nint* a\n" +
			"0: const a = out\nconst d = Tid\nconst v = 1\n" + p.code.String() + "store a = v\nstore a = m\nstore a = u\n"
		l := flowtest.Job(t, strings.Replace(job, "k.ptx", "k.simt", 1), module)
		watch(t, l, verdicts(t, l, false), 2)
	})
}

// synced makes a mini-SIMT kernel of conditions and loops.
type synced struct {
	t        *rapid.T
	code     strings.Builder
	length   int // instructions
	counters strings.Builder
	loops    int
}

func (p *synced) draw(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(p.t, "n") }

// prologue is the number of instructions before the random ones.
const prologue = 3

func (p *synced) emit(format string, args ...any) {
	fmt.Fprintf(&p.code, format+"\n", args...)
	p.length++
}

// branch makes a branch whose target is not known yet and returns what sets it to the
// next address.
func (p *synced) branch(format string) func() {
	mark := fmt.Sprintf("<%d>", p.length)
	p.emit(format, mark)
	return func() {
		code := strings.Replace(p.code.String(), mark, fmt.Sprint(prologue+p.length), 1)
		p.code.Reset()
		p.code.WriteString(code)
	}
}

// condition computes q.
func (p *synced) condition() {
	p.emit("binop x = %s >> %d", rapid.SampledFrom([]string{"u", "v", "d", "m"}).Draw(p.t, "word"), p.draw(0, 4))
	p.emit("binop x = x & 1")
	p.emit("binop q = x == 0")
}

func (p *synced) sequence(depth int) {
	for range p.draw(0, 4) {
		if depth == 0 || p.draw(0, 2) == 0 {
			p.emit("%s", rapid.SampledFrom([]string{
				"binop u = u + 1", "binop v = v * 5", "binop v = v + u", "binop d = d * 77", "binop d = d + u", "binop d = d ^ m",
				"binop v = v ^ m", "binop m = m + 1", "load m = a", "store a = d", "store a = u",
			}).Draw(p.t, "operation"))
			continue
		}
		p.compound(depth - 1)
	}
}

// compound makes a condition of one or two arms, or a loop of up to six iterations.
func (p *synced) compound(depth int) {
	switch p.draw(0, 2) {
	case 0:
		p.condition()
		end := p.branch("bz q, %s")
		p.sequence(depth)
		end()
	case 1:
		p.condition()
		other := p.branch("bnz q, %s")
		p.sequence(depth)
		end := p.branch("jump %s")
		other()
		p.sequence(depth)
		end()
	case 2:
		p.loops++
		count := fmt.Sprintf("n%d", p.loops)
		p.counters.WriteString(", " + count)
		if p.draw(0, 3) > 0 { // else it ends for good after six iterations
			p.emit("const %s = 0", count)
		}
		head := prologue + p.length
		if p.draw(0, 2) > 0 {
			p.condition()
		} else {
			p.emit("binop q = 0 == 0")
		}
		p.emit("binop %s = %s + 1", count, count)
		p.emit("binop r = %s < 7", count)
		p.emit("binop q = q & r")
		end := p.branch("bz q, %s")
		p.sequence(depth)
		p.emit("jump %d", head)
		end()
	}
	p.emit("sync")
}
