"""Embeds 200 texts with ONNX Runtime and Hugging Face's tokenizers, one text at a time.

reference.py FOLDER > reference.jsonl

A line has text, ids and vector. The texts are sentences as they are and in
other forms of Unicode, among them decomposed Russian, and odd ones.
"""
import json
import sys
import unicodedata

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

SENTENCES = [
    "The invoice is due on the first working day of March.",
    "Who approves travel expenses above 500 euros?",
    "Backups run every night at 02:30 and are kept for 35 days.",
    "Set MAX_FILE_SIZE=104857600 in /etc/app.conf, then restart the service!",
    "func (r *Reader) Next() (rune, error) { return r.next(), nil }",
    "An unusually long-winded, semi-colon-laden sentence; it goes on - and on - without saying much.",
    "Счёт нужно оплатить в первый рабочий день марта.",
    "Ёлки зелёные: йод, её, чай, заём и подъём — всё здесь.",
    "Заявление на отпуск подаётся не позднее чем за две недели до его начала.",
    "Какой срок хранения у договоров поставки № 77/2024-Б?",
    "Прайс-лист обновляется ежемесячно, последняя редакция — 15.06.2026.",
    "Кто утверждает командировочные расходы свыше 50 000 ₽?",
    "Сервер перезагружается автоматически, если память занята больше чем на 90 %.",
    "Преступление и наказание, глава первая: «В начале июля…»",
    "Der Schlüssel für die Tür liegt über dem Kühlschrank, größer als nötig.",
    "L'été dernier, nous avons mangé des crêpes à Orléans, près de l'église.",
    "Pingüino y camión: ¿dónde está el niño?",
    "Żółw i gęś poszły łąką do źródła.",
    "Tiếng Việt có nhiều dấu thanh điệu.",
    "東京タワーは1958年に完成した。",
    "发票必须在三月第一天支付。",
    "대한민국의 수도는 서울이다.",
    "Η Αθήνα είναι η πρωτεύουσα της Ελλάδας.",
    "İstanbul'da ılık bir gün, ŞIK bir çağrı.",
    "مرحبا بالعالم، هذا اختبار.",
    "यह एक परीक्षण वाक्य है।",
    "สวัสดีชาวโลก",
    "Reach me at first.last+tag@example.com or https://example.com/a?b=c&d=%20#e.",
    "x² + y² = z², ½ ≈ 0.5, 5 µm, ﬁne ﬂow, ①②③",
    "Emoji: 😀👍🏽 👩‍💻 and a flag 🇫🇷.",
]
ODD = [
    "", " ", "\n\t", "!", "...", "a", "я", "Й", "и\u0306", "\u0306", "e\u0301\u0302", "A" * 99, "b" * 101, "\u00a0nbsp\u00a0",
    "zero\u200bwidth", "soft\u00adhyphen", "\ufeffbom", "tab\tand\rreturn", "nul\x00byte", "\ufffd", "[CLS", "##ing", "_under_score_",
    "ＦＵＬＬ ｗｉｄｔｈ", "ﷺ", "\u3000ideographic\u3000space", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢", "ǅ ǆ", "ßẞ", "1,234,567.89", "№№", "don't can't won't",
    "MiXeD CaSe", "ÀÉÎÕÜ", "й" * 50, "и\u0306" * 50, "word " * 100, "слово " * 60, "3.14.15.92.65", "C++ C# F# .NET",
    "日本語とEnglishとРусский", "a\u0300b\u0301c\u0302", "‘quotes’ “double” «angle»", "—–-‐‑", "℃ ℉ № ™ ©", "\u0001\u0002\u0003", "ab\u0000cd",
    "\u2028line\u2029paragraph", "x" * 30 + " " + "y" * 30, "конец",
]


def texts():
    out = []
    for form in (str, lambda s: unicodedata.normalize("NFD", s), str.upper, lambda s: unicodedata.normalize("NFKC", s).lower() + " " + s):
        out += [form(s) for s in SENTENCES]
    out += [unicodedata.normalize("NFD", a + " " + b) for a, b in zip(SENTENCES, SENTENCES[6:] + SENTENCES[:6])]
    out += ODD
    assert len(out) == 200, len(out)
    return out


def main():
    folder = sys.argv[1]
    tokenizer = Tokenizer.from_file(folder + "/tokenizer.json")
    tokenizer.no_truncation()
    tokenizer.no_padding()
    session = onnxruntime.InferenceSession(folder + "/model.onnx", providers=["CPUExecutionProvider"])
    for text in texts():
        ids = tokenizer.encode(text).ids
        shape = (1, len(ids))
        tokens = session.run(None, {
            "input_ids": np.array([ids], np.int64),
            "attention_mask": np.ones(shape, np.int64),
            "token_type_ids": np.zeros(shape, np.int64),
        })[0][0]
        vector = tokens.mean(axis=0)
        vector /= np.linalg.norm(vector)
        print(json.dumps({"text": text, "ids": ids, "vector": [round(float(v), 7) for v in vector]}))


main()
