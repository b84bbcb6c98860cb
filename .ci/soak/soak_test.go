package main

import (
	"fmt"
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
	write("b/b_test.go", `
func TestB(t *testing.T) { t.Run("sub", func(t *testing.T) { effort.Draw(t, 7) }) }
func TestNone(t *testing.T) {}`)
	write("a/a_test.go", `
func TestZ(t *testing.T) { effort.Draw(t, 7) }
func TestA(t *testing.T) { effort.Draw(t, 7) }`)
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
	write("b/helper_test.go", "func draw(t *testing.T) { effort.Draw(t, 7) }")
	if _, err := findChecks(folder); err == nil || !strings.Contains(err.Error(), "helper_test.go:2:") {
		t.Errorf("a helper draws: %v", err)
	}
}

func TestReadEvents(t *testing.T) {
	const passes = `{"Action":"output","Package":"warpbound/p","Test":"TestA","Output":"    a_test.go:3: random items: 700 of 700\n"}
{"Action":"pass","Package":"warpbound/p","Test":"TestA"}
{"Action":"pass","Package":"warpbound/p"}
`
	const fails = `{"Action":"output","Package":"warpbound","Test":"TestB/one","Output":"    a_test.go:3: random items: 5 of 5\n"}
{"Action":"output","Package":"warpbound","Test":"TestB/two","Output":"    a_test.go:3: random items: 6 of 6\n"}
{"Action":"output","Package":"warpbound","Test":"TestB/two","Output":"    a_test.go:3: seed 4: 5, want 6\n"}
{"Action":"pass","Package":"warpbound","Test":"TestB/one"}
{"Action":"fail","Package":"warpbound","Test":"TestB/two"}
{"Action":"fail","Package":"warpbound","Test":"TestB"}
{"Action":"pass","Package":"warpbound","Test":"TestOther"}
{"Action":"fail","Package":"warpbound"}
`
	const panics = `{"Action":"output","Package":"warpbound","Output":"panic"}` + "\n"
	a, b := check{"p", "TestA"}, check{".", "TestB"}
	for _, test := range []struct {
		name, events string
		checks       []check
		want         []result
		err, said    string
	}{
		{"holds", passes, []check{a}, []result{{a, 700, 0}}, "", ""},
		{"finding", passes + fails, []check{a, b}, []result{{a, 700, 0}, {b, 11, 1}}, "", "seed 4: 5, want 6"},
		{"no end", panics + passes, []check{a, b}, []result{{a, 700, 0}}, ".: TestB does not end\npanic", ""},
		{"no package", passes, []check{a, b}, []result{{a, 700, 0}}, ".: TestB does not end", ""},
		{"part", strings.Replace(passes, "700 of", "7 of", 1), []check{a}, nil, "7 of 700", ""},
		{"no event", "FAIL\n", []check{a}, nil, "FAIL", ""},
	} {
		var said strings.Builder
		var got []result
		err := readEvents(strings.NewReader(test.events), test.checks, &said, func(r []result) error {
			got = append(got, r...)
			return nil
		})
		if text := fmt.Sprint(err); (err == nil) != (test.err == "") || !strings.Contains(text, test.err) {
			t.Errorf("%s: error %s, want %q", test.name, text, test.err)
		}
		if !reflect.DeepEqual(got, test.want) || !strings.Contains(said.String(), test.said) {
			t.Errorf("%s: %v, want %v; %s", test.name, got, test.want, &said)
		}
	}
}

func TestRows(t *testing.T) {
	file := filepath.Join(t.TempDir(), "soak.md")
	rows, err := readRows(file)
	if err != nil || len(rows) > 0 {
		t.Fatalf("no page: %v, %v", rows, err)
	}
	want := map[check]row{
		{"internal/a", "TestA"}: {7000, 3, "0123abcd+", 2},
		{"internal/b", "TestB"}: {800, 0, "0123abcd", 0},
	}
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

// TestChecksOfTheProject finds the checks of the project, which all draw their items where they are
// found.
func TestChecksOfTheProject(t *testing.T) {
	if all, err := findChecks("../.."); err != nil || len(all) == 0 {
		t.Errorf("%d checks, %v", len(all), err)
	}
}
