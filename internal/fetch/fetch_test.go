package fetch_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/internal/fetch"
)

// names resolves hosts from a table: one answer a lookup, the last for ever.
type names struct {
	mu      sync.Mutex // guards answers
	answers map[string][]string
}

func (n *names) LookupNetIP(ctx context.Context, _, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	as := n.answers[host]
	if len(as) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	if len(as) > 1 {
		n.answers[host] = as[1:]
	}
	var out []netip.Addr
	for a := range strings.SplitSeq(as[0], " ") {
		out = append(out, netip.MustParseAddr(a))
	}
	return out, nil
}

// A wire connects every address to one server and notes what was dialled.
type wire struct {
	to     string
	mu     sync.Mutex // guards dialed
	dialed []string
}

func (w *wire) dial(ctx context.Context, a netip.AddrPort) (net.Conn, error) {
	w.mu.Lock()
	w.dialed = append(w.dialed, a.String())
	w.mu.Unlock()
	if w.to == "" {
		return nil, errors.New("nothing may be dialled")
	}
	var d net.Dialer
	return d.DialContext(ctx, "tcp", w.to)
}

// public makes a client to which handler is the whole internet.
func public(t *testing.T, answers map[string][]string, o fetch.Options, handler http.HandlerFunc) (*fetch.Client, *wire) {
	t.Helper()
	srv := httptest.NewServer(handler)
	t.Cleanup(srv.Close)
	w := &wire{to: srv.Listener.Addr().String()}
	o.Resolver, o.Dial = &names{answers: answers}, w.dial
	return fetch.New(&o), w
}

func TestBlocked(t *testing.T) {
	resolver := &names{answers: map[string][]string{
		"inside.test": {"10.1.2.3"},
		"mixed.test":  {"93.184.216.34 192.168.1.1"},
		"six.test":    {"fd00::1"},
	}}
	for _, tc := range []struct{ url, kind string }{
		{"http://127.0.0.1:9/", "loopback"},
		{"http://localhost:9/", "loopback"},
		{"http://LOCALHOST/", "loopback"},
		{"http://localhost.:9/", "loopback"},
		{"http://a.localhost/", "loopback"},
		{"http://[::1]:9/", "loopback"},
		{"http://0.0.0.0:9/", "unspecified"},
		{"http://[::]/", "unspecified"},
		{"http://0.1.2.3/", "reserved"},
		{"http://169.254.169.254/latest/meta-data/", "link-local"},
		{"http://10.0.0.1/", "private"},
		{"http://172.16.0.1/", "private"},
		{"http://192.168.0.1/", "private"},
		{"http://[fd00::1]/", "private"},
		{"http://[fe80::1]/", "link-local"},
		{"http://[fe80::1%25eth0]/", "link-local"},
		{"http://[fec0::1]/", "private"},
		{"http://[::ffff:127.0.0.1]/", "loopback"},
		{"http://[::ffff:a00:1]/", "private"},
		{"http://[::127.0.0.1]/", "reserved"},
		{"http://2130706433/", "loopback"},
		{"http://0x7f000001/", "loopback"},
		{"http://0x7f.1/", "loopback"},
		{"http://0177.0.0.1/", "loopback"},
		{"http://0177.0.0.1./", "loopback"},
		{"http://127.1/", "loopback"},
		{"http://0/", "unspecified"},
		{"http://0xa9fea9fe/", "link-local"},
		{"http://100.64.0.1/", "private"},
		{"http://100.127.255.255/", "private"},
		{"http://198.18.0.1/", "private"},
		{"http://240.0.0.1/", "reserved"},
		{"http://255.255.255.255/", "reserved"},
		{"http://224.0.0.1/", "multicast"},
		{"http://[ff02::1]/", "multicast"},
		{"http://[64:ff9b::7f00:1]/", "loopback"},
		{"http://[64:ff9b::a9fe:a9fe]/", "link-local"},
		{"http://[64:ff9b:1::1]/", "private"},
		{"http://[2002:7f00:1::]/", "loopback"},
		{"http://[2002:c0a8:101::1]/", "private"},
		{"http://[2001:0:1::1]/", "reserved"},
		{"http://[2001:db8::1]/", "reserved"},
		{"http://[100::1]/", "reserved"},
		{"http://user@127.0.0.1/", "loopback"},
		{"http://example.com@127.0.0.1/", "loopback"},
		{"http://１２７.０.０.１/", "loopback"},
		{"http://ⓛocalhost/", "loopback"},
		{"https://inside.test/", "private"},
		{"http://mixed.test/", "private"},
		{"http://six.test/", "private"},
	} {
		t.Run(tc.url, func(t *testing.T) {
			w := new(wire)
			c := fetch.New(&fetch.Options{Resolver: resolver, Dial: w.dial})
			_, err := c.Fetch(t.Context(), tc.url)
			var b *fetch.BlockedError
			if !errors.As(err, &b) || !errors.Is(err, fetch.ErrBlockedHost) {
				t.Fatalf("error %v, want a BlockedError", err)
			}
			if b.Kind != tc.kind || b.Host == "" || !strings.Contains(err.Error(), b.Host) || !strings.Contains(err.Error(), "ALLOW_PRIVATE_URLS") {
				t.Errorf("%+v: %v; want kind %s", b, err, tc.kind)
			}
			if len(w.dialed) > 0 {
				t.Errorf("dialled %v", w.dialed)
			}
		})
	}
}

