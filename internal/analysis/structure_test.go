package analysis

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/premise"
	"warpbound/internal/test/effort"
)

// node is a value in a JSON document: what holds it, and where.
type node struct {
	object map[string]any
	key    string
	list   *[]any // of an element, whose index is at
	at     int
}

func (n *node) get() any {
	if n.object != nil {
		return n.object[n.key]
	}
	return (*n.list)[n.at]
}

func (n *node) set(v any) {
	if n.object != nil {
		n.object[n.key] = v
	} else {
		(*n.list)[n.at] = v
	}
}

// nodes returns all values within a value. Lists become pointers, so that they can change.
func nodes(v any) []node {
	var all []node
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if list, ok := v[key].([]any); ok {
				v[key] = &list
			}
			all = append(append(all, node{object: v, key: key}), nodes(v[key])...)
		}
	case *[]any:
		for i := range *v {
			if list, ok := (*v)[i].([]any); ok {
				(*v)[i] = &list
			}
			all = append(append(all, node{list: v, at: i}), nodes((*v)[i])...)
		}
	}
	return all
}

// restructured returns the text of a certificate with one to three edits of nodes, of which a half
// is outside of the facts and of the path, with the hashes of what it is held against.
func restructured(t *testing.T, c *certified, rnd *rand.Rand) []byte {
	t.Helper()
	document := decoded(t, c.text).(map[string]any)
	for range 1 + rnd.IntN(3) {
		document = copied(t, document).(map[string]any)
		all := nodes(document)
		pick := func() node {
			n := all[rnd.IntN(len(all))]
			if rnd.IntN(2) == 0 {
				if claim, ok := document["claim"]; ok && rnd.IntN(2) == 0 {
					if within := nodes(claim); len(within) > 0 {
						return within[rnd.IntN(len(within))]
					}
				}
				n = node{object: document, key: slices.Sorted(maps.Keys(document))[rnd.IntN(len(document))]}
			}
			return n
		}
		n, other := pick(), pick()
		switch rnd.IntN(4) {
		case 0: // delete
			if n.object != nil {
				delete(n.object, n.key)
			} else {
				*n.list = slices.Delete(*n.list, n.at, n.at+1)
			}
		case 1: // duplicate
			if n.list != nil {
				*n.list = slices.Insert(*n.list, n.at, n.get())
			} else {
				n.set(copied(t, other.get()))
			}
		case 2: // swap
			a, b := copied(t, n.get()), copied(t, other.get()) // one may be within the other
			n.set(b)
			other.set(a)
		default:
			n.set(altered(n.get(), rnd))
		}
	}
	s := c.subject
	document["module_hash"], document["job_hash"], document["machine_hash"] = s.ModuleHash, s.JobHash, s.MachineHash
	return encoded(t, document)
}

func copied(t *testing.T, v any) any {
	t.Helper()
	return decoded(t, encoded(t, v))
}

func decoded(t *testing.T, text []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var document any
	if err := d.Decode(&document); err != nil {
		t.Fatal(err)
	}
	return document
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// altered is another value than one.
func altered(v any, rnd *rand.Rand) any {
	switch v := v.(type) {
	case json.Number:
		n, _ := v.Int64()
		return []any{n + 1, n - 1, 0, n / 2, 2*n + 1, nil}[rnd.IntN(6)]
	case string:
		return []any{"", v + " ", "proven", "annotated", "observed", "static/cta", premise.Alone, nil}[rnd.IntN(8)]
	case bool:
		return !v
	case nil:
		return 0
	}
	return []any{nil, map[string]any{}, []any{}}[rnd.IntN(3)]
}

// TestStructuralEdits edits 1,000 certificates, wherever in their structure: nodes are deleted,
// duplicated, swapped and changed. Nothing is accepted that makes another claim, or makes it under
// other assumptions.
func TestStructuralEdits(t *testing.T) {
	all := suiteCertificates(t)
	accepted, refused, asserted, same := 0, 0, 0, 0
	for _, i := range effort.Draw(t, 1000) {
		c := all[i%uint64(len(all))]
		text := restructured(t, c, rand.New(rand.NewPCG(i, 19)))
		for _, again := range c.waysToJudge() {
			other, proof, err := c.judge(text, again)
			switch {
			case err != nil:
				refused++
			case reflect.DeepEqual(other, c.made):
				same++
			case proof.Verdict == estimate.ClaimAsserted:
				asserted++
				if again || len(proof.Assumptions) > 0 {
					t.Errorf("edit %d of %s: it is asserted under %q", i, c.name, proof.Assumptions)
				}
			default:
				accepted++
				if !reflect.DeepEqual(other.Claim, c.made.Claim) || !slices.Equal(proof.Assumptions, c.made.Claim.Assumptions) {
					t.Errorf("edit %d of %s: it claims %+v, and claimed %+v", i, c.name, other.Claim, c.made.Claim)
				}
			}
		}
	}
	t.Logf("%d refused, %d accepted, %d asserted, %d no edits", refused, accepted, asserted, same)
	if effort.Many() && refused < 3*(accepted+asserted) {
		t.Errorf("%d edits are refused, and %d are not", refused, accepted+asserted)
	}
}
