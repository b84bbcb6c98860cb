package job

import (
	"strings"
	"testing"
)

const buffer = "[[param]]\nname = 'x'\ntype = 'u8'\ncount = 100\n"

// TestCPU reads streams of both kinds.
func TestCPU(t *testing.T) {
	data := files(map[string]string{
		"p.stream": "for i < 2 { load x[50 * i]; }",
		"t.csv":    "gap,op,address\n0,load,x+0\n0,load,x+50\n",
	})
	for _, key := range []string{"program = 'p.stream'", "trace = 't.csv'"} {
		j, err := Parse("dir/j.toml", []byte(head+buffer+"[cpu]\n"+key+"\n"), data)
		if err != nil {
			t.Fatal(err)
		}
		if len(j.CPU.Buffers) != 1 || j.CPU.Buffers[0] != 0 {
			t.Errorf("the buffers are %v", j.CPU.Buffers)
		}
		c := j.Cursor()
		for _, want := range []int64{0, 50} {
			if a, ok, err := c.Next(); err != nil || !ok || a.Offset != want {
				t.Errorf("%s: access %+v, %t, %v; want one at %d", key, a, ok, err, want)
			}
		}
		if _, ok, err := c.Next(); ok || err != nil {
			t.Errorf("%s does not end: %v", key, err)
		}
	}
}

func TestSharedErrors(t *testing.T) {
	data := files(map[string]string{
		"ok": "load x[0];", "bad": "loda x[0];", "other": "load y[0];", "scalar": "load n[0];",
		"csv": "gap,op\n",
	})
	for _, c := range []struct{ text, want string }{
		{"[llc]\nsize = 1\n", "j:9:1: unknown key \"size\"; did you mean \"size_kb\"? (llc has size_kb, quota, regulated)"},
		{"[llc]\nsize_kb = 0\n", "j:9:1: size_kb is 0; it must be from 1 to 16384"},
		{"[llc]\nquota = 'auto'\n", "j:9:1: quota must be an integer"},
		{"[llc]\nregulated = 1\n", "j:9:1: regulated must be true or false, not 1"},
		{"llc = 1\n", "j:8:1: unknown key"}, // it follows [[param]]
		{"[cpu]\n", "j:8:2: give either program or trace"},
		{"[cpu]\nprogram = 'ok'\ntrace = 'ok'\n", "j:8:2: give either program or trace"},
		{"[cpu]\nprogram = 1\n", "j:9:1: program must be a string, not 1"},
		{"[cpu]\nprogram = 'none'\n", "j:9:1: "},
		{"[cpu]\nprogram = 'bad'\n", "bad:1:1: want for, load, store or wait, not 'loda'"},
		{"[cpu]\nprogram = 'other'\n", "other:1:6: the job has no buffer \"y\""},
		{"[[param]]\nname = 'n'\ntype = 'u32'\nvalue = 1\n[cpu]\nprogram = 'scalar'\n", "scalar:1:6: the job has no buffer \"n\""},
		{"[cpu]\ntrace = 'csv'\n", "csv:1:1: "},
	} {
		_, err := Parse("j", []byte(head+buffer+c.text), data)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s\ngot  %v\nwant %s", c.text, err, c.want)
		}
	}
}
