// Package place says whether a folder is one where a database does not belong:
// on another machine, whose locks and caches cannot be relied on, or in a
// folder whose files a program copies to and from a cloud one by one.
//
// It looks at the kind of the file system and at the names in the path. What
// it cannot tell counts as local.
//
// The package imports the standard library and golang.org/x/sys.
package place

import (
	"path/filepath"
	"strings"
)

// A Kind is where a folder is.
type Kind int

// The kinds of places.
const (
	Local   Kind = iota
	Network      // a file system of another machine
	Synced       // copied file by file to a cloud
)

// A Place is what is known of a folder.
type Place struct {
	Kind Kind
	// Name is that of the file system or of the service, such as "nfs".
	Name string
}

// Of looks at a folder, or at the nearest one above it that exists. Links are
// followed.
func Of(dir string) Place {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Place{}
	}
	real := resolve(abs)
	if name := fileSystem(real); name != "" {
		return Place{Network, name}
	}
	for _, path := range []string{abs, real} {
		if name := service(path); name != "" {
			return Place{Synced, name}
		}
	}
	return Place{}
}

// resolve follows the links in the part of a path that exists.
func resolve(path string) string {
	for {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return real
		}
		parent := filepath.Dir(path)
		if parent == path {
			return path
		}
		path = parent
	}
}

// Warning says why the place is not one for an index, or "".
func (p Place) Warning() string {
	const remedy = "; keep the index in a folder of this machine, with DB_PATH or --db-path"
	switch p.Kind {
	case Network:
		return "the index is on a network file system (" + p.Name + "), where locks may fail and every answer is slow" + remedy
	case Synced:
		return "the index is in a folder that " + p.Name + " copies file by file, which can mix its states" + remedy
	}
	return ""
}

// service returns the synchronising service whose folder a path lies in.
func service(path string) string {
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' })
	for i, part := range parts {
		name := strings.ToLower(part)
		if i > 0 && strings.EqualFold(parts[i-1], "Library") {
			switch name {
			case "mobile documents":
				return "iCloud Drive"
			case "cloudstorage": // macOS keeps the folders of all services here
				if i+1 < len(parts) {
					return parts[i+1]
				}
				return "a cloud service"
			}
		}
		for _, s := range services() {
			// Accounts are told apart by what follows: "OneDrive - Company",
			// "Dropbox (Personal)".
			rest, ok := strings.CutPrefix(name, strings.ToLower(s.folder))
			if ok && (rest == "" || strings.HasPrefix(rest, " - ") || strings.HasPrefix(rest, " (") || strings.HasPrefix(rest, "-") && s.folder == "GoogleDrive") {
				return s.name
			}
		}
	}
	return ""
}

type folderName struct{ folder, name string }

// services are the names that the services give their folders.
func services() []folderName {
	return []folderName{
		{"OneDrive", "OneDrive"}, {"SkyDrive", "OneDrive"}, {"Dropbox", "Dropbox"},
		{"Google Drive", "Google Drive"}, {"GoogleDrive", "Google Drive"}, {"My Drive", "Google Drive"},
		{"iCloudDrive", "iCloud Drive"}, {"iCloud Drive", "iCloud Drive"},
		{"Box Sync", "Box"}, {"Nextcloud", "Nextcloud"}, {"ownCloud", "ownCloud"}, {"pCloudDrive", "pCloud"}, {"pCloud Drive", "pCloud"},
		{"MEGAsync", "MEGA"}, {"Yandex.Disk", "Yandex.Disk"}, {"YandexDisk", "Yandex.Disk"}, {"Яндекс.Диск", "Yandex.Disk"},
		{"Seafile", "Seafile"}, {"Proton Drive", "Proton Drive"},
	}
}
