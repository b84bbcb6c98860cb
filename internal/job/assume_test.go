package job

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"warpbound/jobs"
)

const assuming = `module = "m.ptx"
grid = [1]
block = [32]
[[param]]
name = "n"
type = "u32"
range = [0, 1500]
[[param]]
name = "count"
type = "s64"
range = [-5, 1000]
[[param]]
name = "s"
type = "struct"
[[param.field]]
name = "rows"
type = "u16"
value = 64
[[param.field]]
name = "cols"
type = "u16"
range = [1, 64]
[[param]]
name = "start"
type = "u32"
count = 65
init = "uniform(0, 1000)"
[[param]]
name = "keys"
type = "f32"
count = 40
init = "uniform(-1, 1)"
[[param]]
name = "word"
type = "b32"
range = [0, 7]
[[param]]
name = "list"
type = "s8"
count = 4
values = [-3, -3, 0, 7]
[[param]]
name = "seed"
type = "u64"
range = [0, 4000000000000000000]
`

// TestAssumeErrors says what is wrong with assumptions, and where.
func TestAssumeErrors(t *testing.T) {
	at := strings.Count(assuming, "\n") + 2 // the line behind [[assume]]
	for _, c := range []struct{ text, want string }{
		{`expr = "n <= cuont"`, `j:%d:14: expr "n <= cuont": the job has no number "cuont"; did you mean "count"?`},
		{`expr = "n <= keys"`, `j:%d:14: expr "n <= keys": keys is a buffer of f32; relations are between integers`},
		{`expr = "n <= word"`, `j:%d:14: expr "n <= word": word has type b32, which says no number; relations need it as u32 or s32`},
		{`expr = "n = 3"`, `j:%d:11: expr "n = 3": equality is ==`},
		{`expr = "\u006e = 3"`, `j:%d:1: expr "n = 3": equality is ==`},
		{`expr = "n > 1500"`, `j:%d:1: no inputs satisfy "n > 1500": n is 0 to 1500`},
		{`expr = "s.rows < s.cols"`, `j:%d:1: no inputs satisfy "s.rows < s.cols": s.rows is 64, s.cols is 1 to 64`},
		{"expr = \"n > 1000\"\n[[assume]]\nexpr = \"n < count\"", `j:%d:1: no inputs satisfy "n < count" and the relations above it: n is 0 to 1500, count is -5 to 1000`},
		{`expr = "seed > n"`, `j:%d:1: expr "seed > n" computes what may be beyond 2^60: give its params smaller ranges`},
		{`expr = "n*n*n*n*n*n >= 0"`, `j:%d:1: expr "n*n*n*n*n*n >= 0" computes what may be beyond 2^60: give its params smaller ranges`},
		{`expr = "n*n == 7 && count*count == 3"`, `j:%d:1: no inputs`},
		{`sorted = "kyes"`, `j:%d:1: sorted: the job has no buffer "kyes"; did you mean "keys"?`},
		{`monotone = "keys"`, `j:%d:1: monotone is for indices, and "keys" has elements of type f32; of these say sorted`},
		{`sorted = "n"`, `j:%d:1: sorted names "n", which is a number of type u32 and no buffer`},
		{`monotone = "start"` + "\nstep = [16, 20]", `j:%[2]d:1: 65 elements of "start" that are at least 16 apart do not fit into its range`},
		{`monotone = "start"` + "\nstep = [3]", `j:%[2]d:1: step must be [lo, hi], the least and the greatest difference of neighbours, both integers from 0 on`},
		{`sorted = "start"` + "\nstep = [3, 4]", `j:%[2]d:1: step says how far apart the elements of a monotone array are; give monotone with it`},
		{`monotone = "list"` + "\nstep = [0, 6]", `j:%d:1: monotone = "list": element 3 is 7 after 0, and must be 0 to 6 more`},
		{"sorted = \"start\"\n[[assume]]\nmonotone = \"start\"", `there is another assumption of the order of "start"`},
		{`sorted = "start"` + "\nexpr = \"n > 0\"", "sorted and expr exclude each other; leave one out"},
		{`exrp = "n > 0"`, `unknown key "exrp"; did you mean "expr"?`},
		{``, `the assumption says nothing; for example: expr = "n <= count", sorted = "keys" or monotone = "rows"`},
	} {
		want := c.want
		if strings.Contains(want, "%") {
			want = fmt.Sprintf(want, at, at+1)
			want, _, _ = strings.Cut(want, "%!(EXTRA")
		}
		if strings.Contains(c.text, "\n[[assume]]") {
			want = strings.Replace(want, fmt.Sprintf("j:%d:", at), fmt.Sprintf("j:%d:", at+2), 1)
		}
		_, err := Parse("j", []byte(assuming+"[[assume]]\n"+c.text+"\n"), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got: %v\nwant: %s", c.text, err, want)
		}
	}
}

