package diag

import (
	"errors"
	"io"
	"testing"
)

func TestPosString(t *testing.T) {
	for _, c := range []struct {
		pos  Pos
		want string
	}{
		{Pos{}, ""},
		{Pos{File: "a.ptx"}, "a.ptx"},
		{Pos{File: "a.ptx", Line: 3}, "a.ptx:3"},
		{Pos{File: "a.ptx", Line: 3, Col: 9}, "a.ptx:3:9"},
	} {
		if got := c.pos.String(); got != c.want {
			t.Errorf("%#v: got %q, want %q", c.pos, got, c.want)
		}
	}
}

func TestListSortsAndUnwraps(t *testing.T) {
	var l List
	if err := l.Err(); err != nil {
		t.Fatalf("empty list: %v", err)
	}
	l.Add(Errorf(Pos{"a", 7, 1}, "second: %w", io.EOF))
	if got, want := l.Err().Error(), "a:7:1: second: EOF"; got != want {
		t.Errorf("one error: got %q, want %q", got, want)
	}
	l.Add(Errorf(Pos{"a", 2, 5}, "first"))
	if got, want := l.Err().Error(), "a:2:5: first\na:7:1: second: EOF"; got != want {
		t.Errorf("two errors: got %q, want %q", got, want)
	}
	if !errors.Is(l.Err(), io.EOF) {
		t.Error("the wrapped cause is lost")
	}
}
