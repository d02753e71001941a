#!/usr/bin/env bash
# Runs tests of packages as linux/arm64 under qemu-aarch64; see README.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
packages=("$@")
[ ${#packages[@]} -gt 0 ] || packages=(internal/lock internal/atomicfile internal/mmap internal/place internal/vec
	index/internal/segset index/analysis index/flat index/bluge index/chromem index/segment index/sqlite)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
for package in "${packages[@]}"; do
	CGO_ENABLED=0 GOARCH=arm64 go test -c -o "$work/t" "./$package"
	echo "== $package"
	# Without the kernel's help a test cannot start itself as a process.
	skip=()
	[ -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ] || skip=(-test.skip 'Kill|Process|Other|ReadOnly|NoPermission|Contract/Killed|Contract/.*/Killed')
	(cd "$package" && qemu-aarch64 "$work/t" -test.timeout 30m "${skip[@]}") || failed=1
done
exit $failed
