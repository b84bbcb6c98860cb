package job

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"warpbound/diag"
	"warpbound/internal/isa"
	"warpbound/internal/stream"
)

// sameJob checks that a job and inputs of it are read again as they were written. others are
// files that the job names.
func sameJob(t rapid.TB, j *Job, in *Inputs, others map[string]string) *Written {
	t.Helper()
	w, err := j.Write("worst", in)
	if err != nil {
		t.Fatal(err)
	}
	open := func(name string) ([]byte, error) {
		if data, ok := w.Data[name]; ok {
			return data, nil
		}
		if text, ok := others[name]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}
	again, err := Parse(j.File, w.Text, open)
	if err != nil {
		t.Fatalf("%v\n%s", err, w.Text)
	}
	if again.Varies() {
		t.Errorf("inputs are still sampled:\n%s", w.Text)
	}
	got := (&Bound{Job: again}).Inputs(0)
	for i := range j.Params {
		if !bytes.Equal(got.Buffers[i], in.Buffers[i]) || !bytes.Equal(got.Scalars[i], in.Scalars[i]) {
			t.Errorf("parameter %d holds %x %x, not %x %x:\n%s", i, got.Buffers[i], got.Scalars[i], in.Buffers[i], in.Scalars[i], w.Text)
		}
	}
	if diff := gocmp.Diff(comparable(j), comparable(again), everywhere, streams); diff != "" {
		t.Errorf("(-written +read)\n%s\n%s", diff, w.Text)
	}
	return w
}

// everywhere makes positions equal, and streams both that there are and that there are not.
var (
	everywhere = gocmp.Comparer(func(a, b diag.Pos) bool { return true })
	streams    = gocmp.Comparer(func(a, b *stream.Stream) bool { return (a == nil) == (b == nil) })
)

// comparable returns a job without its inputs, with what has no order in one.
func comparable(j *Job) Job {
	c := *j
	c.Hash = "" // of another text
	c.Params = slices.Clone(c.Params)
	for i := range c.Params {
		p := &c.Params[i]
		p.Content = Content{}
		if p.Kind == Scalar {
			p.Type = isa.Invalid // may be plain bits
		}
	}
	c.Launches = slices.Clone(c.Launches)
	for i := range c.Launches {
		l := &c.Launches[i]
		l.Args = slices.Clone(l.Args)
		for i := range l.Args {
			if l.Args[i].Param < 0 {
				l.Args[i].Number = fmt.Sprintf("%T %v", l.Args[i].Number, l.Args[i].Number) // which may be no number
			}
		}
	}
	c.Loops = slices.Clone(c.Loops)
	slices.SortFunc(c.Loops, func(a, b Loop) int {
		return cmp.Or(cmp.Compare(a.Place.String(), b.Place.String()), cmp.Compare(a.Bound, b.Bound))
	})
	c.Facts = slices.Clone(c.Facts)
	for i := range c.Facts {
		f := &c.Facts[i]
		f.Sum = slices.Clone(f.Sum)
		slices.SortFunc(f.Sum, func(a, b Term) int {
			return cmp.Or(cmp.Compare(a.Place.String(), b.Place.String()), cmp.Compare(a.Coef, b.Coef))
		})
	}
	return c
}

func TestWrite(t *testing.T) {
	others := map[string]string{"z.bin": "abcd", "p.stream": "for i < 3 { load b[i]; }", "t.csv": "gap,op,address\n0,load,b+1\n"}
	buffer := "[[param]]\nname = 'b'\ntype = 'u8'\ncount = 4\n"
	for _, src := range []string{
		whole, varied(), fitting, app, head + "[[launch]]\nkernel = 'a'\n",
		head + "[split]\nbranches = 'all'\n", head + "[split]\nbranches = []\n",
		head + "[llc]\nregulated = true\n[loop]\n'x:7' = 1\n'x:07' = 2\n7 = 4\n07 = 3\n'' = 5\n",
		head + buffer + "[cpu]\nprogram = 'p.stream'\n", head + buffer + "[cpu]\ntrace = 't.csv'\n",
		head + "[repeat]\nthen = ['a', 'b']\n", head + buffer + "[repeat]\nthen = ['a']\nwhile = 'b'\n",
		head + buffer + "[repeat]\nwhile = 'b'\nlimit = 7\n",
	} {
		j, err := Parse("dir/j.toml", []byte(src), files(others))
		if err != nil {
			t.Fatal(err)
		}
		sameJob(t, j, (&Bound{Job: j}).Inputs(3), others)
	}
}

