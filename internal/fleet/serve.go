package fleet

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Serve starts a server for processes of this computer and user, with files in a directory. URL is how they reach it; it
// holds a secret. stop ends the server.
func Serve(dir string) (url string, stop func(), err error) {
	secret := rand.Text()
	s, err := server.NewServer(&server.Options{
		ServerName: "warpbound", Host: "127.0.0.1", Port: server.RANDOM_PORT, Authorization: secret,
		JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true,
	})
	if err != nil {
		return "", nil, err
	}
	s.Start()
	stop = func() {
		s.Shutdown()
		s.WaitForShutdown()
	}
	if !s.ReadyForConnections(10 * time.Second) {
		stop()
		return "", nil, errors.New("the server of the workers does not start")
	}
	return fmt.Sprintf("nats://%s@127.0.0.1:%d", secret, s.Addr().(*net.TCPAddr).Port), stop, nil
}
