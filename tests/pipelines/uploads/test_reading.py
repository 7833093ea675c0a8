"""Files as items: every form and packing, from every place on, with faults kept in their places."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphvine.workers.uploads.decode import Fault, Place
from graphvine.workers.uploads.errors import FileFault
from graphvine.workers.uploads.reader import Items
from tests.pipelines.uploads.making import as_array, as_lines, items, packed, small, write, zstd

GOOD = items(60)
FORMS = {
    "array": as_array(GOOD),
    "pretty array": as_array(GOOD, indent=2),
    "one item a line": b"[\n" + b",\n".join(json.dumps(item).encode() for item in GOOD) + b"\n]\n",
    "commas in front": b"[" + b"\r\n , ".join(json.dumps(item).encode() for item in GOOD) + b"]",
    "lines": as_lines(GOOD),
    "lines with blanks": b"\n \n" + as_lines(GOOD).replace(b"\n", b"\r\n\r\n") + b"  ",
    "lines without an end": as_lines(GOOD).rstrip(),
}


def read(path: Path, **given: Any) -> list[Any]:
    with Items(path, small(**given)) as found:
        return [item for part in found.values() for item in part.items]


def readable(values: list[Any]) -> list[Any]:
    return [value for value in values if not isinstance(value, Fault)]


@pytest.mark.parametrize("way", ["plain", "gzip", "zstd"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["bare", "BOM"])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_and_packing(tmp_path: Path, form: str, mark: bytes, way: str) -> None:
    path = write(tmp_path, packed(mark + FORMS[form], way), "no-name-tells")
    for chunk in (16, 300, 100_000):
        assert read(path, chunk_bytes=chunk) == GOOD


@pytest.mark.parametrize("indent", [None, 2])
def test_one_object(tmp_path: Path, indent: int | None) -> None:
    path = write(tmp_path, json.dumps(GOOD[0], indent=indent).encode() + b"\n\n")
    assert read(path) == [GOOD[0]]


@pytest.mark.parametrize("way", ["plain", "gzip", "zstd"])
@pytest.mark.parametrize("form", FORMS)
def test_from_every_place_the_rest_is_read(tmp_path: Path, form: str, way: str) -> None:
    path = write(tmp_path, packed(FORMS[form], way))
    with Items(path, small()) as found:
        batches = list(found.batches(Place()))
        assert [index for batch in batches for index in batch.indexes] == list(range(60))
        assert len(batches) > 5
        for number, batch in enumerate(batches):
            rest = [item for later in found.batches(batch.next) for item in later.items]
            assert rest == [item for later in batches[number + 1 :] for item in later.items]
        wanted = [(batch.indexes[place], *batch.parts[place]) for batch in batches for place in (0, -1)]
        chosen = found.chosen(sorted(set(wanted)))
        assert chosen.items == [GOOD[index] for index in chosen.indexes]
        assert chosen.indexes == sorted({index for index, _, _ in wanted})


def test_what_begins_with_little_grows_to_what_is_usual(tmp_path: Path) -> None:
    path = write(tmp_path, FORMS["array"])
    with Items(path, small(items_at_once=16, bytes_at_once=1 << 20)) as found:
        assert [len(batch.items) for batch in found.batches(Place(), 2)] == [2, 4, 8, 16, 16, 14]
        assert [len(batch.items) for batch in found.batches(Place(), 99)] == [16, 16, 16, 12]


# Whatever JSON there is.
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(st.lists(values, min_size=1, max_size=12), st.integers(1, 40), st.booleans(), st.sampled_from([None, 1]))
def test_any_values_come_back(
    tmp_path_factory: pytest.TempPathFactory, given_values: list[Any], chunk: int, ascii_only: bool, indent: int | None
) -> None:
    folder = tmp_path_factory.getbasetemp()
    text = json.dumps(given_values, ensure_ascii=ascii_only, indent=indent)
    array = write(folder, text.encode("utf-8", "surrogatepass"), "array")
    assert_same(read(array, chunk_bytes=chunk), given_values)
    lines = [{"id": 1}, *given_values]
    text = "".join(json.dumps(value, ensure_ascii=ascii_only) + "\n" for value in lines)
    assert_same(read(write(folder, text.encode("utf-8", "surrogatepass"), "lines"), chunk_bytes=chunk), lines)


@given(
    st.lists(st.sampled_from([b"", b" ", b" " * 90, b"\t\r", b'{"id": 1}', b"tru", b"1 2", b"{}{}", b"[1,", b"2]", b'"' + b"x" * 80 + b'"', b"\xff", b"\x0c"])),
    st.integers(1, 40), st.booleans(),
)  # fmt: skip
def test_counting_finds_what_reading_finds(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], chunk: int, ended: bool
) -> None:
    text = b"\n".join([b'{"id": 1}', *lines]) + b"\n" * ended
    path = write(tmp_path_factory.getbasetemp(), text, "counted")
    settings = small(chunk_bytes=chunk, max_item_size=60)
    with Items(path, settings) as counted, Items(path, settings) as read_through:
        assert sum(count for _, count in counted.counts()) == sum(len(part.items) for part in read_through.parts())


@pytest.mark.parametrize("first", [
    b"[]", b"[1]", b"[" * 60 + b"]" * 60, b'{"a":' * 40 + b"1" + b"}" * 40, b'{"x": "' + b"x" * 300_000 + b'"}',
], ids=["empty list", "list", "deep list", "deep object", "long object"])  # fmt: skip
@pytest.mark.parametrize("second", [b"null", b"[]", b'{"id": 7}'])
def test_a_bad_first_line_is_one_bad_item(tmp_path: Path, first: bytes, second: bytes) -> None:
    path = write(tmp_path, b"\n".join([first, second, *as_lines(GOOD).splitlines()]) + b"\n")
    with Items(path, small(max_item_size=100_000)) as found:
        assert found.form.format == "lines"
        assert sum(count for _, count in found.counts()) == len(GOOD) + 2
        assert [item for part in found.parts() for item in part.items][2:] == GOOD


def assert_same(found: list[Any], wanted: list[Any]) -> None:
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        assert one == other or (isinstance(one, Fault) and one.message.startswith("not UTF-8"))


BAD_ELEMENTS = {
    "no JSON": b'{"id": 01}', "NaN": b'{"id": NaN}', "single quotes": b"{'id': 1}", "half a word": b"tru",
    "not UTF-8": b'{"id": 1, "by": "\xff\xfe"}', "control": b'"a\x01b"', "mixed brackets": b'{"id": [1}]',
    "deep": b'{"id": 1, "x": ' + b"[" * 40 + b"]" * 40 + b"}", "very deep": b"[" * 5_000 + b"]" * 5_000,
    "a number without end": b'{"id": ' + b"1" * 5_000 + b"}", "too long": b'{"id": 1, "x": "' + b"x" * 9_000 + b'"}',
    "too long, full of quotes": b'{"id": 1, "x": "' + b'\\"],[' * 2_000 + b'"}',
}  # fmt: skip


@pytest.mark.parametrize("chunk", [16, 100_000])
@pytest.mark.parametrize("form", ["array", "lines"])
@pytest.mark.parametrize("bad", BAD_ELEMENTS)
def test_a_bad_item_does_not_touch_the_others(tmp_path: Path, bad: str, form: str, chunk: int) -> None:
    texts = [json.dumps(item).encode() for item in GOOD[:6]]
    texts.insert(3, BAD_ELEMENTS[bad])
    data = b"[" + b", ".join(texts) + b"]" if form == "array" else b"\n".join(texts)
    found = read(write(tmp_path, data), chunk_bytes=chunk, max_item_size=8_000)
    assert len(found) == 7 and isinstance(found[3], Fault)
    assert found[3].message
    assert readable(found) == GOOD[:6]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "nothing in the file"), (b" \n\t", "nothing in the file"), (b"\xef\xbb\xbf", "nothing in the file"),
        (b"[1, 2", "cut"), (b"[1, 2,", "cut"), (b"[", "cut"), (b'[{"a": "b', "cut"), (b"[[[[[", "cut"),
        (b"[1,,2]", "missing"), (b"[1,]", "missing"), (b"[,1]", "missing"), (b"[1] x", "follows"), (b"[1][2]", "follows"),
        (b"[]]", "follows"), (b"42", "holds a number"), (b'"x"', "holds a text"), (b"null", "holds null"),
        (b"true", "holds true"), (b"hello\nworld\n", "neither"), (b"\x00\x01\x02", "neither"), (b'{"id": 1', "neither"),
        (b'{"id":\n 1,\n "type":', "neither"), ('[{"id": 1}]'.encode("utf-16"), "UTF-16"),
        ('[{"id": 1}]'.encode("utf-16-le"), "neither"), (b"\x1f\x8b", "cut"), (b"\x1f\x8b garbage", "gzip"),
        (gzip.compress(FORMS["array"])[:-9], "cut"), (gzip.compress(FORMS["array"]) + b"more", "gzip"),
        (gzip.compress(gzip.compress(FORMS["array"])), "neither"), (b"\x28\xb5\x2f\xfd", "cut"),
        (zstd.compress(FORMS["array"])[:-5], "cut"), (zstd.compress(FORMS["array"])[:60] + b"xx" * 90, "zstd"),
    ],
)  # fmt: skip
def test_faults_of_the_file(tmp_path: Path, data: bytes, message: str) -> None:
    for chunk in (1, 7, 10_000):
        with pytest.raises(FileFault, match=message):
            read(write(tmp_path, data), chunk_bytes=chunk)


def test_lines_that_begin_with_an_array(tmp_path: Path) -> None:
    assert read(write(tmp_path, b'[[1]]\n\n{"id": 1}\n[2]\n')) == [[[1]], {"id": 1}, [2]]
    assert read(write(tmp_path, b'[{"id": 1},\n{"id": 2}\n]')) == [{"id": 1}, {"id": 2}]


def test_files_in_several_members(tmp_path: Path) -> None:
    half = len(FORMS["lines"]) // 2
    for pack in (lambda data: packed(data, "gzip"), lambda data: packed(data, "zstd")):
        data = pack(FORMS["lines"][:half]) + pack(FORMS["lines"][half:])
        assert read(write(tmp_path, data)) == GOOD


@pytest.mark.parametrize("way", ["gzip", "zstd"])
def test_a_bomb_is_left_alone(tmp_path: Path, way: str) -> None:
    text = b"[" + (b'"' + b"0" * 1_000_000 + b'",') * 100
    path = write(tmp_path, packed(text, way))
    assert path.stat().st_size < 200_000
    with pytest.raises(FileFault, match="unpacks to more than 200 times its size"):
        read(path, chunk_bytes=1 << 20)
    with pytest.raises(FileFault, match="unpacks to more than 1,000,000 bytes"):
        read(path, chunk_bytes=1 << 20, max_expanded_size=1_000_000)
