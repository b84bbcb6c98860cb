package scaffold

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"warpbound/internal/abi"
	"warpbound/internal/emu"
)

// links says that a buffer holds addresses, and what they point to: nodes in a buffer of its own, which may hold the
// addresses of each other. The zero links are none.
type links struct {
	nodes  int
	stride int    // bytes of a node; 0 while that is not known
	next   uint64 // which words of 8 bytes of a node hold the address of the next one
	self   bool   // the last node holds its own address, not zero
}

// manyNodes is how many nodes there are once their size is known, and unknownNode the bytes of the only one before.
const (
	manyNodes   = 16
	unknownNode = 4 << 10
)

// nodesOf is the number by which evidence knows the nodes of the buffer of a word.
func nodesOf(offset int) int { return 1<<20 + offset }

// bytes returns the size of all nodes.
func (l *links) bytes() int { return max(l.nodes*l.stride, unknownNode) }

// target returns to which byte of the nodes a word of the buffer points.
func (l *links) target(word int) int { return word % l.nodes * l.stride }

// content returns what a word of the nodes is: an address within them, or a number.
func (l *links) content(word int) (value int, address bool) {
	if l.stride == 0 {
		return 0, false
	}
	node, at := word/(l.stride/8), word%(l.stride/8)
	switch {
	case l.next>>at&1 == 0:
		return node, false
	case node+1 < l.nodes:
		return (node + 1) * l.stride, true
	case l.self:
		return node * l.stride, true
	}
	return 0, false
}

// link makes the nodes of the buffer of a word in the memory of a trial, and fills the buffer with their addresses.
func (t *trials) link(w *word, buffer []byte) (placed, error) {
	at, err := t.memory.Alloc("trial", w.links.bytes())
	if err != nil {
		return placed{}, err
	}
	for i := 0; i+8 <= len(buffer); i += 8 {
		binary.LittleEndian.PutUint64(buffer[i:], at+uint64(w.links.target(i/8)))
	}
	nodes := t.memory.Bytes(at)
	for i := range w.links.nodes * w.links.stride / 8 {
		value, address := w.links.content(i)
		if address {
			value += int(at)
		}
		binary.LittleEndian.PutUint64(nodes[8*i:], uint64(value))
	}
	return placed{word: nodesOf(w.offset), address: at, bytes: w.links.bytes()}, nil
}

// learnLinks changes what is known of the nodes of a word's buffer as a trial demands it; reached is what the trial has
// reached of the nodes.
func (t *trials) learnLinks(w *word, v *verdict, nodes *reached) {
	followed := func(buffer int) bool { // a failed access has an address that the buffer held
		return errors.Is(v.err, emu.ErrOutOfBounds) && v.at.base != 0 && t.evidence.only(v.at.base, buffer)
	}
	l := &w.links
	switch {
	case l.nodes == 0:
		if followed(w.offset) {
			*l = links{nodes: 1}
		}
	case l.stride == 0 && (v.err == nil || followed(nodesOf(w.offset))):
		*l = links{nodes: manyNodes, stride: int(abi.AlignUp(uint64(max(nodes.max, 8)), 8)), next: nodes.wide}
		if v.err == nil {
			l.next = 0
		}
	case l.stride > 0 && followed(nodesOf(w.offset)):
		l.self = true
	}
}

// only reports whether a set has the contents of a buffer, and no argument.
func (e *evidence) only(of set, buffer int) bool {
	found, only := false, true
	of.each(func(s int) {
		found = found || e.sources[s].word < 0 && e.sources[s].buffer == buffer
		only = only && e.sources[s].word < 0
	})
	return found && only
}

// renderLinks writes addresses of nodes as the contents of a buffer.
func (f *found) renderLinks(t *text, i int, count int64) {
	l := &f.guess.words[i].links
	t.line("values = [ # the threads follow addresses that it holds")
	const inLine = 8
	for k := 0; k < int(count); k += inLine {
		var row []string
		for n := k; n < min(k+inLine, int(count)); n++ {
			row = append(row, f.nodeAddress(i, l.target(n)))
		}
		t.line("  %s,", strings.Join(row, ", "))
	}
	t.line("]")
}

// renderNodes writes the buffer in which the nodes lie.
func (f *found) renderNodes(t *text, i int) {
	l := &f.guess.words[i].links
	if l.nodes == 0 {
		return
	}
	words := l.nodes * max(l.stride, 8) / 8
	t.line("\n[[buffer]]")
	t.pair("name", quoted(f.nodesName(i)), fmt.Sprintf("what %s points to: %d nodes of %d bytes", f.full(i), l.nodes, max(l.stride, 8)))
	t.pair("type", `"u64"`, "")
	t.pair("count", fmt.Sprint(words), "")
	t.line("values = [ # the addresses lie where threads follow them")
	for k := range words {
		value, address := l.content(k)
		if address {
			t.line("  %s,", f.nodeAddress(i, value))
		} else {
			t.line("  %d,", value)
		}
	}
	t.line("]")
}

func (f *found) nodesName(i int) string { return plainBuffer(f.full(i)) + "_nodes" }

func (f *found) nodeAddress(i, at int) string {
	return quoted(fmt.Sprintf("%s+%d", f.nodesName(i), at))
}
