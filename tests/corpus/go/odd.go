// Package p does it.
package p

import "fmt"

// Limit is it.
const Limit = 10

const (
	// A is one.
	A = iota
	B
)

var (
	x, y = 1, 2
	z    = map[string]int{
		"a": 1,
	}
)

// Server serves.
type Server struct {
	Name string `json:"name"`
	next *Server
}

type (
	ID    int
	Alias = string
)

type Reader interface {
	Read(p []byte) (int, error)
	Close() error
}

// Close closes.
func (s *Server) Close() error {
	f := func() { fmt.Println(`
func notAFunction() {
`) }
	f()
	return nil
}

func (s Server) String() string { return s.Name }

func (b *Box[T]) Get() (v T) { return }

func Map[K comparable, V any](m map[K]V) {}

func init() {}
func init() {}
