package trace_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"warpbound/internal/trace"
)

// checkPrefix is the contract of a reader on any input: what it delivers, also before
// an error, is the beginning of a valid trace, which a writer therefore accepts.
func checkPrefix(t *testing.T, src trace.Source) {
	t.Helper()
	w, err := trace.NewWriter(io.Discard, src.Header())
	if err != nil {
		t.Skip("the table is longer than a block")
	}
	inRun := false
	for {
		ev, err := src.Next()
		if err != nil {
			if _, again := src.Next(); again != err {
				t.Fatalf("error %v after error %v", again, err)
			}
			if errors.Is(err, io.EOF) && inRun {
				t.Fatal("the trace ends inside a run")
			}
			return
		}
		inRun = ev.Kind != trace.EndRun
		switch ev.Kind {
		case trace.BeginRun:
			err = w.BeginRun(ev.Run)
		case trace.AtIpoint:
			err = w.Record(ev.Record)
		case trace.EndRun:
			err = w.EndRun(ev.End)
		}
		if err != nil {
			t.Fatalf("delivered %+v: %v", ev, err)
		}
	}
}

func FuzzReader(f *testing.F) {
	data, _ := writeBinary(f, firstOf(small()), secondOf(small()))
	f.Add(data)
	f.Add(data[:len(data)-3])
	f.Add([]byte("wbtrace\x01" + string(block('H', 0, 0, 0, 1, 1, 'b', 0)) + string(block('B', 5)) + string(block('R', 0, 0, 1, 0, 0))))
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := trace.NewReader(bytes.NewReader(data)); err == nil {
			checkPrefix(t, r)
		}
		// The same bytes as the payload of a block of records whose checksum holds, so
		// that the decoder of records is reached too.
		framed := "wbtrace\x01" + string(block('H', 0, 0, 0, 1, 1, 'b', 0)) + string(block('B', 5)) + string(block('R', data...))
		r, err := trace.NewReader(strings.NewReader(framed))
		if err != nil {
			t.Fatal(err)
		}
		checkPrefix(t, r)
	})
}

func FuzzCSVReader(f *testing.F) {
	h, runs := small()
	data, _ := writeCSV(f, h, runs)
	f.Add(data)
	f.Add([]byte("run,sm,cta,warp,ipoint,cycle\n0,0,0,0,start,1\n1,0,0,0,b0,\n"))
	f.Add([]byte("run,sm,cta,warp,ipoint,cycle\n\"0\",0,0,0,\"exit\",9223372036854775807\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := trace.NewCSVReader(bytes.NewReader(data), h); err == nil {
			checkPrefix(t, r)
		}
	})
}

func BenchmarkWriter(b *testing.B) {
	h, runs := sample()
	w, err := trace.NewWriter(io.Discard, h)
	if err != nil {
		b.Fatal(err)
	}
	if err := w.BeginRun(0); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	records := runs[0].Records
	for i := 0; b.Loop(); i++ {
		if err := w.Record(records[i%len(records)]); err != nil {
			b.Fatal(err)
		}
	}
}
