package bert

// Waiting is the number of queries that wait or are computed.
func (m *Model) Waiting() int { return int(m.waiting.Load()) }
