//go:build lite

package pdf

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"fmt"
	"strconv"
)

// Methods of encryption of a crypt filter (ISO 32000-2, table 25).
const (
	methodNone = iota
	methodRC4
	methodAES    // 128 bits, a key for each object
	methodAES256 // one key
)

// A lock decrypts a document that the empty password opens (ISO 32000-1 and -2, 7.6).
type lock struct {
	key              []byte
	streams, strings int
}

// passwordPad fills up passwords (ISO 32000-1, algorithm 2).
const passwordPad = "\x28\xbf\x4e\x5e\x4e\x75\x8a\x41\x64\x00\x4e\x56\xff\xfa\x01\x08\x2e\x2e\x00\xb6\xd0\x68\x3e\x80\x2f\x0c\xa9\xfe\x64\x53\x69\x7a"

// newLock finds the key of a document. dict is its encryption dictionary.
func newLock(dict []entry, id []byte) (*lock, error) {
	number := func(key string, usual int) int {
		n, err := strconv.Atoi(string(valueOf(dict, key)))
		if err != nil {
			return usual
		}
		return n
	}
	v, r := number("V", 0), number("R", 0)
	bits := number("Length", 40)
	l := &lock{streams: methodRC4, strings: methodRC4}
	if string(valueOf(dict, "Filter")) != "/Standard" {
		return nil, errSecurity()
	}
	switch {
	case v == 1:
		bits = 40
	case v == 2 && r >= 2 && r <= 4:
	case v == 4 || v == 5:
		filters := entriesOf(valueOf(dict, "CF"))
		l.streams = method(filters, valueOf(dict, "StmF"))
		l.strings = method(filters, valueOf(dict, "StrF"))
		if v == 4 {
			bits = 128
		}
	default:
		return nil, errSecurity()
	}
	owner, user := stringBytes(valueOf(dict, "O")), stringBytes(valueOf(dict, "U"))
	if v == 5 {
		sealed := stringBytes(valueOf(dict, "UE"))
		if len(user) < 48 || len(sealed) < 32 {
			return nil, errSecurity()
		}
		if !bytes.Equal(passwordHash(user[32:40], r), user[:32]) {
			return nil, errPassword()
		}
		block, err := aes.NewCipher(passwordHash(user[40:48], r))
		if err != nil {
			return nil, errSecurity()
		}
		l.key = make([]byte, 32)
		cipher.NewCBCDecrypter(block, make([]byte, aes.BlockSize)).CryptBlocks(l.key, sealed[:32])
		return l, nil
	}
	if bits < 40 || bits > 128 || len(owner) < 32 || len(user) < 32 {
		return nil, errSecurity()
	}
	permissions, _ := strconv.ParseInt(string(valueOf(dict, "P")), 10, 64)
	first := stringBytes(bytes.TrimLeft(id, "[ \r\n\t"))
	h := md5.New()
	h.Write([]byte(passwordPad))
	h.Write(owner[:32])
	_ = binary.Write(h, binary.LittleEndian, uint32(permissions))
	h.Write(first)
	if r >= 4 && string(valueOf(dict, "EncryptMetadata")) == "false" {
		h.Write([]byte{0xff, 0xff, 0xff, 0xff})
	}
	n := bits / 8
	key := h.Sum(nil)
	if r >= 3 {
		for range 50 {
			sum := md5.Sum(key[:n])
			key = sum[:]
		}
	}
	l.key = key[:n]
	check := []byte(passwordPad)
	if r >= 3 {
		sum := md5.Sum(append(check, first...))
		check = sum[:]
	}
	rounds := 1
	if r >= 3 {
		rounds = 20
	}
	for i := range rounds {
		mixed := bytes.Clone(l.key)
		for k := range mixed {
			mixed[k] ^= byte(i)
		}
		check = rc4Crypt(mixed, check)
	}
	if !bytes.Equal(check, user[:len(check)]) {
		return nil, errPassword()
	}
	return l, nil
}

func method(filters []entry, name []byte) int {
	if len(name) < 2 || string(name) == "/Identity" {
		return methodNone
	}
	switch string(valueOf(entriesOf(valueOf(filters, string(name[1:]))), "CFM")) {
	case "/V2":
		return methodRC4
	case "/AESV2":
		return methodAES
	case "/AESV3":
		return methodAES256
	}
	return methodNone
}