const relations = assuming + `
[[assume]]
expr = "n % 32 == 0 && n <= count"
[[assume]]
expr = "s.rows * s.cols <= 2 * n + 100"
[[assume]]
monotone = "start"
step = [1, 20]
[[assume]]
sorted = "keys"
[[assume]]
sorted = "list"
`

// All inputs are as the job assumes, and those that are not are errors that say what is wrong.
func TestAssumedInputs(t *testing.T) {
	j, err := Parse("j", []byte(relations), nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &Bound{Job: j}
	params := make(map[string]int)
	for i := range j.Params {
		params[j.Params[i].Name] = i
	}
	n := make(map[uint64]bool)
	for v := range 200 {
		in := b.Inputs(v)
		if err := b.Admit(in); err != nil {
			t.Fatalf("vector %d: %v", v, err)
		}
		n[wordOf(in.Scalars[params["n"]])] = true
	}
	if len(n) < 20 {
		t.Errorf("n is one of %d numbers", len(n))
	}
	for _, c := range []struct {
		param string
		at    int
		word  uint64
		want  string
	}{
		{"n", 0, 33, `"n % 32 == 0 && n <= count" does not hold of n = 33, count = `},
		{"start", 7, 1000, `monotone = "start": element 7 is 1000 after `},
		{"keys", 0, 0x3f7fffff, `sorted = "keys": element 1 is -`},
	} {
		in := b.Inputs(0)
		data := in.Buffers[params[c.param]]
		if data == nil {
			data = in.Scalars[params[c.param]]
		}
		each := j.Params[params[c.param]].Type.Bytes()
		putBits(data[c.at*each:(c.at+1)*each], c.word)
		if err := b.Admit(in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.param, err, c.want)
		}
	}
}

// Whatever inputs are in their ranges, Settle makes them such as the job assumes, and changes nothing more then.
func TestSettle(t *testing.T) {
	j, err := Parse("j", []byte(relations), nil)
	if err != nil {
		t.Fatal(err)
	}
	free, err := Parse("j", []byte(assuming), nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &Bound{Job: j}
	rapid.Check(t, func(t *rapid.T) {
		in := (&Bound{Job: free}).Inputs(rapid.IntRange(0, 1<<20).Draw(t, "vector"))
		of := make([][]byte, len(j.Params))
		for i := range j.Params {
			if j.Params[i].Content.Kind == Uniform {
				if of[i] = in.Scalars[i]; of[i] == nil {
					of[i] = in.Buffers[i]
				}
			}
		}
		j.Settle(of)
		if err := b.Admit(in); err != nil {
			t.Fatal(err)
		}
		before := make([][]byte, len(of))
		for i := range of {
			before[i] = slices.Clone(of[i])
		}
		j.Settle(of)
		for i := range of {
			if !slices.Equal(of[i], before[i]) {
				t.Fatalf("%s changes again", j.Params[i].Name)
			}
		}
	})
}

// A job keeps its assumptions when it is written with inputs, and a program can state them.
func TestWriteAssumptions(t *testing.T) {
	j, err := Parse("j", []byte(relations), nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := j.Write("saved", (&Bound{Job: j}).Inputs(3))
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse("k", w.Text, func(name string) ([]byte, error) { return w.Data[name], nil })
	if err != nil {
		t.Fatal(err)
	}
	for i := range j.Assumes {
		if a, b := j.assumeEntry(&j.Assumes[i]), again.assumeEntry(&again.Assumes[i]); fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%v became %v", a, b)
		}
	}
	g := &jobs.Job{
		Module: jobs.File("m.ptx"), Grid: jobs.Dim(1), Block: jobs.Dim(32),
		Params: []jobs.Param{
			jobs.Sampled("n", jobs.U32, 0, 100), jobs.Buffer("rows", jobs.U32, 8, jobs.Uniform(0, 64)), jobs.Buffer("keys", jobs.F32, 8, jobs.Uniform(0, 1)),
		},
		Assumes: []jobs.Assume{{Expr: "n % 8 == 0"}, {Monotone: "rows", Step: []int64{0, 9}}, {Sorted: "keys"}},
	}
	inGo, _, err := FromGo(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(inGo.Assumes) != 3 || !inGo.Assumes[1].Order.Limited {
		t.Errorf("%+v", inGo.Assumes)
	}
	g.Assumes[0].Expr = "n % 8 = 0"
	if _, _, err := FromGo(g, nil); err == nil || err.Error() != `job: Assumes[0].Expr: expr "n % 8 = 0": equality is ==` {
		t.Error(err)
	}
}
