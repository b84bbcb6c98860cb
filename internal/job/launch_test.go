package job

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound/internal/isa"
)

// app is a job of four launches, of which some are repeated.
const app = `module = 'm'
block = [32]
caches = 'warm'
registers = 20
[[param]]
name = 'x'
type = 'u8'
count = 100
[[param]]
name = 'n'
type = 'u32'
value = 100
[[launch]]
kernel = 'init'
grid = [4, 2]
arguments = ['x', 0.5]
[[launch]]
while = 'x'
limit = 9
  [[launch.launch]]
  kernel = 'step'
  grid = [1]
  block = [64]
  registers = 8
  shared = 16
  repeat = 3
  [[launch.launch]]
  repeat = 2
    [[launch.launch.launch]]
    kernel = 'fold'
    grid = [2]
    arguments = []
[[launch]]
kernel = 'init'
grid = [7]
arguments = ['x', -3]
`

func TestLaunches(t *testing.T) {
	j, err := Parse("j", []byte(app), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []Launch{
		{Kernel: "init", Grid: [3]int{4, 2, 1}, Block: [3]int{32, 1, 1}, Registers: 20, Args: []Argument{{Param: -1}, {Arg: -1, Param: -1, Number: 0.5}}},
		{Kernel: "step", Grid: [3]int{1, 1, 1}, Block: [3]int{64, 1, 1}, Registers: 8, Shared: 16},
		{Kernel: "fold", Grid: [3]int{2, 1, 1}, Block: [3]int{32, 1, 1}, Registers: 20, Args: []Argument{}},
		{Kernel: "init", Grid: [3]int{7, 1, 1}, Block: [3]int{32, 1, 1}, Registers: 20, Args: []Argument{{Param: -1}, {Arg: -1, Param: -1, Number: int64(-3)}}},
	}
	if diff := cmp.Diff(want, j.Runs(), everywhere); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	steps := []Step{
		{Rounds: 1, Stated: true},
		{Rounds: 9, Stated: true, While: new(0), Steps: []Step{
			{Launch: 1, Rounds: 3, Stated: true},
			{Rounds: 2, Stated: true, Steps: []Step{{Launch: 2, Rounds: 1, Stated: true}}},
		}},
		{Launch: 3, Rounds: 1, Stated: true},
	}
	if diff := cmp.Diff(steps, j.Sequence(), everywhere); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if !j.Caches.Warm {
		t.Error("caches are cold")
	}
	if pos, key := j.SeveralAt(); !j.Several() || key != "[[launch]]" || pos.String() != "j:13:3" {
		t.Errorf("several launches: %t, by %s at %v", j.Several(), key, pos)
	}
	if at := j.Launches[1].Pos; at.Kernel.Line != 21 || at.Block.Line != 23 || at.Arguments != at.Entry || j.Launches[0].Pos.Block.Line != 2 {
		t.Errorf("positions %+v, %+v", at, j.Launches[0].Pos)
	}
	counts, unstated := j.Executions()
	if !slices.Equal(counts, []int64{1, 27, 18, 1}) || slices.ContainsFunc(unstated, func(s *Step) bool { return s != nil }) {
		t.Errorf("executions %v, not stated %v", counts, unstated)
	}
}

// TestRepeatIsALaunch checks that what [repeat] says is a case of launches.
func TestRepeatIsALaunch(t *testing.T) {
	for _, c := range []struct {
		text    string
		several bool
		counts  []int64
		stated  bool
	}{
		{"", false, []int64{1}, true},
		{"[repeat]\nthen = ['a', 'b']\n", true, []int64{1, 1, 1}, true},
		{"[repeat]\nwhile = 'x'\n", true, []int64{DefaultRounds}, false},
		{"[repeat]\nthen = ['a']\nwhile = 'x'\nlimit = 5\n", true, []int64{5, 5}, true},
	} {
		j, err := Parse("j", []byte(head+buffer+c.text), nil)
		if err != nil {
			t.Fatal(err)
		}
		counts, unstated := j.Executions()
		if j.Several() != c.several || !slices.Equal(counts, c.counts) || (unstated[0] == nil) != c.stated || len(j.Runs()) != len(counts) {
			t.Errorf("%q: several %t, executions %v, first not stated %v", c.text, j.Several(), counts, unstated[0])
		}
	}
	if j, err := Parse("j", []byte(head+"[[launch]]\nkernel = 'k'\n"), nil); err != nil || j.Several() {
		t.Errorf("one launch is several, error %v", err)
	}
}

func TestLaunchErrors(t *testing.T) {
	const text = head + buffer
	for _, c := range []struct{ text, want string }{
		{"[[launch]]\nkernel = 'k'\n[repeat]\nwhile = 'x'\n", "j:10:2: [repeat] and [[launch]] exclude each other"},
		{"[launch]\nkernel = 'k'\n", "j:8:2: launch must be an array of tables, each begun with [[launch]]"},
		{"[[launch]]\nkernel = 'k'\nvectors = 3\n", `j:10:1: unknown key "vectors"; a launch has kernel, grid, block, registers, shared, arguments, repeat, while, limit, launch`},
		{"[[launch]]\nrepeat = 0\n", "j:9:1: repeat is 0; it must be from 1 to 1048576"},
		{"[[launch]]\nwhile = 'x'\n", "j:9:1: while needs a limit of rounds"},
		{"[[launch]]\nlimit = 3\n", "j:9:1: limit is about the rounds of while, which is not there"},
		{"[[launch]]\nrepeat = 3\nwhile = 'x'\nlimit = 3\n", "j:10:1: repeat and while exclude each other"},
		{"[[launch]]\nwhile = 'y'\nlimit = 3\n", `j:9:1: the job has no buffer "y"`},
		{"[[launch]]\narguments = ['x', 'z']\n", `j:9:1: the job has no param "z"`},
		{"[[launch]]\narguments = [true]\n", "j:9:1: arguments holds true; it must hold names of params, and numbers"},
		{"[[launch]]\narguments = 'x'\n", `j:9:1: arguments must be an array, not the string "x"`},
		{"[[launch]]\nkernel = 'k'\n[[launch.launch]]\n", `j:9:1: unknown key "kernel"; a launch with launches of its own has launch, repeat, while, limit`},
		{"[[launch]]\nlaunch = []\n", "j:9:1: launch has no entries; leave it out for one launch"},
		{"[[launch]]\nrepeat = 1048576\n[[launch.launch]]\nrepeat = 1025\n", "j:10:10: a run executes this more than 1073741824 times"},
		{strings.Repeat("[[launch]]\n", maxEntries+1), fmt.Sprintf("j:%d:3: the job has more than 256 launches", 8+maxEntries)},
		{deep(maxNesting + 1), "j:24:"},
	} {
		_, err := Parse("j", []byte(text+c.text), nil)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s\ngot  %v\nwant %s", c.text, err, c.want)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"module = 'm'\nlaunch = []\n", "j:2:1: launch has no entries"},
		{"module = 'm'\n[[launch]]\nblock = [1]\n", "j:2:3: grid is missing"},
		{"module = 'm'\ngrid = [1]\n[[launch]]\n", "j:3:3: block is missing"},
		{"module = 'm'\ngrid = [1]\nblock = [1]\ncaches = 'hot'\n", `j:4:1: caches is "hot"; it must be "cold" or "warm"`},
		{"module = 'm'\ngrid = [1]\nblock = [1]\nlaunch = 3\n", "j:4:1: launch must be an array of tables"},
	} {
		if _, err := Parse("j", []byte(c.text), nil); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s\ngot  %v\nwant %s", c.text, err, c.want)
		}
	}
}

