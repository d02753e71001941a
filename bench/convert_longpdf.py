"""Writes a PDF of N pages of plain text to standard output."""
import random, sys

words = "the pump valve pressure was read at noon and written into the book of the station with date and name".split()
rnd, out, at = random.Random(1), bytearray(b"%PDF-1.4\n"), []


def add(body):
    at.append(len(out))
    out.extend(b"%d 0 obj\n" % len(at) + body + b"\nendobj\n")


n = int(sys.argv[1])
add(b"<</Type/Catalog/Pages 2 0 R>>")
add(b"<</Type/Pages/Count %d/Kids[%s]>>" % (n, b" ".join(b"%d 0 R" % (4 + 2 * i) for i in range(n))))
add(b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
for i in range(n):
    lines = b"".join(b"(%s) '\n" % " ".join(rnd.choices(words, k=15)).encode() for _ in range(45))
    text = b"BT /F1 11 Tf 14 TL 60 760 Td\n" + lines + b"ET"
    add(b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R>>" % (5 + 2 * i))
    add(b"<</Length %d>>stream\n%s\nendstream" % (len(text), text))
xref = len(out)
out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(at) + 1) + b"".join(b"%010d 00000 n \n" % a for a in at)
out += b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(at) + 1, xref)
sys.stdout.buffer.write(out)
