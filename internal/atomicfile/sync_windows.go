package atomicfile

import (
	"errors"
	"time"

	"golang.org/x/sys/windows"
)

// replaceWait bounds how long a reader that has the old file open is waited
// for: Windows refuses to replace a file that someone has open without
// FILE_SHARE_DELETE, as os.Open and virus scanners do.
const replaceWait = 3 * time.Second

func replace(from, to string) error {
	f, err := windows.UTF16PtrFromString(from)
	if err != nil {
		return err
	}
	t, err := windows.UTF16PtrFromString(to)
	if err != nil {
		return err
	}
	deadline := time.Now().Add(replaceWait)
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		err := windows.MoveFileEx(f, t, windows.MOVEFILE_REPLACE_EXISTING|windows.MOVEFILE_WRITE_THROUGH)
		busy := errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_SHARING_VIOLATION)
		if !busy || time.Now().After(deadline) {
			return err
		}
		time.Sleep(pause)
	}
}

// MOVEFILE_WRITE_THROUGH has brought the name to the disk already.
func syncDir(string) error { return nil }
