// Package fetch gets documents over HTTP without letting the one who chose
// the address reach this machine or its private networks.
//
// An address is checked when it is dialled, and what was checked is dialled:
// a name that resolves differently a moment later changes nothing. That holds
// for every redirect. No proxy, cookie, password or environment variable takes
// part. Time and size are bounded, the size after decompression.
//
// It imports the standard library only.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Errors that callers branch on, with [errors.Is].
var (
	// ErrBlockedHost is what every [BlockedError] is.
	ErrBlockedHost = errors.New("host is not public")
	// ErrAddress says that an address cannot be fetched whatever it leads to.
	ErrAddress = errors.New("address cannot be fetched")
	// ErrTooLarge says that a document exceeds Options.MaxBytes.
	ErrTooLarge = errors.New("document is too large")
	// ErrRedirects says that there were more than [MaxRedirects].
	ErrRedirects = errors.New("too many redirects")
)

// MaxRedirects is how many redirects are followed.
const MaxRedirects = 5

// The time that each step of a request may take.
const (
	resolveTime = 5 * time.Second
	connectTime = 10 * time.Second
	headerTime  = 30 * time.Second
)

// A Resolver finds the addresses of a host, as [net.Resolver] does.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Options configure a [Client]. Nil and the zero value mean the defaults.
type Options struct {
	// AllowPrivate lets every host be reached. The other rules stay.
	AllowPrivate bool
	// MaxBytes is the largest document, decompressed. Zero: 100 MiB.
	MaxBytes int64
	// Timeout bounds a fetch as a whole. Zero: two minutes.
	Timeout time.Duration
	// UserAgent is what servers are told. Empty: "minirag".
	UserAgent string
	// Resolver finds the addresses of hosts. Nil: [net.DefaultResolver].
	Resolver Resolver
	// Dial connects to an address that has been checked. Nil: a [net.Dialer].
	Dial func(ctx context.Context, address netip.AddrPort) (net.Conn, error)
}

// Fetched is a document as a server gave it.
type Fetched struct {
	URL       string // after redirects
	MediaType string // the Content-Type, with parameters
	Data      []byte
}

// A StatusError is an answer other than success.
type StatusError struct {
	Code int
}

func (e *StatusError) Error() string {
	if text := http.StatusText(e.Code); text != "" {
		return fmt.Sprintf("the server answers %d %s", e.Code, text)
	}
	return fmt.Sprintf("the server answers %d", e.Code)
}

// A Client fetches documents. It is safe for concurrent use.
type Client struct {
	o    Options // with defaults, fixed at creation
	http http.Client
}

// New makes a client.
func New(o *Options) *Client {
	c := new(Client)
	if o != nil {
		c.o = *o
	}
	if c.o.MaxBytes == 0 {
		c.o.MaxBytes = 100 << 20
	}
	if c.o.Timeout == 0 {
		c.o.Timeout = 2 * time.Minute
	}
	if c.o.UserAgent == "" {
		c.o.UserAgent = "minirag"
	}
	if c.o.Resolver == nil {
		c.o.Resolver = net.DefaultResolver
	}
	if c.o.Dial == nil {
		d := net.Dialer{Timeout: connectTime}
		c.o.Dial = func(ctx context.Context, a netip.AddrPort) (net.Conn, error) {
			return d.DialContext(ctx, "tcp", a.String())
		}
	}
	c.http = http.Client{
		Transport: &http.Transport{
			DialContext:            c.dial,
			TLSHandshakeTimeout:    connectTime,
			ResponseHeaderTimeout:  headerTime,
			MaxResponseHeaderBytes: 1 << 20,
			// Every request dials, and so is checked, by itself.
			DisableKeepAlives: true,
			ForceAttemptHTTP2: true,
		},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > MaxRedirects {
				return fmt.Errorf("%w: more than %d", ErrRedirects, MaxRedirects)
			}
			req.Header.Del("Referer")
			return c.check(req.URL)
		},
	}
	return c
}

// Fetch gets the document at an http or https address. Errors do not repeat
// the address, except for one that a redirect led to.
func (c *Client) Fetch(ctx context.Context, address string) (*Fetched, error) {
	u, err := parse(address)
	if err != nil {
		return nil, err
	}
	if err := c.check(u); err != nil {
		return nil, err
	}
	whole, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(whole, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAddress, err)
	}
	req.Header.Set("User-Agent", c.o.UserAgent)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.explain(ctx, whole, u, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return nil, &StatusError{Code: resp.StatusCode}
	}
	if resp.ContentLength > c.o.MaxBytes {
		return nil, fmt.Errorf("%w: %d bytes, the limit is %d", ErrTooLarge, resp.ContentLength, c.o.MaxBytes)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, c.o.MaxBytes+1))
	if err != nil {
		return nil, c.explain(ctx, whole, u, err)
	}
	if int64(len(data)) > c.o.MaxBytes {
		return nil, fmt.Errorf("%w: the limit is %d bytes", ErrTooLarge, c.o.MaxBytes)
	}
	return &Fetched{URL: resp.Request.URL.String(), MediaType: resp.Header.Get("Content-Type"), Data: data}, nil
}

