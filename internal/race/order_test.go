package race

import (
	"strconv"
	"strings"
	"testing"

	"warpbound/internal/isa"
)

// orderCases are short sequences, each for one rule of the order. A line names the lanes that do something, as
// CTA.warp.lanes, of which those behind a stroke execute it, and what they do; "race" is in front of accesses
// that race with one before. Words are x, y and the flags f and g, or bytes of them (x+1); a prime means shared memory.
var orderCases = []struct {
	name     string
	lockStep bool
	script   string
}{
	{"a load that two lanes make and each of them releases", false, `
		0.0.02  load x
		0.0.02  atom.release.cta f
		0.0.1   load.relaxed.cta f
		0.0.1   fence.acquire.cta
		0.0.1   store x`},
	{"a load that two lanes make and one of them releases", false, `
		0.0.02  load x
		0.0.0   atom.release.cta f
		0.0.1   load.acquire.cta f
		race 0.0.1 store x`},
	{"a load that two lanes make, one known by a barrier of the warp and one by a message", false, `
		0.0.02  load x
		0.0.01  warpsync
		0.0.2   store.release.cta f
		0.0.1   load.acquire.cta f
		0.0.1   store x`},
	{"a load that three lanes of a warp of another CTA have made", false, `
		0.0.012 load x
		0.0.012 atom.acq_rel.gpu f
		1.1.0   load.acquire.gpu f
		1.1.0   store x`},
	{"a flag too near for who reads it, and known by another way", false, `
		0.0.0   store x
		0.0.0   fence.acq_rel.cta
		0.0.0   store.relaxed.gpu f
		0.1.0   load.relaxed.gpu f
		0.1.0   fence.acq_rel.gpu
		0.1.0   store.relaxed.gpu g
		1.0.0   load.relaxed.gpu g
		1.0.0   load.relaxed.gpu f
		1.0.0   fence.acq_rel.gpu
		1.0.0   load x`},
	{"a flag too near for who reads it", false, `
		0.0.0   store x
		0.0.0   fence.acq_rel.cta
		0.0.0   store.relaxed.gpu f
		1.0.0   load.relaxed.gpu f
		1.0.0   fence.acq_rel.gpu
		race 1.0.0 load x`},

	// What may be forgotten of a word.
	{"a strong access of another CTA does not stand for one before it", false, `
		0.0.0   atom.relaxed.gpu x
		0.0.0   store.release.gpu f
		1.0.0   load.acquire.gpu f
		1.0.0   atom.relaxed.gpu x
		race 1.1.0 store.relaxed.cta x`},
	{"a strong access of wide scope does not stand for one of narrow scope", false, `
		0.0.0   store.relaxed.cta x
		0.0.0   atom.relaxed.gpu x
		race 1.0.0 atom.relaxed.gpu x`},
	{"a strong access does not stand for an ordinary one", false, `
		0.0.0   store x
		0.0.0   store.relaxed.gpu x
		race 0.1.0 load.relaxed.gpu x`},
	{"a load does not stand for a store", false, `
		0.0.0   store x
		0.0.0   load x
		race 0.1.0 load x`},
	{"a byte does not stand for a word", false, `
		0.0.0   store x
		0.0.0   store x+1
		race 0.1.0 store x+2`},
	{"a concurrent access does not stand for another", false, `
		0.0.0   load x
		0.1.0   load x
		race 0.0.0 store x`},

	{"strong accesses of which one is of a part of the other's bytes", false, `
		0.0.0   store.relaxed.gpu x
		race 1.0.0 atom.relaxed.gpu x+1`},
	{"a strong access of a word does not stand for one of a byte", false, `
		0.0.0   store.relaxed.cta x+1
		0.0.0   store.relaxed.cta x
		race 0.1.0 store.relaxed.cta x`},

	// Who has read what a strong write wrote is behind it.
	{"the last to count begins anew", false, `
		0.0.0   atom.relaxed.gpu f
		0.1.0   atom.relaxed.gpu f
		1.0.0   atom.relaxed.gpu f
		1.0.0   store f`},
	{"others wait for the last to count", false, `
		0.0.0   atom.relaxed.gpu f
		1.0.0   atom.relaxed.gpu f
		1.0.0   barrier 0
		1.1.0   store f`},
	{"reductions read for nobody, but for who reads them", false, `
		0.0.0   atom.relaxed.gpu f
		1.0.0   red.relaxed.gpu f
		0.0.0   load.relaxed.gpu f
		0.0.0   store f
		1.0.0   red.relaxed.gpu g
		0.0.0   red.relaxed.gpu g
		race 0.0.0 load g`},
	{"a write before one that was read", false, `
		0.0.0   atom.relaxed.gpu f
		0.0.0   store.relaxed.gpu f
		1.0.0   load.relaxed.gpu f
		race 1.0.0 store f`},
	{"who has not read the last", false, `
		0.0.0   atom.relaxed.gpu f
		1.0.0   load.relaxed.gpu f
		0.0.0   atom.relaxed.gpu f
		race 1.0.0 store f`},
	{"who has read what replaced it", false, `
		0.0.0   store.relaxed.gpu f
		0.1.0   store.relaxed.gpu f
		1.0.0   load.relaxed.gpu f
		race 1.0.0 store f`},
	{"who has read a write of too narrow a scope", false, `
		0.0.0   store.relaxed.cta f
		race 1.0.0 load.relaxed.gpu f
		race 1.0.0 store f`},
	{"who has read a part of it", false, `
		0.0.0   store.relaxed.gpu f
		race 1.0.0 load.relaxed.gpu f+1
		race 1.0.0 store f`},
	{"who has read another byte", false, `
		0.0.0   store.relaxed.gpu f+0
		1.0.0   load.relaxed.gpu f+1
		race 1.0.0 store f`},
	{"an ordinary read", false, `
		0.0.0   store.relaxed.gpu f
		race 1.0.0 load f
		race 1.0.0 store f`},
	{"an ordinary write between", false, `
		0.0.0   atom.relaxed.gpu f
		0.0.0   store f
		race 1.0.0 load.relaxed.gpu f
		race 1.0.0 store f`},
	{"a strong write that an ordinary one has replaced", false, `
		0.0.0   atom.relaxed.gpu f
		race 0.1.0 store f
		0.1.0   store.release.gpu g
		1.0.0   load.acquire.gpu g
		1.0.0   load.relaxed.gpu f
		race 1.0.0 store f`},
	{"what a thread has done besides", false, `
		0.0.0   store x
		0.0.0   atom.relaxed.gpu f
		1.0.0   atom.relaxed.gpu f
		race 1.0.0 store x`},
	{"a reader that another stands for", false, `
		0.0.0   store.relaxed.gpu f
		1.0.0   load.relaxed.gpu f
		1.0.0   barrier 0
		1.1.0   load f
		1.2.0   load f`},
	{"one of the lanes that have read", false, `
		0.0.0   store.relaxed.gpu f
		1.0.01  load.relaxed.gpu f
		1.0.1   store.release.gpu g
		1.0.2   load.acquire.gpu g
		1.0.2   load f
		1.0.01  load f`},

	// Lanes.
	{"lanes that store one word together", true, `
		race 0.0.01 store x`},
	{"a lane behind what lanes have read together", true, `
		0.0.01  load x
		0.0.01/1 store x`},
	{"the same without lock-step", false, `
		0.0.01  load x
		race 0.0.01/1 store x`},
	{"successors of a branch", true, `
		0.0.012 diverge
		0.0.0   store x
		race 0.0.12 load x`},
	{"where successors of a branch reconverge", true, `
		0.0.012 diverge
		0.0.0   store x
		0.0.012 diverge
		0.0.12  load x`},
	{"what one lane has learnt from another before they part, and passes on", true, `
		0.0.0   store x
		0.0.01  diverge
		0.0.12  diverge
		0.0.2   load x`},
	{"what lanes share in lock-step they have acquired", true, `
		1.0.0   store x
		1.0.0   store.release.gpu f
		0.0.01/0 load.acquire.gpu f
		0.0.1   load x`},
	{"the same without lock-step", false, `
		1.0.0   store x
		1.0.0   store.release.gpu f
		0.0.01/0 load.acquire.gpu f
		race 0.0.1 load x`},
	{"what lanes share that a fence has acquired", true, `
		1.0.0   store x
		1.0.0   store.release.gpu f
		0.0.01/0 load.relaxed.gpu f
		0.0.01/0 fence.acquire.gpu
		0.0.1   load x`},
	{"what lanes learn of messages where they reconverge", true, `
		1.0.0   store x
		1.0.0   store.release.gpu f
		0.0.0   load.acquire.gpu f
		0.0.01  diverge
		0.0.1   load x`},
	{"what lanes learn at a barrier of the warp of messages", false, `
		1.0.0   store x
		1.0.0   store.release.gpu f
		0.0.0   load.acquire.gpu f
		0.0.01  warpsync
		0.0.1   load x`},
	{"a barrier of the warp that a lane does not come to", false, `
		0.0.0   store x
		0.0.012/02 warpsync
		race 0.0.1 load x`},
	{"a barrier of the warp passes on what a lane knows", false, `
		0.0.0   store x
		0.0.01  warpsync
		0.0.12  warpsync
		0.0.2   load x`},
	{"what a lane does behind a barrier of the warp", false, `
		0.0.01  warpsync
		0.0.0   store x
		race 0.0.1 load x`},

	// Barriers of the CTA.
	{"a barrier", false, `
		0.0.0   store x
		0.0.0   barrier 0
		0.1.1   load x`},
	{"a barrier between lanes of a warp", false, `
		0.0.0   store x
		0.0.0   barrier 0
		0.0.1   load x`},
	{"a barrier passes on what another has ordered", false, `
		0.0.0   store x
		0.0.0   barrier 0 01 01
		0.0.0   barrier 1 12 12
		0.2.0   load x`},
	{"a barrier for other warps, used again", false, `
		0.0.0   store x
		0.0.0   barrier 0 01 01
		0.0.0   barrier 0 2 2
		race 0.2.0 load x`},
	{"a warp that goes on later", false, `
		0.0.0   store x
		0.0.0   barrier 0 01 0
		race 0.1.0 load x`},
	{"a warp that has not waited for the cluster's barrier", false, `
		0.0.0   barrier 16
		0.0.0   barrier 17 012 0
		0.0.0   store x
		0.0.0   barrier 16 0 -
		race 0.1.0 load x`},
	{"a barrier does not know what comes later at another", false, `
		0.0.0   barrier 0
		0.0.0   store x
		race 0.1.0 load x`},
	{"a barrier passes on messages to all lanes", false, `
		1.0.0   store x
		1.0.0   store.release.gpu f
		0.0.0   load.acquire.gpu f
		0.0.0   barrier 0
		0.1.2   load x`},
	{"a barrier of the cluster", false, `
		0.0.0   store x
		0.0.0   barrier 16
		0.1.0   load x`},

	// Fences before a barrier, and a strong write behind it.
	{"all write, fence and wait, and one tells", false, `
		0.0.0   store x
		0.0.012 fence.sc.gpu
		0.0.0   barrier 0
		0.1.0   atom.relaxed.gpu f
		1.0.0   atom.relaxed.gpu f
		1.0.0   fence.sc.gpu
		1.0.0   load x`},
	{"the same with fences that are not sequentially consistent", false, `
		0.0.0   store x
		0.0.012 fence.acq_rel.gpu
		0.0.0   barrier 0
		0.1.0   atom.relaxed.gpu f
		1.0.0   atom.relaxed.gpu f
		1.0.0   fence.acq_rel.gpu
		race 1.0.0 load x`},
	{"the same with fences of the CTA", false, `
		0.0.0   store x
		0.0.012 fence.sc.cta
		0.0.0   barrier 0
		0.1.0   atom.relaxed.gpu f
		1.0.0   atom.relaxed.gpu f
		1.0.0   fence.sc.gpu
		race 1.0.0 load x`},
	{"all write, fence and wait twice, and one tells", false, `
		0.0.0   store x
		0.0.0   fence.sc.gpu
		0.0.0   barrier 0
		0.0.0   barrier 1
		0.1.0   atom.relaxed.gpu f
		1.0.0   load.acquire.gpu f
		1.0.0   load x`},
	{"all wait for who reads the flag, and fence", false, `
		0.0.0   store x
		0.0.0   fence.sc.gpu
		0.0.0   atom.relaxed.gpu f
		1.0.0   atom.relaxed.gpu f
		1.0.0   barrier 0
		1.1.0   fence.sc.gpu
		1.1.0   load x`},
	{"the same with a fence that is not sequentially consistent", false, `
		0.0.0   store x
		0.0.0   fence.sc.gpu
		0.0.0   atom.relaxed.gpu f
		1.0.0   atom.relaxed.gpu f
		1.0.0   barrier 0
		1.1.0   fence.acq_rel.gpu
		race 1.1.0 load x`},
	{"the same with a release that is not sequentially consistent", false, `
		0.0.0   store x
		0.0.0   atom.release.gpu f
		1.0.0   atom.relaxed.gpu f
		1.0.0   barrier 0
		1.1.0   fence.sc.gpu
		race 1.1.0 load x`},
	{"the same without a fence", false, `
		0.0.0   store x
		0.0.0   fence.sc.gpu
		0.0.0   atom.relaxed.gpu f
		1.0.0   atom.relaxed.gpu f
		1.0.0   barrier 0
		race 1.1.0 load x`},
	{"a flag read behind the barrier", false, `
		0.0.0   store x
		0.0.0   fence.sc.gpu
		0.0.0   atom.relaxed.gpu f
		1.0.0   barrier 0
		1.0.0   atom.relaxed.gpu f
		1.1.0   fence.sc.gpu
		race 1.1.0 load x`},
	{"all write, fence and wait, and all wait and fence", false, `
		0.0.2   store x
		0.0.012 fence.sc.gpu
		0.0.0   barrier 0
		0.1.0   atom.relaxed.gpu f
		1.0.0   atom.relaxed.gpu f
		1.0.0   barrier 0
		1.0.0   barrier 1
		1.1.0   fence.sc.gpu
		1.1.0   load x`},
	{"warps wait for others that have waited for who reads the flag, and fence", false, `
		0.0.0   store x
		0.0.0   fence.sc.gpu
		0.0.0   atom.relaxed.gpu f
		1.0.0   atom.relaxed.gpu f
		1.0.0   barrier 0 01 01
		1.0.0   barrier 1 12 12
		1.2.0   fence.sc.gpu
		1.2.0   load x`},
	{"warps wait for others that have waited for who fences, and tell", false, `
		0.0.0   store x
		0.0.0   fence.sc.gpu
		0.0.0   barrier 0 01 01
		0.0.0   barrier 1 12 12
		0.2.0   atom.relaxed.gpu f
		1.0.0   load.acquire.gpu f
		1.0.0   load x`},
	{"a write between the fence and the barrier", false, `
		0.0.0   fence.sc.gpu
		0.0.0   store x
		0.0.0   barrier 0
		0.1.0   atom.relaxed.gpu f
		1.0.0   load.acquire.gpu f
		race 1.0.0 load x`},

	// Messages.
	{"a message", false, `
		0.0.0   store x
		0.0.0   store.release.gpu f
		1.0.0   load.acquire.gpu f
		1.0.0   load x`},
	{"a message of too narrow a scope", false, `
		0.0.0   store x
		0.0.0   fence.release.cta
		0.0.0   store.relaxed.gpu f
		1.0.0   load.acquire.gpu f
		race 1.0.0 load x`},
	{"a message that is acquired with too narrow a scope", false, `
		0.0.0   store x
		0.0.0   store.release.gpu f
		1.0.0   load.relaxed.gpu f
		1.0.0   fence.acquire.cta
		race 1.0.0 load x`},
	{"a message that only releases", false, `
		0.0.0   store x
		0.0.0   fence.acquire.gpu
		0.0.0   store.relaxed.gpu f
		1.0.0   load.acquire.gpu f
		race 1.0.0 load x`},
	{"a message behind a fence that only releases", false, `
		0.0.0   store x
		0.0.0   store.release.gpu f
		1.0.0   load.relaxed.gpu f
		1.0.0   fence.release.gpu
		race 1.0.0 load x`},
	{"a fence acquires what was read before it", false, `
		0.0.0   store x
		0.0.0   store.release.gpu f
		1.0.0   fence.acquire.gpu
		1.0.0   load.relaxed.gpu f
		race 1.0.0 load x`},
	{"a message does not tell what comes behind it", false, `
		0.0.0   store.release.gpu f
		0.0.0   store x
		1.0.0   load.acquire.gpu f
		race 1.0.0 load x`},
	{"a message that another strong write replaces", false, `
		0.0.0   store x
		0.0.0   store.release.gpu f
		0.1.0   store.relaxed.gpu f
		1.0.0   load.acquire.gpu f
		race 1.0.0 load x`},
	{"a message that an ordinary write replaces", false, `
		0.0.0   store x
		0.0.0   store.release.gpu f
		0.0.0   store f
		race 1.0.0 load.acquire.gpu f
		race 1.0.0 load x`},
	{"a message that the same thread writes again", false, `
		0.0.0   store x
		0.0.0   store.release.gpu f
		0.0.0   store.relaxed.gpu f
		1.0.0   load.acquire.gpu f
		1.0.0   load x`},
	{"a message that another lane writes again", false, `
		0.0.0   store x
		0.0.0   store.release.gpu f
		0.0.1   store.relaxed.gpu f
		1.0.0   load.acquire.gpu f
		race 1.0.0 load x`},
	{"a message at another place", false, `
		0.0.0   store x
		0.0.0   store.release.gpu f
		0.0.0   store.relaxed.gpu g
		1.0.0   load.acquire.gpu g
		race 1.0.0 load x`},
	{"a message that another lane with a fence had left", false, `
		0.0.1   store x
		0.0.1   fence.release.gpu
		0.0.1   store.relaxed.gpu f
		0.0.0   store.relaxed.gpu f
		1.0.0   load.acquire.gpu f
		race 1.0.0 load x`},
	{"a message of a lane, of what another has done", false, `
		0.0.0   store x
		0.0.01  fence.release.gpu
		0.0.1   store.relaxed.gpu f
		1.0.0   load.acquire.gpu f
		race 1.0.0 load x`},
	{"a message that another adds to when it has been read", false, `
		0.0.0   store.release.gpu f
		1.0.0   load.acquire.gpu f
		0.1.0   store x
		0.1.0   atom.release.gpu f
		race 1.0.0 load x`},
	{"a message that another passes on when it has been read", false, `
		0.0.0   store.release.gpu f
		1.0.0   load.acquire.gpu f
		0.0.1   store x
		0.0.1   store.release.gpu g
		0.1.0   load.acquire.gpu g
		0.1.0   atom.release.gpu f
		race 1.0.0 load x`},
	{"a narrow fence behind a wide one takes nothing back", false, `
		0.0.0   store x
		0.0.0   fence.acq_rel.gpu
		0.0.0   fence.acq_rel.cta
		0.0.0   store.relaxed.gpu f
		1.0.0   load.relaxed.gpu f
		1.0.0   fence.acq_rel.cta
		1.0.0   fence.acq_rel.gpu
		1.0.0   load x`},
	{"nor one that is not sequentially consistent", false, `
		0.0.0   store x
		0.0.0   fence.sc.gpu
		0.0.0   fence.acq_rel.gpu
		0.0.0   barrier 0
		0.1.0   atom.relaxed.gpu f
		1.0.0   load.acquire.gpu f
		1.0.0   load x`},
	{"an atomic operation passes a message on", false, `
		0.0.0   store x
		0.0.0   store.release.gpu f
		0.1.0   atom.relaxed.gpu f
		1.0.0   load.acquire.gpu f
		1.0.0   load x`},
	{"an ordinary read sees no message", false, `
		0.0.0   store x
		0.0.0   fence.release.gpu
		0.0.0   store.relaxed.gpu f
		race 1.0.0 load f
		1.0.0   fence.acquire.gpu
		race 1.0.0 load x`},
	{"a store's message has nothing of the lanes beside it", true, `
		0.0.01  store.release.gpu f
		1.0.0   load.acquire.gpu f
		race 1.0.0 store f`},
	{"messages in shared memory", false, `
		0.0.0   store x'
		0.0.0   store.release.cta f'
		0.1.0   load.acquire.cta f'
		0.1.0   load x'`},

	// Asynchronous copies.
	{"a copy for which nobody has waited", false, `
		0.0.0   copy x'
		race 0.0.0 load x'`},
	{"a copy that is done", false, `
		0.0.0   copy x'
		0.0.0   commit
		0.0.0   wait 0
		0.0.0   load x'`},
	{"a copy of the last group", false, `
		0.0.0   copy x'
		0.0.0   commit
		0.0.0   copy y'
		0.0.0   commit
		0.0.0   wait 1
		0.0.0   load x'
		race 0.0.0 load y'`},
	{"a copy that is waited for behind the barrier", false, `
		0.0.0   copy x'
		0.0.0   barrier 0
		0.0.0   wait -1
		race 0.1.0 load x'`},
	{"copies group by group", false, `
		0.0.0   copy x'
		0.0.0   commit
		0.0.0   copy y'
		0.0.0   commit
		0.0.0   wait 1
		0.0.0   wait 0
		0.0.0   load y'`},
	{"a copy in no group", false, `
		0.0.0   copy x'
		0.0.0   wait 0
		race 0.0.0 load x'`},
	{"all copies", false, `
		0.0.0   copy x'
		0.0.0   wait -1
		0.0.0   load x'`},
	{"groups behind those that are done", false, `
		0.0.0   copy x'
		0.0.0   commit
		0.0.0   wait 0
		0.0.0   copy y'
		0.0.0   commit
		0.0.0   commit
		0.0.0   wait 1
		0.0.0   load y'`},
	{"a copy that another warp has not waited for", false, `
		0.0.0   copy x'
		0.1.0   commit
		0.1.0   wait -1
		race 0.1.0 load x'`},
	{"copies to one word, of which the later is not done", false, `
		0.0.0   copy x'
		0.0.0   commit
		race 0.0.0 copy x'
		0.0.0   commit
		0.0.0   wait 1
		race 0.0.0 load x'`},
}

