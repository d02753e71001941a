package e5

import "github.com/minirag/minirag/embed/bert"

// Info describes the model with its kernel, threads and memory. It loads the
// weights.
func (m *Model) Info() (bert.Info, error) {
	b, err := m.load()
	if err != nil {
		return bert.Info{}, err
	}
	return b.Info(), nil
}
