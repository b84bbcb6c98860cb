package scoreboard

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/abi"
	"warpbound/internal/emu"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
)

// TestWheel compares the wheel with a list that is searched for what is due.
func TestWheel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type message struct {
			id int32
			at int64
		}
		w := &wheel{}
		w.reset()
		var list []message
		now, sent := int64(0), int32(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			for range rapid.IntRange(0, 3).Draw(t, "messages") {
				at := now + rapid.OneOf(rapid.Int64Range(1, 5), rapid.Int64Range(1, 3*slots)).Draw(t, "delay")
				w.send(w.alloc(request{target: sent}), atL2, at)
				list = append(list, message{sent, at})
				sent++
			}
			soonest := int64(never)
			for _, m := range list {
				soonest = min(soonest, m.at)
			}
			next := w.next
			if next > soonest || next <= now || (soonest == never) != (next == never) {
				t.Fatalf("cycle %d: the next arrival is in cycle %d, but next says %d", now, soonest, next)
			}
			if next == never {
				continue
			}
			now = next
			var want, got []int32
			list = slices.DeleteFunc(list, func(m message) bool {
				if m.at == now {
					want = append(want, m.id)
				}
				return m.at == now
			})
			for r := w.due(now); r != none; {
				got = append(got, w.reqs[r].target)
				r, w.free, w.reqs[r].next = w.reqs[r].next, r, w.free
			}
			if !slices.Equal(got, want) {
				t.Fatalf("cycle %d: %v arrive, want %v", now, got, want)
			}
		}
		if w.size != len(list) {
			t.Fatalf("%d messages under way, want %d", w.size, len(list))
		}
	})
}

// TestCache compares the cache with sets kept as lists in the order of use.
func TestCache(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const sets, line = 4, 128
		ways := rapid.IntRange(1, 4).Draw(t, "ways")
		c := newCache(sets, int64(ways), line, machine.Linear)
		lists := make([][]uint64, sets) // the least recently used first
		for range 100 {
			addr := rapid.Uint64Range(0, 30).Draw(t, "line") * line
			set := addr / line % sets
			list := &lists[set]
			at := slices.Index(*list, addr)
			i := c.find(addr)
			if (i != none) != (at >= 0) {
				t.Fatalf("line %d: found %v, want %v", addr/line, i != none, at >= 0)
			}
			if at >= 0 {
				c.touch(i)
				*list = append(slices.Delete(*list, at, at+1), addr)
				continue
			}
			i = c.victim(addr)
			if old := c.lines[i]; len(*list) == ways {
				if old.state == invalid || old.tag != (*list)[0] {
					t.Fatalf("line %d replaces %+v, want %d", addr/line, old, (*list)[0]/line)
				}
				*list = (*list)[1:]
			} else if old.state != invalid {
				t.Fatalf("line %d replaces %+v although the set has room", addr/line, old)
			}
			c.claim(i, addr, valid, none)
			*list = append(*list, addr)
		}
	})
}

func TestCacheKeepsFetchedLines(t *testing.T) {
	c := newCache(1, 2, 128, machine.Linear)
	c.claim(c.victim(0), 0, fetched, 3)
	c.claim(c.victim(128), 128, fetched, 4)
	if got := c.victim(256); got != none {
		t.Errorf("line %d makes room although it is fetched", got)
	}
	c.lines[c.find(0)].state = valid
	if got := c.victim(256); got != c.find(0) {
		t.Errorf("line %d makes room", got)
	}
}

// TestFermiIndex checks the published example of the hash: neighbouring lines lie
// in different sets, and so do lines that are 8 KiB apart.
func TestFermiIndex(t *testing.T) {
	c := newCache(32, 1, 128, machine.Fermi)
	for _, stride := range []uint64{128, 8 << 10} {
		seen := map[int]bool{}
		for i := range uint64(8) {
			seen[c.set(i*stride)] = true
		}
		if len(seen) != 8 {
			t.Errorf("8 lines %d bytes apart lie in %d sets", stride, len(seen))
		}
	}
	for addr, want := range map[uint64]int{0x20000: 8, 0x80000: 16, 0x10000: 0, 0x1000: 0, 0xfff: 31, 0xe000: 7} {
		if got := c.set(addr); got != want {
			t.Errorf("address %#x lies in set %d, want %d", addr, got, want)
		}
	}
}

