"""Schema files: versions and their statements, the order of entities, and refusals that say where."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graphvine.queries import QueryFileError
from graphvine.schema import Migration, load, migrations
from graphvine.schema.files import SchemaFile, read_schema
from graphvine.schema.tables import tables
from tests.support.work import calls_made
from tests.unit.small_machine import line_of

TASK = """\
// entity: task
// A task and where it stands.

// version: 1
CREATE NODE TABLE Task(
    id STRING PRIMARY KEY, // version of it; 'as given
    note STRING DEFAULT ';',
    /* due: later; */ due INT64
);
CREATE REL TABLE AFTER(FROM Task TO Task);

// It gets a colour.
// version: 2
ALTER TABLE Task ADD colour STRING; // red at first
"""


def folder_of(tmp_path: Path, **texts: str) -> Path:
    folder = tmp_path / "schema"
    for name, text in texts.items():
        path = folder / (name.replace("__", "/") + ".cypher")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def entity(name: str, after: str = "") -> str:
    head = f"// after: {after}\n" if after else ""
    return f"// entity: {name}\n{head}// version: 1\nCREATE NODE TABLE {name}(id STRING PRIMARY KEY);\n"


def test_versions_and_statements_are_read(tmp_path: Path) -> None:
    found = load(folder_of(tmp_path, task=TASK))
    assert list(found) == ["task"]
    first, second = found["task"]
    assert (first.entity, first.version, first.file, first.line) == ("task", 1, "schema/task.cypher", 4)
    assert len(first.statements) == 2
    assert first.statements[0].startswith("CREATE NODE TABLE Task(\n")
    assert first.statements[0].endswith("due INT64\n)")
    assert first.statements[1] == "CREATE REL TABLE AFTER(FROM Task TO Task)"
    line = line_of(TASK, "// version: 2")
    statements = ("ALTER TABLE Task ADD colour STRING",)
    assert second == Migration("task", 2, statements, "schema/task.cypher", line)


def test_the_statements_run(tmp_path: Path) -> None:
    import kuzu

    connection = kuzu.Connection(kuzu.Database(tmp_path / "tasks.kuzu", buffer_pool_size=64 * 2**20, max_db_size=2**30))
    for migration in load(folder_of(tmp_path, task=TASK))["task"]:
        for statement in migration.statements:
            connection.execute(statement)
    answer = connection.execute("CALL table_info('Task') RETURN name")
    assert not isinstance(answer, list)
    assert [row[0] for row in answer.get_all()] == ["id", "note", "due", "colour"]


def test_graph_is_first_then_the_alphabet(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, a=entity("apple"), b=entity("graph"), c=entity("Zoo"), d=entity("bee"))
    assert list(load(folder)) == ["graph", "Zoo", "apple", "bee"]


def test_after_puts_an_entity_behind_others(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, a=entity("a", after="c, graph"), b=entity("b"), c=entity("c"), graph=entity("graph"))
    assert list(load(folder)) == ["graph", "b", "c", "a"]


def test_even_graph_waits_if_it_says_so(tmp_path: Path) -> None:
    assert list(load(folder_of(tmp_path, a=entity("a"), graph=entity("graph", after="a")))) == ["a", "graph"]


def test_a_dialect_replaces_the_whole_file(tmp_path: Path) -> None:
    other = "// entity: task\n// version: 1\nCREATE CONSTRAINT task_id FOR (t:Task) REQUIRE t.id IS UNIQUE;\n"
    folder = folder_of(tmp_path, task=TASK, neo4j__task=other, neo4j__more=entity("more"))
    assert len(load(folder)["task"]) == 2
    assert list(load(folder)) == ["task"]
    neo4j = load(folder, dialect="neo4j")
    assert list(neo4j) == ["more", "task"]
    assert neo4j["task"][0].statements == ("CREATE CONSTRAINT task_id FOR (t:Task) REQUIRE t.id IS UNIQUE",)
    assert neo4j["task"][0].file == "schema/neo4j/task.cypher"


REFUSED = {
    "no entity": ("// entity: task\n", "", "", "the file does not say what it is of: add `// entity: name` on top"),
    "two entities": ("// version: 1", "// entity: b\n// version: 1", "// entity: b", "`// entity:` is there twice"),
    "a name that is none": ("// entity: task", "// entity: my task", "// entity", "is no name for an entity"),
    "an entity too late": ("// It gets", "// entity: b\n// It gets", "// entity: b", "belongs to the head of the file"),
    "after too late": ("// It gets", "// after: b\n// It gets", "// after: b", "belongs to the head of the file"),
    "a gap": ("// version: 2", "// version: 3", "// version: 3", "version '3' stands where 2 is due"),
    "not from 1": ("// version: 1", "// version: 0", "// version: 0", "version '0' stands where 1 is due"),
    "a version twice": ("// version: 2", "// version: 1", "// version: 1\nALTER", "version '1' stands where 2 is due"),
    "no number": ("// version: 2", "// version: two", "// version: two", "version 'two' stands where 2 is due"),
    "an unknown key": ("// version: 2", "// verison: 2", "// verison", "did you mean 'version'?"),
    "an empty version": ("// It", "// version: 2\n// It", "// version: 2\n// It", "version 2 has no statement"),
    "an empty last version": (
        "ALTER TABLE Task ADD colour STRING;", "", "// version: 2", "version 2 has no statement",
    ),
    "text before a version": ("// version: 1\n", "", "CREATE NODE", "'CREATE' stands outside a version"),
    "no semicolon at the end": ("colour STRING;", "colour STRING", "ALTER", "begins here does not end in `;`"),
    "no semicolon before a version": (
        "TO Task);", "TO Task)", "// version: 2", "stands inside the statement of line 10: end it with `;`",
    ),
    "two statements in a line": ("TO Task);", "TO Task); DROP TABLE Task;", "CREATE REL", "`;` ends its line"),
    "a semicolon alone": ("// It gets", ";\n// It gets", ";\n// It", "`;` ends no statement here"),
    "a string never closed": ("DEFAULT ';'", 'DEFAULT ";', 'DEFAULT ";', "a string opens here and is never closed"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "marker", "sentence"), REFUSED.values(), ids=REFUSED.keys())
def test_a_broken_file_is_refused(tmp_path: Path, old: str, new: str, marker: str, sentence: str) -> None:
    assert old in TASK
    text = TASK.replace(old, new, 1)
    with pytest.raises(QueryFileError) as caught:
        load(folder_of(tmp_path, task=text))
    assert sentence in caught.value.message
    assert (caught.value.file, caught.value.line) == ("schema/task.cypher", line_of(text, marker))


def test_a_file_without_versions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(QueryFileError, match=r"schema/a.cypher:1: the file has no version"):
        load(folder_of(tmp_path, a="// entity: a\n"))


def test_an_entity_with_two_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(QueryFileError, match=r"schema/b.cypher:1: entity 'a' has a file already: schema/a.cypher"):
        load(folder_of(tmp_path, a=entity("a"), b=entity("a")))


def test_waiting_for_a_stranger_is_refused(tmp_path: Path) -> None:
    with pytest.raises(QueryFileError, match=r"schema/a.cypher:2: .* names no entity, did you mean 'graph'\?"):
        load(folder_of(tmp_path, a=entity("a", after="grap"), graph=entity("graph")))


def test_waiting_in_a_circle_is_refused(tmp_path: Path) -> None:
    with pytest.raises(QueryFileError, match=r"schema/a.cypher:2: these entities wait for each other: a, b;"):
        load(folder_of(tmp_path, a=entity("a", after="b"), b=entity("b", after="a"), c=entity("c")))


@pytest.mark.parametrize("dialect", ["kuzu", "neo4j"])
def test_the_package_s_own_files_hold(dialect: str) -> None:
    own = migrations(dialect)
    assert next(iter(own)) == "graph"
    assert "article" in own
    own.clear()
    assert migrations(dialect)


LINES = ("// entity: a", "// version: 1", "// version: 2", "// after: a", "// Text.", "// x: y", "CREATE", ";")
PIECES = st.sampled_from([*LINES, "\n", "'", '"', "`", "/*", "*/", "//", "$", " "])


def outcome(text: str) -> SchemaFile | QueryFileError:
    try:
        return read_schema(text, "a.cypher")
    except QueryFileError as error:
        return error


@given(st.one_of(st.text(), st.lists(PIECES).map("\n".join), st.lists(PIECES).map(" ".join)))
@example("// entity: a\n// version: 1\nCREATE;\n")
def test_any_text_is_a_schema_or_a_query_file_error(text: str) -> None:
    end = outcome(text)
    if isinstance(end, QueryFileError):
        assert 1 <= end.line <= text.count("\n") + 1
    else:
        assert [migration.version for migration in end.migrations] == list(range(1, len(end.migrations) + 1))
        assert all(migration.statements for migration in end.migrations)


@pytest.mark.parametrize("part", [";\n", "a;\n", "a ", "// version: 1\n", "// after: a\n", "'", "/*", "\n"])
def test_a_file_four_times_as_long_is_four_times_the_work_whatever_it_repeats(part: str) -> None:
    head = "// entity: a\n// version: 1\n"
    short, long = (calls_made(outcome, head + part * (size // len(part))) for size in (5_000, 20_000))
    assert long < 4.5 * short


def test_further_folders_add_their_tables(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, task=TASK.replace("// entity: task", "// entity: task\n// after: graph"))
    both = migrations("kuzu", folder)
    assert set(both) == {*migrations(), "task"} and list(both).index("graph") < list(both).index("task")
    assert set(tables(folder)) - set(tables()) == {"Task", "AFTER"}
    (folder / "again.cypher").write_text(entity("article"))
    with pytest.raises(QueryFileError, match="entity 'article' has a file already: schema/neo4j/article.cypher"):
        migrations("neo4j", folder)
