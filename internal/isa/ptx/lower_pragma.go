package ptx

import "slices"

// splitPragma marks the branch before which it stands as one at which wavefronts split. It
// is no pragma of NVIDIA's, whose tools ignore those that they do not know (PTX ISA,
// ".pragma").
const splitPragma = `"split"`

// marksSplit reports whether a directive is a pragma that marks a branch.
func marksSplit(d *Directive) bool {
	return d.Name == "pragma" && slices.Contains(d.Args, splitPragma)
}

// markSplits notes the branches of a block that pragmas mark.
func (fn *function) markSplits(b *Block) {
	for i, s := range b.Stmts {
		d, ok := s.(*Directive)
		if !ok || !marksSplit(d) {
			continue
		}
		if branch := branchBehind(b.Stmts[i+1:]); branch != nil {
			fn.splits[branch] = true
		} else {
			fn.strayMark(d)
		}
	}
}

// branchBehind returns the branch with a predicate at which statements begin, other pragmas
// and positions not counted; nil if there is none.
func branchBehind(stmts []Stmt) *Instr {
	for _, s := range stmts {
		switch x := s.(type) {
		case *Loc, *Directive:
		case *Instr:
			if x.Guard.Name != "" && (x.Mnemonic == "bra" || x.Mnemonic == "bra.uni") {
				return x
			}
			return nil
		default:
			return nil
		}
	}
	return nil
}

// strayMark warns of a directive that would mark a branch if it stood before one.
func (l *lowering) strayMark(d *Directive) {
	if marksSplit(d) {
		l.warn(d.Pos, "stray-split", `.pragma "split" has no effect here; it marks the branch with a predicate directly behind it`)
	}
}
