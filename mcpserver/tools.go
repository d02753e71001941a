package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A tool is one tool of the server. Its call gets decoded arguments and
// returns what is encoded as the result: an object without nil collections.
type tool struct {
	name, title, about string
	params             []param

	readOnly, destructive, idempotent, openWorld bool

	call func(*Server, context.Context, args) (any, error)
}

// describe makes the tool as the protocol lists it.
func (t *tool) describe() *mcp.Tool {
	props := make(map[string]any, len(t.params))
	required := []string{}
	for _, p := range t.params {
		props[p.name] = p.schema()
		if p.required {
			required = append(required, p.name)
		}
	}
	in := map[string]any{"type": "object", "properties": props, "additionalProperties": false}
	if len(required) > 0 {
		in["required"] = required
	}
	return &mcp.Tool{
		Name:         t.name,
		Title:        t.title,
		Description:  strings.TrimSpace(t.about),
		InputSchema:  in,
		OutputSchema: map[string]any{"type": "object", "additionalProperties": true},
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint:    t.readOnly,
			DestructiveHint: &t.destructive,
			IdempotentHint:  t.idempotent,
			OpenWorldHint:   &t.openWorld,
		},
	}
}

// takes lists the arguments, for errors.
func (t *tool) takes() string {
	if len(t.params) == 0 {
		return "it takes none"
	}
	names := make([]string, len(t.params))
	for i, p := range t.params {
		names[i] = p.name
	}
	return "it takes " + strings.Join(names, ", ")
}

func toolIndex(name string) int {
	return slices.IndexFunc(tools, func(t tool) bool { return t.name == name })
}

// success is the result of a call: v, as an object and as its compact text.
func success(v any) *mcp.CallToolResult {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return failure("encode result: " + err.Error())
	}
	data := bytes.TrimSpace(b.Bytes())
	return &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: string(data)}},
		StructuredContent: json.RawMessage(data),
	}
}

// failure is the result of a call that went wrong, for the model to read.
func failure(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{
		Content: []mcp.Content{&mcp.TextContent{Text: text}},
		IsError: true,
	}
}

var (
	filePathParam = param{name: "filePath", about: "Absolute path of a file inside a document root. Either this or source."}
	sourceParam   = param{name: "source", about: "Id of an indexed source, as results give it. Either this or filePath."}
	scopeParam    = param{name: "scope", kind: listArg, about: "Only sources that equal one of these or lie below it: folders or files as absolute paths or as displayPath gives them, or ids. A single string serves too. Default: everything."}
	labelsParam   = param{name: "labels", kind: labelsArg, about: "Only documents with these labels, as {facet: [values]}. Needs a classify.toml."}
	fromParam     = param{name: "dateFrom", about: "Only documents dated YYYY-MM-DD or later. Needs a classify.toml."}
	toParam       = param{name: "dateTo", about: "Only documents dated YYYY-MM-DD or earlier. Needs a classify.toml."}
	titleParam    = param{name: "title", about: "Title for the document. Default: the one it has itself, else the source."}
)

