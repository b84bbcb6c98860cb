package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// home is the package of the numbers, which may do as it likes.
const home = "warpbound/internal/saturating"

var analyzer = &analysis.Analyzer{
	Name: "arithmetic",
	Doc:  "refuse operators and conversions of Go on saturating.Int",
	Run:  run,
}

// methods are what to write for an operator.
var methods = map[token.Token]string{
	token.ADD: "Add", token.ADD_ASSIGN: "Add", token.INC: "Add",
	token.SUB: "Sub", token.SUB_ASSIGN: "Sub", token.DEC: "Sub",
	token.MUL: "Mul", token.MUL_ASSIGN: "Mul",
	token.QUO: "Div or DivUp", token.QUO_ASSIGN: "Div or DivUp",
}

// comparisons are the operators that do no harm.
var comparisons = map[token.Token]bool{
	token.EQL: true, token.NEQ: true, token.LSS: true, token.LEQ: true, token.GTR: true, token.GEQ: true,
	token.ASSIGN: true, token.DEFINE: true,
}

func run(pass *analysis.Pass) (any, error) {
	if pass.Pkg.Path() == home {
		return nil, nil
	}
	for _, file := range pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				refuse(pass, n.OpPos, n.Op, n.X, n.Y)
			case *ast.UnaryExpr:
				if n.Op != token.AND {
					refuse(pass, n.OpPos, n.Op, n.X)
				}
			case *ast.IncDecStmt:
				refuse(pass, n.TokPos, n.Tok, n.X)
			case *ast.AssignStmt:
				refuse(pass, n.TokPos, n.Tok, n.Lhs[0], n.Rhs[0])
			case *ast.CallExpr:
				refuseConversion(pass, n)
			}
			return true
		})
	}
	return nil, nil
}

// refuse reports an operator that has a number of bounds as an operand.
func refuse(pass *analysis.Pass, at token.Pos, op token.Token, operands ...ast.Expr) {
	if comparisons[op] {
		return
	}
	for _, x := range operands {
		if !isInt(pass.TypesInfo.TypeOf(x)) {
			continue
		}
		if method, ok := methods[op]; ok {
			pass.Reportf(at, "%s of a number of a bound wraps around: use %s", op, method)
		} else {
			pass.Reportf(at, "%s of a number of a bound", op)
		}
		return
	}
}

// refuseConversion reports a conversion from or to a number of bounds, but that of a constant.
func refuseConversion(pass *analysis.Pass, call *ast.CallExpr) {
	to := pass.TypesInfo.Types[call.Fun]
	if !to.IsType() || len(call.Args) != 1 {
		return
	}
	from := pass.TypesInfo.Types[call.Args[0]]
	switch {
	case isInt(to.Type) && from.Value != nil && constant.Sign(from.Value) >= 0 || isInt(to.Type) && isInt(from.Type):
	case isInt(to.Type):
		pass.Reportf(call.Pos(), "a conversion to a number of a bound: use saturating.Of")
	case isInt(from.Type) && !types.IsInterface(to.Type):
		pass.Reportf(call.Pos(), "a conversion of a number of a bound: use Int64 or Float64")
	}
}

// isInt reports whether a type is that of the numbers of bounds.
func isInt(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == "Int" && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == home
}
