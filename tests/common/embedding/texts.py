"""Texts that have made trouble for tokenizers, and some that have not."""

from __future__ import annotations

PLAIN = [
    "A knowledge graph keeps facts as nodes and the relations between them.",
    "Wine is made from fermented grapes.",
    "The queue hands each row to one worker, and takes it back when the worker falls silent.",
    "Vines are grown on slopes that face the sun.",
]
WILD = [
    "",
    " ",
    "\n\t\r",
    "\0",
    "a",
    "The quick brown fox",
    "THE QUICK BROWN FOX",
    "Gödel, Escher, Bach: an Eternal Golden Braid",
    "知識グラフは事実を表す。",
    "граф знаний",
    "ความรู้",
    "\u200b\u200d\ufeff",
    "e\u0301 versus \u00e9",
    "\U0001d400\U0001d401 \U00020000",
    "[CLS] [SEP] [PAD] [MASK] [UNK]",
    "x" * 500,
    "word " * 1000,
    " " * 200_000 + "at the end",
    "lone \ud800 surrogate",
]
