package mcpserver

import (
	"github.com/minirag/minirag"
	"github.com/minirag/minirag/mcpserver/wire"
)

// The results of the tools. Names and order of the keys are the wire format.
type (
	ingestResult struct {
		Source     string   `json:"source"`
		ChunkCount int      `json:"chunkCount"`
		Title      string   `json:"title"`
		Warnings   []string `json:"warnings,omitempty"`
	}

	startResult struct {
		JobID string `json:"jobId"`
	}

	// statusResult has the counts if the index could be opened.
	statusResult struct {
		Version      string   `json:"version"`
		Roots        []string `json:"roots"`
		DBPath       string   `json:"dbPath"`
		Model        string   `json:"model"`
		Kernel       string   `json:"kernel,omitempty"`
		Threads      int      `json:"threads,omitempty"`
		HybridWeight *float64 `json:"hybridWeight"`
		ChunkScheme  int      `json:"chunkScheme"`
		OCR          string   `json:"ocr"`
		OCRHint      string   `json:"ocrHint,omitempty"`
		IndexError   string   `json:"indexError,omitempty"`
		IndexNotice  string   `json:"indexNotice,omitempty"`
		*counts
		Labels   *labelsState `json:"labels,omitempty"`
		Warnings []string     `json:"warnings,omitempty"`
	}

	counts struct {
		ChunkCount      int    `json:"chunkCount"`
		SourceCount     int    `json:"sourceCount"`
		StaleChunkCount int    `json:"staleChunkCount"`
		SchemeWarning   string `json:"schemeWarning,omitempty"`
		Budget          int    `json:"chunkTokenBudget,omitempty"`
	}

	labelsState struct {
		File  string `json:"file"`
		Error string `json:"error"`
	}

	configErrorResult struct {
		Version     string `json:"version"`
		ConfigError string `json:"configError"`
	}

	jobRecord struct {
		JobID      string       `json:"jobId"`
		State      string       `json:"state"`
		StartedAt  string       `json:"startedAt"`
		FinishedAt *string      `json:"finishedAt"`
		Counts     wire.Counts  `json:"counts"`
		Errors     []wire.Error `json:"errors"`
		Error      *string      `json:"error"`
		Processed  int          `json:"processed"`
		Total      int          `json:"total"`
	}
)

func ingested(src *minirag.Source) ingestResult {
	return ingestResult{Source: src.ID, ChunkCount: src.Chunks, Title: src.Title, Warnings: src.Warnings}
}
