"""A name in backticks does not keep a list from being handed over as columns."""

from __future__ import annotations

from graphvine.engines.columns import as_columns


def test_a_quoted_name_is_a_name() -> None:
    text = "UNWIND $rows AS r WITH r.`index` AS `index`, r.id AS id CREATE (:Row {`index`: `index`, id: id})"
    made = as_columns(text, {"rows": [{"index": 1, "id": None}]})
    assert made is not None
    assert made[0].startswith("LOAD FROM $rows WITH column_index AS `index`, NULL AS id")
