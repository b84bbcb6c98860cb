package workload

import (
	"errors"
	"fmt"
	"io/fs"

	"warpbound/diag"
)

// stale warns of a source that is not the one from which the module was compiled; nil if there is nothing to warn
// of. A job may be somewhere without its source, which says nothing against the module.
func (s *Source) stale() *diag.Warning {
	from := s.Spec.Source
	if from == nil {
		return nil
	}
	text, err := s.Read(s.Spec.Resolve(from.File))
	if errors.Is(err, fs.ErrNotExist) || err == nil && from.Is(text) {
		return nil
	}
	w := &diag.Warning{Pos: from.Pos.File, ID: "stale-source"}
	if err != nil {
		w.Text = fmt.Sprintf("the source of the module cannot be read: %v", err)
		return w
	}
	remedy := "compile it again"
	if s.Dir && from.Command != nil {
		remedy = "compile it again with: warpbound init --update " + s.Spec.File
	}
	w.Text = fmt.Sprintf("%s has changed since %s was compiled from it, so this is about the old code; %s", from.File, s.Spec.Module, remedy)
	return w
}
