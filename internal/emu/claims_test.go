package emu

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/abi"
)

// words returns the words from first to last of a line as Party.claim takes them.
func (c *Claims) wordsOf(first, last uint64) uint64 {
	set := uint64(0)
	for w := first; w <= last; w++ {
		set |= (1<<c.bits - 1) << (w * c.bits)
	}
	return set
}

// TestClaimsByWord compares claims with the sets of parties that have read and written each word:
// of a word that one has written, there may be no other. In the end all that was written is taken back.
func TestClaimsByWord(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		const words = 24
		parties := rapid.SampledFrom([]int{2, 3, 126, 127, 500}).Draw(r, "parties")
		var mem Memory
		addr, err := mem.Alloc("buffer", words*claimBytes-rapid.IntRange(0, 3).Draw(r, "missing bytes of the last word"))
		if err != nil {
			t.Fatal(err)
		}
		data := mem.Bytes(addr)
		for i := range data {
			data[i] = byte(i)
		}
		before := bytes.Clone(data)
		var c Claims
		c.Begin(&mem, 1)
		if err := c.Party(0).claim(0, c.wordsOf(0, 3), true); err != nil {
			t.Fatal(err)
		}
		c.Begin(&mem, parties) // which gives that claim back
		perLine := uint64(1) << c.shift / claimBytes
		var readers, writers [words]map[int]bool
		for i := range words {
			readers[i], writers[i] = map[int]bool{}, map[int]bool{}
		}
		others := func(set map[int]bool, party int) bool { return len(set) > 1 || len(set) == 1 && !set[party] }
		for range rapid.IntRange(1, 40).Draw(r, "claims") {
			party := rapid.SampledFrom([]int{0, 1, parties - 1}).Draw(r, "party")
			line := rapid.Uint64Range(0, words/perLine-1).Draw(r, "line")
			first := rapid.Uint64Range(0, perLine-1).Draw(r, "first word")
			last := rapid.Uint64Range(first, perLine-1).Draw(r, "last word")
			write := rapid.Bool().Draw(r, "write")
			allowed := true
			for w := line*perLine + first; w <= line*perLine+last; w++ {
				allowed = allowed && !others(writers[w], party) && !(write && others(readers[w], party))
			}
			err := c.Party(party).claim(line, c.wordsOf(first, last), write)
			if allowed != (err == nil) || !allowed && !errors.Is(err, SharesData) {
				r.Fatalf("party %d, line %d, words %d to %d, write %v: %v", party, line, first, last, write, err)
			}
			if !allowed {
				continue
			}
			for w := line*perLine + first; w <= line*perLine+last; w++ {
				if !write {
					readers[w][party] = true
					continue
				}
				writers[w][party] = true
				for at := w * claimBytes; at < min((w+1)*claimBytes, uint64(len(data))); at++ {
					data[at] += byte(party + 1)
				}
			}
		}
		c.Undo()
		if !bytes.Equal(data, before) {
			r.Fatal("not all that was written is taken back")
		}
	})
}

// TestPartiesAtATime lets goroutines access words of the same lines at a time, each some that it writes and some
// that all read. The race detector tells if one accesses what another one has claimed.
func TestPartiesAtATime(t *testing.T) {
	const parties, words = 4, 1 << 10
	for _, stride := range []uint64{1, 2, parties, 8, 64} { // words of a party in a row
		t.Run(fmt.Sprint(stride), func(t *testing.T) {
			var mem Memory
			addr, err := mem.Alloc("buffer", 2*words*claimBytes)
			if err != nil {
				t.Fatal(err)
			}
			data := mem.Bytes(addr)
			var c Claims
			c.Begin(&mem, parties)
			perLine := uint64(1) << c.shift / claimBytes
			claim := func(party int, w uint64, write bool) error {
				return c.Party(party).claim(w/perLine, c.wordsOf(w%perLine, w%perLine), write)
			}
			var group sync.WaitGroup
			for party := range parties {
				group.Go(func() {
					for w := range uint64(words) {
						if err := claim(party, words+w, false); err != nil {
							t.Error(err)
						}
						if w/stride%parties != uint64(party) {
							continue
						}
						if err := claim(party, w, true); err != nil {
							t.Error(err)
							return
						}
						data[w*claimBytes] += data[(words+w)*claimBytes] + 1
					}
				})
			}
			group.Wait()
			for party := range parties {
				if err := claim(party, words, true); !errors.Is(err, SharesData) {
					t.Errorf("party %d may write what all have read: %v", party, err)
				}
			}
			for w := range words {
				if data[w*claimBytes] != 1 {
					t.Fatalf("word %d is %d", w, data[w*claimBytes])
				}
			}
			c.Undo()
			if !bytes.Equal(mem.Bytes(abi.GlobalBase), make([]byte, 2*words*claimBytes)) {
				t.Error("not all that was written is taken back")
			}
		})
	}
}

// TestClaimsOfWideAccesses claims what an access of 32 bytes touches, also where lines are of 16: what lies behind it is free.
func TestClaimsOfWideAccesses(t *testing.T) {
	s := scenario{body: ".reg .v4 .b64 v; st.global.v4.b64 [%rd0+32], v; ret;", block: 1}
	code := decode(t, s.kernel(t))
	for _, parties := range []int{126, 127} {
		var mem Memory
		out, err := mem.Alloc("out", 256)
		if err != nil {
			t.Fatal(err)
		}
		g, err := NewGrid(code, Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}, Params: binary.LittleEndian.AppendUint64(nil, out)}, &mem, 32)
		if err != nil {
			t.Fatal(err)
		}
		var c Claims
		c.Begin(&mem, parties)
		cta := &g.run.cta
		g.StartCTA(cta, 0)
		cta.Party = c.Party(0)
		for !cta.Done() {
			if err := cta.Warps[0].Step(&Env{SMs: 1}, &g.run.eff); err != nil {
				t.Fatal(err)
			}
		}
		perLine := uint64(1) << c.shift / claimBytes
		for w := range uint64(24) {
			at := (out-abi.GlobalBase)/claimBytes + w
			err := c.Party(1).claim(at/perLine, c.wordsOf(at%perLine, at%perLine), true)
			if written := w >= 8 && w < 16; written != errors.Is(err, SharesData) {
				t.Errorf("%d parties: another one claims word %d: %v", parties, w, err)
			}
		}
	}
}
