package scaffold

import (
	"fmt"
	"slices"
	"strings"

	"warpbound/diag"
	"warpbound/estimate"
)

// text is a job file that is being written.
type text struct{ strings.Builder }

func (t *text) line(format string, args ...any) { fmt.Fprintf(&t.Builder, format+"\n", args...) }

// pair writes a key with its value, and a comment unless that is empty.
func (t *text) pair(key, value, comment string) {
	if comment != "" {
		comment = " # " + comment
	}
	t.line("%-7s = %s%s", key, value, comment)
}

// values writes the elements of a buffer.
func (t *text) values(count int64, comment string, element func(int) float64) {
	t.line("values = [ # %s", comment)
	for k := int64(0); k < count; {
		var row []string
		for ; k < count && len(row) < 16; k++ {
			row = append(row, plain(element(int(k))))
		}
		t.line("  %s,", strings.Join(row, ", "))
	}
	t.line("]")
}

// render writes the job as a commented file.
func (f *found) render() string {
	var t text
	g := f.guess
	t.line("# A job for kernel %s, by warpbound init.", f.kernel.Readable())
	t.line("# The module does not say how its kernels are launched, nor on what. The launch, numbers, sizes and contents")
	t.line("# are guesses, each with what it rests on: replace them by yours. That no thread failed proves nothing.")
	t.line("")
	t.pair("module", quoted(f.path), "")
	t.pair("kernel", quoted(f.name), "")
	t.pair("machine", quoted(f.suits.Machine), strings.Join(f.suits.Reasons, "; "))
	t.line("")
	t.line("# The launch. %s", f.launchReason())
	t.pair("grid", triple(g.grid), "CTAs in x, y and z")
	t.pair("block", triple(g.block), "threads of a CTA")
	if f.shared > 0 {
		t.pair("shared", fmt.Sprint((f.shared+15)/16*16), "bytes of dynamic shared memory that the threads reach")
	}
	var buffers []int
	for i := range f.kernel.Params {
		p := &f.kernel.Params[i]
		t.line("\n[[param]]")
		if !aggregate(p) {
			buffers = append(buffers, f.renderWord(&t, g.at(p.Offset))...)
			continue
		}
		comment := fmt.Sprintf("a struct of %d bytes, of which these are read", p.Bytes)
		if typ := f.sourceType(i); typ != "" {
			comment = typ + ", " + comment
		}
		t.pair("name", quoted(f.param(i)), comment)
		fields := f.fields(i)
		if len(fields) == 0 {
			t.pair("type", `"u8"`, "")
			t.pair("bytes", fmt.Sprint(p.Bytes), "nothing of them is read")
			t.pair("hex", quoted(strings.Repeat("00", p.Bytes)), "")
			continue
		}
		t.pair("type", `"struct"`, "")
		t.pair("bytes", fmt.Sprint(p.Bytes), "")
		for _, k := range fields {
			t.line("\n[[param.field]]")
			buffers = append(buffers, f.renderWord(&t, k)...)
			if !slices.Contains(buffers, k) {
				t.pair("offset", fmt.Sprint(g.words[k].offset-p.Offset), "")
			}
		}
	}
	for _, i := range buffers {
		count, ahead := f.count(i)
		t.line("\n[[buffer]]")
		t.pair("name", quoted(f.buffer(i)), fmt.Sprintf("%d elements lie before the address that is passed", ahead))
		f.renderBuffer(&t, i, count)
	}
	for i := range g.words {
		f.renderNodes(&t, i)
	}
	return t.String()
}

func quoted(s string) string { return fmt.Sprintf("%q", s) }

func triple(v [3]int) string { return fmt.Sprintf("[%d, %d, %d]", v[0], v[1], v[2]) }

// launchReason says why it is this launch.
func (f *found) launchReason() string {
	threads, ctas := used(f.kernel)
	var axes []string
	for i, name := range []string{"x", "y", "z"} {
		if threads[i] || ctas[i] {
			axes = append(axes, name)
		}
	}
	reason := "The kernel does not ask which thread runs."
	if len(axes) > 0 {
		reason = "The kernel asks for coordinates in " + strings.Join(axes, ", ") + "."
	}
	switch b := f.kernel.Bounds; {
	case b.ReqNtid != [3]int{}:
		return reason + " It demands this block (.reqntid)."
	case b.MaxNtid != [3]int{}:
		return reason + fmt.Sprintf(" It allows %d threads of a CTA (.maxntid).", max(b.MaxNtid[0], 1)*max(b.MaxNtid[1], 1)*max(b.MaxNtid[2], 1))
	}
	return reason
}