// slowPasses counts the passes of shared-memory access by the definition: for
// each group of lanes the largest number of different rows of one bank.
func slowPasses(addr []uint64, lanes uint64, bytes, count int, width uint64) int64 {
	each := max(bytes/int(width), 1)
	total := int64(0)
	for first := 0; first < emu.MaxWidth; first += max(count/each, 1) {
		rows := map[uint64]map[uint64]bool{}
		maximum := 0
		for i := first; i < min(first+max(count/each, 1), emu.MaxWidth); i++ {
			if lanes>>i&1 == 0 {
				continue
			}
			for k := range uint64(each) {
				word := addr[i]/width + k
				bank := word % uint64(count)
				if rows[bank] == nil {
					rows[bank] = map[uint64]bool{}
				}
				rows[bank][word] = true
				maximum = max(maximum, len(rows[bank]))
			}
		}
		total += int64(maximum)
	}
	return total
}

func TestBanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shift := rapid.IntRange(2, 3).Draw(t, "width")
		b := banks{count: 1 << rapid.IntRange(0, 6).Draw(t, "banks"), shift: shift}
		bytes := 1 << rapid.IntRange(0, 4).Draw(t, "bytes")
		span := rapid.SampledFrom([]uint64{1, 8, 40, 4000}).Draw(t, "span")
		lanes := rapid.Uint64().Draw(t, "lanes") | 1
		acc := emu.Access{Bytes: bytes}
		for i := range acc.Addr {
			acc.Addr[i] = rapid.Uint64Range(0, span).Draw(t, "addr") * uint64(bytes)
			acc.AddrDiff |= acc.Addr[i] ^ acc.Addr[0]
		}
		want := slowPasses(acc.Addr[:], lanes, bytes, b.count, 1<<shift)
		if got := b.passes(&acc, lanes); got != want {
			t.Fatalf("%d passes, want %d", got, want)
		}
	})
}

// TestLocate checks that the partitions share the addresses without overlap.
func TestLocate(t *testing.T) {
	m := fermi(t)
	type place struct {
		part   int
		within uint64
	}
	seen := map[place]bool{}
	parts := map[int]int{}
	for addr := uint64(0); addr < 1<<18; addr += 128 {
		part, within := locate(m, addr)
		if seen[place{part, within}] {
			t.Fatalf("two lines are at %d of partition %d", within, part)
		}
		seen[place{part, within}] = true
		parts[part]++
	}
	if len(parts) != 6 || parts[0] > parts[5]+2 {
		t.Errorf("lines by partition: %v", parts)
	}
}

// TestHashedPartitions: with a hash chunks that are rows apart lie in different partitions, and no two lines share a place.
func TestHashedPartitions(t *testing.T) {
	for _, n := range []int64{1, 6, 32} {
		m := fermi(t)
		m.L2.Partitions.Value, m.L2.Hash.Value = n, machine.On
		type place struct {
			part   int
			within uint64
		}
		seen := map[place]bool{}
		for addr := uint64(0); addr < 1<<21; addr += 128 {
			part, within := locate(m, addr)
			if p := (place{part, within}); part >= int(n) || seen[p] {
				t.Fatalf("%d partitions: two lines are at %d of partition %d", n, within, part)
			} else {
				seen[p] = true
			}
		}
		for _, rows := range []int64{1, n} {
			parts := map[int]bool{}
			for i := range n {
				part, _ := locate(m, uint64(i*rows*n*m.L2.Interleave.Value))
				parts[part] = true
			}
			if int64(len(parts)) != n {
				t.Errorf("%d chunks that are %d rows apart lie in %d of %d partitions", n, rows, len(parts), n)
			}
		}
	}
}

