package store

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// entriesOfTest are what the log of tests holds.
var entriesOfTest = []struct{ key, text string }{{"0", "the first"}, {"1", ""}, {"256", strings.Repeat("long ", 9)}, {"0", "the first again"}}

// written returns the bytes of a log with the first entries, and where each ends.
func written(t *testing.T, n int) (data []byte, ends []int64) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "log")
	l, err := openLog(name)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	ends = append(ends, l.end)
	for _, e := range entriesOfTest[:n] {
		if err := l.save(e.key, []byte(e.text)); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, l.end)
	}
	if data, err = os.ReadFile(name); err != nil {
		t.Fatal(err)
	}
	return data, ends
}

// TestCutLog cuts a log at every byte: what was whole there is kept, the rest is dropped, and it goes on from there.
func TestCutLog(t *testing.T) {
	data, ends := written(t, len(entriesOfTest))
	for n := range len(data) + 1 {
		name := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(name, data[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		l, err := openLog(name)
		if err != nil {
			t.Fatalf("the first %d bytes: %v", n, err)
		}
		whole := 0
		for whole < len(entriesOfTest) && ends[whole+1] <= int64(n) {
			whole++
		}
		want := make(map[string]string)
		for _, e := range entriesOfTest[:whole] {
			want[e.key] = e.text
		}
		if len(l.entries) != len(want) {
			t.Errorf("the first %d bytes have %d entries, not %d", n, len(l.entries), len(want))
		}
		for key, text := range want {
			if got, err := l.load(key); err != nil || string(got) != text {
				t.Errorf("the first %d bytes: %s is %q, %v", n, key, got, err)
			}
		}
		for _, e := range entriesOfTest[whole:] {
			if err := l.save(e.key, []byte(e.text)); err != nil {
				t.Fatal(err)
			}
		}
		l.close()
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, data) {
			t.Errorf("the first %d bytes go on as %q, %v", n, got, err)
		}
	}
}

// TestDamagedLog flips every bit of a log, which is an error that names the file.
func TestDamagedLog(t *testing.T) {
	data, _ := written(t, 2)
	name := filepath.Join(t.TempDir(), "log")
	for bit := range 8 * len(data) {
		damaged := bytes.Clone(data)
		damaged[bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(name, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		l, err := openLog(name)
		if err == nil {
			l.close()
			t.Errorf("bit %d of %d is flipped, and nothing is wrong", bit, 8*len(data))
		} else if !strings.HasPrefix(err.Error(), name+": ") {
			t.Errorf("bit %d: %v", bit, err)
		}
		if after, err := os.ReadFile(name); err != nil || !bytes.Equal(after, damaged) {
			t.Fatalf("a damaged file was changed: %v", err)
		}
	}
}

// TestForeignLog opens a file that is none.
func TestForeignLog(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(name, []byte("something else"), 0o666); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%s: this is no file of a campaign, or one of another version (without the file its runs are made again)", name)
	if _, err := openLog(name); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
