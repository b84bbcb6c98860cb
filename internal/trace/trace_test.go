package trace_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"warpbound/internal/trace"
)

// drawHeader draws a header whose names are often awkward.
func drawHeader(t *rapid.T) *trace.Header {
	name := rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{"", "start", "exit", "7", "-1", "0", "$L__BB0_2", "a,b", "a\r\nb", "\"", " x"}),
	)
	h := &trace.Header{
		Kernel:  rapid.String().Draw(t, "kernel"),
		Module:  rapid.String().Draw(t, "module"),
		Machine: rapid.String().Draw(t, "machine"),
	}
	for range rapid.IntRange(0, 5).Draw(t, "ipoints") {
		h.Ipoints = append(h.Ipoints, trace.IpointInfo{
			Name: name.Draw(t, "name"), Pos: rapid.String().Draw(t, "pos"),
		})
	}
	return h
}

// drawRuns draws runs that end with their last record, as CSV needs it.
func drawRuns(t *rapid.T, h *trace.Header) []trace.Run {
	var runs []trace.Run
	number := -1
	for range rapid.IntRange(0, 3).Draw(t, "runs") {
		number += rapid.IntRange(1, 3).Draw(t, "step")
		run := trace.Run{Number: number}
		for range rapid.IntRange(1, 8).Draw(t, "records") {
			rec := trace.Record{
				Cycle:  rapid.Int64Range(0, math.MaxInt64).Draw(t, "cycle"),
				SM:     rapid.Int32Range(0, math.MaxInt32).Draw(t, "sm"),
				CTA:    rapid.Int32Range(0, math.MaxInt32).Draw(t, "cta"),
				Warp:   rapid.Int32Range(0, math.MaxInt32).Draw(t, "warp"),
				Ipoint: trace.Ipoint(rapid.IntRange(int(trace.Exit), len(h.Ipoints)-1).Draw(t, "ipoint")),
			}
			run.Records = append(run.Records, rec)
			run.End = max(run.End, rec.Cycle)
		}
		runs = append(runs, run)
	}
	return runs
}

// collector is a Sink that keeps everything.
type collector struct{ events []trace.Event }

func (c *collector) BeginRun(n int) error {
	c.events = append(c.events, trace.Event{Kind: trace.BeginRun, Run: n})
	return nil
}

func (c *collector) Record(r trace.Record) error {
	c.events = append(c.events, trace.Event{Kind: trace.AtIpoint, Run: c.run(), Record: r})
	return nil
}

func (c *collector) EndRun(end int64) error {
	c.events = append(c.events, trace.Event{Kind: trace.EndRun, Run: c.run(), End: end})
	return nil
}

func (c *collector) run() int { return c.events[len(c.events)-1].Run }

type closer interface {
	trace.Sink
	Close() error
}

func replayAll(t testing.TB, w closer, runs []trace.Run) []trace.Event {
	t.Helper()
	var want collector
	for i := range runs {
		if err := errors.Join(runs[i].Replay(w), runs[i].Replay(&want)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return want.events
}

func writeBinary(t testing.TB, h *trace.Header, runs []trace.Run) ([]byte, []trace.Event) {
	t.Helper()
	var buf bytes.Buffer
	w, err := trace.NewWriter(&buf, h)
	if err != nil {
		t.Fatal(err)
	}
	events := replayAll(t, w, runs)
	return buf.Bytes(), events
}

func writeCSV(t testing.TB, h *trace.Header, runs []trace.Run) ([]byte, []trace.Event) {
	t.Helper()
	var buf bytes.Buffer
	w, err := trace.NewCSVWriter(&buf, h)
	if err != nil {
		t.Fatal(err)
	}
	events := replayAll(t, w, runs)
	return buf.Bytes(), events
}

// readAll reads until the end or the first error, which is nil at a proper end.
func readAll(src trace.Source) ([]trace.Event, error) {
	var got collector
	err := trace.Copy(&got, src)
	return got.events, err
}

func readBinary(data []byte) (*trace.Header, []trace.Event, error) {
	r, err := trace.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, nil, err
	}
	events, err := readAll(r)
	return r.Header(), events, err
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := drawHeader(rt)
		h.Clocks = rapid.SampledFrom([]trace.Clocks{trace.Common, trace.PerSM}).Draw(rt, "clocks")
		runs := drawRuns(rt, h)
		data, want := writeBinary(t, h, runs)
		gotHeader, got, err := readBinary(data)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(h, gotHeader); diff != "" {
			rt.Fatal(diff)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatal(diff)
		}
	})
}

// sample is a trace of several blocks of records.
func sample() (*trace.Header, []trace.Run) {
	h := &trace.Header{Kernel: "saxpy", Ipoints: []trace.IpointInfo{{Name: "entry", Pos: "a.ptx:3:1"}, {Name: "loop"}}}
	var runs []trace.Run
	for number := range 2 {
		run := trace.Run{Number: number, End: 40000}
		for i := range int64(20000) {
			run.Records = append(run.Records, trace.Record{
				Cycle: 2 * i, SM: int32(i % 14), CTA: int32(i % 97), Warp: int32(i % 8), Ipoint: trace.Ipoint(i%4) - 2,
			})
		}
		runs = append(runs, run)
	}
	return h, runs
}

