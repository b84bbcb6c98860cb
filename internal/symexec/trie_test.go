package symexec

import (
	"maps"
	"testing"

	"pgregory.net/rapid"
)

// TestTrie compares tries with maps: later ones leave earlier ones as they were.
func TestTrie(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type version struct {
			trie trie[int]
			want map[uint64]int
		}
		versions := []version{{want: map[uint64]int{}}}
		keys := rapid.SliceOfN(rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 40)), 1, 40).Draw(t, "keys")
		for i, key := range keys {
			from := versions[rapid.IntRange(0, len(versions)-1).Draw(t, "from")]
			next := version{from.trie.with(key, i), maps.Clone(from.want)}
			next.want[key] = i
			versions = append(versions, next)
		}
		for _, v := range versions {
			for _, key := range keys {
				got, found := v.trie.get(key)
				if want, exists := v.want[key]; found != exists || got != want {
					t.Fatalf("key %d has %d, %v; want %d, %v", key, got, found, want, exists)
				}
			}
		}
	})
}
