package job

import "testing"

// TestHash compares the hashes of jobs that differ in one thing. Module and machine do not count.
func TestHash(t *testing.T) {
	text := func(name, more string) string {
		return head + "[[param]]\nname = 'p'\ntype = 'u8'\ncount = 4\nfile = '" + name + "'\n" + more
	}
	hash := func(text string, contents map[string]string) string {
		j, err := Parse("j.toml", []byte(text), files(contents))
		if err != nil {
			t.Fatal(err)
		}
		return j.Hash
	}
	same := hash(text("a", ""), map[string]string{"a": "1234"})
	for _, c := range []struct {
		text string
		a, b string
		want bool
	}{
		{text("a", ""), "1234", "", true},
		{text("a", ""), "1234", "5678", true}, // not named
		{text("a", ""), "1235", "", false},
		{text("b", ""), "", "1234", false},
		{text("a", "# more\n"), "1234", "", false},
	} {
		if got := hash(c.text, map[string]string{"a": c.a, "b": c.b}); (got == same) != c.want || len(got) != 64 {
			t.Errorf("%q with %q and %q: %s, of the first %s", c.text, c.a, c.b, got, same)
		}
	}
	elsewhere, err := Parse("dir/other.toml", []byte(text("a", "")), files(map[string]string{"a": "1234"}))
	if err != nil || elsewhere.Hash != same {
		t.Errorf("%v, %v: where a job is counts", elsewhere, err)
	}
}
