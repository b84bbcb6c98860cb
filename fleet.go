package warpbound

import (
	"context"

	"warpbound/internal/fleet"
	"warpbound/internal/fleet/runs"
)

// Fleet is a NATS server with JetStream by which workers of this computer and of others are reached.
type Fleet struct {
	URL string // nats://HOST:PORT, tls://HOST:PORT, or several with commas between; "" for none
	// Files, or "" for none: credentials, certificates of authorities (none: those of the system), and certificate and key of this process.
	Creds, CA, Cert, Key string
	Note                 func(text string) // is told what people should know; may be nil
}

// Work makes runs for others of a fleet, until ctx ends. A worker of another version than who asks refuses.
func Work(ctx context.Context, f Fleet) error { return runs.Work(ctx, fleet.Config(f)) }

// ServeFleet starts a server for workers of this computer, with files in dir, and returns its URL, which holds a secret.
func ServeFleet(dir string) (url string, stop func(), err error) { return fleet.Serve(dir) }
