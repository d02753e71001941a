"""Runs a command and says its wall time, processor time and peak memory."""
import resource, subprocess, sys, time

start = time.perf_counter()
code = subprocess.call(sys.argv[1:])
wall, use = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
peak = use.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
print(f"wall {wall:.2f} s, processor {use.ru_utime + use.ru_stime:.2f} s, peak {peak:.0f} MiB")
sys.exit(code)
