"""What the engines written in Python share: the loop that answers the driver, run.py.

An engine reads requests from standard input, one JSON object a line, and answers each with one:

  {"op": "embed", "length": L, "texts": N}                the vectors of the first N texts of L tokens
  {"op": "time", "length": L, "batch": B, "seconds": S}   how many tokens took how long, working through
                                                          the pool in batches of B texts for at least S seconds

The pools come from a file: {"16": [{"text": without prefix, "ids": with prefix and special tokens}, ...], ...}.
Its first line says that it is ready and what it is.
"""
import json
import os
import sys
import time


def serve(embed, **about):
    """embed takes a list of the pool's entries and returns their vectors, of length 1, as a float32 array."""
    pools = json.load(open(sys.argv[1]))
    answers = os.fdopen(os.dup(1), "w")  # libraries may print
    os.dup2(2, 1)

    def answer(**o):
        answers.write(json.dumps(o) + "\n")
        answers.flush()

    answer(**about)
    for line in sys.stdin:
        r = json.loads(line)
        pool = pools[str(r["length"])]
        if r["op"] == "embed":
            answer(vectors=[v.tolist() for e in pool[:r["texts"]] for v in embed([e])])
            continue
        tokens = at = 0
        wall, cpu = time.perf_counter(), time.process_time()
        while time.perf_counter() - wall < r["seconds"]:
            batch = [pool[(at + i) % len(pool)] for i in range(r["batch"])]
            at += r["batch"]
            embed(batch)
            tokens += sum(len(e["ids"]) for e in batch)
        answer(tokens=tokens, seconds=time.perf_counter() - wall, cpu=time.process_time() - cpu)