// TestWriteAny writes jobs of any parameters with any bits in them.
func TestWriteAny(t *testing.T) {
	places := rapid.Custom(func(t *rapid.T) Place {
		if rapid.Bool().Draw(t, "label") {
			return Place{Label: rapid.StringMatching(`[$a-zA-Z".@+ é\\]{0,5}`).Draw(t, "name")}
		}
		return Place{File: rapid.SampledFrom([]string{"", "m.ptx", "a b"}).Draw(t, "file"), Line: rapid.IntRange(1, math.MaxInt32).Draw(t, "line")}
	})
	rapid.Check(t, func(t *rapid.T) {
		j := &Job{
			File: "j.toml", Module: rapid.StringN(1, 6, -1).Draw(t, "module"), Machine: "m", Kernel: "k", Target: rapid.SampledFrom([]string{"", "sm_70"}).Draw(t, "target"), Accepts: rapid.SampledFrom([][]Accept{nil, {{Name: "a.b"}, {Name: "%c"}}}).Draw(t, "accept"),
			Grid: [3]int{3, 2, 1}, Block: [3]int{1, 7, 1}, Vectors: 5,
			Seed: rapid.Int64().Draw(t, "seed"), Registers: rapid.IntRange(0, 9).Draw(t, "registers"),
			Shared: rapid.IntRange(0, 9).Draw(t, "shared"),
		}
		if rapid.Bool().Draw(t, "source") {
			j.Source = &Source{File: "k.cu", Command: []string{"cc", "{module}"}, SHA256: SourceHash(nil)}
		}
		in := &Inputs{}
		for i := range rapid.IntRange(0, 6).Draw(t, "params") {
			p := Param{
				Name: rapid.StringMatching(`[aA_./"é]{0,2}`).Draw(t, "name") + fmt.Sprint(i),
				Kind: rapid.SampledFrom([]ParamKind{Scalar, Buffer, SharedPtr, Struct}).Draw(t, "kind"),
				Type: rapid.SampledFrom(valueTypes[:]).Draw(t, "type"), Bytes: 3,
			}
			switch p.Kind {
			case Scalar:
				p.Bytes = p.Type.Bytes()
			case Buffer:
				p.Content.Kind, p.Bytes = Uniform, 2*p.Type.Bytes()
			default:
				p.Type = isa.B8
			}
			var scalar, buffer []byte
			data := rapid.SliceOfN(rapid.Byte(), p.Bytes, p.Bytes).Draw(t, "data")
			switch p.Kind {
			case Buffer:
				buffer = data
			case Scalar, Struct:
				scalar = data
			}
			j.Params, in.Scalars, in.Buffers = append(j.Params, p), append(in.Scalars, scalar), append(in.Buffers, buffer)
		}
		terms := func(name string, add func(p Place, value int64)) {
			for p, value := range rapid.MapOfN(places, rapid.Int64Min(0), 1, 3).Draw(t, name) {
				add(p, value)
			}
		}
		if rapid.Bool().Draw(t, "annotated") {
			f := Fact{Max: rapid.Ptr(rapid.Int64(), false).Draw(t, "max")}
			terms("loops", func(p Place, v int64) { j.Loops = append(j.Loops, Loop{Place: p, Bound: v}) })
			terms("fact", func(p Place, v int64) { f.Sum = append(f.Sum, Term{Place: p, Coef: v}) })
			j.Facts = append(j.Facts, f)
		}
		plain(j)
		sameJob(t, j, in, nil)
	})
}

// plain makes all parameters of a job arguments.
func plain(j *Job) {
	for i := range j.Params {
		p := &j.Params[i]
		p.Arg, j.Args = i, append(j.Args, Arg{Name: p.Name, Pos: p.Pos})
	}
}

// Names of data files are plain and differ in more than case.
func TestWriteNames(t *testing.T) {
	j := &Job{File: "j", Module: "m", Machine: "x", Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}, Vectors: 1}
	in := &Inputs{}
	for _, name := range []string{"a", "A", "a_", "../b", "é"} {
		j.Params = append(j.Params, Param{Name: name, Kind: Buffer, Type: isa.U8, Bytes: 1, Content: Content{Kind: Uniform}})
		in.Scalars, in.Buffers = append(in.Scalars, nil), append(in.Buffers, []byte{1})
	}
	plain(j)
	w := sameJob(t, j, in, nil)
	got := slices.Sorted(maps.Keys(w.Data))
	want := []string{"worst.A_.bin", "worst._.bin", "worst.___b.bin", "worst.a.bin", "worst.a__.bin"}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
