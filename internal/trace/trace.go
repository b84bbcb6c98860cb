// Package trace holds time-stamped records of instrumentation points (Ipoints):
// what one warp of one run did, and in which cycle.
//
// A record says that the first instruction of an instrumented block issued for a
// warp. Two reserved Ipoints frame every warp: Start, when the CTA of the warp is
// dispatched to a multiprocessor, and Exit, when the warp has retired and its
// writes have drained. Betts and Donaldson (ECRTS 2013, section II-B) call the
// sequence of such records a trace.
//
// Records flow from a Source to a Sink. Writer and Reader are the two ends of the
// binary format, CSVWriter and CSVReader those of the textual one; docs/formats.md
// describes both. Run keeps one run in memory and is what a simulator appends to.
//
// trace knows no instruction set, no program and no machine: it imports nothing of
// this project.
package trace

import (
	"cmp"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// Ipoint identifies an instrumentation point. Those of blocks count from zero and
// index the table of the trace's Header; the negative ones are reserved.
type Ipoint int32

// The reserved Ipoints.
const (
	Start Ipoint = -1 // the warp's CTA was dispatched to a multiprocessor
	Exit  Ipoint = -2 // the warp retired and its writes drained
	None  Ipoint = -3 // not instrumented; never in a trace
)

// String returns "start", "exit", "none" or the decimal number.
func (i Ipoint) String() string {
	switch i {
	case Start:
		return "start"
	case Exit:
		return "exit"
	case None:
		return "none"
	}
	return strconv.Itoa(int(i))
}

// Record says that a warp reached an Ipoint.
type Record struct {
	Cycle  int64  // cycles since the launch
	SM     int32  // multiprocessor, from 0
	CTA    int32  // linear index of the CTA in the grid, x fastest
	Warp   int32  // index of the warp in its CTA
	Ipoint Ipoint // Start, Exit or an index into Header.Ipoints
}

// Compare orders records by cycle, multiprocessor, CTA and warp.
func Compare(a, b Record) int {
	switch {
	case a.Cycle != b.Cycle:
		return cmp.Compare(a.Cycle, b.Cycle)
	case a.SM != b.SM:
		return cmp.Compare(a.SM, b.SM)
	case a.CTA != b.CTA:
		return cmp.Compare(a.CTA, b.CTA)
	}
	return cmp.Compare(a.Warp, b.Warp)
}

// IpointInfo describes the Ipoint of a block, so that a trace can be matched with a
// program that was parsed again.
type IpointInfo struct {
	Name string // the block's name, unique in its kernel
	Pos  string // source position, may be empty
}

// Clocks says what the cycles of the multiprocessors of a trace have in common.
type Clocks uint8

const (
	Common Clocks = iota // they count from the launch
	PerSM                // each multiprocessor counts from an origin of its own
)

// Header describes what was traced. All strings may be empty.
type Header struct {
	Kernel  string       // name of the kernel
	Module  string       // hash of the module's text
	Machine string       // hash of the machine's description
	Ipoints []IpointInfo // by Ipoint
	Clocks  Clocks
}

// Name returns the name of an Ipoint, or its number where the table has none.
func (h *Header) Name(i Ipoint) string {
	if i >= 0 && int(i) < len(h.Ipoints) && h.Ipoints[i].Name != "" {
		return h.Ipoints[i].Name
	}
	return i.String()
}

// Translate returns, for every Ipoint of h, the Ipoint of the same name in own, or
// None where own has no such name. It is an error if an Ipoint of own is missing
// from h, because the trace then says nothing about it, or if a name is ambiguous.
func (h *Header) Translate(own []IpointInfo) ([]Ipoint, error) {
	byName := make(map[string]Ipoint, len(own))
	for i, info := range own {
		if _, twice := byName[info.Name]; twice {
			return nil, fmt.Errorf("two ipoints are named %q", info.Name)
		}
		byName[info.Name] = Ipoint(i)
	}
	to := make([]Ipoint, len(h.Ipoints))
	met := make([]bool, len(own))
	for i, info := range h.Ipoints {
		ipoint, ok := byName[info.Name]
		if !ok {
			to[i] = None
			continue
		}
		if met[ipoint] {
			return nil, fmt.Errorf("two ipoints of the trace are named %q", info.Name)
		}
		to[i], met[ipoint] = ipoint, true
	}
	if i := slices.Index(met, false); i >= 0 {
		return nil, fmt.Errorf("the trace has no ipoint %q", own[i].Name)
	}
	return to, nil
}

// Run is one run in memory. A simulator appends to Records directly.
type Run struct {
	Number  int      // of the test vector, from 0
	Records []Record // in the order of their cycles
	End     int64    // cycle of the last retirement
}

// Reset empties the run for another use and keeps its memory.
func (r *Run) Reset(number int) {
	r.Number, r.Records, r.End = number, r.Records[:0], 0
}

// Replay sends the run to dst.
func (r *Run) Replay(dst Sink) error {
	if err := dst.BeginRun(r.Number); err != nil {
		return err
	}
	for _, rec := range r.Records {
		if err := dst.Record(rec); err != nil {
			return err
		}
	}
	return dst.EndRun(r.End)
}

// Sink consumes runs, one after the other.
type Sink interface {
	BeginRun(number int) error
	Record(Record) error
	EndRun(end int64) error
}

// Mergeable is a Sink that can take over what another one of its kind took. In whatever order that is done, it is as
// if the one had taken all runs.
type Mergeable interface {
	Sink
	// Absorb takes over the runs of another sink, which is of no use after that.
	Absorb(other Sink) error
}

// Portable is a Mergeable that another process can fill.
type Portable interface {
	Mergeable
	// Save writes what the sink took.
	Save(to *gob.Encoder) error
	// Restore has a sink that took nothing be as one of the same kind that was saved. After an error it is of no use.
	Restore(from *gob.Decoder) error
}

// Origin says where the inputs of a run come from.
type Origin uint8

// Where inputs come from.
const (
	Sampled    Origin = iota // random test vectors
	Confirming               // random test vectors that are to try what others give
	Saved                    // somebody chose them
	Structured               // an adversary made them without having seen a run
	Evolved                  // an adversary made them of others that took long
)

// Selective is a Sink that tells runs of inputs that were sampled from those of others.
type Selective interface {
	Sink
	// Chosen says where the inputs of the run come from that begins next, unless they are sampled.
	Chosen(from Origin)
}

// Kind says what an Event is.
type Kind uint8

// The kinds of events, in the order in which they come: every run is one BeginRun,
// its records and one EndRun.
const (
	BeginRun Kind = iota
	AtIpoint
	EndRun
)

// Event is one element of a stream of runs.
type Event struct {
	Kind   Kind
	Run    int    // number of the run
	Record Record // of an AtIpoint
	End    int64  // of an EndRun: cycle of the last retirement
}

// Source delivers runs as a stream of events. Next returns io.EOF after the last
// event of a complete trace; every other error says that the trace is damaged, and
// the events before it stand.
type Source interface {
	Header() *Header
	Next() (Event, error)
}

// Copy sends everything that src delivers to dst. It returns nil at the end of a
// complete trace, otherwise the first error of either side.
func Copy(dst Sink, src Source) error {
	for {
		ev, err := src.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch ev.Kind {
		case BeginRun:
			err = dst.BeginRun(ev.Run)
		case AtIpoint:
			err = dst.Record(ev.Record)
		case EndRun:
			err = dst.EndRun(ev.End)
		}
		if err != nil {
			return err
		}
	}
}

// order checks what every stream of runs obeys. Both ends of both formats use it, so
// that what a writer accepts is what a reader delivers.
type order struct {
	ipoints int // length of the Ipoint table
	inRun   bool
	run     int // number of the current or last run
	started bool
	records uint64 // of the current run
	last    int64  // largest cycle of the current run
}

func (o *order) beginRun(number int) error {
	switch {
	case o.inRun:
		return fmt.Errorf("run %d begins inside run %d", number, o.run)
	case number < 0 || number > math.MaxInt32:
		return fmt.Errorf("run number %d out of range", number)
	case o.started && number <= o.run:
		return fmt.Errorf("run %d after run %d: run numbers must increase", number, o.run)
	}
	o.inRun, o.started, o.run, o.records, o.last = true, true, number, 0, 0
	return nil
}

func (o *order) record(r Record) error {
	switch {
	case !o.inRun:
		return errors.New("record outside a run")
	case r.SM < 0 || r.CTA < 0 || r.Warp < 0 || r.Cycle < 0:
		return fmt.Errorf("negative value in record %+v", r)
	case r.Ipoint != Start && r.Ipoint != Exit && (r.Ipoint < 0 || int(r.Ipoint) >= o.ipoints):
		return fmt.Errorf("ipoint %d is not in the table of %d", r.Ipoint, o.ipoints)
	}
	o.records++
	o.last = max(o.last, r.Cycle)
	return nil
}

func (o *order) endRun(end int64) error {
	switch {
	case !o.inRun:
		return errors.New("end of a run outside a run")
	case end < o.last:
		return fmt.Errorf("run %d ends in cycle %d, before its last record in cycle %d", o.run, end, o.last)
	}
	o.inRun = false
	return nil
}
