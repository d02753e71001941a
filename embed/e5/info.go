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

// PrefixTokens returns how many tokens the model puts before a question and
// before a passage. [Model.CountTokens] leaves them out.
func (m *Model) PrefixTokens() (query, passage int) { return queryTokens, passageTokens }
