package main

import "slices"

// builtinModel is the public name of the model inside the binary.
const builtinModel = "intfloat/multilingual-e5-small"

// isKnownModel reports whether name is one that a configuration of the Python
// server may have. The built-in model stands in for all of them, so that such
// a configuration goes on working.
func isKnownModel(name string) bool {
	return slices.Contains([]string{
		"BAAI/bge-base-en",
		"BAAI/bge-base-en-v1.5",
		"BAAI/bge-large-en-v1.5",
		"BAAI/bge-small-en",
		"BAAI/bge-small-en-v1.5",
		"BAAI/bge-small-zh-v1.5",
		"Qdrant/clip-ViT-B-32-text",
		"google/embeddinggemma-300m",
		"intfloat/multilingual-e5-large",
		"jinaai/jina-clip-v1",
		"jinaai/jina-embeddings-v2-base-code",
		"jinaai/jina-embeddings-v2-base-de",
		"jinaai/jina-embeddings-v2-base-en",
		"jinaai/jina-embeddings-v2-base-es",
		"jinaai/jina-embeddings-v2-base-zh",
		"jinaai/jina-embeddings-v2-small-en",
		"jinaai/jina-embeddings-v3",
		"mixedbread-ai/mxbai-embed-large-v1",
		"nomic-ai/nomic-embed-text-v1",
		"nomic-ai/nomic-embed-text-v1.5",
		"nomic-ai/nomic-embed-text-v1.5-Q",
		"sentence-transformers/all-MiniLM-L6-v2",
		"sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
		"sentence-transformers/paraphrase-multilingual-mpnet-base-v2",
		"snowflake/snowflake-arctic-embed-l",
		"snowflake/snowflake-arctic-embed-m",
		"snowflake/snowflake-arctic-embed-m-long",
		"snowflake/snowflake-arctic-embed-s",
		"snowflake/snowflake-arctic-embed-xs",
		"thenlper/gte-base",
		"thenlper/gte-large",
	}, name)
}
