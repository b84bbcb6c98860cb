package job

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"warpbound/diag"
	"warpbound/internal/contract"
	"warpbound/internal/isa"
	"warpbound/internal/suggest"
)

// Assume is something that holds of all inputs: relations between numbers, or the order of an array.
type Assume struct {
	Text      string              // of the relations, as the job states them; empty for an order
	Relations []contract.Relation // of numbers by their index in Job.Params

	Key   string // of an order: sorted or monotone
	Array int    // index in Job.Params
	Order contract.Order

	Pos diag.Pos
}

// Related is what the relations of a job leave of its numbers, by their index in Job.Params.
type Related struct {
	Problem contract.Problem
	Sets    []contract.Set // narrowed
	Of      []bool         // numbers that occur in a relation
	Some    []int64        // that satisfy all relations
}

// assumes reads what the job assumes of its inputs.
func (r *reader) assumes(tables []table, j *Job) {
	for _, t := range tables {
		t.only("an assumption", "expr", "sorted", "monotone", "step")
		a := Assume{Pos: t.mark.Pos, Array: -1}
		key := r.choice(t, "expr", "sorted", "monotone")
		if t.has("step") && key != "monotone" {
			r.errorf(t.pos("step"), "step says how far apart the elements of a monotone array are; give monotone with it")
		}
		text, ok := t.text(key)
		switch {
		case key == "":
			r.errorf(a.Pos, `the assumption says nothing; for example: expr = "n <= count", sorted = "keys" or monotone = "rows"`)
		case !ok:
		case key == "expr":
			a.Pos, a.Text = t.pos(key), text
			if a.Relations, ok = r.relations(t, j, text); ok {
				j.Assumes = append(j.Assumes, a)
			}
		default:
			a.Pos, a.Key = t.pos(key), key
			if r.order(t, j, &a, text) {
				j.Assumes = append(j.Assumes, a)
			}
		}
	}
	r.settle(j)
}

// relations reads the relations of an expression.
func (r *reader) relations(t table, j *Job, text string) ([]contract.Relation, bool) {
	all, err := contract.Parse(text, func(name string) (int, error) { return integerOf(j.Params, name) })
	if err == nil {
		return all, true
	}
	pos := t.pos("expr")
	if at := t.mark.Keys["expr"].Text; at.Known() && at.Line > 0 {
		var syntax *contract.SyntaxError
		if errors.As(err, &syntax) {
			at.Col += int32(syntax.At)
		}
		pos = at
	}
	r.errorf(pos, "expr %.60q: %w", text, err)
	return nil, false
}

// integerOf returns the index of the integer of that name.
func integerOf(params []Param, name string) (int, error) {
	var known []string
	for i := range params {
		p := &params[i]
		switch isInt := p.Type.Class() == isa.Unsigned || p.Type.Class() == isa.Signed; {
		case p.Kind == Scalar && isInt && p.Name == name:
			return i, nil
		case p.Kind == Scalar && isInt:
			known = append(known, p.Name)
		case p.Name == name && p.Kind == Scalar && !p.Type.IsFloat():
			return 0, fmt.Errorf("%s has type %s, which says no number; relations need it as u%d or s%[3]d", name, p.Type, p.Type.Bits())
		case p.Name == name:
			return 0, fmt.Errorf("%s is %s; relations are between integers", name, p.describe())
		}
	}
	return 0, fmt.Errorf("the job has no number %.40q%s", name, suggest.HintOf("its integers are", name, known))
}

