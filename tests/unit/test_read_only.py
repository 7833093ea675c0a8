"""Cypher that only reads passes; whatever could write, read a file or change the session does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphvine.errors import QueryError, QueryTooComplex, WriteRefused
from graphvine.graph import Graph
from graphvine.read_only import check_complexity, refuse_files, refuse_writes

READS = [
    "MATCH (a:Article) RETURN a.title",
    "match (a) where a.set = 1 return a.create, a.`delete`",
    "MATCH (a {set: 1, create: 2}) RETURN a;;",
    "MATCH (a:Set)-[r:DELETE]->(b:Create) RETURN a",
    "OPTIONAL MATCH (a) RETURN count(*) AS n // SET x = 1",
    "WITH 'CREATE (n)' AS text RETURN text",
    'UNWIND ["SET", "MERGE"] AS word RETURN word',
    "RETURN $create AS a, $set AS b",
    "/* DELETE everything */ RETURN 1",
    "CALL show_tables() RETURN *",
    "CALL table_info('Article') RETURN *",
    "MATCH (a) CALL { WITH a MATCH (a)-->(b) RETURN b } RETURN b",
    "EXPLAIN MATCH (a) RETURN a",
    "PROFILE MATCH (a) RETURN a",
    "MATCH (a) RETURN a UNION ALL MATCH (b) RETURN b",
]
WRITES = [
    "CREATE (a:Article {title: 'x'})",
    "MATCH (a) SET a.x = 1",
    "MATCH (a) set\n a.x = 1",
    "MATCH (a) /* ; */ SeT a.x = 1",
    "MATCH (a) DETACH DELETE a",
    "MATCH (a) REMOVE a.x",
    "MERGE (a:Article {title: 'x'})",
    "MATCH (a) RETURN a; MATCH (b) DELETE b",
    "EXPLAIN CREATE (a)",
    "PROFILE MATCH (a) DELETE a",
    "MATCH (a) CALL { WITH a SET a.x = 1 } RETURN a",
    "MATCH (a) FOREACH (x IN [1] | SET a.x = x)",
    "COPY Article FROM 'file.csv'",
    "COPY (MATCH (a) RETURN a) TO 'file.csv'",
    "LOAD FROM '/etc/passwd' RETURN *",
    "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
    "WITH 1 AS x LOAD CSV FROM 'http://x' AS line RETURN line",
    "INSTALL httpfs",
    "ATTACH 'other.db' AS other (dbtype kuzu)",
    "CREATE NODE TABLE X(a STRING PRIMARY KEY)",
    "ALTER TABLE Article ADD x STRING",
    "DROP TABLE Article",
    "CALL threads=1",
    "CALL debug_enable_multi_writes=true",
    "CALL create_fts_index('Article', 'i', ['title'])",
    "CALL apoc.cypher.runWrite('CREATE (n)', {})",
    "CALL `db`.`create`.setNodeProperty(n, 'x', 1)",
    "BEGIN TRANSACTION",
    "COMMIT",
    "CHECKPOINT",
    "EXPORT DATABASE 'folder'",
    "IMPORT DATABASE 'folder'",
    "USE other",
    "INSERT (a:Article)",
    "COMMENT ON TABLE Article IS 'x'",
    "CREATE MACRO f(x) AS x + 1",
    "",
    "   ;  ",
    "// nothing but a comment",
    "nonsense",
    "MATCH (a) RETURN 'never closed",
]


@pytest.mark.parametrize("text", READS)
def test_reads_pass(text: str) -> None:
    refuse_writes(text)


@pytest.mark.parametrize("text", WRITES)
def test_everything_else_is_refused(text: str) -> None:
    with pytest.raises(WriteRefused):
        refuse_writes(text)


TOO_COMPLEX = {
    "long": "RETURN 1" + " " * 100_000,
    "NOT": "RETURN " + "NOT " * 20_000 + "true",
    "signs": "RETURN " + "-" * 20_000 + "1",
    "OR": "RETURN " + " OR ".join(["true"] * 5_000),
    "OR over lists": "RETURN " + " OR ".join(["[1, 1] = [1, 1]"] * 2_000),
    "STARTS WITH": "RETURN " + " OR ".join(["'a' STARTS WITH 'b'"] * 2_000),
    "powers": "RETURN " + "^".join(["1"] * 10_000),
    "indexes": "RETURN [1]" + "[0]" * 10_000,
    "properties": "RETURN {a: 1}" + ".a" * 10_000,
    "brackets": "RETURN " + "(" * 1_000 + "1" + ")" * 1_000,
    "lists": "RETURN " + "[" * 100 + "1" + "]" * 100,
    "CASE": "RETURN " + "CASE WHEN true THEN " * 20 + "1" + " END" * 20,
    "CASE as its own condition": "RETURN " + "CASE " * 20 + "1" + " WHEN 1 THEN 1 END" * 20,
    "clauses": "WITH 1 AS a " + "WITH a " * 1_000 + "RETURN a",
    "unions": " UNION ALL ".join(["RETURN 1 AS a"] * 500),
}


@pytest.mark.parametrize("name", TOO_COMPLEX)
def test_what_would_take_the_engine_down_is_refused_for_every_way_in(graph: Graph, name: str) -> None:
    """Each of these crashed the process, or kept it planning for seconds to minutes, past every limit of time."""
    for ask in (graph.query, graph.execute):
        with pytest.raises(QueryTooComplex):
            ask(TOO_COMPLEX[name])


def test_usual_queries_are_far_from_the_limits() -> None:
    for text in (
        "MATCH (a:Article) WHERE " + " OR ".join(f"a.title = 'title {n}'" for n in range(400)) + " RETURN a",
        "RETURN [" + ", ".join(map(str, range(10_000))) + "]",
        "RETURN " + "CASE WHEN true THEN " * 4 + "1" + " END" * 4,
        "MATCH (a) RETURN " + ", ".join(f"coalesce(a.x{n}, a.y{n} + 1) AS c{n}" for n in range(500)),
    ):
        refuse_writes(text)
    check_complexity("; ".join(f"CREATE (:Article {{title: '{n}'}})" for n in range(500)))


@pytest.mark.parametrize(
    "text",
    [
        "LOAD EXTENSION '/tmp/x.so'", "COPY (MATCH (a) RETURN a) TO '/tmp/x.csv'", "COPY Article FROM '/etc/passwd'",
        "LOAD FROM '/etc/passwd' RETURN *", "INSTALL httpfs", "ATTACH 'x' AS y (dbtype sqlite)", "EXPORT DATABASE 'x'",
        "IMPORT DATABASE 'x'", "RETURN 1; copy Article from 'x'", "MATCH (a) LOAD CSV FROM 'file:///x' AS l RETURN l",
        "/* */ load /* */ extension 'x'",
    ],
)  # fmt: skip
def test_statements_that_reach_files_are_known(text: str) -> None:
    with pytest.raises(WriteRefused, match="serve.files_folder"):
        refuse_files(text)


def test_other_writes_do_not_reach_files() -> None:
    refuse_files("MATCH (a:Article) WHERE a.load = 1 AND a.copy = 'LOAD' SET a.export = 'COPY x' // INSTALL")
    refuse_files("CREATE (:Load {copy: 1})")


def test_the_refusal_names_word_and_line() -> None:
    with pytest.raises(WriteRefused, match=r"SET \(line 3\) is not for reading: use --write"):
        refuse_writes("MATCH (a)\nWHERE a.x = 1\nset a.x = 2")


@given(
    st.sampled_from([text for text in WRITES if text.strip(" ;") and len(text) < 200]),
    st.sampled_from([" ", "\n", "\t", "/* SET */", "// x\n", " "]),
    st.randoms(use_true_random=False),
)
def test_case_blanks_and_comments_hide_no_write(text: str, blank: str, random: object) -> None:
    shuffled = "".join(c.upper() if random.random() < 0.5 else c.lower() for c in text)  # type: ignore[attr-defined]
    with pytest.raises(WriteRefused):
        refuse_writes(blank + shuffled.replace(" ", f" {blank}"))


@given(st.text(max_size=200))
def test_any_text_passes_or_is_refused(text: str) -> None:
    try:
        refuse_writes(text)
    except (WriteRefused, QueryTooComplex):
        return
    assert text.strip()


def test_a_graph_refuses_before_the_engine_sees_it(graph: Graph) -> None:
    graph.seed("article", ["a"])
    for text in ("MATCH (a:Article) SET a.due = 1", "MATCH (a:Article) DETACH DELETE a"):
        with pytest.raises(WriteRefused):
            graph.query(text)
    assert graph.query("MATCH (a:Article) RETURN count(*)").rows == [[1]]


def test_the_engine_refuses_too(graph: Graph) -> None:
    """What slipped past the words would meet a transaction that only reads."""
    graph.seed("article", ["a"])
    with pytest.raises(QueryError):
        graph.engine.query("MATCH (a:Article) SET a.due = 77", {}, max_rows=1, timeout_seconds=5)
    assert graph.query("MATCH (a:Article) WHERE a.due = 77 RETURN count(*)").rows == [[0]]
    graph.seed("article", ["b"])


def test_rows_and_time_have_limits(graph: Graph) -> None:
    graph.seed("article", map(str, range(20)))
    found = graph.query("MATCH (a:Article) RETURN a.title", max_rows=5)
    assert len(found.rows) == 5 and found.truncated
    assert not graph.query("MATCH (a:Article) RETURN a.title", max_rows=20).truncated


def test_a_limit_of_time_ends_with_its_query(graph: Graph) -> None:
    from graphvine.errors import QueryTimeout

    endless = "UNWIND range(1, 30000) AS x UNWIND range(1, 30000) AS y RETURN count(x + y)"
    with pytest.raises(QueryTimeout, match=r"longer than 0\.1 s"):
        graph.query(endless, timeout_seconds=0.1)
    graph.seed("article", map(str, range(2_000)))
    for _ in range(3):
        assert sum(row["count"] for row in graph.read("article.counts")) == 2_000