// deep is launches of so many levels.
func deep(levels int) string {
	text, name := "", "launch"
	for range levels {
		text += "[[" + name + "]]\nrepeat = 1\n"
		name += ".launch"
	}
	return text
}

// host notes what it is asked for. A flag is set so often after it was cleared.
type host struct {
	notes []string
	flags int
	fails int // launch that fails; 0 for none
}

func (h *host) Launch(i int) error {
	h.notes = append(h.notes, fmt.Sprint(i))
	if h.fails > 0 && i == h.fails {
		return errors.New("fault")
	}
	return nil
}

func (h *host) Clear(param int) error {
	h.notes = append(h.notes, fmt.Sprint("clear ", param))
	return nil
}

func (h *host) Flagged(int) (bool, error) {
	h.flags--
	return h.flags >= 0, nil
}

func TestExecute(t *testing.T) {
	j, err := Parse("j", []byte(app), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		host host
		want string
	}{
		{host{}, "0,clear 0,1,1,1,2,2,3"},
		{host{flags: 1}, "0,clear 0,1,1,1,2,2,clear 0,1,1,1,2,2,3"},
		{host{fails: 3}, "0,clear 0,1,1,1,2,2,3: fault"},
		{host{flags: 1, fails: 2}, "0,clear 0,1,1,1,2: round 1: round 1: fault"},
	} {
		err := j.Execute(&c.host)
		got := strings.Join(c.host.notes, ",")
		if err != nil {
			got += ": " + err.Error()
		}
		if got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	err = j.Execute(&host{flags: 10})
	if err == nil || err.Error() != "j:19:1: after 9 rounds the kernels still leave x at other than 0: raise limit if runs may take more" {
		t.Errorf("too many rounds: %v", err)
	}
}

// TestBindLaunches gives kernels arguments of their own.
func TestBindLaunches(t *testing.T) {
	param := func(typ isa.Type, offset int) isa.Var {
		return isa.Var{Name: fmt.Sprintf("p%d", offset), Type: typ, Bytes: typ.Bytes(), Offset: offset, Pos: inModule(3)}
	}
	one := &isa.Kernel{Name: "init", AddressBits: 64, Params: []isa.Var{param(isa.F32, 0), param(isa.U64, 8), param(isa.U32, 16), param(isa.U64, 24)}}
	two := &isa.Kernel{Name: "step", AddressBits: 64, Params: []isa.Var{param(isa.U64, 0), param(isa.U32, 8)}}
	parse := func(args string) *Job {
		t.Helper()
		j, err := Parse("j", []byte(`module = 'm'
grid = [1]
block = [1]
[[param]]
name = 'x'
type = 'u8'
count = 4
init = 'iota'
[[param]]
name = 'n'
type = 'u32'
range = [0, 9]
[[launch]]
kernel = 'init'
arguments = `+args+`
[[launch]]
kernel = 'step'
block = [2]
`), nil)
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	j := parse("[1.5, 'x', 'n', 'x']")
	b, err := j.Bind(one, two)
	if err != nil {
		t.Fatal(err)
	}
	if b.Job.Whole() != j || b.Then[0].Job.Whole() != j || j.Whole() != j || b.Then[0].Job.Block[0] != 2 || b.Then[0].Job.Several() {
		t.Errorf("launches %+v, %+v", b.Job, b.Then[0].Job)
	}
	if !slices.Equal(b.Job.From, []int{0, 1, -1, 0}) || b.Then[0].Job.InWhole(1) != 1 || b.Job.InWhole(3) != 0 {
		t.Errorf("arguments are of %v", b.Job.From)
	}
	in := b.Inputs(3)
	if len(in.Scalars) != 2 || string(in.Buffers[0]) != "\x00\x01\x02\x03" || b.Admit(in) != nil {
		t.Errorf("inputs %+v", in)
	}
	n := in.Scalars[1][0]
	address := func(i int) uint64 { return uint64(0x100 + i) }
	want := []byte{31: 0, 2: 0xc0, 3: 0x3f, 8: 0, 9: 1, 16: n, 24: 0, 25: 1} // x is passed twice
	if got := b.ParamBlock(nil, in, address); !slices.Equal(got, want) {
		t.Errorf("parameters % x, want % x", got, want)
	}
	if got := b.Then[0].ParamBlock(nil, in, address); !slices.Equal(got, []byte{0, 1, 0, 0, 0, 0, 0, 0, n, 0, 0, 0}) {
		t.Errorf("parameters % x", got)
	}
	for _, c := range []struct{ args, want string }{
		{"['x', 'x', 'n', 'x']", `j:15:1: param "x" is a buffer of u8, but parameter p0 (dir/m.ptx:3:2) of kernel init needs a number of 32 bits (.f32)`},
		{"[1, 'x', 2.5, 'x']", "j:15:1: argument 3 is 2.5; u32 needs an integer (parameter p16 (dir/m.ptx:3:2))"},
		{"[1, 'x', 2]", "j:15:1: parameter p24 (dir/m.ptx:3:2) of kernel init has no argument: the launch has 3, the kernel 4; it needs"},
		{"[1, 'x', 2, 'x', 'n']", `j:15:1: param "n" is one too many`},
	} {
		if _, err := parse(c.args).Bind(one, two); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s\ngot  %v\nwant %s", c.args, err, c.want)
		}
	}
}
