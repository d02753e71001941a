package atomicfile

import (
	"errors"
	"os"
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

// deniedWait bounds how long a refusal is taken for that of a file which is
// just going away, and not for one that lasts.
const deniedWait = 100 * time.Millisecond

func open(path string) (*os.File, error) {
	p, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	start := time.Now()
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		// Whoever renames or removes a file has it open with the right to
		// delete it, next to which only those may open it who share that.
		h, err := windows.CreateFile(p, windows.GENERIC_READ, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE,
			nil, windows.OPEN_EXISTING, windows.FILE_ATTRIBUTE_NORMAL, 0)
		if err == nil {
			return os.NewFile(uintptr(h), path), nil
		}
		waited := time.Since(start)
		if !(errors.Is(err, windows.ERROR_SHARING_VIOLATION) && waited < replaceWait ||
			errors.Is(err, windows.ERROR_ACCESS_DENIED) && waited < deniedWait) {
			return nil, &os.PathError{Op: "open", Path: path, Err: err}
		}
		time.Sleep(pause)
	}
}

// MOVEFILE_WRITE_THROUGH has brought the name to the disk already.
func syncDir(string) error { return nil }
