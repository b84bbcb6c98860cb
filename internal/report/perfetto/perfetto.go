// Package perfetto writes what happens in a run as a trace for the Perfetto viewer (https://ui.perfetto.dev), in its own format: a
// sequence of packets as protocol buffers, compressed with gzip, which the viewer and trace_processor read as they are.
//
// An SM is a process, and a warp a track in it; a cycle is shown as a nanosecond. Field numbers are those of the messages Trace,
// TracePacket, TrackDescriptor, ProcessDescriptor, TrackEvent, InternedData and EventName of Perfetto's schema.
package perfetto

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

	"warpbound/estimate"
)

// Fields of messages.
const (
	tracePacket = 1

	packetTimestamp     = 8
	packetSequence      = 10
	packetEvent         = 11
	packetInterned      = 12
	packetSequenceFlags = 13
	packetTrack         = 60

	trackUUID    = 1
	trackName    = 2
	trackProcess = 3
	trackParent  = 5

	processPID  = 1
	processName = 6

	eventType  = 9
	eventName  = 10 // interned
	eventTrack = 11

	internedNames = 2
	nameID        = 1
	nameText      = 2
)

// Values of fields.
const (
	sliceBegin = 1
	sliceEnd   = 2

	sequence    = 1 // all packets are of one
	stateClears = 1 // flags: names that were told before are forgotten
	stateNeeded = 2 // names that were told are needed
)

// Writer writes a trace. Close must follow.
type Writer struct {
	to     *bufio.Writer
	zip    *gzip.Writer // to which that writes
	err    error
	packet []byte
	inner  []byte
	names  map[string]uint64
	tracks map[track]uint64
	next   uint64 // number of a track
	begun  bool
}

// track tells tracks apart: a warp, an SM with warp = -1, or the chain of causes with sm = -1.
type track struct{ sm, cta, warp, split int }

// NewWriter begins a trace.
func NewWriter(to io.Writer) *Writer {
	zip := gzip.NewWriter(to)
	return &Writer{to: bufio.NewWriter(zip), zip: zip, names: make(map[string]uint64), tracks: make(map[track]uint64), next: 1}
}

// Slice adds a stretch of time of a warp, from the cycle from until before to. split is the split SIMD on which a part of a wavefront
// executes, from 1; else 0. Those of a warp come in the order of time, and do not overlap.
func (w *Writer) Slice(sm, cta, warp, split int, from, to int64, name string) {
	if from < to {
		w.slice(w.warp(sm, cta, warp, split), from, to, name)
	}
}

// Chain adds the chain of causes of the run, as a track of its own.
func (w *Writer) Chain(c *estimate.Chain) {
	at := w.process(track{sm: -1, warp: -1}, "chain of causes")
	for i := range c.Segments {
		s := &c.Segments[i]
		name := s.Kind
		if pos := s.Source; pos != "" {
			name += " at " + pos
		} else if s.Pos != "" {
			name += " at " + s.Pos
		}
		w.slice(at, s.From, s.To, name)
	}
}

// Close writes what is left.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	if err := w.to.Flush(); err != nil {
		return err
	}
	return w.zip.Close()
}

// slice adds the two events of a stretch of time.
func (w *Writer) slice(at uint64, from, to int64, name string) {
	id, known := w.names[name]
	if !known {
		id = uint64(len(w.names) + 1)
		w.names[name] = id
	}
	w.begin(from)
	if !known {
		w.inner = text(number(w.inner[:0], nameID, id), nameText, name)
		entry := message(nil, internedNames, w.inner)
		w.packet = message(w.packet, packetInterned, entry)
	}
	w.inner = number(number(number(w.inner[:0], eventType, sliceBegin), eventName, id), eventTrack, at)
	w.packet = message(w.packet, packetEvent, w.inner)
	w.end()
	w.begin(to)
	w.inner = number(number(w.inner[:0], eventType, sliceEnd), eventTrack, at)
	w.packet = message(w.packet, packetEvent, w.inner)
	w.end()
}

// warp returns the track of a warp.
func (w *Writer) warp(sm, cta, warp, split int) uint64 {
	key := track{sm, cta, warp, split}
	if id, ok := w.tracks[key]; ok {
		return id
	}
	parent := w.process(track{sm: sm, warp: -1}, fmt.Sprintf("SM %d", sm))
	name := fmt.Sprintf("CTA %d warp %d", cta, warp)
	if split > 0 {
		name += fmt.Sprintf(" split %d", split)
	}
	id := w.number(key)
	w.describe(number(text(number(nil, trackUUID, id), trackName, name), trackParent, parent))
	return id
}

// process returns the track of a process.
func (w *Writer) process(key track, name string) uint64 {
	if id, ok := w.tracks[key]; ok {
		return id
	}
	id := w.number(key)
	of := text(number(nil, processPID, uint64(key.sm+2)), processName, name)
	w.describe(message(text(number(nil, trackUUID, id), trackName, name), trackProcess, of))
	return id
}

func (w *Writer) number(key track) uint64 {
	id := w.next
	w.next++
	w.tracks[key] = id
	return id
}

// describe writes a packet that describes a track.
func (w *Writer) describe(of []byte) {
	w.begin(0)
	w.packet = message(w.packet, packetTrack, of)
	w.end()
}

// begin begins a packet.
func (w *Writer) begin(at int64) {
	flags := uint64(stateNeeded)
	if !w.begun {
		flags, w.begun = stateClears, true
	}
	w.packet = number(number(number(w.packet[:0], packetTimestamp, uint64(at)), packetSequence, sequence), packetSequenceFlags, flags)
}

// end writes it.
func (w *Writer) end() {
	if w.err == nil {
		_, w.err = w.to.Write(message(nil, tracePacket, w.packet))
	}
}

// number, text and message append a field.
func number(b []byte, field protowire.Number, n uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), n)
}

func text(b []byte, field protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

func message(b []byte, field protowire.Number, m []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), m)
}
