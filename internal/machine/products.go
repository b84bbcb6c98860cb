package machine

import (
	"slices"

	"warpbound/diag"
	"warpbound/internal/isa"
)

// Products are the timings of products of matrices by the names of isa.Products: shape and types. A machine without any times them all
// as class tensor. One with some times no others, but for those that its generation does not have.
type Products map[string]Timing

func (p Products) timings() map[string]Timing { return p }

// CheckProducts returns errors for the products of a kernel that the machine does not time although it times others: for each at the first
// instruction that computes it.
func (m *Machine) CheckProducts(k *isa.Kernel) error {
	if len(m.Tensor) == 0 {
		return nil
	}
	var errs diag.List
	seen := map[string]bool{}
	for i := range k.Instrs {
		in := &k.Instrs[i]
		if _, _, lacks := m.StandIn(in); lacks || in.Op != isa.Mma {
			continue
		}
		if _, ok := m.Tensor[in.Product()]; !ok && !seen[in.Product()] {
			seen[in.Product()] = true
			errs.Add(diag.Errorf(in.Pos, "%s: %s does not time this product, although it times others: add \"%s\" = { pipeline = ..., latency = ..., initiation = ..., unit = %q, source = ... } to [tensor]",
				k.Format(in), m.Name, in.Product(), timingUnit))
		}
	}
	return errs.Err()
}

// products checks that they are known, and that they do not use the pipeline for memory.
func (c *checker) products() {
	lsu, known := c.m.Timing(isa.MemGlobal).Pipeline, isa.Products()
	for _, name := range sortedKeys(c.m.Tensor) {
		c.require(slices.Contains(known, name), "tensor."+name, "unknown product %q; a key is \"SHAPE TYPE TYPE\", the types of the result and of the first factor, such as %q, as mma has them", name, known[0])
		c.require(c.m.Tensor[name].Pipeline != lsu, "tensor."+name+".pipeline", "%q is the pipeline for memory", lsu)
	}
}
