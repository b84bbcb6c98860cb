package ipet

// unlimited as an upper bound of a column stands for none.
const unlimited = -1

// program is a linear program: maximise cost*x where the rows hold with
// equality and low <= x <= high. It is built from the live part of a model.
//
// Columns are the live edges, in order, and then the slacks of the rows; those of
// conservation laws are fixed at 0. Rows are the conservation laws of the live nodes but the source (the source's
// follows from the others), and then the constraints: loops, facts, cuts. Where
// all flow goes on from one node to what is behind it, the node's row says that
// one unit does, which is the sum of the laws of it and of all nodes before. So
// changes on one side of the node concern no row on the other.
type program struct {
	m        *Model
	net      *network
	edges    []int // the edge of every edge column
	columnOf []int // the column of every edge, or -1
	nodeRow  []int // the row of every node, or -1
	*sequence
	flowRows int

	added []added // what the rows behind those of the model's constraints are

	columns []column
	rows    [][]term // the entries of every row
	rhs     []int64  // of every row
}

// column is a variable of a program. All its numbers are integers.
type column struct {
	entries   []entry
	cost      int64
	low, high int64
}

type entry struct {
	row  int
	coef int64
}

type term struct {
	column int
	coef   int64
}

// newProgram translates a valid model without cuts.
func newProgram(m *Model, net *network) *program {
	p := &program{
		m: m, net: net,
		columnOf: filled(len(m.Edges), -1),
		nodeRow:  filled(len(m.Nodes), -1),
		sequence: newSequence(m, net),
	}
	for v := range m.Nodes {
		if net.nodes[v] && v != m.Source {
			p.nodeRow[v] = len(p.rhs)
			p.rhs = append(p.rhs, 0)
		}
	}
	p.flowRows = len(p.rhs)
	p.rows = make([][]term, len(p.rhs))
	for v, last := range p.last {
		if row := p.nodeRow[v]; row >= 0 && (last || v == m.Sink) {
			p.rhs[row] = 1
		}
	}
	for i, e := range m.Edges {
		if !net.live[i] {
			continue
		}
		c := column{cost: e.Cost, high: unlimited}
		if e.Limit != nil {
			c.high = e.Limit.Max
		}
		if e.From != e.To { // a self edge cancels out
			c.entries = append(c.entries, entry{p.nodeRow[e.To], 1})
			if !p.last[e.From] || p.rank[e.To] < p.rank[e.From] {
				c.entries = append(c.entries, entry{p.nodeRow[e.From], -1})
			}
		}
		p.columnOf[i] = len(p.columns)
		p.addColumn(c)
		p.edges = append(p.edges, i)
	}
	for row := range p.flowRows {
		p.addColumn(column{entries: []entry{{row, 1}}})
	}
	for i := range m.constraints() {
		p.addRow(m.constraint(i))
	}
	p.rows = packed(p.rows)
	return p
}

// packed moves lists into one array, in their order.
func packed[T any](lists [][]T) [][]T {
	total := 0
	for _, l := range lists {
		total += len(l)
	}
	all := make([]T, 0, total)
	for i, l := range lists {
		from := len(all)
		all = append(all, l...)
		lists[i] = all[from:len(all):len(all)]
	}
	return lists
}

func (p *program) addColumn(c column) {
	for _, e := range c.entries {
		p.rows[e.row] = append(p.rows[e.row], term{len(p.columns), e.coef})
	}
	p.columns = append(p.columns, c)
}

// added is a cut or a rounding with its index among those.
type added struct {
	rounding bool
	index    int
}

// add appends a cut or a rounding.
func (p *program) add(a added, c constraint) {
	p.added = append(p.added, a)
	p.addRow(c)
}

// addRow appends a constraint and its slack.
func (p *program) addRow(c constraint) {
	row := len(p.rhs)
	p.rhs = append(p.rhs, c.rhs)
	p.rows = append(p.rows, nil)
	for _, t := range c.terms {
		if k := p.columnOf[t.Edge]; k >= 0 && t.Coef != 0 {
			p.columns[k].entries = append(p.columns[k].entries, entry{row, t.Coef})
			p.rows[row] = append(p.rows[row], term{k, t.Coef})
		}
	}
	slack := column{entries: []entry{{row, 1}}, high: unlimited}
	switch c.rel {
	case AtLeast:
		slack.entries[0].coef = -1
	case Equal:
		slack.high = 0
	}
	p.addColumn(slack)
}

// slackOf returns the slack column of a row.
func (p *program) slackOf(row int) int { return len(p.edges) + row }

// start returns the position to start from. Where every edge that costs something has
// a limit, these stand at their limits and the slacks are the basis: nothing can gain,
// and the dual method repairs conservation where it is violated. A pivot concerns the
// nodes around that are joined by edges in the basis already, which are few until the
// end. Elsewhere it is the basis of treeBasis.
func (p *program) start() position {
	at := position{basis: make([]int, len(p.rhs)), atHigh: make([]bool, len(p.columns))}
	for row := range at.basis {
		at.basis[row] = p.slackOf(row)
	}
	for c, col := range p.columns {
		if at.atHigh[c] = col.cost > 0; at.atHigh[c] && col.high == unlimited {
			return position{basis: p.treeBasis()}
		}
	}
	return at
}

// treeBasis returns a basis: into every node the last edge of the costliest path
// from the source, and for every constraint its slack. Paths follow the edges
// that lead forward in reverse post-order, which have no cycle.
func (p *program) treeBasis() []int {
	basis := filled(len(p.rhs), -1)
	for row := p.flowRows; row < len(p.rhs); row++ {
		basis[row] = p.slackOf(row)
	}
	in := p.net.incoming(p.m)
	distance := make([]float64, len(p.m.Nodes)) // a guess may be rounded
	for _, v := range p.order[1:] {
		for _, e := range in[v] {
			edge := &p.m.Edges[e]
			if p.rank[edge.From] >= p.rank[v] {
				continue
			}
			if d := distance[edge.From] + float64(edge.Cost); basis[p.nodeRow[v]] < 0 || d > distance[v] {
				distance[v], basis[p.nodeRow[v]] = d, p.columnOf[e]
			}
		}
	}
	return basis
}

// multipliers translates the dual values of the rows.
func (p *program) multipliers(y []Rational) *Multipliers {
	m := &Multipliers{Nodes: make([]Rational, len(p.m.Nodes))}
	var before Rational // the potential that those of the following nodes are relative to
	for _, v := range p.order[1:] {
		m.Nodes[v] = before.add(y[p.nodeRow[v]])
		if p.last[v] {
			before = m.Nodes[v]
		}
	}
	rest := y[p.flowRows:]
	loops, constraints := len(p.m.Loops), p.m.constraints()
	m.Loops = append(m.Loops, rest[:loops]...)
	m.Facts = append(m.Facts, rest[loops:constraints]...)
	for i, y := range rest[constraints:] {
		if p.added[i].rounding {
			m.Roundings = append(m.Roundings, y)
		} else {
			m.Cuts = append(m.Cuts, y)
		}
	}
	return m
}
