// Package indextest has the tests that every implementation of the
// interfaces of package index must pass.
package indextest
