package fetch

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// A BlockedError says that a host is not on the public internet.
type BlockedError struct {
	Host string
	// Kind is what its address is, such as "loopback".
	Kind string
	// Address is what Host resolves to. Not valid: Host is known by its name.
	Address netip.Addr
}

func (e *BlockedError) Error() string {
	article := "a"
	if e.Kind == "unspecified" {
		article = "an"
	}
	what := article + " " + e.Kind + " address"
	if a, err := netip.ParseAddr(e.Host); e.Address.IsValid() && (err != nil || a.WithZone("") != e.Address) {
		what = e.Address.String() + ", " + what
	}
	return fmt.Sprintf("host '%s' is blocked: it is %s; AllowPrivateURLs (ALLOW_PRIVATE_URLS=1) permits this machine and private networks",
		e.Host, what)
}

// Is makes every BlockedError [ErrBlockedHost].
func (e *BlockedError) Is(target error) bool { return target == ErrBlockedHost }

// judge checks what a host says of itself: its address, if it is one, or a
// name that stands for this machine (RFC 6761).
func judge(host string, a netip.Addr) error {
	if a.IsValid() {
		if kind := blocked(a); kind != "" {
			return &BlockedError{Host: host, Kind: kind, Address: a}
		}
		return nil
	}
	name := strings.ToLower(strings.TrimRight(host, "."))
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return &BlockedError{Host: host, Kind: "loopback"}
	}
	return nil
}

// literal reads a host that is an address in any spelling that some resolver
// takes: IPv6, and IPv4 as one to four decimal, octal or hexadecimal numbers.
// The address is not valid if host is a name.
func literal(host string) (netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return a.WithZone(""), nil
	}
	host = strings.TrimRight(host, ".")
	parts := strings.Split(host, ".")
	if !numeric(parts[len(parts)-1]) {
		return netip.Addr{}, nil
	}
	// A name cannot end in a number, so this is an address or nothing.
	bad := fmt.Errorf("%w: its host '%s' is neither a name nor an address", ErrAddress, host)
	if len(parts) > 4 {
		return netip.Addr{}, bad
	}
	var v uint64
	for i, p := range parts {
		n, err := parseNumber(p)
		if err != nil {
			return netip.Addr{}, bad
		}
		if i == len(parts)-1 { // the last number fills the bytes that are left
			bits := 8 * (4 - i)
			if n >= 1<<bits {
				return netip.Addr{}, bad
			}
			v = v<<bits | n
			break
		}
		if n > 255 {
			return netip.Addr{}, bad
		}
		v = v<<8 | n
	}
	return netip.AddrFrom4([4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}), nil
}

// numeric reports whether the last label of a host makes it an address.
func numeric(label string) bool {
	if label == "" {
		return false
	}
	if _, err := parseNumber(label); err == nil {
		return true
	}
	return strings.Trim(label, "0123456789") == ""
}

// parseNumber reads a number as inet_aton does: 0x is hexadecimal, 0 octal.
func parseNumber(s string) (uint64, error) {
	base := 10
	switch {
	case len(s) >= 2 && (s[:2] == "0x" || s[:2] == "0X"):
		base, s = 16, s[2:]
		if s == "" {
			return 0, nil
		}
	case len(s) >= 2 && s[0] == '0':
		base, s = 8, s[1:]
	}
	return strconv.ParseUint(s, base, 32)
}

// ranges are the special IPv4 and IPv6 addresses beyond those that
// [netip.Addr] has methods for. Source: the IANA special-purpose registries.
var ranges = []struct {
	prefix netip.Prefix
	kind   string
}{
	{netip.MustParsePrefix("0.0.0.0/8"), "reserved"},
	{netip.MustParsePrefix("100.64.0.0/10"), "private"}, // between carriers and their customers
	{netip.MustParsePrefix("192.0.0.0/24"), "reserved"},
	{netip.MustParsePrefix("192.0.2.0/24"), "reserved"},
	{netip.MustParsePrefix("192.88.99.0/24"), "reserved"},
	{netip.MustParsePrefix("198.18.0.0/15"), "private"}, // benchmarks
	{netip.MustParsePrefix("198.51.100.0/24"), "reserved"},
	{netip.MustParsePrefix("203.0.113.0/24"), "reserved"},
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "private"}, // local NAT64
	{netip.MustParsePrefix("fec0::/10"), "private"},      // the former site-local
	{netip.MustParsePrefix("2001::/23"), "reserved"},     // protocols, Teredo among them
	{netip.MustParsePrefix("2001:db8::/32"), "reserved"},
	{netip.MustParsePrefix("3fff::/20"), "reserved"},
}

var (
	nat64     = netip.MustParsePrefix("64:ff9b::/96")
	sixToFour = netip.MustParsePrefix("2002::/16")
	public6   = netip.MustParsePrefix("2000::/3") // all that is assigned
)

// blocked returns the kind of an address that is not public, or "".
func blocked(a netip.Addr) string {
	a = a.Unmap().WithZone("")
	switch {
	case !a.IsValid():
		return "reserved"
	case a.IsLoopback():
		return "loopback"
	case a.IsLinkLocalUnicast():
		return "link-local"
	case a.IsUnspecified():
		return "unspecified"
	case a.IsPrivate():
		return "private"
	case a.IsMulticast():
		return "multicast"
	}
	for _, r := range ranges {
		if r.prefix.Contains(a) {
			return r.kind
		}
	}
	if a.Is4() {
		return ""
	}
	b := a.As16()
	switch {
	case nat64.Contains(a):
		return blocked(netip.AddrFrom4([4]byte(b[12:])))
	case sixToFour.Contains(a):
		return blocked(netip.AddrFrom4([4]byte(b[2:6])))
	case !public6.Contains(a):
		return "reserved"
	}
	return ""
}
