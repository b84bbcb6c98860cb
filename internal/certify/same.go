package certify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// Same is an error unless a text is a JSON document that says what another one does, which was written of what had been read of
// the text, but for white space and the order of keys. A reader that takes a key for another one because it is spelled alike, takes
// the last of several, or skips what it does not know, would read something else than the next reader.
func Same(text, written []byte) error {
	ours, err := document(written)
	if err != nil {
		return err
	}
	theirs, err := document(text)
	if err != nil {
		return err
	}
	return differ("the document", theirs, ours)
}

// differ is an error if two values are not the same.
func differ(at string, text, written any) error {
	switch w := written.(type) {
	case map[string]any:
		t, ok := text.(map[string]any)
		if !ok {
			break
		}
		for _, key := range slices.Sorted(maps.Keys(t)) {
			if _, ok := w[key]; !ok {
				return fmt.Errorf("%s has no key %q", at, key)
			}
		}
		for _, key := range slices.Sorted(maps.Keys(w)) {
			if _, ok := t[key]; !ok {
				return fmt.Errorf("%s lacks key %q", at, key)
			}
			if err := differ(key, t[key], w[key]); err != nil {
				return err
			}
		}
		return nil
	case []any:
		t, ok := text.([]any)
		if !ok || len(t) != len(w) {
			break
		}
		for i := range w {
			if err := differ(at, t[i], w[i]); err != nil {
				return err
			}
		}
		return nil
	default:
		switch text.(type) {
		case map[string]any, []any: // which cannot be compared
		default:
			if text == written {
				return nil
			}
		}
	}
	return fmt.Errorf("%s is not written as it is read", at)
}

// document is what a JSON document says: objects as maps, lists, and other values. A key that stands twice in an object is an error.
func document(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v, err := next(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is text behind the document")
	}
	return v, nil
}

// next is the next value of a document.
func next(d *json.Decoder) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		object := make(map[string]any)
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			name := key.(string)
			if _, twice := object[name]; twice {
				return nil, fmt.Errorf("key %q stands there twice", name)
			}
			if object[name], err = next(d); err != nil {
				return nil, err
			}
		}
		_, err := d.Token()
		return object, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := next(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	}
	return t, nil
}