// drain feeds lines to a DRAM, all at once, and returns the core cycle in which
// the last is back and the hits of open rows.
func drain(t *testing.T, m *machine.Machine, lines []uint64) (int64, int64) {
	t.Helper()
	s := &Sim{cfg: sim.Config{Machine: m}}
	s.mem.wheel.reset()
	p := &partition{}
	p.init(s, 0)
	p.reset()
	for _, line := range lines {
		p.dram.enqueue(&request{kind: dramRead, line: line}, 0)
	}
	now, last, back := int64(0), int64(0), 0
	for p.dram.next != never || s.mem.wheel.size > 0 {
		now = min(p.dram.next, s.mem.wheel.next)
		for r := s.mem.wheel.due(now); r != none; r = s.mem.wheel.reqs[r].next {
			last, back = now, back+1
		}
		for p.dram.next <= now {
			p.dram.step(p)
			closed := 0
			for _, e := range p.dram.visible() {
				if p.dram.banks[e.bank].row != e.row {
					closed++
				}
			}
			if p.dram.closed != closed {
				t.Fatalf("%d requests for rows that are not open, want %d", p.dram.closed, closed)
			}
		}
	}
	if back != len(lines) || s.mem.count.RowHits+s.mem.count.RowMisses != int64(len(lines)) {
		t.Errorf("%d of %d lines came back, counters %+v", back, len(lines), s.mem.count)
	}
	return last, s.mem.count.RowHits
}

// TestOrders has requests for two rows of one bank arrive in turn. Open rows first take two openings; the order of arrival and its
// reverse open a row for each, and random orders are between them. Requests for banks of their own do not wait for each other.
func TestOrders(t *testing.T) {
	const n = 32
	served := func(order machine.Order, seed int64, distance uint64) (int64, int64) {
		own := *fermi(t)
		own.DRAM.Queue.Value, own.DRAM.Order.Value, own.SM.PolicySeed.Value = n, order, seed
		var lines []uint64
		for i := range uint64(n) {
			lines = append(lines, i%2*distance+i/2*uint64(own.L2.Line.Value))
		}
		return drain(t, &own, lines)
	}
	m := fermi(t)
	sameBank := uint64(m.DRAM.Row.Value * m.DRAM.Banks.Value)
	best, hits := served("", 0, sameBank)
	if other, again := served(machine.FRFCFS, 9, sameBank); other != best || again != hits || hits != n-2 {
		t.Errorf("open rows first: %d cycles and %d hits, then %d and %d", best, hits, other, again)
	}
	for _, order := range []machine.Order{machine.FCFS, machine.LIFO} {
		if last, hits := served(order, 0, sameBank); hits != 0 || last < 5*best {
			t.Errorf("%s: %d cycles and %d hits, %d with open rows first", order, last, hits, best)
		}
		if last, hits := served(order, 0, uint64(m.DRAM.Row.Value)); hits != n-2 || last > best+best/10 {
			t.Errorf("%s of two banks: %d cycles and %d hits, want about %d", order, last, hits, best)
		}
	}
	times := map[int64]bool{}
	for seed := range int64(8) {
		last, hits := served(machine.AnyRequest, seed, sameBank)
		if again, _ := served(machine.AnyRequest, seed, sameBank); again != last || hits < 4 || hits > n-4 {
			t.Errorf("seed %d: %d cycles, then %d, %d hits", seed, last, again, hits)
		}
		times[last] = true
	}
	if len(times) < 4 {
		t.Errorf("8 seeds give the times %v", times)
	}
}

// TestOrderOfArrival: the oldest of a bank comes first, the youngest, or any.
func TestOrderOfArrival(t *testing.T) {
	for order, want := range map[machine.Order]int{machine.FCFS: 0, machine.LIFO: 3} {
		own := *fermi(t)
		own.DRAM.Order.Value = order
		s := &Sim{cfg: sim.Config{Machine: &own}}
		s.mem.wheel.reset()
		p := &partition{}
		p.init(s, 0)
		p.reset()
		for i := range uint64(4) {
			p.dram.enqueue(&request{kind: dramRead, line: i * uint64(own.DRAM.Row.Value*own.DRAM.Banks.Value)}, 0)
		}
		p.dram.step(p)
		if row := p.dram.banks[0].row; row != int64(want) {
			t.Errorf("%s opens row %d first, want %d", order, row, want)
		}
	}
}

