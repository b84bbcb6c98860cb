package ipet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// certificateFormat names the format that WriteTo writes.
const certificateFormat = "warpbound-ipet-certificate/1"

// certificateFile is a Certificate as JSON.
type certificateFile struct {
	Format string `json:"format"`
	*Certificate
}

// WriteCertificate writes a certificate as JSON.
func WriteCertificate(w io.Writer, c *Certificate) error {
	return json.NewEncoder(w).Encode(certificateFile{certificateFormat, c})
}

// ReadCertificate reads what WriteCertificate wrote. It checks the format only;
// what the certificate claims is for Check to verify. The certificate is nil
// where there is an error.
func ReadCertificate(r io.Reader) (*Certificate, error) {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	file := certificateFile{Certificate: &Certificate{}}
	err := d.Decode(&file)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		return nil, errors.New("this is no certificate: it is not in JSON")
	}
	if err != nil {
		return nil, fmt.Errorf("read certificate: %w", err)
	}
	if file.Format != certificateFormat {
		return nil, fmt.Errorf("read certificate: format %q is not %q", file.Format, certificateFormat)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("read certificate: text after the certificate")
	}
	return file.Certificate, nil
}
