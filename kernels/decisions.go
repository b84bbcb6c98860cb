package kernels

import "slices"

// What the source of artificial fixes, and the number of threads in a CTA that its jobs
// launch it with at most.
const (
	artificialConstant = 1973480625
	artificialChain    = 16
	artificialGroup    = 256
)

func artificial(in map[string][]byte, _ map[string]uint64) map[string][]byte {
	result := words(in["result"])
	for tid, value := range words(in["values"]) {
		if value == artificialConstant {
			result[tid/artificialGroup] += artificialChain * value
		} else {
			result[tid] += 10
		}
	}
	return map[string][]byte{"result": wordBytes(result)}
}

func insertionSort(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	keys := words(in["keys"])
	threads := len(keys) / int(scalars["length"])
	for id := range threads {
		var own []uint32
		for i := id; i < len(keys); i += threads {
			own = append(own, keys[i])
		}
		slices.Sort(own)
		for i, key := range own {
			keys[i*threads+id] = key
		}
	}
	return map[string][]byte{"keys": wordBytes(keys)}
}

func substringSearch(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	text, pattern := in["text"], in["pattern"][:scalars["length"]]
	agree, count := words(in["agree"]), words(in["count"])
	for id := range agree {
		agree[id] = 0
		for i, letter := range pattern {
			if text[id+i] != letter {
				break
			}
			agree[id]++
		}
		if int(agree[id]) == len(pattern) {
			count[0]++
		}
	}
	return map[string][]byte{"agree": wordBytes(agree), "count": wordBytes(count)}
}

// knapsack tries all sets of items.
func knapsack(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	best := words(in["best"])
	threads, items := len(best), int(scalars["items"])
	for id := range best {
		best[id] = 0
		for set := range 1 << items {
			var weight, profit uint32
			for i := range items {
				if set>>i&1 == 1 {
					weight += uint32(in["weight"][i*threads+id])
					profit += uint32(in["profit"][i*threads+id])
				}
			}
			if uint64(weight) <= scalars["capacity"] {
				best[id] = max(best[id], profit)
			}
		}
	}
	return map[string][]byte{"best": wordBytes(best)}
}

// bfsExpand searches with a queue.
func bfsExpand(in map[string][]byte, scalars map[string]uint64) map[string][]byte {
	start, degree, edges := words(in["start"]), words(in["degree"]), words(in["edges"])
	frontier, visited, distance := words(in["frontier"]), words(in["visited"]), words(in["distance"])
	var queue []uint32
	for v := range uint32(scalars["vertices"]) {
		if frontier[v] != 0 {
			frontier[v] = 0
			queue = append(queue, v)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		for _, neighbour := range edges[start[v] : start[v]+degree[v]] {
			if visited[neighbour] == 0 {
				visited[neighbour] = 1
				distance[neighbour] = distance[v] + 1
				queue = append(queue, neighbour)
			}
		}
	}
	return map[string][]byte{
		"frontier": wordBytes(frontier), "reached": make([]byte, len(in["reached"])), "visited": wordBytes(visited),
		"distance": wordBytes(distance), "over": make([]byte, len(in["over"])),
	}
}
