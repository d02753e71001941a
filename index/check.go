package index

import (
	"context"
	"iter"
)

// A Finding is something that a check found wrong, for a person to read.
type Finding struct {
	// Part is what it is about, such as "catalog".
	Part string
	// Subject is the file, folder or source, if it is about one.
	Subject string
	// Problem says what is wrong, Remedy what to do about it.
	Problem string
	Remedy  string
	// Advice marks what is no damage: nothing is lost or wrong because of it.
	Advice bool
	// Repaired says that it has been put right.
	Repaired bool
}

// CheckOptions tune [Checker.Check].
type CheckOptions struct {
	// Repair asks to put right what can be without loss.
	Repair bool
	// Reread reports whether a source can be read again, so that a damaged
	// version of it may be closed. Nil: none can.
	Reread func(source string, kind Kind) bool
}

// A Checker is a [Catalog] that can look through all that it holds.
type Checker interface {
	// Check reports what is wrong. The error is about the check itself.
	Check(ctx context.Context, o *CheckOptions) ([]Finding, error)
}

// A Verifier is a derived index that can look through all that it holds.
type Verifier interface {
	// Verify reads everything that the newest state has, compares it with its
	// checksums, and returns the sequence that it has reached and its chunks,
	// ascending. The error wraps [ErrDamaged] if the index must be rebuilt. An
	// index that is missing or of another [Origin] is empty at sequence 0, as
	// for [VectorStore].
	Verify(ctx context.Context) (Seq, []ChunkID, error)
}

// A Comparer is a [Verifier] that can compare what it holds of each chunk with
// what the chunk was made from.
type Comparer interface {
	Verifier
	// Compare reads entries, all that are live at the sequence that the newest
	// state has reached, in any order, and compares the words and the vector of
	// each with what is held. It returns how many were compared. The error
	// wraps [ErrDamaged] if one differs: the index must be rebuilt.
	Compare(ctx context.Context, entries iter.Seq2[Entry, error]) (int, error)
}

// A Tidier is a derived index that can remove what killed processes have left
// in its folder.
type Tidier interface {
	// Tidy removes the files that no state needs and returns those that it
	// could not remove and those that are not its own, which it leaves. The
	// caller holds the lock that Apply needs.
	Tidy(ctx context.Context) (left []string, err error)
}

// A Compacter can give back the space of what is no longer needed. For a
// derived index the caller holds the lock that Apply needs; several processes
// may go on using it meanwhile.
type Compacter interface {
	Compact(ctx context.Context) error
}