// tools are listed to clients in this order.
var tools = []tool{
	{
		name: "sync_start", title: "Sync Start", idempotent: true, destructive: true,
		call: (*Server).syncStart,
		params: []param{
			{name: "path", about: "Absolute path of a file or folder inside a document root. Default: all roots."},
		},
		about: `
Start to bring the index in line with the files under the document roots, or under one path in them.

The answer is a jobId at once; poll sync_status with it until state is 'succeeded' or 'failed'. New and changed files are indexed, unchanged ones skipped, vanished ones dropped from the index, and a file that only moved keeps its entry.

One sync runs at a time for an index, whichever program started it: while one runs, this fails, says so, and starts nothing. Searching, reading and single-file ingests go on meanwhile. Only the latest job is remembered, and only until the server stops.`,
	},
	{
		name: "sync_status", title: "Sync Status", readOnly: true, idempotent: true,
		call: (*Server).syncStatus,
		params: []param{
			{name: "jobId", required: true, about: "The jobId that sync_start gave."},
		},
		about: `
Report on a sync that sync_start began.

state is 'pending', 'running', 'succeeded' or 'failed'. counts (scanned, ingested, skipped, moved, deleted, relabelled, unreadable, failed) and processed of total grow while it runs. errors names each file or folder that had a problem and why; such a file keeps its earlier entry, if it had one, and does not make the job 'failed'. Only a sync that could not run at all is 'failed', and then error says why.

A folder that could not be looked into (missing, no permission, or an empty folder where a root should be mounted) is among the errors, and nothing under it is dropped from the index. unreadable counts indexed files of a kind that this server cannot read; they are kept as they are.

Only the latest job is known. The id of an older one, or of one from before a restart, is an error.`,
	},
	{
		name: "ingest_file", title: "Ingest File", idempotent: true, destructive: true,
		call: (*Server).ingestFile,
		params: []param{
			{name: "filePath", required: true, about: "Absolute path of a file inside a document root."},
		},
		about: `
Index one file now, or index it again. What the index held for it before is replaced when the new text is ready.

filePath must be an absolute path inside a document root. For a folder, use sync_start.`,
	},
	{
		name: "ingest_data", title: "Ingest Data", idempotent: true, destructive: true,
		call: (*Server).ingestData,
		params: []param{
			{name: "data", required: true, about: "The content."},
			{name: "source", required: true, about: "An id of your choice for it. Not a path."},
			{name: "format", def: "text", enum: []string{"text", "markdown", "html"}, about: "What the content is."},
			titleParam,
		},
		about: `
Index content that you hold (text, markdown or html) under an id of your choice.

source stands for the content from now on and is no path of a file. Using it again replaces what was stored under it, so keep one id for one item.`,
	},
	{
		name: "ingest_url", title: "Ingest Url", idempotent: true, destructive: true, openWorld: true,
		call: (*Server).ingestURL,
		params: []param{
			{name: "url", required: true, about: "Address of the document, http or https."},
			{name: "source", about: "Id to index it under. Default: the address."},
			titleParam,
		},
		about: `
Fetch a document from an http or https address and index it. No other tool uses the network.

Addresses that lead to this machine or to a private network are refused, after redirects too; the user can allow them with ALLOW_PRIVATE_URLS=1. Indexing the same address (or the same source) again replaces the entry.`,
	},
	{
		name: "query_documents", title: "Query Documents", readOnly: true, idempotent: true,
		call: (*Server).query,
		params: []param{
			{name: "query", required: true, about: "The question, or words to look for. A \"phrase in double quotes\" must stand in the passage, -word and -\"a phrase\" must not."},
			{name: "topK", kind: numberArg, def: 8, about: "Most results to return, 1 to 100. More is taken as 100."},
			scopeParam, labelsParam, fromParam, toParam,
			{name: "perDocument", kind: numberArg, about: "Most results from one document while others have some. Default: half of topK, at least 5; -1: no bound."},
		},
		about: `
Search the indexed documents by meaning and by words together; exact names, codes and numbers count.

results are passages, best first: text, source, title, chunkIndex, score, parentId and relevance. score only orders the results of one search. relevance, 0 to 1, estimates whether the passage is about the question at all: if it is below 0.3 for all of them, the documents hardly have an answer; say so. alsoIn lists the other sources that hold nearly the same passage; they have no result of their own. text is the passage that matched; its parentId names the section around it (a chapter, a table, a slide, a stretch of a transcript). Look that up in parents for the whole section before you answer.

sources lists the documents behind the results, best first, each with the number of its hits. To show a document to the user take its displayPath; to pass it to another tool take its source. For "which documents are about this" sources is the answer.

If nothing can match (nothing is indexed, or nothing lies in the scope) notice says so.

Cite what you use, in the language of your answer: end with a Sources list, one line for each document that you used, nothing on it but its displayPath, copied exactly. Plain text: no numbers, no links, no file://.

labels and dateFrom/dateTo narrow the search when the documents are labelled, for which the first document root needs a .minirag/classify.toml; without it they are an error.`,
	},
	{
		name: "read_chunk_neighbors", title: "Read Chunk Neighbors", readOnly: true, idempotent: true,
		call: (*Server).neighbors,
		params: []param{
			{name: "chunkIndex", kind: numberArg, required: true, about: "The chunkIndex of a result."},
			filePathParam, sourceParam,
			{name: "before", kind: numberArg, def: 1, about: "How many passages before it."},
			{name: "after", kind: numberArg, def: 1, about: "How many passages after it."},
		},
		about: `
Read the passages around a result, in the order of the document: before of them ahead of chunkIndex, itself, and after behind it.

Give exactly one of filePath (absolute, inside a document root) and source (as results give it).`,
	},
	{
		name: "read_file", title: "Read File", readOnly: true, idempotent: true,
		call: (*Server).readFile,
		params: []param{
			filePathParam, sourceParam,
			{name: "section", about: "Only this section: the parentId of a result."},
			{name: "heading", about: "Only what stands under this heading, given as its text or as a chain, Chapter > Part; Notes #2 is the second of that name."},
			{name: "fromLine", kind: numberArg, about: "Only from this line on, counted from 1."},
			{name: "toLine", kind: numberArg, about: "Only up to this line."},
			{name: "maxBytes", kind: numberArg, about: "Most bytes of text to return; nextOffset then says where to go on. Default: no bound."},
			{name: "offset", kind: numberArg, about: "The nextOffset of the answer before, with the same other arguments."},
		},
		about: `
Read an indexed document as Markdown, the way it was converted: the whole of it, or a section, what stands under a heading, or lines. A file that has vanished since can still be read.

Give exactly one of filePath (absolute, inside a document root) and source (as results give it). A large document makes a large answer: page through it with maxBytes, or take read_chunk_neighbors for just the surroundings of one result.`,
	},
	{
		name: "list_files", title: "List Files", readOnly: true, idempotent: true,
		call: (*Server).list,
		params: []param{
			scopeParam, labelsParam, fromParam, toParam,
			{name: "sort", enum: []string{"date"}, about: "'date' puts the newest first where documents have dates. Default: by source."},
		},
		about: `
List the files under the document roots and everything else that is indexed, with state:

"ingested": the index has the file as it is. "stale": the file has changed since. "stale_scheme": the model or the way of cutting texts has changed since. "not_ingested": not in the index. "unreadable": indexed, but of a kind that this server cannot read. "missing": indexed, but the file is gone; it can be read and found until the next sync. "unlisted": indexed, but its folder cannot be looked into now.

sync_start brings stale, stale_scheme, not_ingested and missing files in order. Entries that are no files (from ingest_data and ingest_url) are "ingested" or "stale_scheme".

unlistedFolders names each folder that could not be looked into, and what to do about it. labels, dateFrom and dateTo filter as in query_documents.`,
	},
	{
		name: "delete_file", title: "Delete File", idempotent: true, destructive: true,
		call:   (*Server).remove,
		params: []param{filePathParam, sourceParam},
		about: `
Remove a document from the index. The file itself is not touched, and if it stays under a document root the next sync indexes it again.

Give exactly one of filePath (absolute, inside a document root) and source (as results give it).`,
	},
	{
		name: "status", title: "Status", readOnly: true, idempotent: true,
		call: (*Server).status,
		about: `
Report the configuration and the state of the index. It always answers.

version is there in any case. A wrong configuration gives configError, and every other tool fails until it is put right. Else there are roots, dbPath, model, hybridWeight and the counts chunkCount and sourceCount, 0 while nothing is indexed; an index that cannot be opened gives indexError instead of the counts.

staleChunkCount counts passages that were made by another model or by older rules; schemeWarning then says what to do. ocr names the engine that reads scanned pages and pictures, or is "unavailable", with ocrHint. labels is there if the first root has a classify.toml. warnings are about the index as a whole.`,
	},
}
