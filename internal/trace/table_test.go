package trace

import (
	"maps"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestTable compares a table with a map.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table Table[int]
		want := map[int32]int{}
		for step := range rapid.IntRange(0, 100).Draw(t, "steps") {
			number := rapid.OneOf(rapid.Int32Range(0, 9), rapid.Int32Range(0, 300), rapid.Int32()).Draw(t, "number")
			if got := *table.At(number); got != want[number] {
				t.Fatalf("%d has %d, want %d", number, got, want[number])
			}
			*table.At(number), want[number] = step+1, step+1
		}
		got := map[int32]int{}
		for number, v := range table.All() {
			if _, twice := got[number]; twice {
				t.Errorf("%d is there twice", number)
			}
			if *v != 0 {
				got[number] = *v
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}

// TestTableMemory: numbers without those before them take no memory.
func TestTableMemory(t *testing.T) {
	var table Table[int]
	for _, number := range []int32{0, math.MaxInt32, ahead, 1 << 20, -1, 3*ahead + 2, 3*ahead + 1} {
		table.At(number)
	}
	if n := len(table.list); n != 3*ahead+2 || len(table.far) != 4 {
		t.Errorf("an array of %d values, and %d others", n, len(table.far))
	}
}