func TestAddress(t *testing.T) {
	for _, private := range []bool{false, true} {
		for _, tc := range []struct{ url, want string }{
			{"file:///etc/passwd", "'file'"},
			{"data:text/html,hi", "'data'"},
			{"ftp://127.0.0.1/", "'ftp'"},
			{"gopher://127.0.0.1/", "'gopher'"},
			{"javascript:alert(1)", "'javascript'"},
			{"example.com/page", "no scheme"},
			{"//example.com/", "no scheme"},
			{"/a:b", "no scheme"},
			{"", "no scheme"},
			{"http://[::1", "malformed"},
			{"http://a b/", "malformed"},
			{"http://exa%mple/", "malformed"},
			{"http:///x", "no host"},
			{"http:", "no host"},
			{"http://:80/", "no host"},
			{"http://1.2.3.4.5/", "neither a name nor an address"},
			{"http://256.1.1.1/", "neither a name nor an address"},
			{"http://99999999999/", "neither a name nor an address"},
			{"http://a.09/", "neither a name nor an address"},
			{"http://127.0.0.1%2f@example.com/", "user name"},
			{"http://u:p@example.com/", "user name"},
		} {
			w := new(wire)
			c := fetch.New(&fetch.Options{AllowPrivate: private, Resolver: &names{}, Dial: w.dial})
			_, err := c.Fetch(t.Context(), tc.url)
			if !errors.Is(err, fetch.ErrAddress) || !strings.Contains(fmt.Sprint(err), tc.want) {
				t.Errorf("%q, private %v: error %v, want %q", tc.url, private, err, tc.want)
			}
			if len(w.dialed) > 0 {
				t.Errorf("%q: dialled %v", tc.url, w.dialed)
			}
		}
	}
}

