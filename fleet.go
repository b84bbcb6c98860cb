package warpbound

import (
	"context"

	"warpbound/internal/fleet"
)

// Fleet is a NATS server with JetStream by which workers of this computer and of others are reached.
type Fleet = fleet.Config

// Work runs vectors for campaigns of a fleet, until ctx ends. A worker of another version than a campaign refuses it.
func Work(ctx context.Context, f Fleet) error { return fleet.Work(ctx, f) }

// ServeFleet starts a server for workers of this computer, with files in dir, and returns its URL, which holds a secret.
func ServeFleet(dir string) (url string, stop func(), err error) { return fleet.Serve(dir) }
