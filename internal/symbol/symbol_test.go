package symbol

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestReadable(t *testing.T) {
	for symbol, want := range map[string]string{
		"vectorAdd":                  "vectorAdd",
		"_Z5scalePfi":                "scale(float*, int)",
		"_Z5scaleIfEvPT_i":           "void scale<float>(float*, int)",
		"_ZN12_GLOBAL__N_15scaleEPf": "(anonymous namespace)::scale(float*)",
		// nvcc names anonymous namespaces after the file.
		"_ZN46_GLOBAL__N__d1e2f3a4_8_saxpy_cu_01234567_890125scaleEPf": "(anonymous namespace)::scale(float*)",
		"_ZZ5scalePfiE4tile":           "scale(float*, int)::tile",
		"_Z5applyIZ4hostvEUlfE_EvPfT_": "void apply<host()::{lambda(float)#1}>(float*, host()::{lambda(float)#1})",
		"_Z3sum6float4RK5Pairs":        "sum(float4, Pairs const&)",
		"_Z":                           "_Z",
		"_Zebra":                       "_Zebra",
		"_Z99999999999999999999scale":  "_Z99999999999999999999scale",
		"$_Z5scalePfi":                 "$_Z5scalePfi",
	} {
		if got := Readable(symbol); got != want {
			t.Errorf("%s reads %q, want %q", symbol, got, want)
		}
		if got := Demangled(symbol); got != want && (got != "" || symbol != want) {
			t.Errorf("%s is demangled to %q", symbol, got)
		}
	}
}

func TestShort(t *testing.T) {
	for symbol, want := range map[string]string{
		"vectorAdd": "vectorAdd", "_Z5scalePfi": "scale", "_Z5scaleIfEvPT_i": "scale<float>",
		"_ZN12_GLOBAL__N_15scaleEPf": "(anonymous namespace)::scale",
	} {
		if got := Short(symbol); got != want {
			t.Errorf("%s is %q in short, want %q", symbol, got, want)
		}
	}
}

func TestFind(t *testing.T) {
	module := []string{"_Z5scalePfi", "_Z5scaleIfEvPT_i", "_Z5scaleIdEvPT_i", "_ZN3geo4area5coverEPKf", "plain", "_ZN12_GLOBAL__N_16hiddenEv", "_Z5plainv"}
	for name, want := range map[string][]string{
		"_Z5scalePfi":                    {"_Z5scalePfi"},
		"scale(float*, int)":             {"_Z5scalePfi"},
		"scale(float *,int)":             {"_Z5scalePfi"},
		"void scale<float>(float*, int)": {"_Z5scaleIfEvPT_i"},
		"scale<float>(float*, int)":      {"_Z5scaleIfEvPT_i"},
		"scale< float >":                 {"_Z5scaleIfEvPT_i"},
		"scale":                          {"_Z5scalePfi", "_Z5scaleIfEvPT_i", "_Z5scaleIdEvPT_i"},
		"cover":                          {"_ZN3geo4area5coverEPKf"},
		"area::cover":                    {"_ZN3geo4area5coverEPKf"},
		"geo::area::cover":               {"_ZN3geo4area5coverEPKf"},
		"area::cover(float const*)":      {"_ZN3geo4area5coverEPKf"},
		"rea::cover":                     nil,
		"over":                           nil,
		"plain":                          {"plain"}, // the symbol, before what reads the same
		"plain()":                        {"_Z5plainv"},
		"hidden":                         {"_ZN12_GLOBAL__N_16hiddenEv"},
		"float*, int)":                   nil,
		"":                               nil,
		" ":                              nil,
		"int":                            nil,
	} {
		if got := Find(name, module); !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q", name, got, want)
		}
	}
}

func TestLabel(t *testing.T) {
	for label, want := range map[string]string{
		"$L__BB0_2": "$L__BB0_2", "f@1.$L__BB0_2": "f@1.$L__BB0_2", "_Z4areaIfET_S0_@1.$L__BB0_2": "area<float>@1.$L__BB0_2",
		"_Z4areaff@1._Z4sizei@12.entry": "area@1.size@12.entry", "_Z@1.L": "_Z@1.L",
	} {
		if got := Label(label); got != want {
			t.Errorf("%s is %q, want %q", label, got, want)
		}
	}
}

func TestShortAll(t *testing.T) {
	got := strings.Join(ShortAll([]string{"b", "_Z5scalePfi", "_Z5scaleIfEvPT_i", "_Z5scalePdi", "_Z5scaleIfEvPT_i"}), "; ")
	if want := "b; scale(float*, int); scale<float>; scale(double*, int); scale<float>"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestReadableAll(t *testing.T) {
	got := strings.Join(ReadableAll([]string{"a", "_Z1av", "_ZN12_GLOBAL__N_11kEv", "_ZN12_GLOBAL__N_x1kEv"}), "; ")
	if want := "a; a(); (anonymous namespace)::k() [_ZN12_GLOBAL__N_11kEv]; (anonymous namespace)::k() [_ZN12_GLOBAL__N_x1kEv]"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A readable name may be long where its symbol is short: P<P<..., ...>, P<..., ...>> of 40 levels, each of which
// doubles it, is not shown.
func TestLong(t *testing.T) {
	symbol := "_Z1kI1PIiiE"
	for level := range int64(40) {
		last := strings.ToUpper(strconv.FormatInt(level+1, 36))
		symbol += "S0_IS" + last + "_S" + last + "_E"
	}
	symbol += "Evv"
	if got := Readable(symbol); got != symbol {
		t.Errorf("it reads %.100q, of %d characters", got, len(got))
	}
	if !slices.Equal(Find(symbol, []string{symbol}), []string{symbol}) {
		t.Error("its symbol does not find it")
	}
}

// Whatever a module calls its functions, names are found and nothing breaks.
func FuzzSymbol(f *testing.F) {
	for _, s := range []string{"_Z5scaleIfEvPT_i", "_ZN12_GLOBAL__N_15scaleEPf", "_RNvC1a1k", "_Z1kIXadL_Z1fvEEEvv", "_ZZ1kvE1a", "k$%_"} {
		f.Add(s, "scale")
	}
	f.Fuzz(func(t *testing.T, symbol, name string) {
		full := Readable(symbol)
		for _, own := range []string{symbol, full} {
			if symbol != "" && !slices.Contains(Find(own, []string{"other", symbol}), symbol) {
				t.Errorf("%q does not find %q", own, symbol)
			}
		}
		Is(name, symbol)
		if len(full) > len(symbol) && len(full) > 1<<maxLength {
			t.Errorf("%d characters", len(full))
		}
		ReadableAll([]string{symbol, symbol, name})
	})
}
