"""Measures LanceDB as stores.go measures the others: python run_lancedb.py N DIR [BATCH]

BATCH chunks are one commit: 10,000, or 10 for a commit of each document, which
is how minirag-mcp 1.0.0 uses it. The table is compacted before it is asked.
"""

import resource
import shutil
import sys
import time

import lancedb
import numpy as np
import pyarrow as pa
from lancedb.index import FTS

DIMS, LIMIT, WARM = 384, 100, 10


def cpu():
    u = resource.getrusage(resource.RUSAGE_SELF)
    return u.ru_utime + u.ru_stime


def read(folder, name):
    with open(f"{folder}/{name}.txt") as f:
        lines = f.read().splitlines()
    return lines, np.fromfile(f"{folder}/{name}.f32", dtype=np.float32).reshape(-1, DIMS)


def main():
    n, folder = int(sys.argv[1]), sys.argv[2]
    batch = int(sys.argv[3]) if len(sys.argv) > 3 else 10_000
    chunks, vectors = read(folder, "chunks")
    asked, asked_vectors = read(folder, "questions")
    shutil.rmtree(f"{folder}/lancedb", ignore_errors=True)
    start, used = time.time(), cpu()
    db = lancedb.connect(f"{folder}/lancedb")
    schema = pa.schema([
        ("id", pa.string()), ("source", pa.string()), ("title", pa.string()), ("chunk_index", pa.int32()),
        ("text", pa.string()), ("vector", pa.list_(pa.float32(), DIMS)),
    ])
    table = db.create_table("chunks", schema=schema)
    for at in range(0, n, batch):
        part = [line.split("\t") for line in chunks[at:at + batch]]
        numbers = range(at, at + len(part))
        flat = pa.array(vectors[at:at + len(part)].reshape(-1))
        table.add(pa.table([
            [f"doc-{i // 10}#{i % 10}" for i in numbers], [f"doc-{i // 10}" for i in numbers], [p[0] for p in part],
            pa.array([i % 10 for i in numbers], pa.int32()), [p[1] for p in part], pa.FixedSizeListArray.from_arrays(flat, DIMS),
        ], schema=schema))
    for column in ("text", "title"):
        table.create_index(column, config=FTS())
    table.optimize()
    print(f"lancedb  {n:7d} chunks in commits of {batch}, ingest   {time.time() - start:8.2f} s, {cpu() - used:8.2f} s of processor time", flush=True)

    def words(i):
        return table.search(asked[i], query_type="fts").limit(LIMIT).select(["id", "_score"]).to_arrow().num_rows

    def near(i):
        return table.search(asked_vectors[i], query_type="vector").limit(LIMIT).select(["id", "_distance"]).to_arrow().num_rows

    def hybrid(i):
        return words(i) + near(i)

    for name, ask in (("words", words), ("vectors", near), ("hybrid", hybrid)):
        times = []
        for i in range(len(asked)):
            if i == WARM:
                used = cpu()
            start = time.perf_counter()
            assert ask(i) > 0
            if i >= WARM:
                times.append(1000 * (time.perf_counter() - start))
        used = 1000 * (cpu() - used) / len(times)
        times.sort()
        print(f"lancedb  {n:7d} chunks, {name:8s} least {times[0]:7.2f}  p50 {times[len(times) // 2]:7.2f}  p95 {times[len(times) * 95 // 100]:7.2f} ms; "
              f"processor time {used:.2f} ms per query", flush=True)


if __name__ == "__main__":
    main()
