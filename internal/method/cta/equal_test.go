package cta

import (
	"slices"
	"testing"
)

// TestEqualPaths tries that paths count as equal only if all is equal that a bound is made of. Different paths have the same key only by
// chance, so that no kernel shows the error.
func TestEqualPaths(t *testing.T) {
	one := func() *path {
		return &path{
			certain: true, service: 7, waits: 1, visible: 5, minor: 3,
			ops:    []op{{pc: 1, requests: 2}, {pc: 3, requests: 1}},
			delays: []segment{{certain: true, delay: 4}, {certain: true, delay: 6}},
			instrs: []share{{count: 1, service: 7}},
		}
	}
	if p, q := one(), one(); !p.equal(q) || p.key() != q.key() {
		t.Error("a path is not equal to itself")
	}
	for what, change := range map[string]func(*path){
		"certain":                   func(p *path) { p.certain = false },
		"partial":                   func(p *path) { p.partial = true },
		"service":                   func(p *path) { p.service = p.service.Add(1) },
		"waits":                     func(p *path) { p.waits = p.waits.Add(1) },
		"visible":                   func(p *path) { p.visible = p.visible.Add(1) },
		"minor":                     func(p *path) { p.minor = p.minor.Add(1) },
		"an instruction":            func(p *path) { p.ops[1].pc++ },
		"a request":                 func(p *path) { p.ops[0].requests++ },
		"instructions":              func(p *path) { p.ops = p.ops[:1] },
		"a delay":                   func(p *path) { p.delays[1].delay = p.delays[1].delay.Add(1) },
		"a barrier":                 func(p *path) { p.delays[1].certain = false },
		"segments":                  func(p *path) { p.delays = slices.Concat(p.delays, []segment{{}}) },
		"service of an instruction": func(p *path) { p.instrs[0].service = p.instrs[0].service.Add(1) },
		"counts of an instruction":  func(p *path) { p.instrs[0].count = p.instrs[0].count.Add(1) },
	} {
		p := one()
		change(p)
		if p.equal(one()) || one().equal(p) {
			t.Errorf("%s: paths that differ are equal", what)
		}
	}
}
