package place_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/minirag/minirag/internal/place"
)

func TestSyncedFolders(t *testing.T) {
	for path, want := range map[string]string{
		"OneDrive/notes/.minirag/index":              "OneDrive",
		"OneDrive - Example Company/index":           "OneDrive",
		"Dropbox (Personal)/index":                   "Dropbox",
		"dropbox":                                    "Dropbox",
		"Library/Mobile Documents/com~apple/index":   "iCloud Drive",
		"Library/CloudStorage/Box-Box/index":         "Box-Box",
		"Google Drive/index":                         "Google Drive",
		"Library/CloudStorage/GoogleDrive-a@b/index": "GoogleDrive-a@b",
		"Яндекс.Диск/index":                          "Yandex.Disk",
		"dropbox-notes/index":                        "",
		"Mobile Documents/index":                     "",
		"documents/OneDriveBackup/index":             "",
		"library/box/index":                          "",
	} {
		dir := filepath.Join(t.TempDir(), filepath.FromSlash(path))
		got := place.Of(dir) // it need not exist
		if got.Name != want || (got.Kind == place.Synced) != (want != "") {
			t.Errorf("%s: %+v, want %q", path, got, want)
		}
		if warning := got.Warning(); (warning != "") != (want != "") || !strings.Contains(warning, want) {
			t.Errorf("%s: warning %q", path, warning)
		}
	}
}

func TestLinkIntoASyncedFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a right on Windows")
	}
	base := t.TempDir()
	if err := os.MkdirAll(filepath.Join(base, "Dropbox", "index"), 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(base, "index")
	if err := os.Symlink(filepath.Join(base, "Dropbox", "index"), link); err != nil {
		t.Fatal(err)
	}
	if got := place.Of(filepath.Join(link, "deeper")); got.Name != "Dropbox" {
		t.Errorf("%+v", got)
	}
}
