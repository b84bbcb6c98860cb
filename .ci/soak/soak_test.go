package main

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestFindChecks(t *testing.T) {
	folder := t.TempDir()
	write := func(name, code string) {
		t.Helper()
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("package p\n"+code), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("b/b_test.go", "func TestB(t *testing.T) { t.Run(\"sub\", func(t *testing.T) { for range effort.Draw(t, 7) {} }) }\nfunc TestNone(t *testing.T) {}")
	write("a/a_test.go", "func TestZ(t *testing.T) { effort.Draw(t, 7) }\nfunc TestA(t *testing.T) { effort.Draw(t, 7) }")
	write("a/.hidden/a_test.go", "func TestHidden(t *testing.T) { effort.Draw(t, 7) }")
	write("a/a.go", "func TestNoTest() { effort.Draw(nil, 7) }")
	all, err := findChecks(folder)
	if err != nil {
		t.Fatal(err)
	}
	a, b := filepath.ToSlash(folder)+"/a", filepath.ToSlash(folder)+"/b"
	if want := []check{{a, "TestA"}, {a, "TestZ"}, {b, "TestB"}}; !reflect.DeepEqual(all, want) {
		t.Errorf("%v, want %v", all, want)
	}
	if got, want := byPackage(all), []checkedPackage{{a, []string{"TestA", "TestZ"}}, {b, []string{"TestB"}}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	write("b/helper_test.go", "func draw(t *testing.T) { effort.Draw(t, 7) }")
	if _, err := findChecks(folder); err == nil || !strings.Contains(err.Error(), "helper_test.go:2:") {
		t.Errorf("a helper draws: %v", err)
	}
}

func TestReadEvents(t *testing.T) {
	const passes = `{"Action":"output","Test":"TestA","Output":"    a_test.go:3: random items: 700 of 700\n"}
{"Action":"pass","Test":"TestA"}
`
	const fails = `{"Action":"output","Test":"TestB/one","Output":"    a_test.go:3: random items: 5 of 5\n"}
{"Action":"output","Test":"TestB/two","Output":"    a_test.go:3: random items: 6 of 6\n"}
{"Action":"output","Test":"TestB/two","Output":"    a_test.go:3: seed 4: 5, want 6\n"}
{"Action":"pass","Test":"TestB/one"}
{"Action":"fail","Test":"TestB/two"}
{"Action":"fail","Test":"TestB"}
{"Action":"fail"}
`
	for _, test := range []struct {
		name, events string
		want         []result
		err, said    string
	}{
		{"holds", passes, []result{{check{"p", "TestA"}, 700, 0}}, "", ""},
		{"finding", passes + fails, []result{{check{"p", "TestA"}, 700, 0}, {check{"p", "TestB"}, 11, 1}}, "", "seed 4: 5, want 6"},
		{"no end", `{"Action":"output","Output":"panic"}` + "\n" + passes, []result{{check: check{"p", "TestB"}}}, "does not end\npanic", ""},
		{"part", strings.Replace(passes, "700 of", "7 of", 1), []result{{check: check{"p", "TestA"}}}, "7 of 700", ""},
		{"no event", "FAIL\n", nil, "FAIL", ""},
	} {
		var tests []string
		for _, r := range test.want {
			tests = append(tests, r.check.test)
		}
		var said strings.Builder
		got, err := readEvents(strings.NewReader(test.events), "p", tests, &said)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: error %v, want %s", test.name, err, test.err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, test.want) || !strings.Contains(said.String(), test.said) {
			t.Errorf("%s: %v, %v, %s", test.name, got, err, &said)
		}
	}
}

func TestRows(t *testing.T) {
	file := filepath.Join(t.TempDir(), "soak.md")
	rows, err := readRows(file)
	if err != nil || len(rows) > 0 {
		t.Fatalf("no page: %v, %v", rows, err)
	}
	want := map[check]row{{"internal/a", "TestA"}: {7000, 3, "0123abcd+", 2}, {"internal/b", "TestB"}: {800, 0, "0123abcd", 0}}
	maps.Copy(rows, want)
	rows[check{"internal/gone", "TestGone"}] = row{commit: "0"}
	all := []check{{"internal/a", "TestA"}, {"internal/b", "TestB"}, {"internal/c", "TestNew"}}
	if err := writeRows(file, rows, all); err != nil {
		t.Fatal(err)
	}
	if got, err := readRows(file); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

// TestChecksOfTheProject finds the checks of the project, which all draw their items where they are found.
func TestChecksOfTheProject(t *testing.T) {
	if all, err := findChecks("../.."); err != nil || len(all) == 0 {
		t.Errorf("%d checks, %v", len(all), err)
	}
}
