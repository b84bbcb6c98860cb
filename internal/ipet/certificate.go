package ipet

// Certificate is a proof that no execution admitted by Model costs more than
// Cycles. Check verifies it in exact arithmetic that no solver shares.
//
// The proof is a tree over Steps whose root is step 0. A split divides the
// flows into those with at most At traversals of an edge and those with more.
// Every leaf bounds, or shows to be empty, what is left of the flows there.
// Without splits the tree is one leaf.
//
// A leaf holds a multiplier for every constraint. Write p for the potentials
// of the nodes, y for the multipliers of loops, facts, cuts and roundings, a for a
// constraint's coefficients, each loop read as
//
//	sum(Iter) - Bound*sum(Entries) <= 0,
//
// and let
//
//	r[e] = cost[e] - sum over constraints k of y[k]*a[k][e] - (p[To] - p[From]).
//
// As one unit flows from source to sink, and as y[k] is not negative where k
// is an upper bound and not positive where k is a lower bound, every flow x
// that the leaf covers, with low <= x <= high by limits and splits, costs
//
//	sum(cost*x) <= p[Sink] - p[Source] + sum(y*rhs) + sum(r*x)
//	            <= p[Sink] - p[Source] + sum(y*rhs) + sum(max(r*low, r*high)),
//
// where r[e] must not be positive if no limit and no split bounds e from above.
// The last line is the leaf's bound; its floor must not exceed Cycles. A leaf
// that is Empty uses 0 for every cost, and its bound must be negative: then no
// flow is there. This is weak duality; it needs no optimality of any number.
type Certificate struct {
	Model  *Model `json:"model"`
	Cycles int64  `json:"cycles"`
	// Counts, where present, is a flow that satisfies the model.
	Counts []int64 `json:"counts,omitempty"`
	Cuts   []Cut   `json:"cuts,omitempty"`
	// Roundings follow from the model, Cuts and the roundings before them.
	Roundings []Rounding `json:"roundings,omitempty"`
	Steps     []Step     `json:"steps,omitempty"`
	Parts     []Part     `json:"parts,omitempty"`
}

// Part proves that the flow on Edges costs at most Cycles, by a proof about a smaller
// model, that of the part. Each edge on a walk from source to sink (a live edge) is in
// exactly one part.
//
// The part's model has the edges Edges, in this order, and all nodes that live edges of
// other parts join are one: flow that is conserved at each node is conserved at all of
// them together. The node of the whole model's source is number 0 and that of the sink
// the next if it is another; the others follow in the order in which the edges begin and
// end at them. Then come the part's own source and sink, with an edge from the one to
// the node of the whole model's source and an edge from the node of its sink to the
// other, neither of which costs anything. Constraints are the loops and facts that have
// live edges in this part only; edges that are not live are left out of them, and those
// that have no other are in the first part.
type Part struct {
	Edges     []int      `json:"edges"`
	Cycles    int64      `json:"cycles"`
	Cuts      []Cut      `json:"cuts,omitempty"`
	Roundings []Rounding `json:"roundings,omitempty"`
	Steps     []Step     `json:"steps"`
}

// Cut excludes flow that circulates detached from the source. For a set Nodes
// without the source, and an edge inside it with a limit, it states
//
//	count[Edge] - limit[Edge] * (sum of the counts of the edges into Nodes) <= 0.
//
// Every walk satisfies it: one that never enters Nodes does not traverse Edge,
// and one that enters at least once traverses Edge at most limit times.
type Cut struct {
	Nodes []int `json:"nodes"`
	Edge  int   `json:"edge"`
}

// Rounding states that the sum over Terms, which name no edge twice, of Coef times the
// count of Edge is at most RHS. It follows from other constraints, as counts are integers
// (Chvatal, 1973). Multiply these by the weights, the law of a node being
//
//	sum of the counts of edges into it - sum of those out of it = 1 at the sink, -1 at the source, 0 elsewhere,
//
// and add them up to sum(a*x) <= b, under the rules for signs of a leaf. As each count is
// at least 0 and at most its limit, where it has one,
//
//	sum(coef*x) <= b + sum over edges with coef > a of (coef - a)*limit,
//
// and the left-hand side is an integer, so it is at most the floor of the right-hand side,
// which must not exceed RHS.
type Rounding struct {
	Terms   []Term  `json:"terms"`
	RHS     int64   `json:"rhs"`
	Weights Weights `json:"weights"`
}

// Weights holds weights of constraints, of those that have any: of the laws of nodes, of
// loops, facts and cuts, and of roundings before the one at hand.
type Weights struct {
	Nodes     []Weight `json:"nodes,omitempty"`
	Loops     []Weight `json:"loops,omitempty"`
	Facts     []Weight `json:"facts,omitempty"`
	Cuts      []Weight `json:"cuts,omitempty"`
	Roundings []Weight `json:"roundings,omitempty"`
}

// Weight is the weight of the constraint with index At.
type Weight struct {
	At     int      `json:"at"`
	Weight Rational `json:"weight"`
}

// Step is a node of the proof tree: a Split, or a leaf with Multipliers.
type Step struct {
	Split *Split `json:"split,omitempty"`
	// Empty says that the multipliers show that no flow is left here.
	Empty       bool         `json:"empty,omitempty"`
	Multipliers *Multipliers `json:"multipliers,omitempty"`
}

// Split divides the flows by the count of an edge.
type Split struct {
	Edge int   `json:"edge"`
	At   int64 `json:"at"`
	// Below is the step for counts up to At, Above the one for counts from
	// At+1. Both are greater than the index of the step they belong to.
	Below int `json:"below"`
	Above int `json:"above"`
}

// Multipliers holds one multiplier for every node (its potential), loop, fact, cut
// and rounding of a certificate, in cycles for each unit of that constraint.
type Multipliers struct {
	Nodes     []Rational `json:"nodes"`
	Loops     []Rational `json:"loops,omitempty"`
	Facts     []Rational `json:"facts,omitempty"`
	Cuts      []Rational `json:"cuts,omitempty"`
	Roundings []Rational `json:"roundings,omitempty"`
}
