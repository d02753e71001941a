package flat

// Recode decodes a segment and encodes it again.
func Recode(data []byte, dims int) ([]byte, error) {
	s, err := decodeSegment(data, dims)
	if err != nil {
		return nil, err
	}
	return s.encode(), nil
}
