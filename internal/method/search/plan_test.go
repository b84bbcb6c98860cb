package search

import (
	"slices"
	"testing"

	"warpbound/internal/method/search/genetic"
)

// pairs is a plan of five threads in groups of two. Each has an element of x, and reads that of the next
// thread, too. Elements 5 to 7 of x are nobody's, and neither is y.
func pairs() *Plan {
	p := &Plan{Space: Space{Params: []Param{{Name: "x", Count: 8, Element: bytes(255)}, {Name: "y", Count: 3, Element: bytes(255)}}}, Threads: 5, Group: 2}
	p.Views = []View{
		{Param: 0, Elements: []int32{0, 1, 2, 3, 4}, Own: true},
		{Param: 0, Elements: []int32{1, 2, 3, 4, None}},
	}
	p.share()
	return p
}

func decode(p *Plan, genes ...genetic.Gene) Inputs {
	var ind genetic.Individual
	for i, g := range genes {
		ind = append(ind, genetic.Span{End: i + 1, Atoms: []int32{g.Atom}, Seed: g.Seed})
	}
	return p.Decode(ind)
}

func raw(seed uint64) genetic.Gene { return genetic.Gene{Atom: genetic.Raw, Seed: seed} }

func TestGenome(t *testing.T) {
	p := pairs()
	p.Atoms = make([]Atom, 2)
	g := p.Genome()
	if len(g) != 2 || g[0].Loci != 3 || !slices.Equal(g[0].Alleles, []int32{0, 1}) || g[1].Loci != 6 || !slices.Equal(g[1].Alleles, []int32{genetic.Raw, Taken}) {
		t.Errorf("the genome is %v", g)
	}
	if want := []Chunk{{0, 5, 1}, {0, 6, 1}, {0, 7, 1}, {1, 0, 1}, {1, 1, 1}, {1, 2, 1}}; !slices.Equal(p.Shared, want) {
		t.Errorf("the chunks are %v", p.Shared)
	}
}

func TestSampledValues(t *testing.T) {
	p := pairs()
	shared := []genetic.Gene{raw(0), raw(1), raw(0), raw(1), raw(50), raw(50)}
	same := decode(p, append([]genetic.Gene{raw(7), raw(7), raw(8)}, shared...)...)
	x, y := same[0], same[1]
	if x[0] != x[2] || x[1] != x[3] || x[0] == x[1] || x[0] == x[4] {
		t.Errorf("two groups with the same seed and one with another have %v", x[:5])
	}
	if x[5] != 0 || x[6] != 255 || x[7] != 0 || y[0] != 255 || y[1] != y[2] {
		t.Errorf("the shared elements are %v and %v", x[5:], y)
	}
}

func TestAtomsAreWritten(t *testing.T) {
	p := pairs()
	p.Atoms = []Atom{
		{Threads: 2, Values: []Value{{0, 0, 10}, {1, 0, 11}}, Fixed: []Fixed{{1, 0, 33}}},
		{Threads: 1, Values: []Value{{0, 0, 20}}, Fixed: []Fixed{{1, 0, 44}, {0, 5, 55}}},
		{Threads: 2, Values: []Value{{1, 1, 99}}}, // the element of the first thread of the next group
		{Threads: 2, Values: []Value{{0, 0, 70}}, Fixed: []Fixed{{0, 2, 71}}},
	}
	atom := func(a int32) genetic.Gene { return genetic.Gene{Atom: a} }
	free := []genetic.Gene{raw(0), raw(0), raw(0), raw(0), raw(0), raw(0)}
	for _, test := range []struct {
		name   string
		groups []genetic.Gene
		chunks []genetic.Gene
		x, y   []byte
	}{
		{"in order", []genetic.Gene{atom(0), atom(0), atom(0)}, free, []byte{10, 11, 10, 11, 10, 0, 0, 0}, []byte{33, 0, 0}},
		{"one thread is repeated", []genetic.Gene{atom(1), raw(1), atom(0)}, free, []byte{20, 20, 255, 255, 10, 55, 0, 0}, []byte{33, 0, 0}},
		{"a later gene wins", []genetic.Gene{atom(0), raw(0), atom(1)}, free, []byte{10, 11, 0, 0, 20, 55, 0, 0}, []byte{44, 0, 0}},
		{"unless the chunk is taken", []genetic.Gene{atom(0), raw(0), atom(1)}, []genetic.Gene{{Atom: Taken, Seed: 1}, raw(0), raw(0), {Atom: Taken, Seed: 1}, raw(0), raw(0)},
			[]byte{10, 11, 0, 0, 20, 255, 0, 0}, []byte{255, 0, 0}},
		{"others' elements", []genetic.Gene{atom(2), raw(0), atom(2)}, free, []byte{0, 0, 99, 0, 0, 0, 0, 0}, []byte{0, 0, 0}},
		{"but for those that their atom fixes", []genetic.Gene{atom(2), atom(0), atom(0)}, free, []byte{0, 0, 10, 11, 10, 0, 0, 0}, []byte{33, 0, 0}},
		{"after fixed ones", []genetic.Gene{atom(3), atom(0), atom(3)}, free, []byte{70, 0, 10, 11, 70, 0, 0, 0}, []byte{33, 0, 0}},
	} {
		got := decode(p, append(test.groups, test.chunks...)...)
		if !slices.Equal(got[0], test.x) || !slices.Equal(got[1], test.y) {
			t.Errorf("%s: %v and %v, want %v and %v", test.name, got[0], got[1], test.x, test.y)
		}
	}
}

func TestChunksAreFew(t *testing.T) {
	p := &Plan{Space: Space{Params: []Param{{Name: "x", Count: 10000, Element: bytes(255)}}}, Threads: 5000, Group: 1}
	v := View{Own: true}
	for i := range int32(5000) {
		v.Elements = append(v.Elements, 2*i)
	}
	p.Views = []View{v}
	p.share()
	if len(p.Shared) > maxChunks || len(p.Shared) < maxChunks/2 {
		t.Errorf("%d chunks", len(p.Shared))
	}
	covered := 0
	for _, c := range p.Shared {
		for e := c.First; e < c.First+c.Count; e++ {
			covered += e % 2
		}
	}
	if covered != 5000 {
		t.Errorf("%d of 5000 elements are in chunks", covered)
	}
}

func TestDamagedPlans(t *testing.T) {
	for name, change := range map[string]func(*Plan){
		"group":   func(p *Plan) { p.Group = 0 },
		"threads": func(p *Plan) { p.Threads = 7 },
		"view":    func(p *Plan) { p.Views[0].Elements[0] = 8 },
		"chunk":   func(p *Plan) { p.Shared[0].Count = 9 },
		"value":   func(p *Plan) { p.Atoms = []Atom{{Threads: 1, Values: []Value{{Thread: 1}}}} },
		"fixed":   func(p *Plan) { p.Atoms = []Atom{{Threads: 1, Fixed: []Fixed{{Param: 2}}}} },
		"atom":    func(p *Plan) { p.Atoms = make([]Atom, 1) },
		"pair":    func(p *Plan) { p.Pairs = [][2]int32{{0, 0}} },
	} {
		p := pairs()
		if err := p.check(); err != nil {
			t.Fatal(err)
		}
		if change(p); p.check() == nil {
			t.Errorf("%s: nothing is wrong", name)
		}
	}
}
