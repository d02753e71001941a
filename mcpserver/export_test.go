package mcpserver

import "encoding/json"

// Decode decodes the arguments of a tool.
func Decode(name string, raw json.RawMessage) (map[string]any, error) {
	return decode(&tools[toolIndex(name)], raw)
}

// ToolNames are the tools in the order in which they are listed.
func ToolNames() []string {
	var names []string
	for _, t := range tools {
		names = append(names, t.name)
	}
	return names
}
