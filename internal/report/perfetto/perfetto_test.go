package perfetto

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"warpbound/estimate"
)

// schema is what the published schema says of the messages that traces use, as far as they use them: field numbers are written down here
// again.
func schema(t *testing.T) protoreflect.FileDescriptor {
	t.Helper()
	number := func(name string, n int32) *descriptorpb.FieldDescriptorProto {
		return &descriptorpb.FieldDescriptorProto{Name: &name, Number: &n, Type: descriptorpb.FieldDescriptorProto_TYPE_UINT64.Enum(), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()}
	}
	text := func(name string, n int32) *descriptorpb.FieldDescriptorProto {
		f := number(name, n)
		f.Type = descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum()
		return f
	}
	of := func(name string, n int32, kind string) *descriptorpb.FieldDescriptorProto {
		f := number(name, n)
		f.Type, f.TypeName = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(), proto.String(".p."+kind)
		return f
	}
	several := func(f *descriptorpb.FieldDescriptorProto) *descriptorpb.FieldDescriptorProto {
		f.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
		return f
	}
	kind := func(name string, fields ...*descriptorpb.FieldDescriptorProto) *descriptorpb.DescriptorProto {
		return &descriptorpb.DescriptorProto{Name: &name, Field: fields}
	}
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: proto.String("trace.proto"), Package: proto.String("p"), Syntax: proto.String("proto2"),
		MessageType: []*descriptorpb.DescriptorProto{
			kind("Trace", several(of("packet", 1, "TracePacket"))),
			kind("TracePacket", number("timestamp", 8), number("trusted_packet_sequence_id", 10), number("sequence_flags", 13),
				of("track_event", 11, "TrackEvent"), of("interned_data", 12, "InternedData"), of("track_descriptor", 60, "TrackDescriptor")),
			kind("TrackEvent", number("type", 9), number("name_iid", 10), number("track_uuid", 11)),
			kind("TrackDescriptor", number("uuid", 1), text("name", 2), of("process", 3, "ProcessDescriptor"), number("parent_uuid", 5)),
			kind("ProcessDescriptor", number("pid", 1), text("process_name", 6)),
			kind("InternedData", several(of("event_names", 2, "EventName"))),
			kind("EventName", number("iid", 1), text("name", 2)),
		},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// decode reads a trace by the schema, and says what it shows: each slice with its track.
func decode(t *testing.T, text []byte) []string {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if text, err = io.ReadAll(zip); err != nil {
		t.Fatal(err)
	}
	trace := dynamicpb.NewMessage(schema(t).Messages().ByName("Trace"))
	if err := proto.Unmarshal(text, trace); err != nil {
		t.Fatal(err)
	}
	get := func(m protoreflect.Message, name string) (protoreflect.Value, bool) {
		if len(m.GetUnknown()) > 0 {
			t.Fatalf("%s has fields that the schema does not have", m.Descriptor().Name())
		}
		f := m.Descriptor().Fields().ByName(protoreflect.Name(name))
		return m.Get(f), m.Has(f)
	}
	names := map[uint64]string{}
	tracks := map[uint64]string{}
	open := map[uint64][2]any{}
	pids := map[uint64]bool{}
	var shown []string
	packets, _ := get(trace.ProtoReflect(), "packet")
	for i := range packets.List().Len() {
		p := packets.List().Get(i).Message()
		at, _ := get(p, "timestamp")
		if id, _ := get(p, "trusted_packet_sequence_id"); id.Uint() == 0 {
			t.Fatal("a packet is of no sequence")
		}
		if flags, _ := get(p, "sequence_flags"); (flags.Uint() == 1) != (i == 0) {
			t.Fatalf("packet %d has flags %d", i, flags.Uint())
		}
		if d, ok := get(p, "interned_data"); ok {
			entries, _ := get(d.Message(), "event_names")
			for k := range entries.List().Len() {
				e := entries.List().Get(k).Message()
				id, _ := get(e, "iid")
				name, _ := get(e, "name")
				if names[id.Uint()] != "" || id.Uint() == 0 {
					t.Fatalf("name %d is told twice", id.Uint())
				}
				names[id.Uint()] = name.String()
			}
		}
		if d, ok := get(p, "track_descriptor"); ok {
			id, _ := get(d.Message(), "uuid")
			name, _ := get(d.Message(), "name")
			full := name.String()
			if parent, ok := get(d.Message(), "parent_uuid"); ok {
				full = tracks[parent.Uint()] + "/" + full
			}
			if of, ok := get(d.Message(), "process"); ok {
				pid, _ := get(of.Message(), "pid")
				if pids[pid.Uint()] || pid.Uint() == 0 {
					t.Fatalf("process %d is told twice", pid.Uint())
				}
				pids[pid.Uint()] = true
			}
			tracks[id.Uint()] = full
		}
		e, ok := get(p, "track_event")
		if !ok {
			continue
		}
		id, _ := get(e.Message(), "track_uuid")
		what, _ := get(e.Message(), "type")
		switch what.Uint() {
		case 1:
			name, _ := get(e.Message(), "name_iid")
			if open[id.Uint()][1] != nil {
				t.Fatalf("two slices at once on %s", tracks[id.Uint()])
			}
			open[id.Uint()] = [2]any{at.Uint(), names[name.Uint()]}
		case 2:
			from := open[id.Uint()]
			shown = append(shown, fmt.Sprintf("%s %d-%d %s", tracks[id.Uint()], from[0], at.Uint(), from[1]))
			open[id.Uint()] = [2]any{}
		default:
			t.Fatalf("an event of type %d", what.Uint())
		}
	}
	for id, from := range open {
		if from[1] != nil {
			t.Fatalf("a slice of %s has no end", tracks[id])
		}
	}
	return shown
}

// TestTrace reads a trace with another decoder, by the field numbers of the schema.
func TestTrace(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	w.Slice(0, 0, 0, 0, 0, 5, "memory")
	w.Slice(0, 0, 0, 0, 5, 6, "issue")
	w.Slice(1, 7, 2, 0, 3, 400, "memory")
	w.Slice(1, 7, 2, 1, 3, 9, "alu")
	w.Slice(1, 7, 2, 1, 9, 9, "nothing")
	w.Chain(&estimate.Chain{Segments: []estimate.ChainSegment{
		{From: 0, To: 5, Kind: "memory", Pos: "k.ptx:3:1", Source: "k.cu:2:1"}, {From: 5, To: 7, Kind: "alu", Pos: "k.ptx:4:1"}, {From: 7, To: 400, Kind: "dram"},
	}})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"SM 0/CTA 0 warp 0 0-5 memory", "SM 0/CTA 0 warp 0 5-6 issue", "SM 1/CTA 7 warp 2 3-400 memory", "SM 1/CTA 7 warp 2 split 1 3-9 alu",
		"chain of causes 0-5 memory at k.cu:2:1", "chain of causes 5-7 alu at k.ptx:4:1", "chain of causes 7-400 dram",
	}
	if got := decode(t, b.Bytes()); !reflect.DeepEqual(got, want) {
		t.Errorf("the trace shows\n%q\nwant\n%q", got, want)
	}
}

