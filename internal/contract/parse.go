package contract

import (
	"fmt"
	"strconv"
	"strings"
)

// Parse reads relations that are joined by &&:
//
//	relations  = relation { "&&" relation }
//	relation   = sum ( "<" | "<=" | "==" | "!=" | ">=" | ">" ) sum
//	sum        = product { ( "+" | "-" ) product }
//	product    = factor { ( "*" | "/" | "%" ) factor }
//	factor     = number | name | "-" factor | "(" sum ")"
//
// Numbers are decimal, or hexadecimal after 0x. Names are letters, digits, underscores and points; name says which
// number one means. Errors are a *SyntaxError.
func Parse(text string, name func(name string) (int, error)) ([]Relation, error) {
	p := &parser{text: text, name: name}
	var all []Relation
	for {
		r, err := p.relation()
		if err != nil {
			return nil, err
		}
		all = append(all, r)
		if p.accept("&&") == "" {
			break
		}
	}
	p.space()
	switch rest := p.text[p.at:]; {
	case rest == "":
		return all, nil
	case strings.HasPrefix(rest, "||"):
		return nil, errorAt(p.at, "there are no alternatives: relations are joined by &&")
	case compares(rest):
		return nil, errorAt(p.at, "one relation compares two sums: write a <= b && b <= c for a <= b <= c")
	default:
		return nil, errorAt(p.at, "there is %s where the relation should end", p.next())
	}
}

type parser struct {
	text  string
	at    int
	depth int
	name  func(string) (int, error)
}

// maxDepth limits how deep expressions are nested.
const maxDepth = 100

func (p *parser) space() {
	for p.at < len(p.text) && strings.ContainsRune(" \t\r\n", rune(p.text[p.at])) {
		p.at++
	}
}

// accept passes one of some tokens, the first that is there.
func (p *parser) accept(tokens ...string) string {
	p.space()
	for _, t := range tokens {
		if strings.HasPrefix(p.text[p.at:], t) {
			p.at += len(t)
			return t
		}
	}
	return ""
}

// next describes what comes next, for messages.
func (p *parser) next() string {
	p.space()
	rest := p.text[p.at:]
	if rest == "" {
		return "nothing"
	}
	end := 1
	for end < len(rest) && inName(rest[0]) && inName(rest[end]) {
		end++
	}
	return fmt.Sprintf("%.40q", rest[:end])
}

// comparisons are the tokens of comparisons, those before that others begin with.
var comparisons = [...]struct {
	token string
	cmp   Cmp
}{{"<=", Le}, {"<", Lt}, {"==", Eq}, {"!=", Ne}, {">=", Ge}, {">", Gt}}

// comparison returns the comparison that a text begins with, and its token; it is empty if there is none.
func comparison(text string) (cmp Cmp, token string) {
	for _, c := range comparisons {
		if strings.HasPrefix(text, c.token) {
			return c.cmp, c.token
		}
	}
	return 0, ""
}

func compares(text string) bool {
	_, token := comparison(text)
	return token != ""
}

func (p *parser) relation() (Relation, error) {
	l, err := p.sum()
	if err != nil {
		return Relation{}, err
	}
	p.space()
	cmp, token := comparison(p.text[p.at:])
	if token == "" {
		if strings.HasPrefix(p.text[p.at:], "=") {
			return Relation{}, errorAt(p.at, "equality is ==")
		}
		return Relation{}, errorAt(p.at, "there is %s where a comparison should be: < <= == != >= or >", p.next())
	}
	p.at += len(token)
	r, err := p.sum()
	return Relation{cmp, l, r}, err
}

func (p *parser) sum() (*Expr, error) {
	return p.chain(map[string]Op{"+": Add, "-": Sub}, []string{"+", "-"}, p.product)
}

func (p *parser) product() (*Expr, error) {
	return p.chain(map[string]Op{"*": Mul, "/": Div, "%": Rem}, []string{"*", "/", "%"}, p.factor)
}

// chain reads operands with operators between them, from left to right.
func (p *parser) chain(ops map[string]Op, tokens []string, operand func() (*Expr, error)) (*Expr, error) {
	l, err := operand()
	for err == nil {
		token := p.accept(tokens...)
		if token == "" {
			return l, nil
		}
		p.space()
		at := p.at
		var r *Expr
		if r, err = operand(); err != nil {
			break
		}
		op := ops[token]
		if c, ok := r.constant(); (op == Div || op == Rem) && (!ok || c <= 0) {
			return nil, errorAt(at, "the divisor of %s must be a number above 0", token)
		}
		l = &Expr{Op: op, L: l, R: r}
	}
	return nil, err
}

func (p *parser) factor() (*Expr, error) {
	p.space()
	at := p.at
	if p.depth++; p.depth > maxDepth {
		return nil, errorAt(at, "the relation nests deeper than %d levels", maxDepth)
	}
	defer func() { p.depth-- }()
	switch {
	case p.accept("(") != "":
		e, err := p.sum()
		if err == nil && p.accept(")") == "" {
			err = errorAt(p.at, "there is %s where ) should be", p.next())
		}
		return e, err
	case p.accept("-") != "":
		e, err := p.factor()
		return &Expr{Op: Sub, L: &Expr{Op: Number}, R: e}, err
	case at == len(p.text) || !inName(p.text[at]):
		return nil, errorAt(at, "there is %s where a name or a number should be", p.next())
	}
	for p.at < len(p.text) && inName(p.text[p.at]) {
		p.at++
	}
	word := p.text[at:p.at]
	if word[0] >= '0' && word[0] <= '9' {
		base := 10
		digits, hex := strings.CutPrefix(word, "0x")
		if hex {
			base = 16
		}
		n, err := strconv.ParseInt(digits, base, 64)
		if err != nil || n > limit {
			return nil, errorAt(at, "%.40q is no number from 0 to 2^60", word)
		}
		return &Expr{Op: Number, Value: n}, nil
	}
	v, err := p.name(word)
	if err != nil {
		return nil, &SyntaxError{at, err}
	}
	return &Expr{Op: Name, Var: v}, nil
}

func inName(c byte) bool {
	return c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
