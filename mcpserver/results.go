package mcpserver

import "github.com/minirag/minirag"

// The results of the tools. Names and order of the keys are the wire format.
type (
	ingestResult struct {
		Source     string   `json:"source"`
		ChunkCount int      `json:"chunkCount"`
		Title      string   `json:"title"`
		Warnings   []string `json:"warnings,omitempty"`
	}

	row struct {
		Text       string   `json:"text"`
		Source     string   `json:"source"`
		Title      string   `json:"title"`
		ChunkIndex int      `json:"chunkIndex"`
		Score      float64  `json:"score"`
		Distance   *float64 `json:"distance"`
		ParentID   *string  `json:"parentId"`
	}

	sourceRow struct {
		Source      string `json:"source"`
		Title       string `json:"title"`
		Hits        int    `json:"hits"`
		DisplayPath string `json:"displayPath"`
	}

	queryResult struct {
		Results []row             `json:"results"`
		Sources []sourceRow       `json:"sources"`
		Parents map[string]string `json:"parents"`
		Notice  string            `json:"notice,omitempty"`
	}

	neighborsResult struct {
		Chunks []row  `json:"chunks"`
		Notice string `json:"notice,omitempty"`
	}

	readResult struct {
		Source     string   `json:"source"`
		SourceType string   `json:"sourceType"`
		Title      string   `json:"title"`
		ChunkCount int      `json:"chunkCount"`
		Text       string   `json:"text"`
		Warnings   []string `json:"warnings,omitempty"`
	}

	fileRow struct {
		Source     string   `json:"source"`
		SourceType string   `json:"sourceType"`
		Title      string   `json:"title"`
		State      string   `json:"state"`
		ChunkCount int      `json:"chunkCount"`
		OCREngine  string   `json:"ocrEngine"`
		Warnings   []string `json:"warnings,omitempty"`
	}

	folderRow struct {
		Path         string  `json:"path"`
		Error        *string `json:"error"`
		IndexedCount int     `json:"indexedCount"`
		Message      string  `json:"message"`
	}

	listResult struct {
		Files           []fileRow   `json:"files"`
		UnlistedFolders []folderRow `json:"unlistedFolders"`
	}

	deleteResult struct {
		Source        string `json:"source"`
		DeletedChunks int    `json:"deletedChunks"`
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

	jobCounts struct {
		Scanned    int `json:"scanned"`
		Ingested   int `json:"ingested"`
		Skipped    int `json:"skipped"`
		Moved      int `json:"moved"`
		Deleted    int `json:"deleted"`
		Relabelled int `json:"relabelled"`
		Unreadable int `json:"unreadable"`
		Failed     int `json:"failed"`
	}

	jobError struct {
		Source string `json:"source"`
		Error  string `json:"error"`
	}

	jobRecord struct {
		JobID      string     `json:"jobId"`
		State      string     `json:"state"`
		StartedAt  string     `json:"startedAt"`
		FinishedAt *string    `json:"finishedAt"`
		Counts     jobCounts  `json:"counts"`
		Errors     []jobError `json:"errors"`
		Error      *string    `json:"error"`
		Processed  int        `json:"processed"`
		Total      int        `json:"total"`
	}
)

func ingested(src *minirag.Source) ingestResult {
	return ingestResult{Source: src.ID, ChunkCount: src.Chunks, Title: src.Title, Warnings: src.Warnings}
}

// makeRow shapes a hit. The hits' sections are added to parents, if it is not nil.
func makeRow(h *minirag.Hit, parents map[string]string) row {
	r := row{Text: h.Text, ChunkIndex: h.Index, Score: h.Score, Distance: h.Distance}
	if h.Source != nil {
		r.Source, r.Title = h.Source.ID, h.Source.Title
	}
	if h.Section != nil {
		r.ParentID = &h.Section.ID
		if parents != nil {
			parents[h.Section.ID] = h.Section.Text
		}
	}
	return r
}
