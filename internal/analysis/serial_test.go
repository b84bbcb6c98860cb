package analysis

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/absexec"
	"warpbound/internal/campaign"
	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/method/cost"
	"warpbound/internal/platform"
	"warpbound/kernels"
)

// docs/adding-a-method.md shows what stands between these two lines: TestSerialPage.
//
// begin

// serial bounds kernels without loops and barriers on barrel cores by all instructions, one after the other.
type serial struct{}

// Names implements method.Method.
func (serial) Names() []method.Name {
	return []method.Name{{ID: "static/serial", Explain: "static, all inputs: all instructions of an SM, one after the other"}}
}

// Applies implements method.Method.
func (serial) Applies(m *machine.Machine) error {
	if m.Core != machine.Barrel {
		return &diag.UnsupportedError{
			Methods: []string{"static/serial"},
			Err:     fmt.Errorf("%s: static/serial needs a machine with barrel cores", m.Name),
		}
	}
	return nil
}

// Bound implements method.Static. In every cycle of a wave some instruction of some warp is under way, or the wave is
// dispatched. So the times of all of them, added up, are no less than the time of the wave.
func (s serial) Bound(ctx context.Context, p *method.Problem) (*method.Answer, error) {
	if err := s.Applies(p.Machine); err != nil {
		return nil, err
	}
	if err := absexec.Unfollowed(p.Graph); err != nil {
		return nil, err
	}
	if err := p.Graph.CheckReducible(); err != nil {
		return nil, err
	}
	if loops := p.Graph.Loops().Loops; len(loops) > 0 {
		return nil, diag.Errorf(p.Graph.Blocks[loops[0].Header].Pos, "static/serial bounds no kernel with loops")
	}
	warp, err := s.warp(p)
	if err != nil {
		return nil, err
	}
	perWave := int64(p.Resident) * int64(p.Launch.Warps()) * warp
	grid := p.Launch.Grid()
	ctas, room := grid[0]*grid[1]*grid[2], p.Resident*int(p.Machine.SM.Count.Value)
	waves := int64((ctas + room - 1) / room)
	cycles := waves * (p.Machine.SM.Dispatch.Value + perWave)
	return &method.Answer{Estimates: []estimate.Estimate{{
		Method: "static/serial", Cycles: cycles, Evidence: p.Evidence(), Assumptions: p.Assumptions(),
		Detail: &estimate.Figures{Figures: []estimate.Figure{
			{Name: "waves", Value: waves}, {Name: "warp", Value: warp, Unit: "cycles"},
		}},
	}}}, ctx.Err()
}

// warp bounds the time in which instructions of one warp are under way.
func (serial) warp(p *method.Problem) (int64, error) {
	// A lane executes each block once at most. So no more groups of lanes execute a block one after the other than there
	// are lanes, and no more than branches can make of one.
	lanes, groups := int64(p.Launch.Width()), int64(1)
	for b := range p.Graph.Blocks {
		if next := len(p.Graph.Succ(b)); next > 1 && (p.Uniform == nil || !p.Uniform(b)) {
			groups = min(lanes, groups*int64(next))
		}
	}
	// A lane accesses 32 bytes at most, which are 8 requests of words of 4 bytes.
	const requests = 8
	var cycles int64
	for pc, c := range cost.Of(p.Graph.Kernel, p.Machine) {
		switch c.Kind {
		case cost.Barrier, cost.Arrival:
			return 0, diag.Errorf(p.Graph.Kernel.Instrs[pc].Pos, "static/serial bounds no kernel with barriers")
		case cost.Load, cost.Posted:
			cycles += groups * (requests*lanes*c.Initiation + c.Latency)
		default:
			cycles += groups * (c.Initiation + c.Latency)
		}
	}
	return cycles, nil
}

// end

// TestSerial adds the method to the list and holds its bounds against runs and against those of static/cta.
func TestSerial(t *testing.T) {
	all := append(Methods(), Method{Method: serial{}})
	for _, name := range []string{"vectorAdd", "cfdStep", "cfdAdvance", "sradUpdate", "gaussianFactor"} {
		j, err := platform.LoadFS(kernels.Suite(), name+"/job.toml", "predictable-rr")
		if err != nil {
			t.Fatal(err)
		}
		a, err := all.Analyze(t.Context(), j.Platform, j.Workload, Request{Campaign: campaign.Spec{Vectors: 2}})
		if err != nil {
			t.Fatal(err)
		}
		cycles := make(map[string]int64)
		for _, e := range a.Estimates {
			cycles[e.Method] = e.Cycles
		}
		if serial := cycles["static/serial"]; serial < a.Observed.Max || serial < cycles["static/cta"] || cycles["static/cta"] == 0 {
			t.Errorf("%s: bounds %v, longest run %d", name, cycles, a.Observed.Max)
		}
	}
}

// TestSerialRefuses: what it does not bound has a reason and a place.
func TestSerialRefuses(t *testing.T) {
	all := append(Methods(), Method{Method: serial{}})
	for name, want := range map[string]string{
		"reduction/job.toml predictable-rr": "static/serial bounds no kernel with loops",
		"vectorAdd/job.toml fermi-c2050":    "static/serial needs a machine with barrel cores",
	} {
		job, on, _ := strings.Cut(name, " ")
		j, err := platform.LoadFS(kernels.Suite(), job, on)
		if err != nil {
			t.Fatal(err)
		}
		_, err = all.Analyze(t.Context(), j.Platform, j.Workload, Request{Methods: []string{"static/serial"}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
		if _, unsupported := errors.AsType[*diag.UnsupportedError](err); unsupported != (on == "fermi-c2050") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSerialPage holds what docs/adding-a-method.md shows against the method above.
func TestSerialPage(t *testing.T) {
	source, err := os.ReadFile("serial_test.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/adding-a-method.md")
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile(`(?s)\n// begin\n\n(.*?)\n// end\n`).FindSubmatch(source)
	if code == nil || !strings.Contains(string(page), "```go\n"+string(code[1])+"```\n") {
		t.Error("docs/adding-a-method.md does not show the method serial as it is here")
	}
}
