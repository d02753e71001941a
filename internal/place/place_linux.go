package place

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// fileSystem returns the name of a network file system, or "".
func fileSystem(dir string) string {
	var fs unix.Statfs_t
	if unix.Statfs(dir, &fs) != nil {
		return ""
	}
	magic := uint32(fs.Type)
	if magic != fuseMagic {
		return magicName(magic)
	}
	// Also local file systems are served by FUSE; the mount says which.
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	return fuseName(mountType(table, dir))
}

const fuseMagic = 0x65735546

// magicName knows the numbers of statfs(2) and linux/magic.h.
func magicName(magic uint32) string {
	switch magic {
	case 0x6969:
		return "nfs"
	case 0x517b, 0xff534d42:
		return "cifs"
	case 0xfe534d42:
		return "smb2"
	case 0x01021997:
		return "9p"
	case 0x5346414f, 0x6b414653:
		return "afs"
	case 0x00c36400:
		return "ceph"
	case 0x73757245:
		return "coda"
	case 0x564c:
		return "ncp"
	case 0x0bd00bd0:
		return "lustre"
	case 0x47504653:
		return "gpfs"
	case 0x7461636f:
		return "ocfs2"
	case 0x01161970:
		return "gfs2"
	case 0x786f4256:
		return "vboxsf"
	case 0xbacbacbc:
		return "vmhgfs"
	}
	return ""
}

// fuseName returns the name of a FUSE file system unless it is one of a disk
// of this machine.
func fuseName(kind string) string {
	name, ok := strings.CutPrefix(kind, "fuse.")
	if !ok {
		return "" // fuseblk, or not known
	}
	for _, local := range []string{"ntfs", "exfat", "ext", "bindfs", "mergerfs", "encfs", "gocryptfs", "cryfs", "securefs", "unionfs", "overlayfs", "fuse-overlayfs", "lxcfs", "zfs", "squashfuse", "archivemount"} {
		if strings.HasPrefix(name, local) {
			return ""
		}
	}
	return kind
}

// mountType returns the type of the mount that dir lies in, from the text of
// /proc/self/mountinfo, see proc(5).
func mountType(table []byte, dir string) string {
	best, kind := -1, ""
	for s := bufio.NewScanner(bytes.NewReader(table)); s.Scan(); {
		left, right, ok := strings.Cut(s.Text(), " - ")
		fields, types := strings.Fields(left), strings.Fields(right)
		if !ok || len(fields) < 5 || len(types) < 1 {
			continue
		}
		point := unescape(fields[4])
		if dir != point && point != "/" && !strings.HasPrefix(dir, point+"/") {
			continue
		}
		if len(point) >= best { // the last of several on one point is on top
			best, kind = len(point), types[0]
		}
	}
	return kind
}

// unescape undoes the octal escapes of white space and backslashes.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
