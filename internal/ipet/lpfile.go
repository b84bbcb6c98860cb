package ipet

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
)

// WriteLP writes the model as an integer program in CPLEX LP format. Variable
// x<i> is the count of edge i; rows n<i>, l<i> and f<i> are node i's
// conservation, loop i and fact i. Comments say what the names stand for.
func WriteLP(w io.Writer, m *Model) error {
	if err := m.Validate(); err != nil {
		return err
	}
	net, err := newNetwork(m)
	if err != nil {
		return err
	}
	l := lpWriter{m: m, w: bufio.NewWriter(w)}
	l.comments()
	l.objective()
	l.rows()
	l.bounds(net)
	l.printf("\nGeneral")
	for i := range m.Edges {
		l.wrap(i)
		l.printf(" x%d", i)
	}
	l.printf("\nEnd\n")
	return l.w.Flush()
}

// lpWriter writes to w, which keeps the first error.
type lpWriter struct {
	m *Model
	w *bufio.Writer
}

func (l *lpWriter) printf(format string, args ...any) { fmt.Fprintf(l.w, format, args...) }

// termsOnLine keeps lines below the 255 characters that some readers allow.
const termsOnLine = 8

func (l *lpWriter) wrap(i int) {
	if i%termsOnLine == 0 {
		l.printf("\n")
	}
}

// maxName is how much of a name a comment holds, for the same reason.
const maxName = 60

func (l *lpWriter) comments() {
	comment := func(id string, i int, text string) { l.printf("\\ %s%d is %.*q\n", id, i, maxName, text) }
	l.printf("\\ model %.*q\n", maxName, l.m.Name)
	for i, name := range l.m.Nodes {
		comment("n", i, name)
	}
	for i, e := range l.m.Edges {
		l.printf("\\ x%d leads from n%d to n%d\n", i, e.From, e.To)
	}
	for i, k := range l.m.Loops {
		comment("l", i, k.Name)
	}
	for i, f := range l.m.Facts {
		comment("f", i, f.Name)
	}
}

// objective names every edge, so that every variable is known to the reader.
func (l *lpWriter) objective() {
	l.printf("Maximize\n obj:")
	for i, e := range l.m.Edges {
		l.wrap(i)
		l.printf(" + %d x%d", e.Cost, i)
	}
}

func (l *lpWriter) rows() {
	l.printf("\nSubject To")
	balance := make([][]Term, len(l.m.Nodes))
	for i, e := range l.m.Edges {
		if e.From != e.To {
			balance[e.To] = append(balance[e.To], Term{i, 1})
			balance[e.From] = append(balance[e.From], Term{i, -1})
		}
	}
	for v, terms := range balance {
		var rhs int64
		switch v {
		case l.m.Source:
			rhs = -1
		case l.m.Sink:
			rhs = 1
		}
		l.row("n", v, terms, Equal, rhs)
	}
	for i := range l.m.Loops {
		c := l.m.constraint(i)
		l.row("l", i, c.terms, c.rel, c.rhs)
	}
	for i := range l.m.Facts {
		c := l.m.constraint(len(l.m.Loops) + i)
		l.row("f", i, c.terms, c.rel, c.rhs)
	}
}

// row writes a constraint. One without terms gets a term of coefficient 0.
func (l *lpWriter) row(id string, i int, terms []Term, rel Relation, rhs int64) {
	if len(terms) == 0 {
		if rel.holds(cmp.Compare(0, rhs)) {
			return
		}
		terms = []Term{{0, 0}}
	}
	l.printf("\n %s%d:", id, i)
	for k, t := range terms {
		l.wrap(k)
		l.printf(" %+d x%d", t.Coef, t.Edge)
	}
	l.printf(" %s %d", rel, rhs)
}

func (l *lpWriter) bounds(net *network) {
	l.printf("\nBounds")
	for i, e := range l.m.Edges {
		switch {
		case !net.live[i]:
			l.printf("\n x%d = 0", i)
		case e.Limit != nil:
			l.printf("\n 0 <= x%d <= %d", i, e.Limit.Max)
		}
	}
}
