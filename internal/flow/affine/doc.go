// Package affine is the abstract domain of affine forms: a constant plus multiples of symbols, modulo 2
// to the power of a width (M. Karr, "Affine relationships among variables of a program", Acta
// Informatica 1976, is the ancestor; here each word has one form over symbols, not relations between
// registers).
//
// A Form says how a word is made of others. A Table knows the symbols: where each comes from, which
// words it can have, what relates parameters to each other, and which words of memory ascend. From
// these follow the words of a form (Words) and its range as a number that is not reduced modulo
// anything (ExactRange).
//
// form.go has the arithmetic of forms, table.go the symbols and the words of forms, relations.go how
// relations between parameters and between elements of buffers narrow ranges, range.go ranges of numbers
// under a linear inequality.
package affine