func TestSeveralBlocks(t *testing.T) {
	data, want := writeBinary(t, firstOf(sample()), secondOf(sample()))
	_, got, err := readBinary(data)
	if err != nil {
		t.Fatal(err)
	}
	if !cmp.Equal(want, got) {
		t.Error("events differ")
	}
	if perRecord := float64(len(data)) / 40000; perRecord > 7 {
		t.Errorf("%.1f bytes per record", perRecord)
	}
}

func firstOf[A, B any](a A, _ B) A  { return a }
func secondOf[A, B any](_ A, b B) B { return b }

func isPrefix(got, want []trace.Event) bool {
	return len(got) <= len(want) && slices.Equal(got, want[:len(got)])
}

// small is a trace of a few hundred bytes, two runs, two records each.
func small() (*trace.Header, []trace.Run) {
	h := &trace.Header{Kernel: "k", Ipoints: []trace.IpointInfo{{Name: "b0"}}}
	var runs []trace.Run
	for number := range 2 {
		runs = append(runs, trace.Run{Number: number, End: 9, Records: []trace.Record{
			{Cycle: 1, Ipoint: trace.Start}, {Cycle: 3}, {Cycle: 9, Ipoint: trace.Exit},
		}})
	}
	return h, runs
}

func TestTruncated(t *testing.T) {
	data, want := writeBinary(t, firstOf(small()), secondOf(small()))
	longest := 0
	for n := range data {
		_, got, err := readBinary(data[:n])
		var at *trace.OffsetError
		if !errors.As(err, &at) {
			t.Fatalf("first %d bytes: error %v", n, err)
		}
		if n >= len("wbtrace") && (!errors.Is(err, io.ErrUnexpectedEOF) || at.Offset != int64(n)) {
			t.Fatalf("first %d bytes: error %v", n, err)
		}
		if !isPrefix(got, want) {
			t.Fatalf("first %d bytes: events %v", n, got)
		}
		longest = max(longest, len(got))
	}
	if longest != len(want) {
		t.Errorf("at most %d of %d events came before the error", longest, len(want))
	}
}

func TestCorrupt(t *testing.T) {
	data, want := writeBinary(t, firstOf(small()), secondOf(small()))
	for n := range data {
		for bit := range 8 {
			damaged := bytes.Clone(data)
			damaged[n] ^= 1 << bit
			_, got, err := readBinary(damaged)
			var at *trace.OffsetError
			if !errors.As(err, &at) || at.Offset < 0 || at.Offset > int64(len(data)) {
				t.Fatalf("byte %d: error %v", n, err)
			}
			if !isPrefix(got, want) {
				t.Fatalf("byte %d: events %v", n, got)
			}
		}
	}
}

