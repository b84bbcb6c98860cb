package access

// KindOf is what tests ask which instructions are described.
var KindOf = accessKind
