package calibrate

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"warpbound/internal/cuda"
)

// noisy is a device whose clock readings are disturbed: in one launch of sixteen by something
// that takes a thousand cycles, and in one access of a walk of five hundred.
type noisy struct {
	cuda.Device
	random *rand.Rand
}

func (d noisy) Read(p cuda.Pointer, data []byte) error {
	if err := d.Device.Read(p, data); err != nil {
		return err
	}
	if len(data)%recordBytes != 0 || len(data) < recordBytes {
		for i := 0; i+4 <= len(data); i += 4 {
			if d.random.IntN(500) == 0 {
				binary.LittleEndian.PutUint32(data[i:], binary.LittleEndian.Uint32(data[i:])+1000)
			}
		}
		return nil
	}
	if d.random.IntN(16) > 0 {
		return nil
	}
	for i := 0; i < len(data); i += recordBytes {
		if end := data[i+8:]; binary.LittleEndian.Uint64(end) > 0 {
			binary.LittleEndian.PutUint64(end, binary.LittleEndian.Uint64(end)+1000)
		}
	}
	return nil
}

// TestOutliers checks that outliers change no number and stay in the record.
func TestOutliers(t *testing.T) {
	m := builtin(t, "fermi-c2050")
	r := calibrate(t, noisy{stand(t, m), rand.New(rand.NewPCG(1, 2))}, 5)
	got, want := values(r.Machine), values(m)
	for path := range got {
		if got[path] != want[path] {
			t.Errorf("%s = %s, want %s", path, got[path], want[path])
		}
	}
	outliers := 0
	for _, ms := range r.Measurements {
		outliers += ms.Outliers()
	}
	if outliers < 5 {
		t.Errorf("%d outliers are in the record", outliers)
	}
}

// stopped is a device whose clock stands still.
type stopped struct{ cuda.Device }

func (d stopped) Read(p cuda.Pointer, data []byte) error {
	err := d.Device.Read(p, data)
	for i := 0; i+recordBytes <= len(data); i += recordBytes {
		copy(data[i+8:i+16], data[i:i+8])
	}
	return err
}

// TestImpossibleTimes checks that a microbenchmark that takes no time is an error, or that its
// number is that of the base where there is one.
func TestImpossibleTimes(t *testing.T) {
	m := builtin(t, "fermi-c2050")
	_, err := Run(context.Background(), Config{Device: stopped{stand(t, m)}, Default: m, Simulate: simulate})
	if err == nil || !strings.Contains(err.Error(), "microbenchmark int-add.latency gives 0 core cycles, which cannot be") {
		t.Errorf("a clock that stands still: %v", err)
	}
	base, err := small(orin)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Refine(context.Background(), Config{Device: stopped{stand(t, base)}, Default: base, Simulate: simulate, Repeats: 1})
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(r.Notes, "\n")
	for _, n := range shown(base) {
		if strings.HasPrefix(n.path, "l2.") || strings.HasPrefix(n.path, "dram.") || n.value(r.Machine) == n.value(base) && strings.Contains(notes, n.path+" = ") {
			continue // walks are read otherwise
		}
		t.Errorf("%s = %d, want that of the base, %d, and a note", n.path, n.value(r.Machine), n.value(base))
	}
}

// TestTimesBetweenNumbers settles a number whose microbenchmark takes half a cycle more or less
// than whole numbers make of it.
func TestTimesBetweenNumbers(t *testing.T) {
	m, err := small(orin)
	if err != nil {
		t.Fatal(err)
	}
	c := &calibration{Config: Config{Simulate: simulate}, ctx: context.Background(), m: m}
	for _, measured := range []float64{11.5, 12.5, 12} {
		for start := int64(8); start < 16; start++ {
			n := start
			settled := func(from int64) int64 {
				probe := func(*prober) ([]float64, error) { return []float64{float64(n)}, nil }
				if _, err := c.settle(from, 1, 1, measured, func(v int64) { n = v }, probe); err != nil {
					t.Fatal(err)
				}
				return n
			}
			first := settled(start)
			if again := settled(first); again != first || math.Abs(float64(first)-measured) > 0.5 {
				t.Errorf("%v from %d: %d, and then %d", measured, start, first, again)
			}
		}
	}
}
