package compare

import "slices"

// pair is something of both sides, or of one: the other index is negative then.
type pair struct{ a, b int }

// match pairs what is the same in two lists. Keys say what is the same, the surest first: what has no partner by one
// key may have one by the next. Several with the same key are paired in their order. Pairs are in the order of the
// second list, and behind them is what is of the first list alone.
func match(a, b int, keys ...func(list, i int) string) []pair {
	ofA, ofB := make([]int, a), make([]int, b) // partners, plus 1
	for _, key := range keys {
		free := make(map[string][]int)
		for i := range a {
			if k := key(0, i); ofA[i] == 0 && k != "" {
				free[k] = append(free[k], i)
			}
		}
		for j := range b {
			if k := key(1, j); ofB[j] == 0 && len(free[k]) > 0 {
				ofA[free[k][0]], ofB[j] = j+1, free[k][0]+1
				free[k] = free[k][1:]
			}
		}
	}
	var pairs []pair
	for j := range b {
		pairs = append(pairs, pair{ofB[j] - 1, j})
	}
	for i := range a {
		if ofA[i] == 0 {
			pairs = append(pairs, pair{i, -1})
		}
	}
	return pairs
}

// placed pairs what has a name and a position: by both, then by the position, since compilers number their labels, then
// by the name, since lines move.
func placed[T any](a, b []T, name, pos func(T) string) []pair {
	of := func(list, i int) T { return [2][]T{a, b}[list][i] }
	return match(len(a), len(b),
		func(list, i int) string { return name(of(list, i)) + "\x00" + pos(of(list, i)) },
		func(list, i int) string { return pos(of(list, i)) },
		func(list, i int) string { return name(of(list, i)) })
}

// unshared returns what is in one list more often than in the other.
func unshared[T comparable](a, b []T) (gone, added []T) {
	gone, added = []T{}, []T{}
	rest := slices.Clone(a)
	for _, x := range b {
		if i := slices.Index(rest, x); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
		} else {
			added = append(added, x)
		}
	}
	return append(gone, rest...), added
}
