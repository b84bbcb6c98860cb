package store

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

// A log is a file of entries behind each other, of which each is written at once. An entry is
//
//	bytes of the body (32 bits), checksum of these four bytes, checksum of the body (32 bits each), body
//
// where numbers are little-endian, checksums are CRC-32C, and the body is a key with its length and then what is kept under it. A file
// that ends within an entry is what a process leaves that was killed while it wrote: that entry is dropped. Whatever
// else does not fit together is damage, and an error.
const (
	magic   = "wbkept\x01\n" // the last byte but one is the version
	head    = 12
	maxBody = 1<<31 - 1
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// span is where the text of an entry lies in a file.
type span struct{ from, to int64 }

// log is a file of entries that is open.
type log struct {
	file    *os.File
	end     int64           // of the last whole entry
	entries map[string]span // by key: the last with it
}

// openLog opens a file, which is made if there is none, and drops what was not written to its end.
func openLog(name string) (_ *log, err error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	l := &log{file: file, entries: make(map[string]span)}
	if err := l.scan(bufio.NewReaderSize(file, 1<<16), info.Size()); err != nil {
		return nil, fmt.Errorf("%s: %w (without the file its runs are made again)", name, err)
	}
	if l.end < info.Size() {
		if err := file.Truncate(l.end); err != nil {
			return nil, err
		}
	}
	if l.end == 0 {
		if _, err := file.WriteAt([]byte(magic), 0); err != nil {
			return nil, err
		}
		l.end = int64(len(magic))
	}
	return l, nil
}

// scan finds the entries of a file of so many bytes.
func (l *log) scan(r io.Reader, size int64) error {
	start := make([]byte, len(magic))
	n, err := io.ReadFull(r, start)
	switch {
	case err != nil && !ended(err):
		return err
	case string(start[:n]) != magic[:n]:
		return errors.New("this is no file of a campaign, or one of another version")
	case n < len(magic):
		return nil
	}
	l.end = int64(len(magic))
	for {
		body, err := entry(r, size-l.end)
		if err != nil {
			return fmt.Errorf("entry at byte %d: %w", l.end, err)
		}
		if body == nil {
			return nil
		}
		in := &reader{left: body}
		key := string(in.bytes(in.count()))
		if in.err != nil {
			return fmt.Errorf("entry at byte %d has no key", l.end)
		}
		end := l.end + head + int64(len(body))
		l.entries[key] = span{end - int64(len(in.left)), end}
		l.end = end
	}
}

// entry reads the body of the next entry, nil if the file, which has so many bytes left, ends before it does.
func entry(r io.Reader, left int64) ([]byte, error) {
	if left < head {
		return nil, nil
	}
	var h [head]byte
	if _, err := io.ReadFull(r, h[:]); err != nil {
		return nil, err
	}
	if crc32.Checksum(h[:4], castagnoli) != binary.LittleEndian.Uint32(h[4:]) {
		return nil, errors.New("its length is damaged: the checksum is another")
	}
	size := int64(binary.LittleEndian.Uint32(h[:]))
	if size > left-head {
		return nil, nil
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, err
	}
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(h[8:]) {
		return nil, errors.New("it is damaged: the checksum is another")
	}
	return body, nil
}

// ended reports whether an error is that of a file which ends.
func ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// load returns what is kept under a key, nil if that is nothing.
func (l *log) load(key string) ([]byte, error) {
	at, ok := l.entries[key]
	if !ok {
		return nil, nil
	}
	text := make([]byte, at.to-at.from)
	if _, err := l.file.ReadAt(text, at.from); err != nil {
		return nil, fmt.Errorf("%s: entry at byte %d: %w", l.file.Name(), at.from, err)
	}
	return text, nil
}

// save keeps something under a key.
func (l *log) save(key string, text []byte) error {
	all := appendBytes(make([]byte, head, head+len(key)+len(text)+binary.MaxVarintLen64), key)
	all = append(all, text...)
	body := all[head:]
	if len(body) > maxBody {
		return fmt.Errorf("%s: an entry of %d bytes is longer than %d", l.file.Name(), len(body), maxBody)
	}
	binary.LittleEndian.PutUint32(all, uint32(len(body)))
	binary.LittleEndian.PutUint32(all[4:], crc32.Checksum(all[:4], castagnoli))
	binary.LittleEndian.PutUint32(all[8:], crc32.Checksum(body, castagnoli))
	if _, err := l.file.WriteAt(all, l.end); err != nil {
		return err
	}
	end := l.end + int64(len(all))
	l.entries[key] = span{end - int64(len(text)), end}
	l.end = end
	return nil
}

func (l *log) close() error { return l.file.Close() }
