package place

import (
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// fileSystem says whether a path is on a share or on a drive that stands for one.
func fileSystem(dir string) string {
	volume := filepath.VolumeName(dir)
	if strings.HasPrefix(volume, `\\`) && !strings.HasPrefix(volume, `\\?\`) && !strings.HasPrefix(volume, `\\.\`) ||
		strings.HasPrefix(volume, `\\?\UNC\`) {
		return "share"
	}
	root, err := windows.UTF16PtrFromString(volume + `\`)
	if err == nil && windows.GetDriveType(root) == windows.DRIVE_REMOTE {
		return "network drive"
	}
	return ""
}
