package instrument_test

import (
	"strings"
	"testing"

	"warpbound/internal/isa/ptx"
	"warpbound/internal/method"
)

// instrumented is the text of a kernel with recording code.
func instrumented(t *testing.T, b *bench, place method.Placement) string {
	t.Helper()
	m := mustCheck(t, b, place)
	text, _, err := m.code.Text()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestTargets: instructions are those that the version and the target of the module have.
func TestTargets(t *testing.T) {
	for _, tt := range []struct {
		version, target string
		active, timer   bool
	}{
		{"2.3", "sm_20", false, false},
		{"3.1", "sm_20", false, false},
		{"3.0", "sm_30", false, false},
		{"3.1", "sm_30", false, true},
		{"6.1", "sm_70", false, true},
		{"6.2", "sm_70", true, true},
		{"6.2", "sm_21", false, false},
		{"8.0", "sm_90a", true, true},
		{"8.7", "sm_120", true, true},
	} {
		text := instrumented(t, mustJob(t, jobText, kernel(tt.version, tt.target, "", bodies["guarded returns"].body)), method.EveryBlock())
		if got := strings.Contains(text, "activemask"); got != tt.active || strings.Contains(text, "vote.ballot") == got {
			t.Errorf("PTX %s, %s: activemask %v", tt.version, tt.target, got)
		}
		if got := strings.Contains(text, "%globaltimer"); got != tt.timer {
			t.Errorf("PTX %s, %s: global timer %v", tt.version, tt.target, got)
		}
		if !strings.Contains(text, ".version "+tt.version) {
			t.Errorf("PTX %s became another version", tt.version)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, tt := range []struct{ version, target, functions, want string }{
		{"1.5", "sm_13", "", "k.ptx:2:1: recording needs PTX 2.0 and sm_20 or later"},
		{"2.3", "sm_13", "", "recording needs PTX 2.0 and sm_20 or later"},
		{"6.3", "sm_70", ".global .u64 __warpbound_trace;\n", "__warpbound_trace is already declared"},
	} {
		b, err := jobOf(jobText, kernel(tt.version, tt.target, tt.functions, "ret;"))
		if err == nil {
			_, err = b.points.Choose(nil)
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("PTX %s, %s: error %v, want %q", tt.version, tt.target, err, tt.want)
		}
	}
}

// TestOtherModule: a graph of another module is refused.
func TestOtherModule(t *testing.T) {
	a := mustJob(t, jobText, kernel("6.3", "sm_70", "", "st.global.u32 [%at], 1; ret;"))
	b := mustJob(t, jobText, kernel("6.3", "sm_70", "", "st.global.u32 [%at], 1; exit;"))
	if err := a.refind(b.module); err == nil || !strings.Contains(err.Error(), "not the one from which kernel k was linked") {
		t.Errorf("error %v", err)
	}
}

// TestCallsStayWhole: nothing comes between the stores of arguments, the call and the loads
// of results.
func TestCallsStayWhole(t *testing.T) {
	b := mustJob(t, jobText, kernel("6.3", "sm_70", twice, bodies["functions"].body))
	m := mustCheck(t, b, method.EveryBlock())
	calls := 0
	for _, item := range m.code.Module.Items {
		f, ok := item.(*ptx.Func)
		if !ok || !f.Entry {
			continue
		}
		for _, s := range f.Body.Stmts {
			block, ok := s.(*ptx.Block)
			if !ok {
				continue
			}
			var names []string
			for _, s := range block.Stmts {
				if in, ok := s.(*ptx.Instr); ok {
					names = append(names, in.Mnemonic)
				}
			}
			if all := strings.Join(names, " "); !strings.Contains(all, "st.param.b32 call.uni ld.param.b32") {
				t.Error(all)
			}
			calls++
		}
	}
	if calls != 4 {
		t.Errorf("%d calls", calls)
	}
}

// TestNarrowAddresses records in a module with addresses of 32 bits.
func TestNarrowAddresses(t *testing.T) {
	module := `.version 3.1
.target sm_30
.address_size 32
.visible .entry k(.param .u32 k_out)
{
	.reg .pred %p; .reg .b32 %r<9>;
	mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; ld.param.u32 %r3, [k_out];
	mad.lo.u32 %r1, %r2, 40, %r1; shl.b32 %r4, %r1, 2; add.u32 %r3, %r3, %r4;
again:
	ld.global.u32 %r5, [%r3]; add.u32 %r5, %r5, 1; st.global.u32 [%r3], %r5;
	sub.u32 %r1, %r1, 3; setp.gt.s32 %p, %r1, 0; @%p bra again;
	ret;
}
`
	job := strings.NewReplacer("[3, 2, 1]", "[3, 1, 1]", "[10, 5, 2]", "[40, 1, 1]").Replace(jobText)
	b := mustJob(t, job, module)
	for _, place := range placements() {
		m := mustCheck(t, b, place)
		if err := same(&m.recorded, &m.without); err != nil {
			t.Error(err)
		}
	}
}
