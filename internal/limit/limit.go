// Package limit has the error of the readers of containers and XML for what
// goes beyond their bounds. It imports the standard library only.
package limit

import "fmt"

// An Error says which limit was met.
type Error struct {
	What string
	Max  int64
}

func (e *Error) Error() string { return fmt.Sprintf("%s over %d", e.What, e.Max) }
