package certify

import "testing"

func TestSame(t *testing.T) {
	const written = `{"claim":{"cycles":5,"what":"a \u003e b"},"facts":[{"value":1},{"value":18446744073709551615}],"path":null,"late":false}`
	for text, want := range map[string]string{
		written: "",
		` {"late": false, "path": null, "facts": [ {"value" : 1}, {"value": 18446744073709551615}],
		  "claim": {"what": "a > b", "cycles": 5}} `: "",
		`{"claim":{"cycles":4,"cycles":5,"what":"a > b"},"facts":[{"value":1},{"value":18446744073709551615}],"path":null,"late":false}`: `key "cycles" stands there twice`,
		`{"claim":{"Cycles":5,"cycles":4,"what":"a > b"},"facts":[{"value":1},{"value":18446744073709551615}],"path":null,"late":false}`: `claim has no key "Cycles"`,
		`{"claim":{"what":"a > b"},"facts":[{"value":1},{"value":18446744073709551615}],"path":null,"late":false}`:                       `claim lacks key "cycles"`,
		`{"claim":{"cycles":5,"what":"a > b"},"facts":[{"value":1},{"value":18446744073709551614}],"path":null,"late":false}`:            "value is not written as it is read",
		`{"claim":{"cycles":5.0,"what":"a > b"},"facts":[{"value":1},{"value":18446744073709551615}],"path":null,"late":false}`:          "cycles is not written as it is read",
		`{"claim":{"cycles":5,"what":"a > b"},"facts":[{"value":1}],"path":null,"late":false}`:                                           "facts is not written as it is read",
		`{"claim":[5],"facts":[{"value":1},{"value":18446744073709551615}],"path":null,"late":false}`:                                    "claim is not written as it is read",
		`{"claim":{"cycles":5,"what":"a > b"},"facts":{},"path":null,"late":false}`:                                                      "facts is not written as it is read",
		`{"claim":{"cycles":5,"what":"a > b"},"facts":[{"value":1},{"value":18446744073709551615}],"path":[],"late":false}`:              "path is not written as it is read",
		written + "{}": "there is text behind the document",
	} {
		got := ""
		if err := Same([]byte(text), []byte(written)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, not %q", text, got, want)
		}
	}
}
