package cfg_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"warpbound/diag"
	"warpbound/internal/cfg"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
)

var guard = isa.Guard{Set: true}

// kernel makes a kernel of instructions on the lines 10, 11, ... of k.ptx.
func kernel(labels []isa.Label, instrs ...isa.Instr) *isa.Kernel {
	for i := range instrs {
		instrs[i].Pos = diag.Pos{File: "k.ptx", Line: int32(10 + i), Col: 5}
	}
	return &isa.Kernel{Name: "k", Instrs: instrs, Labels: labels, Pos: diag.Pos{File: "k.ptx", Line: 1, Col: 1}}
}

// render writes one line for each block: name, instructions, edges.
func render(g *cfg.Graph) string {
	var b strings.Builder
	for i, block := range g.Blocks {
		fmt.Fprintf(&b, "%d %s [%d,%d) line %d", i, block.Name, block.Start, block.End, block.Pos.Line)
		for _, e := range block.Edges {
			fmt.Fprintf(&b, ", %s %s", e.Kind, g.Name(e.To))
		}
		if !block.Reachable {
			b.WriteString(", unreachable")
		}
		fmt.Fprintf(&b, "; reconverge at %s\n", g.Name(g.Reconverge(i)))
	}
	return b.String()
}

func TestBuild(t *testing.T) {
	tests := []struct {
		name string
		k    *isa.Kernel
		want string
	}{
		{
			"a trap does not keep lanes from reconverging",
			kernel([]isa.Label{{Name: "fine", Index: 3}, {Name: "join", Index: 4}},
				isa.Instr{Op: isa.Bra, Guard: guard, Target: 4}, isa.Instr{Op: isa.Bra, Guard: guard, Target: 3},
				isa.Instr{Op: isa.Trap}, isa.Instr{Op: isa.Add}, isa.Instr{Op: isa.Ret}),
			"0 entry [0,1) line 10, taken join, fall-through entry+1; reconverge at join\n" +
				"1 entry+1 [1,2) line 11, taken fine, fall-through entry+2; reconverge at fine\n" +
				"2 entry+2 [2,3) line 12, exit exit; reconverge at exit\n" +
				"3 fine [3,4) line 13, fall-through join; reconverge at join\n" +
				"4 join [4,5) line 14, exit exit; reconverge at exit\n",
		}, {
			"nothing but a trap at the end of every path",
			kernel(nil, isa.Instr{Op: isa.Bra, Guard: guard, Target: 2}, isa.Instr{Op: isa.Add}, isa.Instr{Op: isa.RunSystem, System: isa.SysAssert}, isa.Instr{Op: isa.Exit}),
			"0 entry [0,1) line 10, taken entry+2, fall-through entry+1; reconverge at entry+2\n" +
				"1 entry+1 [1,2) line 11, fall-through entry+2; reconverge at entry+2\n" +
				"2 entry+2 [2,4) line 12, exit exit; reconverge at exit\n",
		}, {
			"straight", kernel(nil, isa.Instr{Op: isa.Add}, isa.Instr{Op: isa.Ret}),
			"0 entry [0,2) line 10, exit exit; reconverge at exit\n",
		}, {
			"if with label, of which one more labels nothing of note",
			kernel([]isa.Label{{Name: "inside", Index: 1}, {Name: "done", Index: 3}, {Name: "alias", Index: 3}},
				isa.Instr{Op: isa.Bra, Guard: guard, Target: 3}, isa.Instr{Op: isa.Add}, isa.Instr{Op: isa.Mul}, isa.Instr{Op: isa.Exit}),
			"0 entry [0,1) line 10, taken done, fall-through inside; reconverge at done\n" +
				"1 inside [1,3) line 11, fall-through done; reconverge at done\n" +
				"2 done [3,4) line 13, exit exit; reconverge at exit\n",
		}, {
			"guarded return and trap",
			kernel(nil, isa.Instr{Op: isa.Ret, Guard: guard}, isa.Instr{Op: isa.Trap, Guard: guard}, isa.Instr{Op: isa.Ret}),
			"0 entry [0,1) line 10, exit exit, fall-through entry+1; reconverge at entry+1\n" +
				"1 entry+1 [1,2) line 11, exit exit, fall-through entry+2; reconverge at entry+2\n" +
				"2 entry+2 [2,3) line 12, exit exit; reconverge at exit\n",
		}, {
			"unreachable and endless",
			kernel([]isa.Label{{Name: "spin", Index: 2}},
				isa.Instr{Op: isa.Bra, Target: 2}, isa.Instr{Op: isa.Ret}, isa.Instr{Op: isa.Add}, isa.Instr{Op: isa.Bra, Target: 2}),
			"0 entry [0,1) line 10, taken spin; reconverge at spin\n" +
				"1 entry+1 [1,2) line 11, exit exit, unreachable; reconverge at exit\n" +
				"2 spin [2,4) line 12, taken spin; reconverge at exit\n",
		}, {
			"indexed, twice to one target, guarded",
			kernel([]isa.Label{{Name: "a", Index: 2}, {Name: "b", Index: 3}},
				isa.Instr{Op: isa.BrxIdx, Guard: guard, Targets: []int{2, 3, 2}}, isa.Instr{Op: isa.Nop}, isa.Instr{Op: isa.Nop}, isa.Instr{Op: isa.Ret}),
			"0 entry [0,1) line 10, indexed a, indexed b, indexed a, fall-through entry+1; reconverge at b\n" +
				"1 entry+1 [1,2) line 11, fall-through a; reconverge at a\n" +
				"2 a [2,3) line 12, fall-through b; reconverge at b\n" +
				"3 b [3,4) line 13, exit exit; reconverge at exit\n",
		}, {
			"names that are taken already",
			kernel([]isa.Label{{Name: "entry", Index: 1}, {Name: "L", Index: 2}, {Name: "L", Index: 4}},
				isa.Instr{Op: isa.Bra, Guard: guard, Target: 1}, isa.Instr{Op: isa.Bra, Guard: guard, Target: 2},
				isa.Instr{Op: isa.Bra, Guard: guard, Target: 4}, isa.Instr{Op: isa.Nop}, isa.Instr{Op: isa.Ret}),
			"0 entry [0,1) line 10, taken entry+1, fall-through entry+1; reconverge at entry+1\n" +
				"1 entry+1 [1,2) line 11, taken L, fall-through L; reconverge at L\n" +
				"2 L [2,3) line 12, taken L+2, fall-through L+1; reconverge at L+2\n" +
				"3 L+1 [3,4) line 13, fall-through L+2; reconverge at L+2\n" +
				"4 L+2 [4,5) line 14, exit exit; reconverge at exit\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g, err := cfg.Build(test.k)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, render(g)); diff != "" {
				t.Errorf("blocks (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBuildErrors(t *testing.T) {
	tests := []struct {
		name string
		k    *isa.Kernel
		want string
	}{
		{"empty", kernel(nil), "k.ptx:1:1: kernel k has no instructions"},
		{"past the end", kernel(nil, isa.Instr{Op: isa.Nop}, isa.Instr{Op: isa.Ret, Guard: guard}), "k.ptx:11:5: kernel k: control runs past the last instruction"},
		{"branch to the end", kernel(nil, isa.Instr{Op: isa.Bra, Target: 1}), "k.ptx:10:5: branch to instruction 1 of kernel k, which has 1"},
		{"nothing known", kernel(nil, isa.Instr{Op: isa.Unknown, Text: "frob.wait", Reason: "it is new"}, isa.Instr{Op: isa.Ret}), "k.ptx:10:5: kernel k has no known flow because of frob.wait: it is new"},
		{"negative target", kernel(nil, isa.Instr{Op: isa.BrxIdx, Targets: []int{0, -1}}), "k.ptx:10:5: branch to instruction -1 of kernel k, which has 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g, err := cfg.Build(test.k)
			if g != nil || err == nil || err.Error() != test.want {
				t.Errorf("Build = %v, %q, want %q", g, err, test.want)
			}
		})
	}
}

func TestBlockLookup(t *testing.T) {
	g, err := cfg.Build(kernel([]isa.Label{{Name: "a", Index: 2}, {Name: "alias", Index: 2}, {Name: "inside", Index: 3}, {Name: "end", Index: 4}},
		isa.Instr{Op: isa.Nop}, isa.Instr{Op: isa.Bra, Guard: guard, Target: 2}, isa.Instr{Op: isa.Nop}, isa.Instr{Op: isa.Ret}))
	if err != nil {
		t.Fatal(err)
	}
	if g.BlockOf(1) != 0 || g.BlockOf(3) != 1 || g.Last(1).Op != isa.Ret {
		t.Error("instructions are in the wrong blocks")
	}
}

func TestCheckReducible(t *testing.T) {
	k := kernel([]isa.Label{{Name: "a", Index: 1}, {Name: "b", Index: 2}},
		isa.Instr{Op: isa.Bra, Guard: guard, Target: 2}, // also falls into a
		isa.Instr{Op: isa.Nop},
		isa.Instr{Op: isa.Bra, Guard: guard, Target: 1},
		isa.Instr{Op: isa.Ret})
	g, err := cfg.Build(k)
	if err != nil {
		t.Fatal(err)
	}
	want := "k.ptx:10:5: kernel k has irreducible control flow: a loop of 2 blocks can be entered at a (k.ptx:11:5) and at b (k.ptx:12:5); block entry enters it at a, but its header is taken to be b"
	err = g.CheckReducible()
	var positioned *diag.Error
	if !errors.As(err, &positioned) || err.Error() != want {
		t.Errorf("CheckReducible:\n%v\nwant\n%v", err, want)
	}
	k.Instrs[0].Guard = isa.Guard{}
	if g, err = cfg.Build(k); err != nil || g.CheckReducible() != nil {
		t.Errorf("a loop with one entry is refused: %v, %v", err, g.CheckReducible())
	}
}

// TestBuildProperty checks on random kernels that blocks cover the instructions
// and that edges are what the last instructions say, one instruction at a time.
func TestBuildProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "instructions")
		at := rapid.IntRange(0, n-1)
		var instrs []isa.Instr
		for range n {
			in := isa.Instr{Op: rapid.SampledFrom([]isa.Op{isa.Add, isa.Add, isa.Bra, isa.BrxIdx, isa.Ret, isa.Trap, isa.Bar}).Draw(t, "op")}
			in.Guard.Set = rapid.Bool().Draw(t, "guarded")
			in.Target = at.Draw(t, "target")
			if in.Op == isa.BrxIdx {
				in.Targets = rapid.SliceOfN(at, 1, 4).Draw(t, "targets")
			}
			instrs = append(instrs, in)
		}
		instrs = append(instrs, isa.Instr{Op: isa.Exit})
		g, err := cfg.Build(kernel(nil, instrs...))
		if err != nil {
			t.Fatal(err)
		}
		next := 0
		for b, block := range g.Blocks {
			if block.Start != next || block.End <= block.Start {
				t.Fatalf("block %d is [%d,%d) after %d", b, block.Start, block.End, next)
			}
			next = block.End
			for i := block.Start; i < block.End; i++ {
				want := map[int]bool{}
				in := instrs[i]
				switch in.Op {
				case isa.Bra:
					want[in.Target] = true
				case isa.BrxIdx:
					for _, target := range in.Targets {
						want[target] = true
					}
				case isa.Ret, isa.Trap, isa.Exit:
					want[len(instrs)] = true
				default:
					want[i+1] = true
				}
				if in.Guard.Set {
					want[i+1] = true
				}
				got := map[int]bool{}
				if i+1 < block.End {
					got[i+1] = true
				} else {
					for _, e := range block.Edges {
						if e.To == g.Exit() {
							got[len(instrs)] = true
						} else {
							got[g.Blocks[e.To].Start] = true
						}
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("after instruction %d (-want +got):\n%s", i, diff)
				}
			}
		}
		if next != len(instrs) {
			t.Fatalf("blocks end at %d of %d", next, len(instrs))
		}
	})
}

func TestNewFlowErrors(t *testing.T) {
	for _, edges := range [][]graph.Edge{{{From: 2, To: 0}}, {{From: 0, To: 3}}, {{From: -1, To: 0}}, {{From: 0, To: -1}}} {
		if f, err := cfg.NewFlow(2, edges, nil); err == nil || f != nil {
			t.Errorf("NewFlow(2, %v) = %v, %v", edges, f, err)
		}
	}
	if _, err := cfg.NewFlow(0, nil, nil); err == nil {
		t.Error("NewFlow of no blocks is no error")
	}
	edges := []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}}
	if _, err := cfg.NewFlow(2, edges, []bool{true}); err == nil {
		t.Error("one value for two blocks is no error")
	}
}
