"""Text analysis, and what people type (with filters) as tantivy queries. Any string has a meaning."""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from graphvine.search.documents import Filters, IndexFields, Kinds, Range
from graphvine.search.errors import SearchError, UnknownField

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

    def add_text(self, document: Any, field: str, given: str) -> bool:
        """Put a text into a document of tantivy's; False where it had to be changed for that."""
        text = clean(given)
        if _is_hard(text):
            document.add_pre_tokenized_text(field, self.thorough.pre_tokenize(text))
        else:
            document.add_text(field, text)
        return text == given


def _is_hard(text: str) -> bool:
    return not text.isascii() and _HARD.search(text) is not None


def _analyzer(tokenizer: Any) -> Any:
    from tantivy import Filter, TextAnalyzerBuilder

    builder = TextAnalyzerBuilder(tokenizer).filter(Filter.lowercase()).filter(Filter.ascii_fold())
    return builder.filter(Filter.remove_long(_MAX_WORD_BYTES)).filter(Filter.stemmer("english")).build()


MAX_QUERY_CHARACTERS = 2000
MAX_CLAUSES = 64
# A shorter word has no typos, only beginnings; a longer one may differ in two letters.
_SHORTEST_TYPO, _LONG_WORD = 4, 8
FIRST_TEXT_BOOST = 2.0
OTHER_FIELDS_COUNT = 0.2
# The kind and the key of the index's own document; no row's kind has a NUL.
BOOKKEEPING = "\0stamp"
_INT64 = range(-(2**63), 2**63)
# A minus excludes only where a word begins: "well-known" is one thing, "-known" another.
_CLAUSE = re.compile(r'(?P<minus>(?<!\S)-)?(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))')


@dataclass(frozen=True, slots=True)
class Clause:
    """One word or phrase of a query, in the index's spelling."""

    words: tuple[str, ...]
    excluded: bool = False
    loose: bool = False  # no document has this word: take words that begin with it, or differ in a letter or two
    typed: str = dataclasses.field(default="", compare=False)


@lru_cache(maxsize=64)
def read_query(query: str, analysis: Analysis) -> tuple[Clause, ...]:
    """Words, "phrases" and -exclusions. What holds no word is passed over; an open quote ends with the text."""
    clauses: list[Clause] = []
    for found in _CLAUSE.finditer(query[:MAX_QUERY_CHARACTERS]):
        words = tuple(analysis.words(found["phrase"] or found["word"] or ""))
        clause = Clause(words, excluded=found["minus"] is not None, typed=found["word"] or "")
        if words and clause not in clauses:
            clauses.append(clause)
    return tuple(clauses[:MAX_CLAUSES])


