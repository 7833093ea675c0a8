"""Counts of what was found by author, type or year: what tantivy is asked for, and what its answer says."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from graphvine.search.documents import IndexFields
from graphvine.search.errors import UnknownField


def facet_request(names: Sequence[str], fields: IndexFields, size: int, years: range) -> dict[str, Any]:
    """The aggregations for these facets; `year` is that of the field `time`."""
    wanted: dict[str, Any] = {}
    for name in names:
        if name == "year":
            starts = [int(datetime(year, 1, 1, tzinfo=UTC).timestamp()) for year in (*years, years.stop)]
            ranges = [
                {"key": str(year), "from": one, "to": other}
                for year, one, other in zip(years, starts, starts[1:], strict=False)
            ]
            wanted[name] = {"range": {"field": "time", "ranges": ranges}}
        elif name in fields.facets:
            wanted[name] = {"terms": {"field": name, "size": size}}
        else:
            raise UnknownField(name, (*fields.facets, "year"))
    return wanted


def facet_counts(found: Any, names: Sequence[str], years: range) -> dict[str, dict[str, int]]:
    """How many have each value, without the values that nothing has."""
    counted = {name: {one["key"]: one["doc_count"] for one in found[name]["buckets"]} for name in names}
    known = {str(year) for year in years}
    return {
        name: {key: count for key, count in values.items() if count and (name != "year" or key in known)}
        for name, values in counted.items()
    }