// TestEmpty: a trace of nothing can be read, too.
func TestEmpty(t *testing.T) {
	var b bytes.Buffer
	if err := NewWriter(&b).Close(); err != nil || len(decode(t, b.Bytes())) != 0 {
		t.Error(err, b.Bytes())
	}
}

// TestSize: an event takes five and a half bytes at most where times, warps and reasons are by chance. Those
// of a real run take four.
func TestSize(t *testing.T) {
	var b bytes.Buffer
	w, rng := NewWriter(&b), rand.New(rand.NewPCG(1, 2))
	names := []string{"issue", "memory", "alu", "branch", "not chosen", "barrier"}
	var now [14][32]int64 // of each warp of each SM
	for range 100_000 {
		sm, warp := rng.IntN(len(now)), rng.IntN(32)
		at := &now[sm][warp]
		to := *at + 1<<rng.IntN(8)
		w.Slice(sm, sm, warp, 0, *at, to, names[rng.IntN(len(names))])
		*at = to
	}
	if err := w.Close(); err != nil || b.Len() > 1_100_000 {
		t.Errorf("%d bytes, %v", b.Len(), err)
	}
}

// full fails after some bytes.
type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errors.New("no space left")
	}
	return len(p), nil
}

// TestFull: what cannot be written is an error at the end.
func TestFull(t *testing.T) {
	for _, room := range []int{0, 500} {
		w := NewWriter(&full{room})
		for i := range int64(100_000) {
			w.Slice(0, 0, 0, 0, i, i+1, "x")
		}
		if err := w.Close(); err == nil {
			t.Errorf("no error with room for %d bytes", room)
		}
	}
}
