// Package loops finds the loops of a flow graph, for the checker of certificates, which shares no graph
// algorithm with what makes certificates. It imports nothing of this project.
package loops

// Loop is a natural loop: all ways back to Header from nodes that are reached only through it.
type Loop struct {
	Header int
	Body   map[int]bool
}

// Of returns the loops of the nodes that are reached from node 0, by header, and these nodes in an order in which what
// an edge leads to is behind it, unless the edge leads around a loop. succ are the successors of each node.
func Of(succ [][]int) (loops map[int]*Loop, order []int) {
	loops = make(map[int]*Loop)
	reached, left := reach(succ, 0, -1)
	for i := range left {
		order = append(order, left[len(left)-1-i])
	}
	into := make([][]int, len(succ))
	for b := range succ {
		for _, to := range succ[b] {
			if reached[b] {
				into[to] = append(into[to], b)
			}
		}
	}
	for _, h := range order {
		around := map[int]bool{}
		switch {
		case h != 0 && len(into[h]) < 2:
			continue
		case h != 0:
			around, _ = reach(succ, 0, h)
		}
		for _, tail := range into[h] {
			if around[tail] {
				continue // control comes there without passing h
			}
			if loops[h] == nil {
				loops[h] = &Loop{h, map[int]bool{h: true}}
			}
			for work := []int{tail}; len(work) > 0; {
				b := work[len(work)-1]
				work = work[:len(work)-1]
				if !loops[h].Body[b] {
					loops[h].Body[b] = true
					work = append(work, into[b]...)
				}
			}
		}
	}
	return loops, order
}

// reach returns the nodes that are reached from a node without passing another one, and the order in which a search
// into the depth leaves them.
func reach(succ [][]int, from, without int) (seen map[int]bool, left []int) {
	type visit struct{ node, edge int }
	seen = map[int]bool{from: true}
	for work := []visit{{from, 0}}; len(work) > 0; {
		at := &work[len(work)-1]
		if at.edge == len(succ[at.node]) {
			left, work = append(left, at.node), work[:len(work)-1]
			continue
		}
		to := succ[at.node][at.edge]
		at.edge++
		if to != without && !seen[to] {
			seen[to] = true
			work = append(work, visit{to, 0})
		}
	}
	return seen, left
}
