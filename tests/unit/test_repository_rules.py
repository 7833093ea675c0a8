"""The rules of the house that no linter knows, checked over the repository's own files."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tools.package_tree import REPOSITORY

PACKAGE_FOLDERS = ("graph", "queries", "schema", "workers")
TEXT = {".py", ".md", ".cypher", ".toml", ".html", ".css", ".js", ""}
LONG = 300
# Files that may be longer, each with its reason.
LONG_WITH_REASON: dict[str, str] = {}

WRITES = re.compile(
    r"\b(CREATE|MERGE) \(|\bSET [a-z]+\.[a-z_]+ *=|\bDETACH DELETE [a-z]"
    r"|\bCREATE (NODE|REL) TABLE\b|\bALTER TABLE\b"
)
# Put together from pieces, so that this file passes its own test.
MUST_NOT_APPEAR = {
    "a mark of unfinished work": re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b"),
    "the number of an issue": re.compile(r"\b(iss" + r"ue|pull request|PR) ?#?\d+", re.IGNORECASE),
    "a folder of one machine": re.compile(r"/(wo" + r"rk|ro" + r"ot|ho" + r"me/[a-z]+)/"),
    "the address of a package registry": re.compile(
        r"(py" + r"pi\.org|pythonhos" + r"ted|npm" + r"js\.|repo\.maven|maven\.apache\.org/maven2|pytorch\.org/whl)"
    ),
}


PICTOGRAM = re.compile("[\U0001f300-\U0001faff\u2600-\u26ff\u2705\u274c\u2728]")


def files(*folders: str, pattern: str = "*") -> Iterator[Path]:
    """The repository's own files under these folders, generated ones aside."""
    for folder in folders:
        for path in sorted((REPOSITORY / folder).rglob(pattern)):
            if path.is_file() and not {"__pycache__", "static"} & set(path.parts):
                yield path


def texts() -> Iterator[tuple[Path, str]]:
    top = [path for path in REPOSITORY.iterdir() if path.is_file() and path.name not in ("LICENSE", ".git")]
    for path in (*top, *files(*PACKAGE_FOLDERS, "tests", "benchmarks", "docs", ".ci")):
        if path.suffix in TEXT:
            yield path, path.read_text(encoding="utf-8")


def places(path: Path, text: str, pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path.relative_to(REPOSITORY)}:{number}: {line.strip()}"
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def test_cypher_that_writes_stands_only_in_cypher_files() -> None:
    found = [
        place for path in files(*PACKAGE_FOLDERS, pattern="*.py") for place in places(path, path.read_text(), WRITES)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "text",
    [
        "CREATE (a:Article {title: $title})",
        "MERGE (a:Article)",
        "MATCH (a) SET a.lease = 0",
        "MATCH (a) DETACH DELETE a",
        "CREATE NODE TABLE Article(title STRING)",
    ],
)
def test_the_search_for_writes_finds_them(text: str) -> None:
    assert WRITES.search(text)


@pytest.mark.parametrize("text", ["MATCH (a) RETURN a.created", "re.compile('CREATE|MERGE')", "self.set(a.b == 1)"])
def test_the_search_for_writes_leaves_the_rest_alone(text: str) -> None:
    assert not WRITES.search(text)


def test_no_source_file_is_long() -> None:
    lengths = {
        str(path.relative_to(REPOSITORY)): len(path.read_text().splitlines())
        for folder in (*PACKAGE_FOLDERS, "tests", "benchmarks")
        for path in files(folder, pattern="*.py")
    }
    long = {name: lines for name, lines in lengths.items() if lines > LONG and name not in LONG_WITH_REASON}
    assert not long, f"split these, or list them with a reason: {long}"
    short = [name for name in LONG_WITH_REASON if lengths.get(name, 0) <= LONG]
    assert not short, f"no longer long, take them off the list: {short}"


@pytest.mark.parametrize("what", MUST_NOT_APPEAR)
def test_the_project_speaks_of_itself_alone(what: str) -> None:
    found = [place for path, text in texts() for place in places(path, text, MUST_NOT_APPEAR[what])]
    assert not found, f"{what}:\n" + "\n".join(found)


def test_there_are_no_pictograms() -> None:
    """Tests aside: as an odd title they are good data."""
    shown = [(path, text) for path, text in texts() if REPOSITORY / "tests" not in path.parents]
    found = [place for path, text in shown for place in places(path, text, PICTOGRAM)]
    assert not found, "\n".join(found)


def test_every_folder_with_python_is_a_package() -> None:
    """Otherwise import-linter and the discovery of pipelines pass it over without a word."""
    folders = {path.parent for path in files(*PACKAGE_FOLDERS, pattern="*.py")}
    bare = [str(folder.relative_to(REPOSITORY)) for folder in folders if not (folder / "__init__.py").exists()]
    assert not bare, f"no __init__.py in {bare}"


def test_tests_do_not_sleep() -> None:
    """A clock that is moved by hand and `eventually` are quicker, and never too short."""
    sleeping = re.compile(r"\btime\.sle" + r"ep\(|\basyncio\.sle" + r"ep\((?!0\))")
    allowed = REPOSITORY / "tests" / "support"
    found = [
        place
        for path in files("tests", pattern="*.py")
        if allowed not in path.parents
        for place in places(path, path.read_text(), sleeping)
    ]
    assert not found, "\n".join(found)


def test_ci_can_be_run() -> None:
    assert (REPOSITORY / ".ci" / "run").stat().st_mode & stat.S_IXUSR