class Asking:
    """Builds queries for one schema."""

    def __init__(self, schema: Any, fields: IndexFields) -> None:
        self.schema, self.texts, self._fields = schema, fields.texts, fields

    def matching(self, clauses: Sequence[Clause], *, all_words: bool) -> Any:
        """Documents with all, or any, of the wanted clauses and none of the excluded ones."""
        from tantivy import Occur, Query

        wanted = Occur.Must if all_words else Occur.Should
        parts = [(Occur.MustNot if one.excluded else wanted, self.clause(one)) for one in clauses]
        if all(one.excluded for one in clauses):
            parts.append((Occur.Must, Query.all_query()))
        return Query.boolean_query(parts)

    def restricting(self, kind: Kinds, filters: Filters | None, *, worded: bool = False) -> list[tuple[Any, Any]]:
        """What every hit must satisfy besides, without a say in its score. `worded`: it has a word or a vector."""
        from tantivy import Occur, Query

        parts = [] if kind is None else [self._any_of("kind", [kind] if isinstance(kind, str) else kind)]
        given = (filters or {}).items()
        parts += [self._filter(name, value) for name, value in given if not name.startswith("-")]
        restricted = [(Occur.Must, Query.const_score_query(part, 0.0)) for part in parts]
        excluded = [(Occur.MustNot, self._filter(name[1:], value)) for name, value in given if name.startswith("-")]
        # The index's own document has none of these. To leave it out of all that common words find takes its time.
        if worded or any(name != "seq" and not name.startswith("-") for name, _ in given):
            return [*restricted, *excluded]
        return [*restricted, *excluded, (Occur.MustNot, Query.term_query(self.schema, "kind", BOOKKEEPING))]

    def restriction(self, kind: Kinds, filters: Filters | None, *others: Any) -> Any:
        """The same as a query of its own, with others, for words or vectors, that must match too."""
        from tantivy import Occur, Query

        parts = [*((Occur.Must, other) for other in others), *self.restricting(kind, filters, worded=bool(others))]
        if not any(occur == Occur.Must for occur, _ in parts):
            parts.append((Occur.Must, Query.all_query()))
        return Query.boolean_query(parts)

    def sort_field(self, sort: str) -> tuple[str, bool]:
        """The field's name, and whether the largest come first."""
        name = sort.removeprefix("-")
        known = (*self._fields.numbers, "seq")
        if name not in known:
            raise UnknownField(name, ("relevance", *known))
        return name, sort.startswith("-")

    def clause(self, clause: Clause) -> Any:
        """Documents with this word or phrase: the best field counts, and a share of the others."""
        from tantivy import Query

        by_field = []
        for position, field in enumerate(self.texts):
            if clause.loose:
                query = self._like(field, clause.words[0])
            elif len(clause.words) == 1:
                query = Query.term_query(self.schema, field, clause.words[0], index_option="freq")
            else:
                query = Query.phrase_query(self.schema, field, list(clause.words))
            by_field.append(query if position else Query.boost_query(query, FIRST_TEXT_BOOST))
        return Query.disjunction_max_query(by_field, tie_breaker=OTHER_FIELDS_COUNT)

    def _like(self, field: str, word: str) -> Any:
        from tantivy import Occur, Query

        distance = 1 if len(word) < _LONG_WORD else 2
        ways = [Query.fuzzy_term_query(self.schema, field, word, distance=0, prefix=True)]
        if len(word) >= _SHORTEST_TYPO:
            ways.append(Query.fuzzy_term_query(self.schema, field, word, distance=distance))
        return Query.boolean_query([(Occur.Should, way) for way in ways])

    def _filter(self, name: str, value: object) -> Any:
        if name in (*self._fields.words, "id"):
            values = [value] if isinstance(value, str) else value
            if not isinstance(values, Sequence) or not all(isinstance(one, str) for one in values):
                raise SearchError(f"the filter {name!r} takes a text or several, not {value!r}")
            return self._any_of(name, values)
        if name not in (*self._fields.numbers, "seq"):
            raise UnknownField(name, ("id", *self._fields.words, *self._fields.numbers, "seq"))
        if isinstance(value, Range):
            return self._within(name, value)
        given: Sequence[object] = value if isinstance(value, Sequence) else [value]
        numbers = [one for one in given if isinstance(one, int) and not isinstance(one, bool)]
        if len(numbers) != len(given):
            raise SearchError(f"the filter {name!r} takes a number, several, or a Range, not {value!r}")
        return self._any_of(name, [one for one in numbers if one in _INT64])

    def _any_of(self, name: str, values: Sequence[str | int]) -> Any:
        from tantivy import Query

        encodable = [
            one if isinstance(one, int) or one.isascii() else one.encode("utf-8", "replace").decode() for one in values
        ]
        if len(encodable) == 1:  # no set to build
            return Query.term_query(self.schema, name, encodable[0], index_option="basic")
        return Query.term_set_query(self.schema, name, encodable) if encodable else Query.empty_query()

    def _within(self, name: str, within: Range) -> Any:
        from tantivy import FieldType, Query

        lowest = _INT64[0] if within.minimum is None else within.minimum
        highest = _INT64[-1] if within.maximum is None else within.maximum
        if lowest > highest or lowest > _INT64[-1] or highest < _INT64[0]:
            return Query.empty_query()
        bounds = max(lowest, _INT64[0]), min(highest, _INT64[-1])
        return Query.range_query(self.schema, name, FieldType.Integer, *bounds)
