package place

import "testing"

func TestMountType(t *testing.T) {
	table := []byte(`22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
31 22 0:44 / /mnt/far\040away rw,nosuid - fuse.sshfs ann@host:/ rw
32 22 0:45 / /mnt/disk rw - fuseblk /dev/sdb1 rw
33 22 0:46 / /mnt rw - tmpfs tmpfs rw
34 31 0:47 / /mnt/far\040away/near rw master:3 - fuse.gocryptfs /x rw
broken line
`)
	for dir, want := range map[string][2]string{
		"/home/ann":              {"ext4", ""},
		"/mnt/far away":          {"fuse.sshfs", "fuse.sshfs"},
		"/mnt/far away/x/y":      {"fuse.sshfs", "fuse.sshfs"},
		"/mnt/far awayer":        {"tmpfs", ""},
		"/mnt/far away/near/dir": {"fuse.gocryptfs", ""},
		"/mnt/disk/x":            {"fuseblk", ""},
	} {
		kind := mountType(table, dir)
		if kind != want[0] || fuseName(kind) != want[1] {
			t.Errorf("%s: %q, %q, want %q", dir, kind, fuseName(kind), want)
		}
	}
	for magic, want := range map[uint32]string{0x6969: "nfs", 0xfe534d42: "smb2", 0xff534d42: "cifs", 0x01021997: "9p", 0xef53: "", 0x01021994: "", 0x794c7630: ""} {
		if got := magicName(magic); got != want {
			t.Errorf("%x: %q, want %q", magic, got, want)
		}
	}
}