// passwordHash is the hash of the empty user password (ISO 32000-2, algorithm 2.B).
func passwordHash(salt []byte, revision int) []byte {
	sum := sha256.Sum256(salt)
	k := sum[:]
	if revision < 6 {
		return k
	}
	for i := 0; ; i++ {
		e := bytes.Repeat(k, 64)
		block, err := aes.NewCipher(k[:16])
		if err != nil {
			return nil
		}
		cipher.NewCBCEncrypter(block, k[16:32]).CryptBlocks(e, e)
		rest := 0
		for _, c := range e[:16] {
			rest += int(c)
		}
		switch rest % 3 {
		case 0:
			s := sha256.Sum256(e)
			k = s[:]
		case 1:
			s := sha512.Sum384(e)
			k = s[:]
		default:
			s := sha512.Sum512(e)
			k = s[:]
		}
		if i >= 63 && int(e[len(e)-1]) <= i-31 {
			return k[:32]
		}
	}
}

func rc4Crypt(key, data []byte) []byte {
	out := make([]byte, len(data))
	if c, err := rc4.NewCipher(key); err == nil {
		c.XORKeyStream(out, data)
	}
	return out
}

// decrypt returns data of an object in the clear.
func (l *lock) decrypt(data []byte, method int, o object) []byte {
	if method == methodNone {
		return data
	}
	key := l.key
	if method != methodAES256 {
		salted := append(bytes.Clone(key), byte(o.id), byte(o.id>>8), byte(o.id>>16), byte(o.gen), byte(o.gen>>8))
		if method == methodAES {
			salted = append(salted, "sAlT"...)
		}
		sum := md5.Sum(salted)
		key = sum[:min(len(l.key)+5, 16)]
	}
	if method == methodRC4 {
		return rc4Crypt(key, data)
	}
	block, err := aes.NewCipher(key)
	n := len(data) / aes.BlockSize * aes.BlockSize
	if err != nil || n < 2*aes.BlockSize {
		return nil
	}
	out := make([]byte, n-aes.BlockSize)
	cipher.NewCBCDecrypter(block, data[:aes.BlockSize]).CryptBlocks(out, data[aes.BlockSize:n])
	if pad := int(out[len(out)-1]); pad <= aes.BlockSize {
		out = out[:len(out)-pad]
	}
	return out
}

// unlock decrypts the strings and the stream of an object.
func (l *lock) unlock(o object) object {
	if l.strings != methodNone && bytes.ContainsAny(o.body, "(<") {
		var out bytes.Buffer
		for at := skipWhite(o.body, 0); at < len(o.body); at = skipWhite(o.body, at) {
			end := skipToken(o.body, at)
			tok := o.body[at:end]
			if tok[0] == '(' || tok[0] == '<' && !bytes.HasPrefix(tok, []byte("<<")) {
				fmt.Fprintf(&out, "<%x>", l.decrypt(stringBytes(tok), l.strings, o))
			} else {
				out.Write(tok)
			}
			out.WriteByte(' ')
			at = end
		}
		o.body = bytes.TrimSpace(out.Bytes())
	}
	if o.stream != nil {
		if o.stream = l.decrypt(o.stream, l.streams, o); o.stream == nil {
			o.stream = []byte{}
		}
	}
	return o
}

// stringBytes returns the bytes of a literal or hexadecimal string at the start of tok.
func stringBytes(tok []byte) []byte {
	if len(tok) == 0 {
		return nil
	}
	tok = tok[:skipToken(tok, 0)]
	if tok[0] == '<' {
		return hexString(tok)
	}
	if tok[0] != '(' {
		return nil
	}
	var out []byte
	s := bytes.TrimSuffix(tok[1:], []byte(")"))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out = append(out, s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case '\r':
			if i+1 < len(s) && s[i+1] == '\n' {
				i++
			}
		case '\n':
		default:
			if c < '0' || c > '7' {
				out = append(out, c)
				continue
			}
			n := 0
			k := i
			for ; k < min(i+3, len(s)) && s[k] >= '0' && s[k] <= '7'; k++ {
				n = n*8 + int(s[k]-'0')
			}
			out = append(out, byte(n))
			i = k - 1
		}
	}
	return out
}

// decrypt puts all objects in the clear, when the empty password opens the document.
func (in *instance) decrypt(f *rebuilt) error {
	dict, at := f.encrypt, -1
	if reference(dict) > 0 {
		at = number(string(dict))
		dict = f.objects[at].body
	}
	l, err := newLock(entriesOf(dict), f.id)
	if err != nil {
		return err
	}
	for _, id := range f.order {
		in.alive()
		o := f.objects[id]
		if id == at || bytes.Contains(o.body, []byte("/XRef")) {
			continue
		}
		in.spend(len(o.body) + len(o.stream))
		f.objects[id] = l.unlock(o)
	}
	return nil
}
