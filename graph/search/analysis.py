"""How texts become words: the same way for what is indexed and for what is asked."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

ANALYZER = "graphvine"
MAX_TEXT_CHARACTERS = 1_000_000
_MAX_WORD_BYTES = 80
# Scripts that put no spaces between words: each character is a word, and a run of them a phrase.
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_WORDS = rf"[{_UNSPACED}]|[\p{{L}}\p{{N}}\p{{M}}--[{_UNSPACED}]]+"
# Where the plain splitter, nearly twice as fast, would go wrong: those scripts, and letters with marks of their own.
_HARD = re.compile(
    "[\u0300-\u036f\u0590-\u05ff\u0610-\u06ff\u0900-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
    "\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff]"
)


def clean(text: str) -> str:
    """Text that UTF-8 can carry, composed, and of bounded length."""
    text = text[:MAX_TEXT_CHARACTERS]
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", text.encode("utf-8", "replace").decode("utf-8"))


class Analysis:
    """Splits, lowers, folds accents and stems."""

    def __init__(self) -> None:
        from tantivy import Tokenizer

        self.plain = _analyzer(Tokenizer.simple())
        self.thorough = _analyzer(Tokenizer.regex(_WORDS))

    def words(self, text: str) -> list[str]:
        """The words of a piece of a query, as they stand in the index."""
        text = clean(text)
        return list((self.thorough if _is_hard(text) else self.plain).analyze(text))

    def add_text(self, document: Any, field: str, text: str) -> None:
        """Put a text into a document of tantivy's."""
        text = clean(text)
        if _is_hard(text):
            document.add_pre_tokenized_text(field, self.thorough.pre_tokenize(text))
        else:
            document.add_text(field, text)


def _is_hard(text: str) -> bool:
    return not text.isascii() and _HARD.search(text) is not None


def _analyzer(tokenizer: Any) -> Any:
    from tantivy import Filter, TextAnalyzerBuilder

    builder = TextAnalyzerBuilder(tokenizer).filter(Filter.lowercase()).filter(Filter.ascii_fold())
    return builder.filter(Filter.remove_long(_MAX_WORD_BYTES)).filter(Filter.stemmer("english")).build()
