package place

import "golang.org/x/sys/unix"

// fileSystem returns the name of a network file system, or "".
func fileSystem(dir string) string {
	var fs unix.Statfs_t
	if unix.Statfs(dir, &fs) != nil || fs.Flags&unix.MNT_LOCAL != 0 {
		return ""
	}
	return unix.ByteSliceToString(fs.Fstypename[:])
}
