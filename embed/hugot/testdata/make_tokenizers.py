"""Writes tokenizers.json: small tokenizers with the ids that Hugging Face's tokenizers (0.23.3) gives.

Run it in this folder; it needs the package tokenizers.
"""
import json

from tokenizers import Tokenizer

LETTERS = "abcdefghijklmnopqrstuvwxyzабвгдежзийклмнопрстуфхцчшщъыьэюя"
WORDPIECE = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "##able", "ab", "##le", "run", "##ning", "Run", "CAFE", "café", "cafe", "ёлка", "елка", "й", "中", "##文",
             "i", "##\u0307", "(", ")", "-", ".", ",", "!", "?", "$", "§", "+"] + [p + c for c in LETTERS for p in ("", "##")]
WORDPIECE = list(dict.fromkeys(WORDPIECE))
UNIGRAM = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -2.0), ("▁un", -3.0), ("able", -3.5), ("▁run", -3.2), ("ning", -3.7), ("▁при", -4.0),
           ("вет", -4.1), ("▁▁", -5.0), ("a▁", -6.0), (".", -2.5), (",", -2.6), ("\n", -7.0), ("\t", -7.1)] + [(c, -5.0 - i / 50) for i, c in enumerate(LETTERS)]

TEXTS = ["", " ", "  ", "unable running", "Unable RUNNING.", "  two  spaces   and  more ", "привет, мир", "Ёлка и ёлка", "Café CAFÉ cafe\u0301", "й и\u0306", "中文 text",
         "a\tb\nc\r\nd", "tail ", " head", "▁mark a▁b", "zero\u200bwidth soft\u00adhyphen", "\u00a0nbsp\u00a0x", "\u3000x\u3000", "İi", "ΑΣ", "(a)-b+c$d§e!?", "x" * 12, "a" * 11,
         "\u0000n\u0001", "\ufffd", "e\u0301\u0302", "run▁ning", "a\u2028b", "AbC dEf", "un able"]


def template(first, last, ids):
    single = [{"SpecialToken": {"id": t, "type_id": 0}} for t in [first] if t] + [{"Sequence": {"id": "A", "type_id": 0}}] + \
        [{"SpecialToken": {"id": t, "type_id": 0}} for t in [last] if t]
    names = [t for t in (first, last) if t]
    return {"type": "TemplateProcessing", "single": single, "pair": single + [{"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {t: {"id": t, "ids": [ids[t]], "tokens": [t]} for t in names}}


def wordpiece(post="template", rune_limit=100, **bert):
    ids = {t: i for i, t in enumerate(WORDPIECE)}
    post = template("[CLS]", "[SEP]", ids) if post == "template" else \
        {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]} if post == "bert" else None
    return build(WORDPIECE[:4], {"type": "BertNormalizer", **bert}, {"type": "BertPreTokenizer"}, post,
                 {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": rune_limit, "vocab": ids})


def unigram(normalizer, pre, post=True):
    ids = {t: i for i, (t, _) in enumerate(UNIGRAM)}
    return build([t for t, _ in UNIGRAM[:4]], normalizer, pre, template("<s>" if post is True else None, "</s>", ids),
                 {"type": "Unigram", "unk_id": 3, "byte_fallback": False, "vocab": UNIGRAM})


def build(special, normalizer, pre, post, model):
    added = [{"id": i, "content": t, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True} for i, t in enumerate(special)]
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": normalizer, "pre_tokenizer": pre,
            "post_processor": post, "decoder": None, "model": model}


def sequence(kind, *steps):
    return {"type": "Sequence", kind: list(steps)}


METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
FIRST = {**METASPACE, "prepend_scheme": "first"}
COLLAPSE = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
MARK = {**COLLAPSE, "content": "▁"}
TRIM = {"type": "Strip", "strip_left": False, "strip_right": True}

TOKENIZERS = {
    "WordPiece uncased": wordpiece(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True),
    "WordPiece cased": wordpiece(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=False, post="bert"),
    "WordPiece with accents": wordpiece(clean_text=True, handle_chinese_chars=True, strip_accents=False, lowercase=True),
    "WordPiece cased without accents": wordpiece(clean_text=True, handle_chinese_chars=False, strip_accents=True, lowercase=False),
    "WordPiece unclean": wordpiece(clean_text=False, handle_chinese_chars=True, strip_accents=None, lowercase=True, post=None),
    "WordPiece of short words": wordpiece(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True, rune_limit=11),
    "Unigram": unigram(None, METASPACE),
    "Unigram, first": unigram(None, FIRST, post="end"),
    "Unigram, spaces collapsed": unigram(sequence("normalizers", COLLAPSE), METASPACE),
    "Unigram, spaces collapsed and trimmed": unigram(sequence("normalizers", TRIM, MARK), METASPACE),
    "Unigram, words": unigram(None, sequence("pretokenizers", {"type": "WhitespaceSplit"}, METASPACE)),
    "Unigram, words of collapsed text": unigram(COLLAPSE, sequence("pretokenizers", {"type": "WhitespaceSplit"}, METASPACE)),
}

out = []
for name, spec in TOKENIZERS.items():
    t = Tokenizer.from_str(json.dumps(spec))
    out.append({"name": name, "tokenizer": spec, "cases": [{"text": text, "ids": t.encode(text).ids} for text in TEXTS]})
with open("tokenizers.json", "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(o, ensure_ascii=True) for o in out) + "\n]\n")