// TestOrder executes the sequences on the detector and on its twin.
func TestOrder(t *testing.T) {
	for _, c := range orderCases {
		t.Run(c.name, func(t *testing.T) { newTwins(c.lockStep, t.Errorf).execute(t, c.script) })
	}
}

// TestForgotten checks that a strong write is forgotten with the last access that has observed it, so that nothing that
// follows it by that is said to race.
func TestForgotten(t *testing.T) {
	w := newTwins(false, t.Errorf)
	w.d.keep = 4
	w.execute(t, `
		0.0.0   store.relaxed.gpu f
		1.0.0   load.relaxed.gpu f
		1.1.0   red.relaxed.gpu f
		1.1.1   red.relaxed.gpu f
		1.2.0   red.relaxed.gpu f
		1.0.0   barrier 0
		1.0.0   store f`)
}

// execute executes a sequence.
func (w *twins) execute(t *testing.T, script string) {
	for line := range strings.Lines(strings.TrimSpace(script)) {
		words := strings.Fields(line)
		want := words[0] == "race"
		if want {
			words = words[1:]
		}
		clear(w.over)
		if got := w.do(t, words); got != want {
			t.Errorf("%s: races: %t", strings.TrimSpace(line), got)
		}
	}
}

// do executes a line, without what it expects.
func (w *twins) do(t *testing.T, words []string) (races bool) {
	by, op := actorOf(words[0]), strings.Split(words[1], ".")
	var order isa.Order
	var scope isa.Scope
	if len(op) == 3 {
		order = map[string]isa.Order{"relaxed": isa.OrderRelaxed, "acquire": isa.OrderAcquire, "release": isa.OrderRelease, "acq_rel": isa.OrderAcqRel, "sc": isa.OrderSC}[op[1]]
		scope = map[string]isa.Scope{"cta": isa.ScopeCTA, "gpu": isa.ScopeGPU}[op[2]]
	}
	number := func() int {
		n, err := strconv.Atoi(words[2])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	switch op[0] {
	case "fence":
		w.fence(by, order, scope)
	case "barrier":
		arrive, on := uint64(allWarps), uint64(allWarps)
		if len(words) > 3 {
			arrive, on = digits(words[3]), digits(words[4])
		}
		w.barrier(by.cta, number(), arrive, on)
	case "warpsync":
		w.warpSync(by)
	case "diverge":
		w.diverge(by)
	case "commit":
		w.commit(by)
	case "wait":
		w.wait(by, number())
	default:
		a := Access{Order: order, Scope: scope, Value: zero}
		a.Load = op[0] == "load" || op[0] == "atom" || op[0] == "red"
		a.Unread = op[0] == "red"
		a.Store = op[0] != "load"
		a.Copy = op[0] == "copy"
		name, shared := strings.CutSuffix(words[2], "'")
		name, byteAt, part := strings.Cut(name, "+")
		a.Shared = shared
		offset, size := 0, 4
		if part {
			offset, size = int(byteAt[0]-'0'), 1
		}
		return w.access(by, uint64(4*strings.Index("fgxy", name)), offset, size, a)
	}
	return false
}

// digits reads a set, the digits of its elements.
func digits(text string) (elements uint64) {
	for _, d := range strings.Trim(text, "-") {
		elements |= 1 << (d - '0')
	}
	return elements
}

// actorOf reads CTA.warp.lanes, or CTA.warp.active/lanes.
func actorOf(text string) actor {
	parts := strings.Split(text, ".")
	active, lanes, guarded := strings.Cut(parts[2], "/")
	if !guarded {
		lanes = active
	}
	return actor{int(parts[0][0] - '0'), int(parts[1][0] - '0'), digits(active), digits(lanes)}
}
