package minisimt_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/graph"
	"warpbound/internal/isa/minisimt"
	"warpbound/internal/test/isatest"
)

// TestRandomKernels executes random kernels in warps and thread by thread, and compares
// what is in memory. Every step of a warp from block to block must be an edge of the
// flow graph or one that divergence adds, and every kernel must survive being printed.
func TestRandomKernels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := generate(t)
		text := minisimt.Print(&minisimt.Module{Kernels: []*minisimt.Kernel{k}})
		m, err := minisimt.Parse("k.simt", text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		threads := rapid.IntRange(1, 20).Draw(t, "threads")
		width := rapid.SampledFrom([]int{1, 2, 4, 32}).Draw(t, "width")
		in := make([]byte, 64*4)
		for i := range 64 {
			binary.LittleEndian.PutUint32(in[4*i:], uint32(rapid.Int32Range(-50, 50).Draw(t, "input")))
		}
		buffers := [][]byte{in, make([]byte, 4*wordsPerThread*threads), make([]byte, 4*threads)}
		w := prepare(t, m, buffers, threads, width)
		slow := &machine{kernel: k, memory: map[uint32][]byte{}}
		params := map[string]uint32{"n": uint32(threads)}
		for i, name := range []string{"in", "out", "swap"} {
			params[name] = uint32(w.addresses[i])
			slow.memory[uint32(w.addresses[i])] = bytes.Clone(buffers[i])
		}
		if err := slow.run(threads, params); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		w.run(t, text)
		for i, address := range w.addresses {
			if got := w.mem.Bytes(address); !bytes.Equal(got, slow.memory[uint32(address)]) {
				t.Errorf("buffer %d\n% x, thread by thread\n% x in\n%s", i, got, slow.memory[uint32(address)], text)
			}
		}
	})
}

// warps is a launch.
type warps struct {
	graph     *cfg.Graph
	grid      *emu.Grid
	mem       *emu.Memory
	addresses []uint64
}

func prepare(t *rapid.T, m *minisimt.Module, contents [][]byte, threads, width int) *warps {
	must := func(err error) {
		if err != nil {
			t.Fatalf("%v in\n%s", err, minisimt.Print(m))
		}
	}
	p, err := minisimt.Lower(m)
	must(err)
	k, err := isatest.Link(p, m.Kernels[0].Name)
	must(err)
	w := &warps{}
	w.graph, err = cfg.Build(k)
	must(err)
	must(w.graph.CheckSyncs())
	code, err := emu.Decode(k, w.graph)
	must(err)
	mem := new(emu.Memory)
	w.mem = mem
	var params []byte
	for _, data := range contents {
		address, err := mem.Alloc("buffer", len(data))
		must(err)
		w.addresses = append(w.addresses, address)
		params = binary.LittleEndian.AppendUint32(params, uint32(address))
		copy(mem.Bytes(address), data)
	}
	params = binary.LittleEndian.AppendUint32(params, uint32(threads))
	w.grid, err = emu.NewGrid(code, emu.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{threads, 1, 1}, Params: params}, mem, width)
	must(err)
	return w
}

// run executes the launch in turns, an instruction of each warp at a time.
func (w *warps) run(t *rapid.T, text []byte) {
	added, err := cfg.DivergentEdges(w.graph.Flow, nil)
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[graph.Edge]bool{}
	for _, e := range added {
		allowed[e] = true
	}
	var cta emu.CTA
	w.grid.StartCTA(&cta, 0)
	var env emu.Env
	var eff emu.Effect
	for !cta.Done() {
		for i := range cta.Warps {
			warp := &cta.Warps[i]
			if warp.Done() || warp.AtBarrier() {
				continue
			}
			from := w.graph.BlockOf(warp.PC())
			ends := warp.PC() == w.graph.Blocks[from].End-1
			if err := warp.Step(&env, &eff); err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
			if !ends || warp.Done() {
				continue
			}
			step := graph.Edge{From: from, To: w.graph.BlockOf(warp.PC())}
			if !w.graph.Graph().HasEdge(step.From, step.To) && !allowed[step] {
				t.Errorf("step from %s to %s in\n%s", w.graph.Name(step.From), w.graph.Name(step.To), text)
			}
		}
	}
}
