"""Documents with some of the words of a query, asked for in a way that takes tantivy two thirds of the time.

Each word counts by the best of the two fields that it stands in, and by a share of the other. Asked for like that,
tantivy gathers the fields of each word, and then the words. Asked for all words in both fields at once, it gathers
once; the few documents in which a word stands in both fields are then put right. The scores are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from graphvine.search.query_parser import FIRST_TEXT_BOOST, OTHER_FIELDS_COUNT, Asking, Clause

# Where a word is nearly as common in one field as in the other, to put them right costs more than it saves.
_RARER = 4


def some_words(asking: Asking, clauses: Sequence[Clause], having: Callable[[str, str], int]) -> Any:
    """What `Asking.matching` finds without `all_words`. `having`: how many documents have a word in a field."""
    from tantivy import Occur, Query

    if len(asking.texts) != 2 or all(one.excluded for one in clauses):
        return asking.matching(clauses, all_words=False)
    parts: list[Any] = []
    for one in clauses:
        counts = [0, 0]
        if not one.excluded and not one.loose and len(one.words) == 1:
            counts = [having(field, one.words[0]) for field in asking.texts]
        if _RARER * min(counts) > max(counts) or not any(counts):
            parts.append((Occur.MustNot if one.excluded else Occur.Should, asking.clause(one)))
        else:
            parts += [(Occur.Should, part) for part in _parts(asking, one.words[0], counts)]
    return Query.boolean_query(parts)


def _parts(asking: Asking, word: str, counts: Sequence[int]) -> list[Any]:
    """The word in the first field and in the second, and what puts it right where it stands in both."""
    from tantivy import Occur, Query

    first, second = (Query.term_query(asking.schema, field, word, index_option="freq") for field in asking.texts)
    first = Query.boost_query(first, FIRST_TEXT_BOOST)
    if not all(counts):
        return [first] if counts[0] else [second]
    both = Query.boolean_query([(Occur.Must, first), (Occur.Must, second)])
    by_first = Query.boolean_query([(Occur.Must, first), (Occur.Must, Query.const_score_query(second, 0.0))])
    by_second = Query.boolean_query([(Occur.Must, Query.const_score_query(first, 0.0)), (Occur.Must, second)])
    best = Query.disjunction_max_query([by_first, by_second], tie_breaker=0.0)
    # The sum of both is too much by a part of the worse one, which is the sum less the best.
    too_much = 1 - OTHER_FIELDS_COUNT
    return [first, second, Query.boost_query(both, -too_much), Query.boost_query(best, too_much)]
