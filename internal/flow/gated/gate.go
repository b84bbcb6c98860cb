package gated

import (
	"encoding/binary"
	"slices"

	"warpbound/internal/budget"
	"warpbound/internal/cfg"
	"warpbound/internal/isa"
)

// join is a place at which paths join: the start of a block, or the end of an
// iteration of a loop.
type join struct {
	block  int     // the block, or the loop's header
	loop   int     // in which the paths join
	reg    isa.Reg // of which the value is asked
	region []int   // the blocks on the paths, backward: each before those that lead to it
	list   *[]ID   // where its gammas are noted
}

// between returns the blocks on paths without back edges from a block that
// dominates others to these, backward, all included.
func (b *builder) between(from int, to map[int][]ID) []int {
	seen := map[int]bool{from: true}
	blocks := []int{from}
	visit := func(block int) {
		if !seen[block] {
			seen[block] = true
			blocks = append(blocks, block)
		}
	}
	for p := range to {
		visit(p)
	}
	for i := 1; i < len(blocks); i++ {
		for _, p := range b.g.Pred(blocks[i]) {
			if b.rank[p] >= 0 && !b.back(p, blocks[i]) {
				visit(p)
			}
		}
	}
	return b.backward(blocks)
}

// backward sorts blocks so that edges other than back edges lead from later to
// earlier ones.
func (b *builder) backward(blocks []int) []int {
	sorted := slices.Clone(blocks)
	slices.SortFunc(sorted, func(x, y int) int { return b.rank[y] - b.rank[x] })
	return sorted
}

// merge returns what arrives at a join along edges from blocks, from each of which
// comes one of values.
func (b *builder) merge(j *join, values map[int]ID) ID {
	only, same := None, true
	for _, v := range values {
		same = same && (only == None || v == only)
		only = v
	}
	if same {
		return only
	}
	return b.gate(j, func(from, to int) (ID, bool) {
		v, found := values[from]
		return v, found && to == j.block
	})
}

// gate returns the value that arrives at a join, as a tree of gammas over the
// branches on the way. For edges that end the way, goal returns what arrives along
// them; None if threads that take them do not arrive. If one value arrives along all
// edges, it is that value.
//
// A gamma is decided by the branch's last execution. For a branch in a loop that has
// been left since, that is the one in the loop's last iteration, in which no edge
// leads back to the header. So back edges lead nowhere here.
func (b *builder) gate(j *join, goal func(from, to int) (ID, bool)) ID {
	b.gates++
	root := None
	var outs []ID
	for _, block := range j.region {
		edges := b.g.Blocks[block].Edges
		b.steps += len(edges)
		if !b.allowsSteps() {
			return root
		}
		outs = outs[:0]
		for i, e := range edges {
			v := None
			if !b.failing[block][i] {
				v = b.follow(block, e, goal)
			}
			outs = append(outs, v)
		}
		root = b.choose(j, block, outs)
		b.nodes[block], b.region[block] = root, b.gates
	}
	return root
}

// followedEdges limits the edges that are followed to find gammas.
var followedEdges = budget.Limit{What: "edges between branches and the joins of their paths", At: 1 << 24}

// allowsSteps reports whether gammas are still looked for.
func (b *builder) allowsSteps() bool { return b.work.Allows(followedEdges, int64(b.steps)) }

// follow returns what arrives along an edge of a block.
func (b *builder) follow(block int, e cfg.Edge, goal func(from, to int) (ID, bool)) ID {
	if v, found := goal(block, e.To); found {
		return v
	}
	if e.To == b.g.Exit() || b.back(block, e.To) || b.region[e.To] != b.gates {
		return None
	}
	return b.nodes[e.To]
}

// choose returns what arrives at a join by way of a block along whose edges outs
// arrives.
func (b *builder) choose(j *join, block int, outs []ID) ID {
	if v, same := agreed(outs); same {
		return v
	}
	guard, index := b.form.Selectors(block)
	if index == None {
		return b.either(j, block, guard, outs)
	}
	cases := outs
	if guard != None { // the last edge is that of threads whose guard does not hold
		cases = outs[:len(outs)-1]
	}
	chosen := b.unique(j, Value{By: b.outside(index, j.loop), Indexed: true, Args: slices.Clone(cases)})
	if guard == None {
		return chosen
	}
	return b.either(j, block, guard, []ID{chosen, outs[len(outs)-1]})
}

// either returns the first of two values in threads for which the guard of a block's
// last instruction holds, else the second.
func (b *builder) either(j *join, block int, guard ID, outs []ID) ID {
	args := slices.Clone(outs)
	if b.g.Last(block).Guard.Not {
		slices.Reverse(args)
	}
	p := b.outside(guard, j.loop)
	if args[0] == True && args[1] == False {
		return p
	}
	return b.unique(j, Value{By: p, Args: args})
}

// agreed returns the only value of a list other than None, None if there is no other,
// and whether that is so.
func agreed(values []ID) (ID, bool) {
	only := None
	for _, v := range values {
		if v != None && only != None && v != only {
			return None, false
		}
		if v != None {
			only = v
		}
	}
	return only, true
}

// unique returns a gamma: its argument if it has only one, or an equal gamma that is
// at the join already, or a new one.
func (b *builder) unique(j *join, gamma Value) ID {
	if v, same := agreed(gamma.Args); same {
		return v
	}
	gamma.Kind, gamma.Reg, gamma.Block, gamma.Instr = Gamma, j.reg, j.block, -1
	key := make([]byte, 0, 4*(len(gamma.Args)+4))
	for _, n := range append([]ID{ID(j.block), ID(j.loop), ID(j.reg), gamma.By}, gamma.Args...) {
		key = binary.LittleEndian.AppendUint32(key, uint32(n))
	}
	v, found := b.gammas[string(key)]
	if !found {
		v = b.make(gamma, j.loop)
		b.gammas[string(key)] = v
		*j.list = append(*j.list, v)
	}
	return v
}
