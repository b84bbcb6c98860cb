package job

import "testing"

// FuzzParse checks that no text makes Parse panic, that an error leaves no job,
// and that of what is accepted inputs can be made, and files that mean the same.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", head, whole, fitting, varied(), app, deep(3), head + "launch = [{arguments = [nan, -inf, 1e300, -9223372036854775808], repeat = 2}]\n",
		head + "param = [{name = 'p', type = 'u32', range = [1, 2]}]\n",
		head + "[[param]]\nname = 'p'\ntype = 'u16'\ncount = 2\nfile = 'z.bin'\n",
		head + "[[param]]\nname = 'p'\ntype = 'u8'\ncount = 2\nfile = 'z.npy'\n",
		head + "[split]\nbranches = 'all'\nsimds = 0\n", head + "[loop]\na.b = 1\n", "[[param.x]]\n[[param.x.y]]\n[param.x.y.z]\n",
		head + "[llc]\nsize_kb = 512\nquota = 1\nregulated = true\n", head + "[cpu]\nprogram = 'p'\n", head + "[cpu]\ntrace = 't'\n",
		structs,
	} {
		f.Add(seed, "abcd")
		f.Add(seed, npy(1, npyDict("|u1", "False", "2,"), "ab"))
	}
	f.Fuzz(func(t *testing.T, src, data string) {
		j, err := Parse("j", []byte(src), func(string) ([]byte, error) { return []byte(data), nil })
		if (err == nil) != (j != nil) {
			t.Fatalf("job %v, error %v", j, err)
		}
		if err != nil {
			return
		}
		bytes := 0
		for _, p := range j.Params {
			bytes += p.Bytes
		}
		if bytes > MaxBytes {
			t.Fatalf("%d bytes are accepted", bytes)
		}
		if bytes > 1<<20 {
			return
		}
		in := (&Bound{Job: j}).Inputs(1)
		for i, p := range j.Params {
			if got := len(in.Scalars[i]) + len(in.Buffers[i]); p.Kind != SharedPtr && got != p.Bytes {
				t.Fatalf("param %d has %d bytes, want %d", i, got, p.Bytes)
			}
		}
		if j.CPU.Stream == nil { // the stream would need the data
			sameJob(t, j, in, nil)
		}
	})
}
