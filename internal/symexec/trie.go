package symexec

// trie is a map from numbers that does not change: with returns another, which shares most of
// its storage. The zero trie is empty. Each level decides on trieBits bits of a key.
type trie[V any] struct {
	root   *trieNode[V]
	levels int // below the root
}

const trieBits = 4

type trieNode[V any] struct {
	below  *[1 << trieBits]*trieNode[V] // nil on the last level
	values *[1 << trieBits]V            // of the last level
	has    uint16                       // which values there are
}

// get returns the value of a key.
func (t trie[V]) get(key uint64) (v V, found bool) {
	if t.root == nil || key>>(trieBits*(t.levels+1)) != 0 {
		return v, false
	}
	n := t.root
	for level := t.levels; level > 0; level-- {
		if n = n.below[key>>(trieBits*level)&(1<<trieBits-1)]; n == nil {
			return v, false
		}
	}
	i := key & (1<<trieBits - 1)
	return n.values[i], n.has>>i&1 == 1
}

// with returns the map with a value for a key.
func (t trie[V]) with(key uint64, v V) trie[V] {
	for t.root != nil && key>>(trieBits*(t.levels+1)) != 0 {
		t = trie[V]{&trieNode[V]{below: &[1 << trieBits]*trieNode[V]{t.root}}, t.levels + 1}
	}
	if t.root == nil {
		for key>>(trieBits*(t.levels+1)) != 0 {
			t.levels++
		}
	}
	return trie[V]{t.root.with(t.levels, key, v), t.levels}
}

func (n *trieNode[V]) with(level int, key uint64, v V) *trieNode[V] {
	i := key >> (trieBits * level) & (1<<trieBits - 1)
	if level == 0 {
		m := &trieNode[V]{values: new([1 << trieBits]V)}
		if n != nil {
			*m.values, m.has = *n.values, n.has
		}
		m.values[i], m.has = v, m.has|1<<i
		return m
	}
	m := &trieNode[V]{below: new([1 << trieBits]*trieNode[V])}
	if n != nil {
		*m.below = *n.below
	}
	m.below[i] = m.below[i].with(level-1, key, v)
	return m
}
