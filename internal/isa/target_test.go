package isa_test

import (
	"testing"

	"warpbound/internal/isa"
)

func TestTarget(t *testing.T) {
	for _, c := range []struct {
		name string
		want isa.Target
		ok   bool
		on   map[int]bool // by architecture: whether it runs the code
	}{
		{"sm_20", isa.Target{SM: 20}, true, map[int]bool{13: false, 20: true, 87: true, 120: true}},
		{"sm_87", isa.Target{SM: 87}, true, map[int]bool{20: false, 86: false, 87: true, 90: true}},
		{"sm_90a", isa.Target{SM: 90, Suffix: 'a'}, true, map[int]bool{87: false, 90: true, 100: false}},
		{"sm_100f", isa.Target{SM: 100, Suffix: 'f'}, true, map[int]bool{90: false, 100: true, 101: false, 103: true, 120: false}},
		{"sm_101f", isa.Target{SM: 101, Suffix: 'f'}, true, map[int]bool{100: false, 101: true, 103: false, 110: true, 120: false}},
		{name: "mini-simt"}, {name: ""}, {name: "sm_"}, {name: "sm_a"}, {name: "sm_7"}, {name: "sm_07"}, {name: "sm_+70"},
		{name: "sm_1234"}, {name: "sm_70b"}, {name: "compute_70"}, {name: "SM_70"},
	} {
		got, ok := isa.ParseTarget(c.name)
		if got != c.want && c.ok || ok != c.ok {
			t.Errorf("%q: %v, %t", c.name, got, ok)
		}
		if ok && got.String() != c.name {
			t.Errorf("%s is %v", c.name, got)
		}
		for sm, want := range c.on {
			if got.RunsOn(sm) != want {
				t.Errorf("%s on sm_%d: %t", c.name, sm, !want)
			}
		}
	}
}

func TestNamed(t *testing.T) {
	for target, want := range map[string]string{"sm_87": "sm_87 (Orin)", "sm_90a": "sm_90a (Hopper)", "sm_99": "sm_99", "mini-simt": "mini-simt", "none": "none"} {
		if got := isa.Named(target); got != want {
			t.Errorf("%s: %s", target, got)
		}
	}
}