// parse reads an address. The scheme is judged first, even of one that is malformed.
func parse(address string) (*url.URL, error) {
	address = strings.TrimSpace(address)
	scheme, _, ok := strings.Cut(address, ":")
	if !ok || strings.ContainsAny(scheme, "/?#") {
		return nil, fmt.Errorf("%w: it has no scheme; it must begin with http:// or https://", ErrAddress)
	}
	if s := strings.ToLower(scheme); s != "http" && s != "https" {
		return nil, fmt.Errorf("%w: its scheme is '%s'; only http and https are fetched", ErrAddress, scheme)
	}
	u, err := url.Parse(address)
	if err != nil {
		var inner *url.Error
		if errors.As(err, &inner) {
			err = inner.Err
		}
		return nil, fmt.Errorf("%w: it is malformed: %w", ErrAddress, err)
	}
	return u, nil
}

// check applies the rules that need no name resolution.
func (c *Client) check(u *url.URL) error {
	if s := strings.ToLower(u.Scheme); s != "http" && s != "https" {
		return fmt.Errorf("%w: its scheme is '%s'; only http and https are fetched", ErrAddress, u.Scheme)
	}
	host := u.Hostname()
	if host == "" {
		return fmt.Errorf("%w: it names no host", ErrAddress)
	}
	if a, err := literal(host); err != nil {
		return err
	} else if !c.o.AllowPrivate {
		if err := judge(host, a); err != nil {
			return err
		}
	}
	if u.User != nil {
		return fmt.Errorf("%w: it holds a user name or password", ErrAddress)
	}
	return nil
}

// dial resolves a host, checks its addresses, and connects to one of them.
func (c *Client) dial(ctx context.Context, _, address string) (net.Conn, error) {
	host, portText, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := net.DefaultResolver.LookupPort(ctx, "tcp", portText)
	if err != nil {
		return nil, err
	}
	addrs, err := c.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, a := range addrs {
		conn, err := c.o.Dial(ctx, netip.AddrPortFrom(a, uint16(port)))
		if err == nil {
			return conn, nil
		}
		errs = append(errs, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, fmt.Errorf("connect: %w", errors.Join(errs...))
}

// resolve returns the addresses of a host, none of which is blocked.
func (c *Client) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	a, err := literal(host)
	if err != nil {
		return nil, err
	}
	if !c.o.AllowPrivate {
		if err := judge(host, a); err != nil {
			return nil, err
		}
	}
	if a.IsValid() {
		return []netip.Addr{a}, nil
	}
	short, cancel := context.WithTimeout(ctx, resolveTime)
	defer cancel()
	addrs, err := c.o.Resolver.LookupNetIP(short, "ip", host)
	if err != nil {
		if short.Err() != nil && ctx.Err() == nil {
			return nil, fmt.Errorf("resolve host %s: no answer within %v", host, resolveTime)
		}
		if dns := (*net.DNSError)(nil); errors.As(err, &dns) {
			// Its text repeats the host and tells which server was asked.
			return nil, &resolveError{host, dns}
		}
		return nil, fmt.Errorf("resolve host %s: %w", host, err)
	}
	if len(addrs) == 0 {
		return nil, fmt.Errorf("resolve host %s: it has no address", host)
	}
	for _, a := range addrs {
		if kind := blocked(a); kind != "" && !c.o.AllowPrivate {
			return nil, &BlockedError{Host: host, Kind: kind, Address: a}
		}
	}
	return addrs, nil
}

// A resolveError says briefly what its DNS error does.
type resolveError struct {
	host string
	err  *net.DNSError
}

func (e *resolveError) Error() string { return "resolve host " + e.host + ": " + e.err.Err }
func (e *resolveError) Unwrap() error { return e.err }

// explain words an error of a request to u.
func (c *Client) explain(caller, whole context.Context, u *url.URL, err error) error {
	if e := (*url.Error)(nil); errors.As(err, &e) {
		err = e.Err
		if e.URL != u.String() && e.URL != "" && !errors.Is(err, ErrRedirects) {
			err = fmt.Errorf("redirected to %s: %w", e.URL, err)
		}
	}
	if whole.Err() != nil && caller.Err() == nil {
		return fmt.Errorf("no complete answer within %v: %w", c.o.Timeout, context.DeadlineExceeded)
	}
	return err
}
