package jobs_test

import (
	"fmt"

	"warpbound/jobs"
)

const saxpy = `.version 6.3
.target sm_70
.address_size 64
.visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y) { ret; }
`

// A job of a kernel whose text the program holds, on the first 16384 elements of random vectors.
// warpbound.New loads it.
func ExampleJob() {
	const n = 16384
	j := jobs.Job{
		Name:    "saxpy",
		Module:  jobs.Text("saxpy.ptx", saxpy),
		Kernel:  "saxpy",
		Machine: "fermi-c2050",
		Grid:    jobs.Dim(n / 256),
		Block:   jobs.Dim(256),
		Params: []jobs.Param{
			jobs.Scalar("n", jobs.U32, n),
			jobs.Sampled("a", jobs.F32, 0.5, 2),
			jobs.Buffer("x", jobs.F32, n, jobs.Uniform(-1, 1)),
			jobs.Buffer("y", jobs.F32, n, jobs.Zeros()),
		},
		Seed: new(int64(7)),
	}
	for _, p := range j.Params {
		fmt.Println(p.Name, p.Type, p.Count, p.Content.Numbers)
	}
	// Output:
	// n u32 0 [16384]
	// a f32 0 [0.5 2.0]
	// x f32 16384 [-1 1]
	// y f32 16384 []
}

// Loop bounds and flow facts name places of the module, as in a job file.
func ExampleFact() {
	j := jobs.Job{
		Module: jobs.File("search.ptx"),
		Loops:  map[string]int64{"$L__BB0_2": 64},
		Facts: []jobs.Fact{{
			Sum: map[string]int64{"$L__BB0_3": 1, "$L__BB0_4": 1},
			Max: new(int64(64)),
		}},
	}
	fmt.Println(j.Loops, j.Facts[0].Sum, *j.Facts[0].Max)
	// Output:
	// map[$L__BB0_2:64] map[$L__BB0_3:1 $L__BB0_4:1] 64
}

// Numbers keep what they are: integers of any size, and floats, which are none for integer types.
func ExampleNum() {
	fmt.Println(jobs.Num(-1), jobs.Num(uint64(1<<63)), jobs.Num(1.0), jobs.Num(float32(0.5)))
	fmt.Println(jobs.Values(1, 2, 3).Numbers, jobs.Values(0.25, 1e9).Numbers)
	// Output:
	// -1 9223372036854775808 1.0 0.5
	// [1 2 3] [0.25 1e+09]
}

// A struct that a C++ kernel takes by value, with pointers into one buffer, and a buffer that holds addresses.
func ExampleFields() {
	j := jobs.Job{
		Params: []jobs.Param{jobs.Fields("on",
			jobs.View("rows", "rows"),
			jobs.Scalar("count", jobs.U32, 2),
			jobs.Array("weights", jobs.F32, 2, jobs.Values(0.25, 0.75)),
		)},
		Buffers: []jobs.Param{
			jobs.Buffer("rows", jobs.U64, 2, jobs.Addresses("matrix", "matrix+256")),
			jobs.Buffer("matrix", jobs.F32, 128, jobs.Uniform(-1, 1)),
		},
	}
	for _, f := range j.Params[0].Fields {
		fmt.Println("on."+f.Name, f.Same, f.Count)
	}
	fmt.Println(j.Buffers[0].Content.Pointers)
	// Output:
	// on.rows rows 0
	// on.count  0
	// on.weights  2
	// [{0 matrix} {8 matrix+256}]
}
