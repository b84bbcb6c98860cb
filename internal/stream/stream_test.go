package stream

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// all lists the accesses of a stream, at most limit, as lines of a trace.
func all(s *Stream, size int64, limit int) (lines []string, err error) {
	c := NewCursor(s, slices.Repeat([]int64{size}, len(s.Buffers)))
	for len(lines) < limit {
		a, ok, err := c.Next()
		if err != nil || !ok {
			return lines, err
		}
		op, at := "load", fmt.Sprint(a.Offset)
		if a.Store {
			op = "store"
		}
		if a.Buffer != Own {
			at = s.Buffers[a.Buffer].Name + "+" + at
		}
		lines = append(lines, fmt.Sprintf("%d,%s,%s", a.Gap, op, at))
	}
	return lines, nil
}

func TestPrograms(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"", ""},
		{"load [0x10]; store x[3]; load y[4]; load x[5];", "0,load,16 0,store,x+3 0,load,y+4 0,load,x+5"},
		{"wait 5; wait 2; load [0]; load [1]; wait 9;", "7,load,0 0,load,1"},
		{"for i < 3 { load x[128*i]; wait 10; }", "0,load,x+0 10,load,x+128 10,load,x+256"},
		{"for i < 2 { for j < i + 1 { store [10 * i + j]; } wait i; }", "0,store,0 0,store,10 0,store,11"},
		{"for i < 0 { load [0]; } for i < 1-2 { load [1]; } load [2];", "0,load,2"},
		{"load [7 - 2 - 1]; load [1 + 2 * 3]; load [(1 + 2) * 3]; load [17 / 5]; load [17 % 5 * 2]; // comment", "0,load,4 0,load,7 0,load,9 0,load,3 0,load,4"},
		{"for i < 2 { for j < 2 { for k < 2 { load [4*i + 2*j + k]; } } }", "0,load,0 0,load,1 0,load,2 0,load,3 0,load,4 0,load,5 0,load,6 0,load,7"},
	} {
		s, err := Parse("s", []byte(c.src))
		if err != nil {
			t.Errorf("%s: %v", c.src, err)
			continue
		}
		for range 2 {
			lines, err := all(s, 1000, 100)
			if got := strings.Join(lines, " "); got != c.want || err != nil {
				t.Errorf("%s\ngot  %s, %v\nwant %s", c.src, got, err, c.want)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	deep := strings.Repeat("(", 17) + "1" + strings.Repeat(")", 17)
	wide := strings.Repeat("1+(", 16) + "1" + strings.Repeat(")", 16)
	loops := ""
	for i := range 17 {
		loops += fmt.Sprintf("for i%d < 1 { ", i)
	}
	for _, c := range []struct{ src, want string }{
		{"loda [0];", "s:1:1: want for, load, store or wait, not 'loda'"},
		{"load 0;", "s:1:6: want '[', not '0'"},
		{"load [0;", "s:1:8: want ']', not ';'"},
		{"load [0]", "s:1:9: want ';', not the end of the file"},
		{"load [i];", "s:1:7: i is the variable of no loop around this place"},
		{"load [+];", "s:1:7: want a number, the variable of a loop or '(', not '+'"},
		{"load [1.5];", "s:1:8: want ']', not '.'"},
		{"load [1099511627777];", "s:1:7: 1099511627777 is beyond 1099511627776"},
		{"load [99999999999999999999];", "s:1:7: 99999999999999999999 is beyond 1099511627776"},
		{"load [" + deep + "];", "s:1:23: parentheses are nested deeper than 16"},
		{"load [" + wide + "];", "s:1:55: the expression has more than 16 operands under way; use fewer parentheses"},
		{"for 3 < 3 {}", "s:1:5: want the name of the loop's variable, not '3'"},
		{"for i = 3 {}", "s:1:7: want '<', not '='"},
		{"for i < 3 load", "s:1:11: want '{', not 'load'"},
		{"for i < 3 {\nfor i < 2 {", "s:2:5: there is another loop over i around this one; names must differ"},
		{"for i < 3 {", "s:1:12: want '}' for the loop at s:1:1, not the end of the file"},
		{loops, "s:1:215: loops are nested deeper than 16"},
		{"/*", "s:1:1: "},
		// From here on in the course of the stream.
		{"load x[1000];", "s:1:1: an access at byte 1000 of x, which has 1000 bytes"},
		{"load [0-1];", "s:1:1: an access at byte -1 of the CPU's own memory, which has 1099511627776 bytes"},
		{"wait 0-1;", "s:1:1: a wait of -1 cycles, -1 since the access before: must be from 0 to 1099511627776"},
		{"for i < 2 { wait 1099511627776; }", "s:1:13: a wait of 1099511627776 cycles, 2199023255552 since the access before"},
		{"load [1 / 0];", "s:1:9: 1 / 0 is no number"},
		{"load [1 % 0];", "s:1:9: 1 % 0 is no number"},
		{"load [1099511627776 * 1099511627776];", "s:1:21: 1099511627776 * 1099511627776 is beyond 1099511627776"},
		{"load [1099511627776 + 1];", "s:1:21: 1099511627776 + 1 is beyond 1099511627776"},
		{"for i < 1000000000 { for j < 0 { load [0]; } }", "s:1:1: no access in 1048576 steps"},
	} {
		s, err := Parse("s", []byte(c.src))
		if err == nil {
			_, err = all(s, 1000, 100)
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s\ngot  %v\nwant %s", c.src, err, c.want)
		}
	}
}

func TestTraces(t *testing.T) {
	const text = "gap,op,address\n0,load,16\n10,store,x+0x20\n0,load,y+3\n"
	s, err := ParseTrace("t", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	lines, err := all(s, 1000, 100)
	if got := strings.Join(lines, " "); got != "0,load,16 10,store,x+32 0,load,y+3" || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	if s, err := ParseTrace("t", []byte("gap,op,address\n")); err != nil || len(s.trace) != 0 {
		t.Errorf("a trace without accesses: %v, %v", s, err)
	}
	for _, c := range []struct{ line, want string }{
		{"-1,load,0", `t:2:1: gap "-1" is no number from 0 to 1099511627776`},
		{"1,lod,0", `t:2:3: op "lod" is neither load nor store`},
		{"1,load,x", `t:2:8: address "x" is neither BUFFER+BYTES nor BYTES`},
		{"1,load,+1", `t:2:8: address "+1" has no buffer before +`},
		{"1,load,x+-1", `t:2:8: address "x+-1" is neither`},
		{"1,load", "t:2:1: wrong number of fields; want the columns gap,op,address"},
		{`1,"load`, "t:2:"},
		{"0,load,x+1000", "t:2:1: an access at byte 1000 of x, which has 1000 bytes"},
	} {
		s, err := ParseTrace("t", []byte("gap,op,address\n"+c.line))
		if err == nil {
			_, err = all(s, 1000, 100)
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s\ngot  %v\nwant %s", c.line, err, c.want)
		}
	}
	for _, src := range []string{"", "a,b,c\n", "gap,op\n"} {
		if _, err := ParseTrace("t", []byte(src)); err == nil {
			t.Errorf("%q is taken for a trace", src)
		}
	}
}

// TestProgramsAndTraces compares a program with the trace that lists its accesses.
func TestProgramsAndTraces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := func(label string, maximum int) int { return rapid.IntRange(0, maximum).Draw(t, label) }
		outer, inner, stride, gap := n("outer", 5), n("inner", 5), n("stride", 20), n("gap", 9)
		program := fmt.Sprintf("for i < %d { for j < %d { wait %d; load x[i * %d + j]; } store [i]; }", outer, inner, gap, stride)
		trace := "gap,op,address\n"
		for i := range outer {
			for j := range inner {
				trace += fmt.Sprintf("%d,load,x+%d\n", gap, i*stride+j)
			}
			trace += fmt.Sprintf("0,store,%d\n", i)
		}
		a, err := Parse("s", []byte(program))
		if err != nil {
			t.Fatal(err)
		}
		b, err := ParseTrace("t", []byte(trace))
		if err != nil {
			t.Fatal(err)
		}
		left, err := all(a, 1000, 100)
		if err != nil {
			t.Fatal(err)
		}
		right, err := all(b, 1000, 100)
		if err != nil || !slices.Equal(left, right) {
			t.Errorf("%s\ngives %v, want %v (%v)", program, left, right, err)
		}
	})
}

// FuzzParse checks that no text makes the parsers or a cursor panic, and that errors name a
// place.
func FuzzParse(f *testing.F) {
	f.Add("for i < 3 { load x[128*i]; wait 10; store [i % 2]; } wait 3;")
	f.Add("gap,op,address\n0,load,16\n10,store,x+0x20\n")
	f.Add("load [((1+2)*3-4)/5%6];")
	f.Fuzz(func(t *testing.T, src string) {
		for _, parse := range []func(string, []byte) (*Stream, error){Parse, ParseTrace} {
			s, err := parse("s", []byte(src))
			if (s == nil) != (err != nil) {
				t.Fatalf("stream %v with error %v", s, err)
			}
			if err == nil {
				_, err = all(s, 1000, 100)
			}
			if err != nil && !strings.HasPrefix(err.Error(), "s") {
				t.Fatalf("error without a place: %v", err)
			}
		}
	})
}
