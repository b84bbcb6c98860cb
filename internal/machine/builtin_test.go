package machine

import (
	"reflect"
	"testing"
)

// TestBuiltinsShareNothing: who changes a built-in machine, as callers do, changes no other one of the same name.
func TestBuiltinsShareNothing(t *testing.T) {
	for _, name := range Names() {
		m, again := reflect.ValueOf(builtin(t, name)).Elem(), reflect.ValueOf(builtin(t, name)).Elem()
		if !reflect.DeepEqual(m.Interface(), again.Interface()) {
			t.Errorf("%s is another machine the second time", name)
		}
		for i := range m.NumField() {
			checkShared(t, name+"."+m.Type().Field(i).Name, m.Field(i), again.Field(i))
		}
	}
}

// checkShared looks for what two values share.
func checkShared(t *testing.T, path string, a, b reflect.Value) {
	t.Helper()
	switch a.Kind() {
	case reflect.Map, reflect.Slice:
		if !a.IsNil() && a.UnsafePointer() == b.UnsafePointer() {
			t.Errorf("%s is shared", path)
		}
	case reflect.Struct:
		for i := range a.NumField() {
			checkShared(t, path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i))
		}
	case reflect.Pointer, reflect.Interface, reflect.Func, reflect.Chan:
		t.Errorf("%s is a %s", path, a.Kind())
	}
}