func TestFetch(t *testing.T) {
	for _, tc := range []struct{ name, url, dialed string }{
		{"a name", "http://public.test/a", "93.184.216.34:80"},
		{"upper case and a port", "HTTP://PUBLIC.test:8080/a", "93.184.216.34:8080"},
		{"an address", "http://93.184.216.34/a", "93.184.216.34:80"},
		{"an address as one number", "http://1572395042/a", "93.184.216.34:80"},
		{"through NAT64", "http://nat.test/a", "[64:ff9b::5db8:d822]:80"},
		{"IPv6", "http://[2606:2800:220:1:248:1893:25c8:1946]/a", "[2606:2800:220:1:248:1893:25c8:1946]:80"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, w := public(t, map[string][]string{
				"public.test": {"93.184.216.34"}, "PUBLIC.test": {"93.184.216.34"}, "nat.test": {"64:ff9b::5db8:d822"},
			}, fetch.Options{}, func(rw http.ResponseWriter, r *http.Request) {
				rw.Header().Set("Content-Type", "text/plain; charset=koi8-r")
				fmt.Fprint(rw, r.Method, " ", r.URL.Path, " ", r.UserAgent())
			})
			got, err := c.Fetch(t.Context(), tc.url)
			if err != nil {
				t.Fatal(err)
			}
			u, _ := url.Parse(tc.url)
			want := &fetch.Fetched{URL: u.String(), MediaType: "text/plain; charset=koi8-r", Data: []byte("GET /a minirag")}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("fetched (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{tc.dialed}, w.dialed); diff != "" {
				t.Errorf("dialled (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAllowPrivate(t *testing.T) {
	c, w := public(t, map[string][]string{"localhost": {"::1 127.0.0.1"}}, fetch.Options{AllowPrivate: true},
		func(rw http.ResponseWriter, r *http.Request) { io.WriteString(rw, "in") })
	for _, u := range []string{"http://127.1:81/", "http://localhost/", "http://10.0.0.1/"} {
		if got, err := c.Fetch(t.Context(), u); err != nil || string(got.Data) != "in" {
			t.Errorf("%s: %v, %v", u, got, err)
		}
	}
	if want := []string{"127.0.0.1:81", "[::1]:80", "10.0.0.1:80"}; !slices.Equal(w.dialed, want) {
		t.Errorf("dialled %v, want %v", w.dialed, want)
	}
}

func TestRedirects(t *testing.T) {
	answers := func() map[string][]string {
		return map[string][]string{"public.test": {"93.184.216.34"}, "inside.test": {"10.0.0.7"},
			"rebind.test": {"93.184.216.34", "127.0.0.1"}}
	}
	handler := func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Referer") != "" || r.Header.Get("Cookie") != "" || r.Header.Get("Authorization") != "" {
			http.Error(w, "it tells where it comes from", http.StatusTeapot)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		if n, ok := strings.CutPrefix(r.URL.Path, "/hop/"); ok && n != "0" {
			http.Redirect(w, r, "/hop/"+string(n[0]-1), http.StatusFound)
			return
		}
		if to := r.URL.Query().Get("to"); to != "" {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
			return
		}
		io.WriteString(w, "there")
	}
	for _, tc := range []struct {
		name, url string
		is        error
		text      string
		dials     int
	}{
		{"five", "http://public.test/hop/5", nil, "", 6},
		{"six", "http://public.test/hop/6", fetch.ErrRedirects, "more than 5", 6},
		{"to an address", "http://public.test/?to=http://169.254.169.254/latest/", fetch.ErrBlockedHost, "redirected to http://169.254.169.254/latest/", 1},
		{"to a name", "http://public.test/?to=https://inside.test/", fetch.ErrBlockedHost, "redirected to https://inside.test/", 1},
		{"to this machine", "http://public.test/?to=//localhost/", fetch.ErrBlockedHost, "loopback", 1},
		{"to a file", "http://public.test/?to=file:///etc/passwd", fetch.ErrAddress, "'file'", 1},
		{"with a password", "http://public.test/?to=http://u:p@public.test/", fetch.ErrAddress, "password", 1},
		{"to a name that moved inside", "http://rebind.test/hop/1", fetch.ErrBlockedHost, "127.0.0.1", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, w := public(t, answers(), fetch.Options{}, handler)
			got, err := c.Fetch(t.Context(), tc.url)
			if tc.is == nil {
				if err != nil || string(got.Data) != "there" || got.URL != "http://public.test/hop/0" {
					t.Errorf("%+v, %v", got, err)
				}
			} else if !errors.Is(err, tc.is) || !strings.Contains(err.Error(), tc.text) {
				t.Errorf("error %v, want %q", err, tc.text)
			}
			if len(w.dialed) != tc.dials || slices.ContainsFunc(w.dialed, func(a string) bool { return a != "93.184.216.34:80" }) {
				t.Errorf("dialled %v, want %d", w.dialed, tc.dials)
			}
		})
	}
}

// TestRebinding has a name that is public when first asked for and inside
// when asked again: what was checked is what is dialled.
func TestRebinding(t *testing.T) {
	c, w := public(t, map[string][]string{"rebind.test": {"93.184.216.34", "127.0.0.1"}}, fetch.Options{},
		func(rw http.ResponseWriter, r *http.Request) { io.WriteString(rw, "x") })
	if _, err := c.Fetch(t.Context(), "http://rebind.test/"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Fetch(t.Context(), "http://rebind.test/"); !errors.Is(err, fetch.ErrBlockedHost) {
		t.Errorf("error %v, want ErrBlockedHost", err)
	}
	if want := []string{"93.184.216.34:80"}; !slices.Equal(w.dialed, want) {
		t.Errorf("dialled %v, want %v", w.dialed, want)
	}
}

func TestLimits(t *testing.T) {
	handler := func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/fits":
			io.WriteString(w, strings.Repeat("x", 1000))
		case "/long":
			io.WriteString(w, strings.Repeat("x", 1001))
		case "/endless":
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat("x", 1000)); err != nil {
					return
				}
			}
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			io.CopyN(z, zeros{}, 1<<20)
			z.Close()
		case "/cut":
			w.Header().Set("Content-Length", "900")
			io.WriteString(w, "short")
		default:
			http.NotFound(w, r)
		}
	}
	c, _ := public(t, map[string][]string{"public.test": {"93.184.216.34"}}, fetch.Options{MaxBytes: 1000}, handler)
	for _, tc := range []struct {
		path string
		is   error
	}{
		{"/fits", nil},
		{"/long", fetch.ErrTooLarge},
		{"/endless", fetch.ErrTooLarge},
		{"/bomb", fetch.ErrTooLarge},
		{"/cut", io.ErrUnexpectedEOF},
	} {
		got, err := c.Fetch(t.Context(), "http://public.test"+tc.path)
		if !errors.Is(err, tc.is) || (err == nil && len(got.Data) != 1000) {
			t.Errorf("%s: error %v, want %v", tc.path, err, tc.is)
		}
	}
	var status *fetch.StatusError
	if _, err := c.Fetch(t.Context(), "http://public.test/none"); !errors.As(err, &status) || status.Code != 404 {
		t.Errorf("error %v, want status 404", err)
	}
	var dns *net.DNSError
	if _, err := c.Fetch(t.Context(), "http://none.test/"); !errors.As(err, &dns) || err.Error() != "resolve host none.test: no such host" {
		t.Errorf("error %v, want a DNS error", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestTimeout has a server that never answers.
func TestTimeout(t *testing.T) {
	answers := map[string][]string{"public.test": {"93.184.216.34"}}
	silent := func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	c, _ := public(t, answers, fetch.Options{Timeout: 1}, silent)
	if _, err := c.Fetch(t.Context(), "http://public.test/"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want DeadlineExceeded", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	c, _ = public(t, answers, fetch.Options{}, func(w http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() })
	if _, err := c.Fetch(ctx, "http://public.test/"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want Canceled", err)
	}
}

// FuzzHost tries hosts of every spelling on a client to which every name is
// public: nothing but a public address may be dialled.
func FuzzHost(f *testing.F) {
	for _, s := range []string{"127.1", "0x7f.1", "[::1]", "[::ffff:7f00:1]", "localhost", "1.2.3.4", "a.b", "017700000001", "[64:ff9b::1]", "①27.0.0.1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, host string) {
		w := new(wire)
		c := fetch.New(&fetch.Options{Resolver: everywhere{}, Dial: w.dial})
		if _, err := c.Fetch(t.Context(), "http://"+host+"/"); err == nil {
			t.Fatal("fetched without a connection")
		}
		for _, d := range w.dialed {
			a := netip.MustParseAddrPort(d).Addr().Unmap()
			if !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() {
				t.Errorf("dialled %s for %q", d, host)
			}
		}
	})
}

// everywhere resolves addresses as the C library does and names to a public address.
type everywhere struct{}

func (everywhere) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
}
