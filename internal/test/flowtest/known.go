package flowtest

import (
	"bytes"
	"encoding/binary"

	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/strided"
	"warpbound/internal/isa"
)

// Known returns what an analysis is told of a launch: all of it, or without its numbers
// if it is vague.
func (l *Launch) Known(vague bool) launchfacts.Launch {
	launch := launchfacts.Launch{Width: l.Grid.Width()}
	if !vague {
		launch.Grid, launch.Block = l.Grid.Launch().Grid, l.Grid.Launch().Block
	}
	for _, p := range l.Kernel.Params {
		data := l.Grid.Launch().Params[p.Offset:][:p.Bytes]
		for at := 0; p.Bytes > 8 && at+8 <= p.Bytes && !vague; at += 8 { // a struct
			x := binary.LittleEndian.Uint64(data[at:])
			low := strided.Multiples(64, min(256, strided.PowerOf2Divisor(x)))
			launch.Params = append(launch.Params, launchfacts.Word{Offset: p.Offset + at, Interval: low},
				launchfacts.Word{Offset: p.Offset + at + 4, Interval: strided.Const(32, x>>32)})
		}
		set := strided.Interval{}
		switch {
		case vague:
		case p.Bytes == 8:
			x := binary.LittleEndian.Uint64(data)
			set = strided.Multiples(64, min(256, strided.PowerOf2Divisor(x)))
		case p.Bytes == 4:
			set = strided.Const(32, uint64(binary.LittleEndian.Uint32(data)))
		}
		launch.Params = append(launch.Params, launchfacts.Word{Offset: p.Offset, Interval: set})
	}
	if !vague {
		launch.Buffers, launch.Pointers = l.memory()
	}
	return launch
}

// memory returns what the buffers and variables of a launch hold: those with an even number all
// that they hold, others which elements there are.
func (l *Launch) memory() (buffers []launchfacts.Buffer, pointers map[int]launchfacts.Pointer) {
	pointers = make(map[int]launchfacts.Pointer)
	for i, held := range l.Buffers {
		if held == nil {
			continue
		}
		if offset, bytes, ok := l.Slot(i); ok && bytes == 8 {
			pointers[offset] = launchfacts.Pointer{Buffer: len(buffers)}
		}
		contents := launchfacts.Contents{Each: 1, Data: bytes.Clone(held)}
		if i%2 == 1 && len(held)%4 == 0 {
			set, _ := contents.WordsAt(strided.FromSpan(64, 0, uint64(len(held)-4), 4), 4)
			contents = launchfacts.Contents{Each: 4, Set: set}
		}
		buffers = append(buffers, launchfacts.Buffer{Bytes: len(held), Contents: contents})
	}
	for _, v := range l.Kernel.Vars {
		if v.Space == isa.Const || v.Space == isa.Global {
			b := launchfacts.Buffer{Variable: v.Name, Bytes: v.Bytes}
			if len(v.Init) == v.Bytes && v.Relocs == nil {
				b.Contents = launchfacts.Contents{Each: 1, Data: v.Init}
			}
			buffers = append(buffers, b)
		}
	}
	return buffers, pointers
}