// order reads what a buffer or an array is to be.
func (r *reader) order(t table, j *Job, a *Assume, name string) bool {
	a.Array = slices.IndexFunc(j.Params, func(p Param) bool { return p.Name == name })
	if a.Array < 0 {
		var known []string
		for i := range j.Params {
			if k := j.Params[i].Kind; k == Buffer || k == Array {
				known = append(known, j.Params[i].Name)
			}
		}
		r.errorf(a.Pos, "%s: the job has no buffer %.40q%s", a.Key, name, suggest.HintOf("its buffers are", name, known))
		return false
	}
	p := &j.Params[a.Array]
	class := p.Type.Class()
	switch {
	case p.Type == isa.Invalid: // which is an error already
	case p.Kind != Buffer && p.Kind != Array:
		r.errorf(a.Pos, "%s names %.40q, which is %s and no buffer", a.Key, name, p.describe())
	case class == isa.Bits:
		r.errorf(a.Pos, "%s: %.40q has elements of type %s, which say no numbers; give them as u%d or s%[4]d", a.Key, name, p.Type, p.Type.Bits())
	case a.Key == "monotone" && p.Type.IsFloat():
		r.errorf(a.Pos, "monotone is for indices, and %.40q has elements of type %s; of these say sorted", name, p.Type)
	case p.Content.Kind == Unset:
		r.errorf(a.Pos, `%s: %.40q has init = "unset", so that it holds nothing`, a.Key, name)
	case len(p.Content.Pointers) > 0:
		r.errorf(a.Pos, "%s: %.40q holds addresses, which are not known", a.Key, name)
	case slices.ContainsFunc(j.Assumes, func(b Assume) bool { return b.Key != "" && b.Array == a.Array }):
		r.errorf(a.Pos, "%s: there is another assumption of the order of %.40q", a.Key, name)
	default:
		return r.step(t, a, p)
	}
	return false
}

// step reads how far apart neighbours in a monotone array are.
func (r *reader) step(t table, a *Assume, p *Param) bool {
	if !t.has("step") {
		return true
	}
	list, ok := t.list("step")
	if !ok {
		return false
	}
	var ends [2]int64
	for i, v := range list {
		x, isInt := v.(int64)
		if !isInt || x < 0 || len(list) != 2 {
			break
		}
		ends[i], ok = x, i == 1 && x >= ends[0]
	}
	if !ok || len(list) != 2 {
		r.errorf(t.pos("step"), "step must be [lo, hi], the least and the greatest difference of neighbours, both integers from 0 on")
		return false
	}
	a.Order = contract.Order{Limited: true, Min: uint64(ends[0]), Max: uint64(ends[1])}
	if p.Content.Kind != Uniform {
		return true
	}
	if low, high := p.keys(); !a.Order.Possible(p.Bytes/p.Type.Bytes(), low, high) {
		r.errorf(t.pos("step"), "%d elements of %.40q that are at least %d apart do not fit into its range", p.Bytes/p.Type.Bytes(), p.Name, ends[0])
		return false
	}
	return true
}

// settle checks that there are inputs of which all holds that the job assumes.
func (r *reader) settle(j *Job) {
	if r.errs.Len() > 0 {
		return
	}
	for i := range j.Assumes {
		a := &j.Assumes[i]
		if a.Array < 0 || j.Params[a.Array].Content.Kind == Uniform {
			continue
		}
		p := &j.Params[a.Array]
		data := make([]byte, p.Bytes)
		p.Content.fill(data, p.Type, nil)
		if err := a.disorder(p, data); err != nil {
			r.errorf(a.Pos, "%w", err)
		}
	}
	t := &Related{Of: make([]bool, len(j.Params)), Problem: contract.Problem{Sets: make([]contract.Set, len(j.Params))}}
	for i := range j.Assumes {
		if !r.relate(j, t, &j.Assumes[i]) {
			return
		}
	}
	if len(t.Problem.Relations) > 0 {
		t.Sets, _ = t.Problem.Narrow()
		j.Related = t
	}
}

// relate adds the relations of an assumption, and finds numbers that satisfy them with those before.
func (r *reader) relate(j *Job, t *Related, a *Assume) bool {
	if a.Relations == nil {
		return true
	}
	p := &t.Problem
	p.Relations = append(p.Relations, a.Relations...)
	for i := range a.Relations {
		fits := true
		a.Relations[i].Vars(func(v int) {
			if !t.Of[v] {
				set, ok := j.Params[v].set()
				t.Of[v], p.Sets[v], fits = true, set, fits && ok
			}
		})
		if !fits || p.Exceeds(&a.Relations[i]) {
			r.errorf(a.Pos, "expr %.60q computes what may be beyond 2^60: give its params smaller ranges", a.Text)
			return false
		}
	}
	var err error
	t.Some, err = p.Solve(func(_ int, s contract.Set, try int) int64 { return s.Nth(s.Count() / 4 * uint64(try)) })
	switch {
	case errors.Is(err, contract.ErrNone):
		r.errorf(a.Pos, "no inputs satisfy %.60q%s: %s", a.Text, j.before(a), j.ranges(a))
	case err != nil:
		r.errorf(a.Pos, "no inputs were found that satisfy %.60q%s: give its params smaller ranges, or simpler relations; %s", a.Text, j.before(a), j.ranges(a))
	}
	return err == nil
}

