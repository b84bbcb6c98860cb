package pprof

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/pprof/profile"

	"warpbound/estimate"
)

// TestWrite: what the pprof library reads is what was written, by lines of the source.
func TestWrite(t *testing.T) {
	p := &estimate.Profile{Kernels: []estimate.ProfiledKernel{
		{Kernel: "_Z3addPf", Lines: []estimate.ProfiledLine{
			{Line: "k.ptx:3", Source: "k.cu:2", Issues: 8, Lanes: 256, Cycles: 100, Waits: map[string]int64{"alu": 60, "issue": 40}},
			{Line: "k.ptx:4", Source: "k.cu:2", Issues: 1, Lanes: 2, Diverged: 3, Transactions: 4, Cycles: 5, Waits: map[string]int64{"memory": 5}},
			{Line: "k.ptx:5", Source: "k.h:9", Issues: 7},
			{Line: "k.ptx:6", Source: "k.cu:3"}, // no warp issued it
		}},
		{Kernel: "other", Lines: []estimate.ProfiledLine{{Line: "k.ptx:30", Issues: 2, Cycles: 9}}},
	}}
	var b bytes.Buffer
	if err := Write(&b, p, nil); err != nil {
		t.Fatal(err)
	}
	got, err := profile.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, v := range got.SampleType {
		types = append(types, v.Type+"/"+v.Unit)
	}
	if want := []string{"issues/count", "lanes/count", "diverged/count", "transactions/count", "cycles/cycles", "alu/cycles", "issue/cycles", "memory/cycles"}; !reflect.DeepEqual(types, want) {
		t.Errorf("types %v", types)
	}
	type sample struct {
		function, system, file string
		line                   int64
		values                 []int64
	}
	var samples []sample
	for _, s := range got.Sample {
		l := s.Location[0].Line[0]
		samples = append(samples, sample{l.Function.Name, l.Function.SystemName, l.Function.Filename, l.Line, s.Value})
	}
	want := []sample{
		{"add(float*)", "_Z3addPf", "k.cu", 2, []int64{9, 258, 3, 4, 105, 60, 40, 5}},
		{"add(float*)", "_Z3addPf", "k.h", 9, []int64{7, 0, 0, 0, 0, 0, 0, 0}},
		{"other", "other", "k.ptx", 30, []int64{2, 0, 0, 0, 9, 0, 0, 0}},
	}
	if !reflect.DeepEqual(samples, want) {
		t.Errorf("samples\n%v\nwant\n%v", samples, want)
	}
	if got.DefaultSampleType != "cycles" {
		t.Errorf("the default is %s", got.DefaultSampleType)
	}
}

// TestBound: what a bound charges to lines is the last value of their samples, also of lines that no warp issued.
func TestBound(t *testing.T) {
	p := &estimate.Profile{Kernels: []estimate.ProfiledKernel{
		{Kernel: "k", Lines: []estimate.ProfiledLine{
			{Line: "k.ptx:3", Source: "k.cu:2", Issues: 8, Cycles: 100},
			{Line: "k.ptx:4", Source: "k.cu:2"},
			{Line: "k.ptx:6", Source: "k.cu:3"}, // no warp issued it
		}},
		{Kernel: "l", Lines: []estimate.ProfiledLine{{Line: "k.ptx:9", Issues: 1}}},
	}}
	bound := &estimate.ByLine{Lines: []estimate.ChargedLine{
		{Pos: "k.ptx:3", Source: "k.cu:2", Cycles: 10}, {Pos: "k.ptx:4", Source: "k.cu:2", Cycles: 5}, {Pos: "k.ptx:6", Source: "k.cu:3", Cycles: 3}, {Pos: "k.ptx:9", Cycles: 2},
	}}
	var b bytes.Buffer
	if err := Write(&b, p, bound); err != nil {
		t.Fatal(err)
	}
	got, err := profile.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	charged := make(map[string]int64)
	for _, s := range got.Sample {
		l := s.Location[0].Line[0]
		charged[fmt.Sprintf("%s %s:%d", l.Function.Name, l.Function.Filename, l.Line)] = s.Value[len(s.Value)-1]
	}
	if want := map[string]int64{"k k.cu:2": 15, "k k.cu:3": 3, "l k.ptx:9": 2}; !reflect.DeepEqual(charged, want) {
		t.Errorf("%v, want %v", charged, want)
	}
	if last := got.SampleType[len(got.SampleType)-1]; last.Type != "bound" {
		t.Errorf("the last value is %s", last.Type)
	}
}
