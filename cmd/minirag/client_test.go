package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/minirag/minirag/internal/testcorpus"
)

// TestClientOverStdio lets the SDK's client use the command as its server.
func TestClientOverStdio(t *testing.T) {
	root := testcorpus.Write(t, map[string]string{
		"expenses.md": "# Expenses\n\n## Deadlines\n\nAn expense report is filed within ten days.\n",
		"parking.txt": "The garage opens at seven.\n",
	})
	cmd := exec.CommandContext(t.Context(), "minirag")
	cmd.Env = append(os.Environ(), "BASE_DIR="+root, "DB_PATH="+filepath.Join(t.TempDir(), "index"), "CACHE_DIR="+t.TempDir())
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, nil).
		Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	call := func(tool string, args map[string]any) map[string]any {
		t.Helper()
		res, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil || res.IsError {
			t.Fatalf("%s: %v %+v", tool, err, res)
		}
		var out map[string]any
		if err := json.Unmarshal([]byte(res.Content[0].(*mcp.TextContent).Text), &out); err != nil {
			t.Fatalf("%s: %v", tool, err)
		}
		return out
	}
	job := call("sync_start", nil)["jobId"]
	status := call("sync_status", map[string]any{"jobId": job})
	for status["state"] == "pending" || status["state"] == "running" {
		status = call("sync_status", map[string]any{"jobId": job})
	}
	if counts, _ := status["counts"].(map[string]any); status["state"] != "succeeded" || counts["ingested"] != 2.0 {
		t.Fatalf("sync ended with %v", status)
	}
	answer := call("query_documents", map[string]any{"query": "when must an expense report be filed?"})
	hit := answer["results"].([]any)[0].(map[string]any)
	if hit["source"] != filepath.Join(root, "expenses.md") {
		t.Errorf("the first hit is %v", hit)
	}
	section := answer["parents"].(map[string]any)[hit["parentId"].(string)]
	if want := "# Expenses\n\n## Deadlines\n\nAn expense report is filed within ten days."; section != want {
		t.Errorf("the section is %q, want %q", section, want)
	}
	text := call("read_file", map[string]any{"filePath": hit["source"]})
	if want := "# Expenses\n\n## Deadlines\n\nAn expense report is filed within ten days.\n"; text["text"] != want {
		t.Errorf("read_file gives %q, want %q", text["text"], want)
	}
}