// param returns the job's name of a parameter: the module's, unless a compiler made it up.
func (f *found) param(i int) string {
	if name := f.kernel.Params[i].Name; name != fmt.Sprintf("%s_param_%d", f.kernel.Name, i) && plainName(name) {
		return name
	}
	return fmt.Sprintf("p%d", i)
}

// sourceType returns the type that the source gives a parameter, empty if that is not known.
func (f *found) sourceType(param int) string {
	if types := parameterTypes(f.kernel); types != nil {
		return types[param]
	}
	return ""
}

// plainName reports whether a name may be one of a job as it is.
func plainName(name string) bool {
	return name != "" && !strings.ContainsAny(name, "=.+$% \t\"\\")
}

// fields returns the words of a parameter.
func (f *found) fields(param int) []int {
	var all []int
	for i, w := range f.guess.words {
		if w.param == param {
			all = append(all, i)
		}
	}
	return all
}

// within returns the name of a word within its parameter.
func (f *found) within(i int) string {
	w := &f.guess.words[i]
	p := &f.kernel.Params[w.param]
	if !aggregate(p) {
		return f.param(w.param)
	}
	return fmt.Sprintf("at%d", w.offset-p.Offset)
}

// full returns the name of a word with that of its parameter.
func (f *found) full(i int) string {
	w := &f.guess.words[i]
	if !aggregate(&f.kernel.Params[w.param]) {
		return f.within(i)
	}
	return f.param(w.param) + "." + f.within(i)
}

// buffer returns the name of the buffer that a word is an address in.
func (f *found) buffer(i int) string {
	if _, ahead := f.count(i); ahead > 0 {
		return plainBuffer(f.full(i)) + "_all"
	}
	return f.full(i)
}

// plainBuffer returns the name of a field as one of a buffer.
func plainBuffer(field string) string { return strings.ReplaceAll(field, ".", "_") }

// renderWord writes a word. If its buffer is none of its own, it returns the word.
func (f *found) renderWord(t *text, i int) []int {
	w := &f.guess.words[i]
	comment := ""
	if p := &f.kernel.Params[w.param]; !aggregate(p) {
		comment = f.sourceType(w.param)
	}
	t.pair("name", quoted(f.within(i)), comment)
	switch w.kind {
	case isPointer:
		count, ahead := f.count(i)
		if ahead > 0 {
			size := w.elem.Bytes()
			comment := fmt.Sprintf("threads reach %d bytes before it", -f.reached[i].min)
			if p := &f.kernel.Params[w.param]; aggregate(p) {
				t.pair("same", quoted(fmt.Sprintf("%s+%d", f.buffer(i), int(ahead)*size)), comment)
				t.pair("offset", fmt.Sprint(w.offset-p.Offset), "")
			} else {
				t.pair("same", quoted(f.buffer(i)), comment)
				t.pair("offset", fmt.Sprint(int(ahead)*size), "")
			}
			return []int{i}
		}
		f.renderBuffer(t, i, count)
	case isShared:
		t.pair("type", `"shared"`, "")
		t.pair("count", fmt.Sprint(sharedArgument), "bytes; "+f.why(i))
	default:
		typ := w.typ
		if !w.float() && w.value < 0 {
			typ = signed(typ)
		}
		t.pair("type", quoted(typ.String()), "")
		t.pair("value", w.text(), f.why(i))
	}
	return nil
}

func (f *found) renderBuffer(t *text, i int, count int64) {
	w := &f.guess.words[i]
	typ := w.elem
	if !typ.IsFloat() && w.holds.lo < 0 {
		typ = signed(typ)
	}
	t.pair("type", quoted(typ.String()), "")
	t.pair("count", fmt.Sprint(count), f.why(i))
	if w.links.nodes > 0 {
		f.renderLinks(t, i, count)
		return
	}
	switch w.holds.how {
	case "":
	case "offsets":
		t.values(count, f.whyContents(i), offset)
	case "rooted":
		t.values(count, f.whyContents(i), rooted)
	case "chain":
		t.values(count, f.whyContents(i), w.holds.link)
	default:
		t.pair("init", quoted(w.holds.String()), f.whyContents(i))
	}
}

