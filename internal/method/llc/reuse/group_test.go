package reuse_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound/internal/method/llc/reuse"
)

func sequence(lines string) []reuse.Access {
	var accesses []reuse.Access
	for _, line := range lines {
		accesses = append(accesses, reuse.Line(uint64(line)))
	}
	return accesses
}

// Misses that are counted together.
func TestGroupedMisses(t *testing.T) {
	for _, test := range []struct {
		name    string
		ways    int
		quota   int64
		cores   []string
		free    string // a core that is not waited for
		counted reuse.Misses
		grouped reuse.Misses
	}{
		{
			name: "one of two cores fetches what both read", ways: 2, quota: 2,
			cores:   []string{"AB", "BA"},
			counted: reuse.Misses{Total: 4, Main: 4, Cores: []int64{2, 2}},
			grouped: reuse.Misses{Total: 2, Main: 2, Cores: []int64{2, 2}},
		},
		{
			name: "each interval begins with what is still there", ways: 2, quota: 2,
			cores:   []string{"ABAB", "BABA"},
			counted: reuse.Misses{Total: 4, Main: 4, Cores: []int64{2, 2}},
			grouped: reuse.Misses{Total: 2, Main: 2, Cores: []int64{2, 2}},
		},
		{
			name: "a line is evicted as often as others fill the set", ways: 2, quota: 6,
			cores:   []string{"AAAAAA", "BCDEBB"},
			counted: reuse.Misses{Total: 11, Main: 11, Cores: []int64{6, 5}},
			// A leaves three times at most: once for each of C, D and E, each time with B.
			grouped: reuse.Misses{Total: 9, Main: 9, Cores: []int64{4, 5}},
		},
		{
			name: "few lines of few uses evict seldom", ways: 3, quota: 9,
			cores:   []string{"AAAAAAAAA", "BBBBBBBCD"},
			counted: reuse.Misses{Total: 12, Main: 12, Cores: []int64{9, 3}},
			grouped: reuse.Misses{Total: 5, Main: 5, Cores: []int64{2, 3}},
		},
		{
			name: "a free core may come again and again", ways: 1, quota: 5,
			cores: []string{"AAAAA"}, free: "BBBBB",
			counted: reuse.Misses{Total: 10, Main: 5, Cores: []int64{5, 5}},
			grouped: reuse.Misses{Total: 10, Main: 5, Cores: []int64{5, 5}},
		},
		{
			name: "a free core that comes once evicts once", ways: 1, quota: 5,
			cores: []string{"AAAAA"}, free: "B",
			counted: reuse.Misses{Total: 6, Main: 5, Cores: []int64{5, 1}},
			grouped: reuse.Misses{Total: 3, Main: 2, Cores: []int64{2, 1}},
		},
		{
			name: "what a free core uses again and again is evicted seldom", ways: 3, quota: 20,
			cores: []string{"BCDEFG"}, free: "AXAXAXAXAXAXAXAXAXAX",
			counted: reuse.Misses{Total: 26, Main: 6, Cores: []int64{6, 20}},
			// Of A and X each leaves three times at most, with two lines of the other core.
			grouped: reuse.Misses{Total: 14, Main: 6, Cores: []int64{6, 8}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var cores []reuse.Core
			for _, lines := range test.cores {
				cores = append(cores, reuse.Regulated(sequence(lines), test.quota))
			}
			if test.free != "" {
				cores = append(cores, reuse.Limited(sequence(test.free), test.quota))
			}
			result, err := reuse.Analyze(t.Context(), reuse.Cache{Sets: 1, Ways: test.ways}, 0, cores)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.counted, result.Counted); diff != "" {
				t.Errorf("counted: %s", diff)
			}
			if diff := cmp.Diff(test.grouped, result.Grouped); diff != "" {
				t.Errorf("grouped: %s", diff)
			}
		})
	}
}

// TestAside: cores without windows fetch a line once together while it stays, and misses of a core that is aside are not theirs.
func TestAside(t *testing.T) {
	for _, test := range []struct {
		name    string
		aside   string
		grouped reuse.Misses
	}{
		{"what all read", "AB", reuse.Misses{Total: 2, Main: 2, Cores: []int64{2, 2, 2}}},
		{"lines of its own", "CDCD", reuse.Misses{Total: 4, Main: 2, Cores: []int64{2, 2, 2}}},
		// Each of the six lines has five others beside it, and leaves once.
		{"lines of its own that evict", "CDEFCDEF", reuse.Misses{Total: 12, Main: 4, Cores: []int64{2, 2, 8}}},
	} {
		cores := []reuse.Core{reuse.Unordered(sequence("AB")), reuse.Unordered(sequence("BA")), reuse.Unordered(sequence(test.aside))}
		cores[2].Aside = true
		result, err := reuse.Analyze(t.Context(), reuse.Cache{Sets: 1, Ways: 4}, 0, cores)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.grouped, result.Grouped); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.name, diff)
		}
	}
}
