package machine

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestRowsSayEverything changes whatever a description holds, one thing after the other: the
// rows must change, and the hash too unless it is a source, a basis or a range.
func TestRowsSayEverything(t *testing.T) {
	known := map[string]bool{} // rows of machines of a core that have been changed
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			m := builtin(t, name)
			rows, hash := m.Rows(), m.Hash()
			more := false
			for _, row := range rows {
				of := string(m.Core) + " " + row.Path
				more = more || !known[of]
				known[of] = true
			}
			if !more {
				return // other machines have all of its rows
			}
			changed := 0
			alter(reflect.ValueOf(m).Elem(), m.Core, "", func(path string) {
				changed++
				switch source := strings.HasSuffix(path, ".Source") || strings.HasSuffix(path, "Basis") || strings.HasSuffix(path, "Range"); {
				case path == ".Name":
					if m.Hash() == hash {
						t.Error("the name does not change the hash")
					}
				case path == ".Architecture":
					if m.Hash() != hash {
						t.Error("the architecture changes the hash")
					}
				case path == ".About" || path == ".Core" || strings.HasPrefix(path, ".Sources") || strings.HasPrefix(path, ".Origins"):
				case m.Core != Scoreboard && strings.HasSuffix(path, ".Pipeline"): // it has none
				case slices.Equal(m.Rows(), rows):
					t.Errorf("%s changes no row", path)
				case source != (m.Hash() == hash):
					t.Errorf("%s changes the hash: %t", path, source)
				}
			})
			if changed < len(rows) {
				t.Errorf("%d changes for %d rows", changed, len(rows))
			}
			if m.Hash() != hash {
				t.Error("the test does not restore the machine")
			}
		})
	}
}

// alter calls check with each number and each text in v changed, as far as machines with
// the core have it, and restores it.
func alter(v reflect.Value, core Core, path string, check func(path string)) {
	switch v.Kind() {
	case reflect.Int64:
		v.SetInt(v.Int() + 1)
		check(path)
		v.SetInt(v.Int() - 1)
	case reflect.Array: // a range
		v.Index(0).SetInt(v.Index(0).Int() + 1)
		check(path)
		v.Index(0).SetInt(v.Index(0).Int() - 1)
	case reflect.String:
		old := v.String()
		v.SetString(old + "'")
		check(path)
		v.SetString(old)
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			leftOut := f.Tag.Get("optional") != "" && v.Field(i).IsZero()
			if core.has(f.Tag) && !leftOut {
				alter(v.Field(i), core, path+"."+f.Name, check)
			}
		}
	case reflect.Map:
		for _, key := range slices.SortedFunc(maps.Keys(mapOf(v)), strings.Compare) {
			k := reflect.ValueOf(key)
			old := v.MapIndex(k)
			element := reflect.New(old.Type()).Elem()
			element.Set(old)
			alter(element, core, path+"."+key, func(path string) {
				v.SetMapIndex(k, element)
				check(path)
				v.SetMapIndex(k, old)
			})
		}
	case reflect.Slice: // modes, none of which a built-in machine has
	default:
		panic("nothing of kind " + v.Kind().String() + " is expected in a machine")
	}
}

// mapOf returns the keys of a map with keys of type string.
func mapOf(v reflect.Value) map[string]bool {
	keys := map[string]bool{}
	for _, k := range v.MapKeys() {
		keys[k.String()] = true
	}
	return keys
}

// TestWithSources checks that all sources are asked for and nothing else changes, also not
// the machine itself.
func TestWithSources(t *testing.T) {
	for _, name := range Names() {
		m := builtin(t, name)
		before := m.Rows()
		asked := map[string]bool{}
		out := m.WithSources(func(path, source string) string {
			asked[path] = true
			return "of " + path + ": " + source
		})
		if !slices.Equal(m.Rows(), before) {
			t.Errorf("%s has changed", name)
		}
		for i, row := range out.Rows() {
			path := row.Path
			for _, part := range []string{".pipeline", ".latency", ".initiation"} {
				if strings.HasPrefix(path, "classes.") || strings.HasPrefix(path, "stand_ins.") || strings.HasPrefix(path, "operations.") {
					path = strings.TrimSuffix(path, part)
				}
			}
			want := before[i]
			want.Source, want.Basis, want.Range = "of "+path+": "+want.Source, "", Range{}
			if row != want || !asked[path] {
				t.Errorf("%s: %+v, want %+v", name, row, want)
			}
		}
	}
}