// before says if there are relations before an assumption.
func (j *Job) before(a *Assume) string {
	if slices.ContainsFunc(j.Assumes, func(b Assume) bool { return b.Relations != nil && b.Pos != a.Pos }) {
		return " and the relations above it"
	}
	return ""
}

// ranges says what the numbers in an assumption can be.
func (j *Job) ranges(a *Assume) string {
	return j.each(a, func(v int) string {
		set, _ := j.Params[v].set()
		if set.Low == set.High {
			return fmt.Sprintf("%s is %d", j.Params[v].Name, set.Low)
		}
		return fmt.Sprintf("%s is %d to %d", j.Params[v].Name, set.Low, set.High)
	})
}

// each joins texts about the numbers in an assumption.
func (j *Job) each(a *Assume, text func(v int) string) string {
	var texts []string
	for i := range a.Relations {
		a.Relations[i].Vars(func(v int) {
			if t := text(v); !slices.Contains(texts, t) {
				texts = append(texts, t)
			}
		})
	}
	return strings.Join(texts, ", ")
}

// set returns the numbers that an integer can be; false if they are beyond what relations compute.
func (p *Param) set() (contract.Set, bool) {
	low, span := p.Content.Base, p.Content.Span
	if p.Content.Kind != Uniform {
		low, span = wordOf(p.Content.Data), 0
	}
	first := p.integer(low)
	if first < -1<<60 || first > 1<<60 || span > 1<<61 {
		return contract.Set{}, false
	}
	return contract.Between(first, first+int64(span)), first+int64(span) <= 1<<60
}

// integer reads bits as a number of the type, the greatest of those that are too large.
func (p *Param) integer(word uint64) int64 {
	unread := 64 - p.Type.Bits()
	if p.Type.IsSigned() {
		return int64(word<<unread) >> unread
	}
	return int64(min(word<<unread>>unread, math.MaxInt64))
}

// wordOf returns a little-endian number of at most 8 bytes.
func wordOf(data []byte) uint64 {
	var word [8]byte
	copy(word[:], data)
	return binary.LittleEndian.Uint64(word[:])
}

// Narrowed returns the numbers that relations leave of an integer, by the index of its parameter in the whole job: a least and a
// greatest one, and how far apart they are. It is false if none says anything of it.
func (j *Job) Narrowed(param int) (set contract.Set, ok bool) {
	if j.Related == nil || !j.Related.Of[param] {
		return contract.Set{}, false
	}
	return j.Related.Sets[param], true
}

// relate makes the numbers of a test vector satisfy the relations of the job: each is sampled from those that go with the
// ones before.
func (j *Job) relate(vector int, scalars [][]byte) {
	j.solve(scalars, func(v int, s contract.Set, try int) int64 {
		rng := generator(j.Seed, vector, v)
		x := upTo(&rng, s.Count()-1)
		for range try {
			x = upTo(&rng, s.Count()-1)
		}
		return s.Nth(x)
	})
}

// solve puts numbers that satisfy the relations into scalars.
func (j *Job) solve(scalars [][]byte, choose func(v int, s contract.Set, try int) int64) {
	t := j.Related
	if t == nil {
		return
	}
	numbers, err := t.Problem.Solve(choose)
	if err != nil { // a search from here ends before it finds any
		numbers = t.Some
	}
	for v, related := range t.Of {
		if related && scalars[v] != nil {
			putBits(scalars[v], uint64(numbers[v]))
		}
	}
}