// TestDRAM measures streams through rows and between rows.
func TestDRAM(t *testing.T) {
	m := fermi(t)
	d := &m.DRAM
	core, cycles := m.ClockRatio()
	row, line := uint64(d.Row.Value), uint64(m.L2.Line.Value)
	burst := m.L2.Line.Value / d.Burst.Value * d.CCD.Value
	const n = 64
	var stream, rows, bounce []uint64
	for i := range uint64(n) {
		stream = append(stream, i*line)
		rows = append(rows, i*row*uint64(d.Banks.Value)) // one bank, a new row each time
		bounce = append(bounce, i%2*row*uint64(d.Banks.Value)+i/2*line)
	}
	last, hits := drain(t, m, stream)
	if want := scale(d.RCD.Value+d.CL.Value+n*burst, core, cycles); hits < n-2 || last < want || last > want+d.RC.Value*2 {
		t.Errorf("a stream of %d lines takes %d cycles with %d row hits, want %d", n, last, hits, want)
	}
	last, hits = drain(t, m, rows)
	if want := scale((n-1)*d.RC.Value, core, cycles); hits != 0 || last < want {
		t.Errorf("%d rows of one bank take %d cycles with %d row hits, want at least %d", n, last, hits, want)
	}
	slow := last
	last, hits = drain(t, m, bounce)
	if hits < n*3/4 || last > slow/2 {
		t.Errorf("two rows of one bank in turn take %d cycles with %d row hits: open rows are not preferred", last, hits)
	}
}

func TestScaleRoundsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Int64Range(0, sim.MaxCycles).Draw(t, "x")
		num, den := rapid.Int64Range(1, 1<<20).Draw(t, "num"), rapid.Int64Range(1, 1<<20).Draw(t, "den")
		q := scale(x, num, den)
		lo := (q - 1) // (q-1)*den < x*num <= q*den, compared without overflow
		if float64(q)*float64(den) < float64(x)*float64(num)*(1-1e-12) || float64(lo)*float64(den) > float64(x)*float64(num)*(1+1e-12) {
			t.Fatalf("%d * %d / %d = %d", x, num, den, q)
		}
	})
	if got := scale(46, 30, 23); got != 60 {
		t.Errorf("46 * 30 / 23 = %d", got)
	}
	if got := scale(47, 30, 23); got != 62 {
		t.Errorf("47 * 30 / 23 = %d, want the 61.3 rounded up", got)
	}
}

// TestLocalLines compares the lines of accesses to local memory with those that are found lane by
// lane.
func TestLocalLines(outer *testing.T) {
	code := compile(outer, "ret;")
	rapid.Check(outer, func(t *rapid.T) {
		m := fermi(outer)
		m.SM.WarpSize.Value = rapid.SampledFrom([]int64{1, 4, 6, 16, 32, 64}).Draw(t, "warp size")
		m.SM.Count.Value = rapid.Int64Range(1, 5).Draw(t, "SMs")
		m.SM.Warps.Value = rapid.Int64Range(1, 48).Draw(t, "warps")
		m.L1.Line.Value = rapid.SampledFrom([]int64{32, 64, 128, 256}).Draw(t, "line")
		s, err := New(sim.Config{Code: code, Machine: m, RegsPerThread: 20})
		if err != nil {
			t.Skip(err)
		}
		x := &s.sms[rapid.IntRange(0, len(s.sms)-1).Draw(t, "SM")]
		id := rapid.Int32Range(0, int32(m.SM.Warps.Value)-1).Draw(t, "warp")
		acc := &x.eff.Access
		*acc = emu.Access{Kind: emu.Load, Bytes: rapid.SampledFrom([]int{1, 4, 8, 16}).Draw(t, "bytes")}
		lanes := rapid.Uint64Range(1, 1<<m.SM.WarpSize.Value-1).Draw(t, "lanes")
		addr := abi.LocalBase + 16*rapid.Uint64Range(0, 9).Draw(t, "address")
		for i := range acc.Addr {
			acc.Addr[i] = addr
		}
		x.localLines(lanes, id)
		got := slices.Clone(x.lsu.lines)
		x.lsu.lines = x.lsu.lines[:0]
		x.localEach(lanes, id)
		if !slices.Equal(got, x.lsu.lines) {
			t.Errorf("lines %+v, want %+v", got, x.lsu.lines)
		}
	})
}
