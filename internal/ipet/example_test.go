package ipet_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"warpbound/internal/ipet"
)

// The instrumentation point graph of Fig. 1 of Betts and Donaldson: i2 is
// repeated at most twice.
func Example() {
	m := &ipet.Model{Name: "fig1"}
	i1, i2 := m.AddNode("i1"), m.AddNode("i2")
	i3, i4 := m.AddNode("i3"), m.AddNode("i4")
	m.Source, m.Sink = i1, i4
	enter := m.AddEdge(i1, i2, 10)
	again := m.AddEdge(i2, i2, 7)
	m.AddEdge(i2, i4, 7)
	m.AddEdge(i1, i3, 3)
	m.AddEdge(i3, i4, 5)
	m.Loops = []ipet.Loop{{
		Name: "i2", Iter: []int{again}, Entries: []int{enter}, Bound: 2, Evidence: "observed",
	}}
	s, err := ipet.Solve(context.Background(), m, ipet.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Cycles, s.Method, s.Exact, s.Counts)
	fmt.Println(s.Contributions(m))
	fmt.Println(s.Certificate.Uses(), s.Certificate.Check())
	if err := ipet.WriteCertificate(os.Stdout, s.Certificate); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 31 structured true [1 2 1 0 0]
	// [10 14 7 0 0]
	// [{loop "i2" observed}] <nil>
	// {"format":"warpbound-ipet-certificate/1","model":{"name":"fig1","nodes":["i1","i2","i3","i4"],"edges":[{"from":0,"to":1,"cost":10},{"from":1,"to":1,"cost":7},{"from":1,"to":3,"cost":7},{"from":0,"to":2,"cost":3},{"from":2,"to":3,"cost":5}],"source":0,"sink":3,"loops":[{"name":"i2","iter":[1],"entries":[0],"bound":2,"evidence":"observed"}]},"cycles":31,"counts":[1,2,1,0,0],"steps":[{"multipliers":{"nodes":["0","24","3","31"],"loops":["7"]}}]}
}
