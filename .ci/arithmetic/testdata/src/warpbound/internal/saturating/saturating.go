package saturating

type Int int64

func Of(x int64) Int { return Int(x) }

func (x Int) Int64() int64 { return int64(x) }

func (x Int) Add(y Int) Int { return x + y }