// block frames a payload as the format does, with a correct checksum.
func block(kind byte, payload ...byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte{kind}, uint32(len(payload)))
	b = append(b, payload...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

func TestRefused(t *testing.T) {
	head := "wbtrace\x01" + string(block('H', 0, 0, 0, 1, 1, 'b', 0))
	begin := string(block('B', 5))
	huge := string(binary.AppendUvarint(nil, math.MaxUint64))
	tests := []struct{ name, data, want string }{
		{"empty", "", "does not begin"},
		{"other file", "run,sm,cta,warp,ipoint,cycle\n", "does not begin"},
		{"version", "wbtrace\x02", "version 2"},
		{"no header", "wbtrace\x01" + begin, "not the header"},
		{"hostile length", "wbtrace\x01H\xff\xff\xff\xff", "longer than"},
		{"hostile string", "wbtrace\x01" + string(block('H', 0xff, 0xff, 1)), "string of 32767 bytes in the 0"},
		{"hostile table", "wbtrace\x01" + string(block('H', 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 7)), "malformed number"},
		{"long header", "wbtrace\x01" + string(block('H', 0, 0, 0, 0, 0)), "too many"},
		{"unknown block", head + string(block('Q', 1)), "unknown block type 'Q'"},
		{"second header", head + string(block('H', 0, 0, 0, 0)), "unknown block type 'H'"},
		{"record outside run", head + string(block('R', 0, 0, 0, 0, 0)), "outside a run"},
		{"nested run", head + begin + string(block('B', 6)), "inside run 5"},
		{"run order", head + begin + string(block('E', 0, 0)) + begin, "must increase"},
		{"run number", head + string(block('B')) + huge, "malformed number"},
		{"unknown ipoint", head + begin + string(block('R', 0, 0, 0, 0, 3)), "not in the table"},
		{"negative cycle", head + begin + string(block('R', 1, 0, 0, 0, 0)), "negative"},
		{"negative cta", head + begin + string(block('R', 0, 0, 1, 0, 0)), "cta -1 out of range"},
		{"large warp", head + begin + string(block('R', append([]byte{0, 0, 0}, huge...)...)), "larger than"},
		{"cut record", head + begin + string(block('R', 0, 0, 0)), "malformed number"},
		{"record count", head + begin + string(block('E', 0, 1)), "its end says 1"},
		{"early end", head + begin + string(block('R', 8, 0, 0, 0, 0)) + string(block('E', 3, 1)), "before its last record"},
		{"end outside run", head + string(block('E', 3, 1)), "outside a run"},
		{"close inside run", head + begin + string(block('Z')), "ends inside run 5"},
		{"long close", head + string(block('Z', 1)), "too many"},
		{"trailing", head + string(block('Z')) + "x", "after the end"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := readBinary([]byte(tt.data))
			var at *trace.OffsetError
			if !errors.As(err, &at) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

// TestHostileLength checks that a length without the data for it takes no memory.
func TestHostileLength(t *testing.T) {
	data := []byte("wbtrace\x01H\x00\x00\x00\x01")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := readBinary(data)
	runtime.ReadMemStats(&after)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v", err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<16 {
		t.Errorf("%d bytes allocated", grown)
	}
}

func TestWriterRefuses(t *testing.T) {
	h := &trace.Header{Ipoints: []trace.IpointInfo{{Name: "b0"}}}
	tests := []struct {
		name string
		do   func(trace.Sink) error
	}{
		{"record outside run", func(s trace.Sink) error { return s.Record(trace.Record{}) }},
		{"end outside run", func(s trace.Sink) error { return s.EndRun(0) }},
		{"nested run", func(s trace.Sink) error { return errors.Join(ignore(s.BeginRun(0)), s.BeginRun(1)) }},
		{"negative run", func(s trace.Sink) error { return s.BeginRun(-1) }},
		{"ipoint none", func(s trace.Sink) error {
			return errors.Join(ignore(s.BeginRun(0)), s.Record(trace.Record{Ipoint: trace.None}))
		}},
		{"ipoint too large", func(s trace.Sink) error {
			return errors.Join(ignore(s.BeginRun(0)), s.Record(trace.Record{Ipoint: 1}))
		}},
		{"end before record", func(s trace.Sink) error {
			return errors.Join(ignore(s.BeginRun(0)), ignore(s.Record(trace.Record{Cycle: 4})), s.EndRun(3))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, err := trace.NewWriter(io.Discard, h)
			if err != nil {
				t.Fatal(err)
			}
			if tt.do(w) == nil {
				t.Error("binary writer accepts it")
			}
			cw, err := trace.NewCSVWriter(io.Discard, h)
			if err != nil {
				t.Fatal(err)
			}
			if tt.do(cw) == nil {
				t.Error("CSV writer accepts it")
			}
		})
	}
}

// ignore is for steps that are right and lead up to the wrong one.
func ignore(error) error { return nil }

func TestCloseInsideRun(t *testing.T) {
	w, err := trace.NewWriter(io.Discard, &trace.Header{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.BeginRun(0); err != nil {
		t.Fatal(err)
	}
	if w.Close() == nil {
		t.Error("accepted")
	}
}

func TestTranslate(t *testing.T) {
	named := func(names ...string) []trace.IpointInfo {
		var infos []trace.IpointInfo
		for _, n := range names {
			infos = append(infos, trace.IpointInfo{Name: n})
		}
		return infos
	}
	tests := []struct {
		name      string
		from, own []trace.IpointInfo
		want      []trace.Ipoint // nil: an error
	}{
		{"same", named("a", "b"), named("a", "b"), []trace.Ipoint{0, 1}},
		{"permuted", named("a", "b"), named("b", "a"), []trace.Ipoint{1, 0}},
		{"coarser", named("a", "b", "c"), named("c"), []trace.Ipoint{trace.None, trace.None, 0}},
		{"missing", named("a"), named("a", "b"), nil},
		{"twice in the program", named("a"), named("a", "a"), nil},
		{"twice in the trace", named("a", "a"), named("a"), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := &trace.Header{Ipoints: tt.from}
			got, err := h.Translate(tt.own)
			if (err != nil) != (tt.want == nil) || !cmp.Equal(tt.want, got) {
				t.Errorf("got %v, %v; want %v", got, err, tt.want)
			}
		})
	}
}

func TestRemap(t *testing.T) {
	run := trace.Run{Number: 2, End: 8, Records: []trace.Record{
		{Cycle: 1, Ipoint: trace.Start}, {Cycle: 2, Ipoint: 0}, {Cycle: 3, Ipoint: 1}, {Cycle: 8, Ipoint: trace.Exit},
	}}
	var got, want collector
	if err := run.Replay(trace.Remap(&got, []trace.Ipoint{trace.None, 5})); err != nil {
		t.Fatal(err)
	}
	run.Records = []trace.Record{{Cycle: 1, Ipoint: trace.Start}, {Cycle: 3, Ipoint: 5}, {Cycle: 8, Ipoint: trace.Exit}}
	if err := run.Replay(&want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.events, got.events); diff != "" {
		t.Error(diff)
	}
	if err := run.Replay(trace.Remap(&got, nil)); err == nil {
		t.Error("an ipoint outside the table is accepted")
	}
}
