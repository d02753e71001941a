#!/usr/bin/env bash
# Runs tests of packages as windows/amd64 under wine64; see ../README.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
here=$PWD/bench/wine
packages=("$@")
[ ${#packages[@]} -gt 0 ] || packages=(internal/lock internal/atomicfile internal/mmap internal/place
	index/internal/segset index/analysis index/flat index/bluge index/chromem index/segment index/sqlite .)
work=$(mktemp -d)
trap 'wineserver -k 2>/dev/null || true; rm -rf "$work"' EXIT
export WINEPREFIX=$work/prefix WINEDEBUG=-all PATH=$PATH:/usr/lib/wine
wine64 cmd /c exit
x86_64-w64-mingw32-gcc -shared -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" "$here/prng.c" -ladvapi32
# Wine 8 answers "not implemented" where Windows versions that cannot remove
# open files answer "no such class": both must lead os.Remove to the other way.
remove=$(go env GOROOT)/src/internal/syscall/windows/at_windows.go
sed 's/^\tcase STATUS_INVALID_INFO_CLASS, .*/\tcase STATUS_INVALID_INFO_CLASS, NTStatus(0xC0000002),/' "$remove" >"$work/at_windows.go"
printf '{"Replace":{"%s":"%s"}}' "$remove" "$work/at_windows.go" >"$work/overlay.json"
failed=0
for package in "${packages[@]}"; do
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 go test -overlay "$work/overlay.json" -c -o "$work/t.exe" "./$package"
	echo "== $package"
	only=()
	# The others of the root need the go command, or documents that are not here.
	[ "$package" != . ] || only=(-test.short -test.run 'Damage|Doctor|Killed|Ended|Turns|Replaced|Processes|Export|Compact')
	(cd "$package" && wine64 "$work/t.exe" -test.timeout 15m "${only[@]}") || failed=1
done
exit $failed