// Settle changes inputs so that they satisfy what the job assumes: as little as that is simple to tell. Each is the
// contents of a parameter of the whole job, little-endian, within its range; nil for what is fixed.
func (j *Job) Settle(inputs [][]byte) {
	j.solve(inputs, func(v int, s contract.Set, try int) int64 {
		if inputs[v] == nil {
			return s.Low
		}
		near := s.Nearest(j.Params[v].integer(wordOf(inputs[v])))
		return s.Nth((uint64(near-s.Low)/uint64(s.Step) + uint64(try)*(s.Count()/randomTries)) % s.Count())
	})
	for i := range j.Assumes {
		if a := &j.Assumes[i]; a.Array >= 0 && inputs[a.Array] != nil {
			a.settle(&j.Params[a.Array], inputs[a.Array])
		}
	}
}

// randomTries is into how many parts a set is divided where a number next to another one is not possible.
const randomTries = 4

// format is how the elements of an array are numbers.
func (p *Param) format() contract.Format {
	return contract.Format{Bits: p.Type.Bits(), Signed: p.Type.IsSigned(), Float: p.Type.IsFloat()}
}

// keys returns the keys of the least and the greatest number that are sampled.
func (p *Param) keys() (low, high uint64) {
	l, h, all := p.Extremes()
	if all {
		return 0, ^uint64(0) >> (64 - p.Type.Bits())
	}
	return p.format().Key(l), p.format().Key(h)
}

// elements returns the keys of the elements of an array.
func (p *Param) elements(data []byte) []uint64 {
	each, format := p.Type.Bytes(), p.format()
	keys := make([]uint64, len(data)/each)
	for i := range keys {
		keys[i] = format.Key(wordOf(data[i*each : (i+1)*each]))
	}
	return keys
}

// settle puts the elements of an array in order.
func (a *Assume) settle(p *Param, data []byte) {
	keys := p.elements(data)
	low, high := p.keys()
	a.Order.Settle(keys, low, high)
	each, format := p.Type.Bytes(), p.format()
	for i, key := range keys {
		putBits(data[i*each:(i+1)*each], format.Of(key))
	}
}

// disorder is an error if the elements of an array are not as they are assumed.
func (a *Assume) disorder(p *Param, data []byte) error {
	at := a.Order.Broken(p.elements(data))
	if at < 0 {
		return nil
	}
	each := p.Type.Bytes()
	text := func(i int) string {
		word := wordOf(data[i*each : (i+1)*each])
		switch {
		case p.Type.IsFloat():
			return fmt.Sprint(floatValue(p.Type, word))
		case p.Type.IsSigned():
			return fmt.Sprint(p.integer(word))
		}
		return fmt.Sprint(word)
	}
	want := "must not be less"
	if a.Order.Limited {
		want = fmt.Sprintf("must be %d to %d more", a.Order.Min, a.Order.Max)
	}
	return fmt.Errorf("%s = %q: element %d is %s after %s, and %s", a.Key, p.Name, at, text(at), text(at-1), want)
}

// assumed is an error if inputs do not satisfy what the job assumes.
func (j *Job) assumed(in *Inputs) error {
	var numbers []int64
	for i := range j.Params {
		n := int64(0)
		if p := &j.Params[i]; p.Kind == Scalar {
			n = p.integer(wordOf(in.Scalars[i]))
		}
		numbers = append(numbers, n)
	}
	for i := range j.Assumes {
		a := &j.Assumes[i]
		if a.Array >= 0 {
			data := in.Scalars[a.Array]
			if j.Params[a.Array].Kind == Buffer {
				data = in.Buffers[a.Array]
			}
			if err := a.disorder(&j.Params[a.Array], data); err != nil {
				return fmt.Errorf("%w (%v)", err, a.Pos)
			}
			continue
		}
		for k := range a.Relations {
			if !a.Relations[k].Holds(numbers) {
				values := j.each(a, func(v int) string { return fmt.Sprintf("%s = %d", j.Params[v].Name, numbers[v]) })
				return fmt.Errorf("%.60q does not hold of %s (%v)", a.Text, values, a.Pos)
			}
		}
	}
	return nil
}
