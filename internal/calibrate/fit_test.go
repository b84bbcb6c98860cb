package calibrate

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/isa"
	"warpbound/internal/machine"
)

// TestPipelinesExplainIntervals draws pipelines, disturbs the intervals that follow and fits
// pipelines to them: the quotients must be found again, and the numbers too where the burst is
// known.
func TestPipelinesExplainIntervals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		classes := rapid.SampledFrom([][]isa.Class{{isa.IntAdd}, {isa.IntAdd, isa.IntMul}, {isa.SFU, isa.FP64Add, isa.FP64Div}}).Draw(t, "classes")
		count := rapid.Int64Range(1, 8).Draw(t, "pipelines")
		intervals, initiations := map[isa.Class]float64{}, map[isa.Class]int64{}
		for _, c := range classes {
			initiations[c] = rapid.Int64Range(1, 20).Draw(t, "initiation")
			intervals[c] = float64(initiations[c]) / float64(count) * rapid.Float64Range(0.995, 1.005).Draw(t, "noise")
		}
		g := pipeline{classes: classes}
		g.fit(intervals, count)
		if g.count != count {
			t.Errorf("%d pipelines, want %d", g.count, count)
		}
		for _, c := range classes {
			if g.initiation[c] != initiations[c] {
				t.Errorf("%s: initiation %d, want %d", c, g.initiation[c], initiations[c])
			}
		}
		g.fit(intervals, 0)
		if g.count > count {
			t.Errorf("%d pipelines, but %d are enough", g.count, count)
		}
		for _, c := range classes {
			if got := float64(g.initiation[c]) / float64(g.count); math.Abs(got/intervals[c]-1) > 2*fits {
				t.Errorf("%s: interval %v, want %v", c, got, intervals[c])
			}
		}
	})
}

func TestSeparate(t *testing.T) {
	for _, c := range []struct {
		name   string
		alone  [2]float64
		counts [2]int
		mixed  float64
		issue  float64
		want   bool
	}{
		{"own pipelines", [2]float64{0.5, 8}, [2]int{16, 1}, 8.5, 0.5, true},
		{"one pipeline", [2]float64{8, 4}, [2]int{1, 2}, 15.9, 0.5, false},
		{"issue hides it", [2]float64{0.5, 0.5}, [2]int{1, 1}, 1, 0.5, false},
		{"issue hides half of it", [2]float64{0.5, 1}, [2]int{2, 1}, 1.5, 0.5, true},
	} {
		if got := separate(c.alone, c.counts, c.mixed, c.issue); got != c.want {
			t.Errorf("%s: separate is %t", c.name, got)
		}
	}
}

// TestCachesAreFoundAgain draws caches, works out what walks see of them and finds shapes
// that explain it.
func TestCachesAreFoundAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]int{32, 64, 128}).Draw(t, "line")
		sets := 1 << rapid.IntRange(2, 7).Draw(t, "log2 sets")
		ways := rapid.IntRange(1, 16).Draw(t, "ways")
		index := machine.Linear
		if sets == 32 && line == 128 && rapid.Bool().Draw(t, "hashed") {
			index = machine.Fermi
		}
		seen := cacheSeen{line: line, lines: sets * ways}
		for stride := 2 * line; stride <= 1<<20; stride *= 2 {
			n := places(func(addr int) int { return l1Set(addr, line, sets, index) }, stride, ways, sets*ways+1)
			seen.held = append(seen.held, held{stride, n})
		}
		gotSets, gotWays, gotIndex, known := seen.l1Shape()
		if gotSets != sets || gotWays != ways || gotIndex != index || !known {
			t.Fatalf("%d sets of %d ways, %s, known %t", gotSets, gotWays, gotIndex, known)
		}
		seen.held[0].places++
		if _, _, _, known := seen.l1Shape(); known {
			t.Fatal("a cache that is none is explained")
		}
	})
}

// TestL2ShapesAreFoundAgain is the same for the partitions of an L2.
func TestL2ShapesAreFoundAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const line = 128
		g := l2Geometry{
			partitions: rapid.IntRange(1, 12).Draw(t, "partitions"), interleave: 128 << rapid.IntRange(0, 3).Draw(t, "log2 interleave"),
			sets: 1 << rapid.IntRange(4, 6).Draw(t, "log2 sets"), ways: rapid.IntRange(2, 16).Draw(t, "ways"),
		}
		seen := cacheSeen{lines: g.partitions * g.sets * g.ways / 32 * 32}
		for _, stride := range l2Strides(line, 64<<20) {
			if n := places(func(addr int) int { return l2Set(addr, line, g) }, stride, g.ways, maxPlaces); n < maxPlaces {
				seen.held = append(seen.held, held{stride, n})
			}
		}
		shapes := seen.l2Shapes(line, l2Geometry{6, 256, 64, 16})
		if !slices.Contains(shapes, g) {
			t.Fatalf("of %v only %v", g, shapes)
		}
		usual := seen.l2Shapes(line, g)
		if usual[0] != g || len(usual) != len(shapes) {
			t.Fatalf("the usual shape %v is not the first of %v", g, usual)
		}
	})
}

// TestStatableLines checks lines of large devices: the caches of all SMs and the L2 together
// must fit into a machine file.
func TestStatableLines(t *testing.T) {
	for _, c := range []struct{ line, sms, l1, l2, want int }{
		{128, 14, 16 << 10, 768 << 10, 128},
		{32, 14, 16 << 10, 768 << 10, 32},
		{32, 80, 128 << 10, 6 << 20, 32},
		{32, 132, 256 << 10, 50 << 20, 32},
		{32, 132, 256 << 10, 200 << 20, 64},
	} {
		got := statable(c.line, c.sms*c.l1+c.l2)
		if got != c.want || (c.sms*c.l1+c.l2)/got > machine.MaxLines {
			t.Errorf("%+v: lines of %d bytes", c, got)
		}
	}
	seen := cacheSeen{line: 32, lines: 8192, held: []held{{64, 4096}, {256, 1024}, {1 << 20, 4}}}
	got := seen.withLine(128)
	sets, ways, index, known := got.l1Shape()
	if got.lines != 2048 || sets != 512 || ways != 4 || index != machine.Linear || !known {
		t.Errorf("%+v: %d sets of %d ways, %s, known %t", got, sets, ways, index, known)
	}
}

// TestRowsAreFoundAgain draws how a DRAM is divided and finds its rows from which loads of a
// walk open one.
func TestRowsAreFoundAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]int{32, 64, 128}).Draw(t, "line")
		partitions := rapid.IntRange(1, 24).Draw(t, "partitions")
		interleave := max(line, 128<<rapid.IntRange(0, 2).Draw(t, "log2 interleave"))
		row := 1024 << rapid.IntRange(0, 2).Draw(t, "log2 row")
		begin := rapid.IntRange(0, 1<<20).Draw(t, "begin") * line
		open := map[int]int{}
		times := make([]float64, maxTimes)
		for i := range times {
			addr := begin + i*line
			number := addr / interleave
			within := number/partitions*interleave + addr%interleave
			times[i] = 100
			if last, ok := open[number%partitions]; !ok || last != within/row {
				times[i] = 110
			}
			open[number%partitions] = within / row
		}
		if rows := maxTimes * line / (row * partitions); rows < 3 {
			t.Skip("too few rows")
		}
		if got := rowBytes(times, 110, line, partitions); got != row {
			t.Fatalf("rows of %d bytes, want %d", got, row)
		}
	})
}
