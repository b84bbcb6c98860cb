package store

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"warpbound/estimate"
	"warpbound/internal/campaign"
)

// records draws records.
func records() *rapid.Generator[*campaign.Record] {
	return rapid.Custom(func(t *rapid.T) *campaign.Record {
		r := &campaign.Record{Cycles: rapid.Int64().Draw(t, "cycles"), Followed: rapid.Bool().Draw(t, "followed"), Invariant: rapid.Bool().Draw(t, "invariant"), Turned: rapid.Bool().Draw(t, "turned")}
		for range rapid.IntRange(1, 3).Draw(t, "launches") {
			r.Launches = append(r.Launches, campaign.Executed{
				Runs: rapid.Int64().Draw(t, "runs"), Executions: rapid.Int64().Draw(t, "executions"), MinCount: rapid.Int().Draw(t, "least"), MaxCount: rapid.Int().Draw(t, "most"),
				Cycles: rapid.Int64().Draw(t, "sum"), Minimum: rapid.Int64().Draw(t, "minimum"), Maximum: rapid.Int64().Draw(t, "maximum"),
			})
		}
		if rapid.Bool().Draw(t, "reaches") {
			r.Reached = &estimate.Reached{Pos: rapid.String().Draw(t, "pos"), What: rapid.String().Draw(t, "what")}
		}
		if rapid.Bool().Draw(t, "traced") {
			r.Traces = rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 1, 300), 1, 3).Draw(t, "traces")
		}
		return r
	})
}

// TestCodec writes and reads records.
func TestCodec(t *testing.T) {
	var c, other Codec
	rapid.Check(t, func(t *rapid.T) {
		want := records().Draw(t, "record")
		data, err := c.Encode(want)
		if err != nil {
			t.Fatal(err)
		}
		again, err := other.Encode(want)
		if err != nil || !reflect.DeepEqual(data, again) {
			t.Fatalf("the bytes differ: %v", err)
		}
		got, err := c.Decode(data)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v is %+v, %v", want, got, err)
		}
	})
}

// TestDamagedRecords cuts a record at every byte and flips every bit of it: no other record comes out.
func TestDamagedRecords(t *testing.T) {
	var c Codec
	want := &campaign.Record{Cycles: 77, Launches: []campaign.Executed{{Runs: 1, Executions: 2, Cycles: 9}}, Traces: [][]byte{[]byte("a trace, a trace, a trace")}}
	data, err := c.Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	for n := range data {
		if r, err := c.Decode(data[:n]); err == nil {
			t.Errorf("the first %d bytes of %d are %+v", n, len(data), r)
		}
	}
	for bit := range 8 * len(data) {
		damaged := append([]byte(nil), data...)
		damaged[bit/8] ^= 1 << (bit % 8)
		if r, err := c.Decode(damaged); err == nil && !reflect.DeepEqual(r, want) {
			t.Errorf("with bit %d flipped it is %+v", bit, r)
		}
	}
}

// FuzzDecode reads what is no record.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{0x0f, 2, 1, 2, 2, 2, 2, 2, 2, 2, 1, 'p', 1, 'w', 1, 1, 't'})
	f.Fuzz(func(t *testing.T, plain []byte) {
		if r, err := decode(&reader{left: plain}); (r == nil) == (err == nil) {
			t.Errorf("%+v, %v", r, err)
		}
	})
}
