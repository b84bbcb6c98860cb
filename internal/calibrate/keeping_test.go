package calibrate

import (
	"context"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"warpbound/internal/cuda"
)

// keeping is a device whose L2 keeps its lines from one launch to the next, and whose lines
// are at different distances, as those of GPUs are and simulated ones are not.
type keeping struct {
	cuda.Device
	line, lines int
	held        map[uint64]int // by number of a line, when it was loaded
	loads       *int
	times       *cuda.Pointer // of the accesses of the last walk
}

func (d keeping) Read(p cuda.Pointer, data []byte) error {
	err := d.Device.Read(p, data)
	if p == *d.times {
		for i := 0; i+4 <= len(data); i += 4 {
			further := uint32(i / 4 * 7 % 13) // cycles
			binary.LittleEndian.PutUint32(data[i:], binary.LittleEndian.Uint32(data[i:])+further)
		}
	}
	return err
}

func (d keeping) Load(text []byte) (cuda.Module, error) {
	m, err := d.Device.Load(text)
	return keepingModule{m, d}, err
}

type keepingModule struct {
	cuda.Module
	device keeping
}

func (m keepingModule) Function(name string) (cuda.Function, error) {
	f, err := m.Module.Function(name)
	if name == "walk" {
		f = keepingWalk{f, m.device}
	}
	return f, err
}

type keepingWalk struct {
	cuda.Function
	device keeping
}

// Launch makes a walk that is made once a second time if its lines were loaded before and less
// than the L2 holds was loaded since.
func (f keepingWalk) Launch(ctx context.Context, l cuda.Launch) (time.Duration, error) {
	d, word := f.device, func(at int) uint64 { return uint64(binary.LittleEndian.Uint32(l.Params[at:])) }
	out, data := binary.LittleEndian.Uint64(l.Params), binary.LittleEndian.Uint64(l.Params[8:])
	*d.times = cuda.Pointer(out + recordBytes)
	rounds, n, stride, spread := word(32), word(36), word(40), word(44)
	known := true
	for i := range n {
		for lane := range uint64(32) {
			line := (data + i*stride + lane*spread) / uint64(d.line)
			at, met := d.held[line]
			known = known && met && *d.loads-at < d.lines
			if !met || at < *d.loads {
				*d.loads++
			}
			d.held[line] = *d.loads
		}
	}
	if known && rounds == 1 {
		l.Params = append([]byte(nil), l.Params...)
		binary.LittleEndian.PutUint32(l.Params[32:], 2)
	}
	return f.Function.Launch(ctx, l)
}

// TestKeepingL2 finds the L2 of such a device again.
func TestKeepingL2(t *testing.T) {
	m := builtin(t, "fermi-c2050").WithSources(func(_, source string) string { return source })
	m.L2.Partitions.Value, m.L2.Sets.Value, m.L2.Ways.Value = 4, 128, 12
	want := l2Geometry{4, int(m.L2.Interleave.Value), 128, 12}
	line, lines := int(m.L2.Line.Value), want.partitions*want.sets*want.ways
	dev := keeping{stand(t, m), line, lines, map[uint64]int{}, new(int), new(cuda.Pointer)}
	p, err := newProber(dev, 1, 64<<20)
	if err != nil {
		t.Fatal(err)
	}
	seen, err := p.l2Seen(context.Background(), line)
	if err != nil {
		t.Fatal(err)
	}
	if seen.lines != lines || len(seen.held) == 0 || !seen.explained(func(addr int) int { return l2Set(addr, line, want) }, want.ways) {
		t.Errorf("%+v, want %d lines in %+v", seen, lines, want)
	}
}

// indistinct is a device whose walks do not tell hits of the L2 from misses: all take some time,
// and the places of a walk the further behind, the longer.
type indistinct struct {
	cuda.Device
	further int // cycles of a walk from its first to its last place
}

func (d indistinct) Read(p cuda.Pointer, data []byte) error {
	err := d.Device.Read(p, data)
	if p%256 == recordBytes { // times of a walk stand behind a record
		for i := 0; i+4 <= len(data); i += 4 {
			if t := binary.LittleEndian.Uint32(data[i:]); t > 150 {
				binary.LittleEndian.PutUint32(data[i:], 400+uint32(i*d.further/len(data)))
			}
		}
	}
	return err
}

// TestUnseenL2 takes the size of an L2 from the device where walks show none or what cannot be.
func TestUnseenL2(t *testing.T) {
	m := builtin(t, "fermi-c2050")
	p, err := newProber(indistinct{stand(t, m), 0}, 1, 64<<20)
	if err != nil {
		t.Fatal(err)
	}
	if seen, err := p.l2Seen(context.Background(), 128); seen != nil || err != nil {
		t.Errorf("where hits take as long as misses: %+v, %v", seen, err)
	}
	r := calibrate(t, indistinct{stand(t, m), 300}, 1)
	if got, want := r.Machine.L2, m.L2; got.Partitions.Value != want.Partitions.Value || got.Sets.Value != want.Sets.Value || got.Ways.Value != want.Ways.Value ||
		got.Sets.Source != "attribute of the device: 786432 bytes of L2, in a shape of about as many lines" {
		t.Errorf("%+v", got)
	}
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "walks show no size of the L2") {
		t.Errorf("notes %s", notes)
	}
}
