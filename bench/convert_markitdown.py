"""Converts every document below a folder with markitdown; the counterpart of convert.go."""
import os, re, signal, sys, time, warnings

warnings.filterwarnings("ignore")
from markitdown import MarkItDown

root, skip, limit = sys.argv[1], re.compile(sys.argv[2]), int(sys.argv[3])


def late(*_):
    raise TimeoutError


signal.signal(signal.SIGALRM, late)
conv, sums = MarkItDown(), {}
for folder, _, names in os.walk(root):
    for name in sorted(names):
        if skip.search(name):
            continue
        start, failed, size = time.perf_counter(), 0, 0
        signal.alarm(limit)
        try:
            size = len(conv.convert(os.path.join(folder, name)).text_content.encode("utf-8", "replace"))
        except BaseException as e:
            if isinstance(e, KeyboardInterrupt):
                raise
            failed = 1
        signal.alarm(0)
        spent = time.perf_counter() - start
        for key in (os.path.splitext(name)[1].lower(), "all"):
            s = sums.setdefault(key, [0, 0, 0, 0.0])
            for i, v in enumerate((1, failed, size, spent)):
                s[i] += v
for key, (files, failed, size, spent) in sorted(sums.items()):
    print(f"{key:10} {files:4} files {failed:3} refused {size:9} bytes out {spent:8.2f} s {files / spent:8.1f} documents/s")