// text returns the value of a number as TOML has it.
func (w *word) text() string {
	text := plain(w.value)
	if w.float() && !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// guesses lists what was guessed.
func (f *found) guesses() []estimate.Guess {
	var all []estimate.Guess
	for i := range f.guess.words {
		w := &f.guess.words[i]
		g := estimate.Guess{Name: f.full(i), Why: f.why(i)}
		switch w.kind {
		case isPointer:
			count, _ := f.count(i)
			g.What = fmt.Sprintf("%d %s", count, w.elem)
			if w.holds.how != "" {
				g.What += ", " + w.holds.String()
			}
		case isShared:
			g.What = fmt.Sprintf("%d bytes of shared memory", sharedArgument)
		default:
			g.What = w.text()
		}
		all = append(all, g)
	}
	return all
}

// why says what the value of a number rests on, or the size of a buffer.
func (f *found) why(i int) string {
	w := &f.guess.words[i]
	if w.kind == isPointer {
		return f.whySize(i)
	}
	s := f.evidence.of(w.offset, -1)
	if w.kind == isShared {
		return "an address of shared memory"
	}
	switch {
	case s == nil:
		return "nothing that was executed reads it"
	case w.moved:
		return "found by trying"
	case w.float():
		return "a number"
	case s.compared != 0 && s.divides:
		return "a divisor, compared with indices of threads"
	case s.compared != 0 && s.counts && f.guess.loops < longLoops:
		return "compared with indices of threads in " + s.compared.String() + "; it ends a loop, so it is low"
	case s.compared != 0:
		return "compared with indices of threads: as many as there are in " + s.compared.String()
	case s.divides:
		return "a divisor"
	case s.shifts:
		return "an amount of a shift"
	case s.scaled&axisX == 0 && s.scaled != 0:
		return "a factor of indices in " + s.scaled.String() + ", as the length of a row"
	case s.counts:
		return "compared with a number that changes, as the end of a loop"
	case s.scaled != 0:
		return "a factor of indices in " + s.scaled.String()
	case len(s.constants) > 0:
		return "compared with constants"
	case s.indexes:
		return "addresses depend on it"
	}
	return "no branch and no address depends on it"
}

// String lists the axes of a set.
func (s set) String() string {
	var list []string
	for i, name := range []string{"x", "y", "z"} {
		if s>>i&1 != 0 {
			list = append(list, name)
		}
	}
	return strings.Join(list, " and ")
}

// whySize says what the size of a buffer rests on.
func (f *found) whySize(i int) string {
	r := f.reached[i]
	if !r.any() {
		return "no thread reached it"
	}
	verb := "use"
	switch {
	case r.loaded && !r.stored && !r.combined:
		verb = "read"
	case r.stored && !r.loaded && !r.combined:
		verb = "write"
	case r.combined && !r.loaded && !r.stored:
		verb = "update"
	}
	text := fmt.Sprintf("threads %s bytes %d to %d, the last at %s", verb, r.min, r.max-1, f.place(r.last))
	if f.sampled(r.from) {
		text += "; the address depends on samples, so it is a power of two"
	}
	return text
}

// place returns where an instruction comes from.
func (f *found) place(pc int) diag.Pos {
	in := &f.kernel.Instrs[pc]
	if in.Loc.Known() {
		return in.Loc
	}
	return in.Pos
}

// whyContents says what the contents of a buffer rest on.
func (f *found) whyContents(i int) string {
	w := &f.guess.words[i]
	s := f.evidence.of(-1, w.offset)
	switch {
	case s == nil:
		return ""
	case w.cast:
		return "found by trying: integers, although floats lie between them"
	case w.holds.how == "chain":
		return "addresses in the buffer depend on it: indices of later elements, and an end"
	case w.holds.how == "rooted":
		return "addresses in the buffer depend on it: sets of four, each element with the index of the one before"
	case w.moved && w.holds.how != "offsets":
		return "found by trying"
	case w.holds.how == "offsets":
		return "it ends loops and addresses depend on it: offsets of rows with 0 to 9 elements"
	case s.indexes:
		return "addresses depend on it"
	case s.decides:
		return "branches depend on it"
	}
	return "no branch depends on it"
}
