//go:build !amd64

package vec

func dotInt8(q []int16, v []int8) int64 { return dotPortable(q, v) }
