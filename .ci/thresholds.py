"""Compares the result of the conversion corpus with .ci/thresholds."""
import json
import sys

result, thresholds = sys.argv[1:]
with open(result, encoding="utf-8") as f:
    formats = json.load(f)["formats"]
failed = False
with open(thresholds, encoding="utf-8") as f:
    for line in f:
        if not line.strip() or line.startswith("#"):
            continue
        name, least = line.split()
        got = formats[name]
        share = 100 * got["passed"] / max(1, got["total"])
        print(f"{name:8} {got['passed']:5}/{got['total']:<5} {share:6.1f} %  at least {least} %")
        failed = failed or share < float(least)
sys.exit(failed)
