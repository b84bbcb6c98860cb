package trace_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"warpbound/internal/trace"
)

func TestRoundTripCSV(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := drawHeader(rt)
		runs := drawRuns(rt, h)
		data, want := writeCSV(t, h, runs)
		src, err := trace.Open(bytes.NewReader(data), h)
		if err != nil {
			rt.Fatal(err)
		}
		got, err := readAll(src)
		if err != nil {
			rt.Fatalf("%v in\n%s", err, data)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatal(diff)
		}
	})
}

func TestCSV(t *testing.T) {
	h := &trace.Header{Ipoints: []trace.IpointInfo{{Name: "b0"}, {Name: "b1"}}}
	const head = "run,sm,cta,warp,ipoint,cycle\n"
	tests := []struct {
		name, text string
		events     int
		want       string // part of the error; empty if there is none
	}{
		{"plain", head + "0,0,0,0,start,1\n0,0,0,0,b1,2\n0,0,0,0,0,3\n3,0,0,0,exit,1\n", 8, ""},
		{"byte order mark", "\ufeff" + head + "0,0,0,0,start,1\n", 3, ""},
		{"byte order mark and quotes", "\ufeff\"run\"" + head[3:] + "0,0,0,0,start,1\n", 3, ""},
		{"no records", head, 0, ""},
		{"no last newline", head + "0,0,0,0,start,1", 3, ""},
		{"missing field", head + "0,0,0,0,start,1\n0,0,0,0,exit\n", 2, "line 3"},
		{"unknown name", head + "0,0,0,0,start,1\n0,0,0,0,b7,1\n", 2, "line 3, column 9: \"b7\" is not a valid ipoint"},
		{"reserved number", head + "0,0,0,0,-1,1\n", 0, "line 2, column 9"},
		{"outside the table", head + "0,0,0,0,2,1\n", 1, "not in the table"},
		{"cycle", head + "0,0,0,0,start,1.5\n", 0, "not a valid cycle"},
		{"negative", head + "0,-2,0,0,start,1\n", 0, "\"-2\" is not a valid sm"},
		{"run order", head + "4,0,0,0,start,1\n3,0,0,0,start,1\n", 3, "must increase"},
		{"quote", head + "0,0,0,0,start,1\n\"", 2, "line 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := trace.NewCSVReader(strings.NewReader(tt.text), h)
			if err != nil {
				t.Fatal(err)
			}
			events, err := readAll(r)
			if len(events) != tt.events {
				t.Errorf("%d events, want %d: %v", len(events), tt.events, events)
			}
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	for _, text := range []string{"", "\ufeff", "\ufeff\ufeff" + head, "run,sm\n", "a,b,c,d,e,f\n"} {
		if _, err := trace.NewCSVReader(strings.NewReader(text), h); err == nil {
			t.Errorf("column names %q accepted", text)
		}
	}
}

func TestCSVCannotSayEnd(t *testing.T) {
	w, err := trace.NewCSVWriter(io.Discard, &trace.Header{})
	if err != nil {
		t.Fatal(err)
	}
	run := trace.Run{End: 9, Records: []trace.Record{{Cycle: 8, Ipoint: trace.Exit}}}
	if err := run.Replay(w); err == nil {
		t.Error("accepted")
	}
}

func TestCSVCannotSayClocks(t *testing.T) {
	if _, err := trace.NewCSVWriter(io.Discard, &trace.Header{Clocks: trace.PerSM}); err == nil {
		t.Error("accepted")
	}
}

func TestCSVLineLimit(t *testing.T) {
	h := &trace.Header{Ipoints: []trace.IpointInfo{{Name: "b"}}}
	endless := io.MultiReader(strings.NewReader("run,sm,cta,warp,ipoint,cycle\n0,0,0,0,start,0\n"), zeros{})
	src, err := trace.Open(endless, h)
	if err != nil {
		t.Fatal(err)
	}
	var events int
	for {
		if _, err = src.Next(); err != nil {
			break
		}
		events++
	}
	if events != 2 || !strings.Contains(err.Error(), "line 3 has more than 65536 bytes") {
		t.Errorf("%d events, then %v; want 2 and the line", events, err)
	}
	if _, err := trace.Open(zeros{}, h); err == nil || !strings.Contains(err.Error(), "neither in the binary format nor CSV") {
		t.Errorf("a file of zeros: %v", err)
	}
}

// zeros is a file without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
