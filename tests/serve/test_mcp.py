"""The assistants' server as an assistant meets it: the SDK's own client, a process, standard input and output."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

import graphvine
from graphvine.service_file import find
from tests.acceptance.cli_support import process, run
from tests.support.articles import linking
from tests.support.daemons import COMMAND, QUICK_DAEMON, DaemonProcess, environment
from tests.support.stores import Place
from tests.support.waiting import WAIT_LIMIT

Talk = Callable[[Client], Awaitable[Any]]
THREAD = [
    {"id": 1, "type": "story", "title": "A graph of vines", "by": "ada", "time": 1_700_000_000, "score": 7},
    {"id": 2, "type": "comment", "parent": 1, "text": "It climbs trellises.", "by": "bob", "time": 1_700_000_100},
    {"id": 3, "type": "comment", "parent": 2, "text": "So it does.", "by": "eve", "time": 1_700_000_200},
]


@pytest.fixture(scope="module")
def folder(template: Place, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph with some articles, one of them long, and a thread."""
    place = template.copy_to(tmp_path_factory.mktemp("assistants") / "store")
    (place.folder / "graphvine.toml").write_text(QUICK_DAEMON)
    with graphvine.open(place.path) as graph:
        graph.grow(["Vine"], source="sample", depth=0)
        graph.hn.add(THREAD)
        graph.seed("article", ["Long"])
        claims = graph.claims("article", "a gardener")
        for claim in claims.claim(1_000):
            links = [f"Long {n}" for n in range(300)] if claim.key == "Long" else []
            claims.complete(claim, linking(graph, claim, links) if links else ())
    return place.folder


def talk(folder: Path, talking: Talk, *options: str) -> Any:
    """Start the server, as a client's settings would, and talk to it."""

    async def run() -> Any:
        started = StdioServerParameters(
            command=str(COMMAND), args=["mcp", "--graph", "graph.db", *options], cwd=folder, env=environment()
        )
        with (folder / "mcp.log").open("w") as log:
            async with Client(stdio_client(started, errlog=log)) as client:
                return await talking(client)

    return asyncio.run(asyncio.wait_for(run(), WAIT_LIMIT))


async def ask(client: Client, tool: str, **asked: Any) -> dict[str, Any]:
    answer = await client.call_tool(tool, asked)
    assert not answer.is_error, answer.content
    assert answer.structured_content is not None
    assert json.loads(answer.content[0].text) == answer.structured_content, (
        "clients that know no structure read the same"
    )
    return dict(answer.structured_content)


async def refusal(client: Client, tool: str, **asked: Any) -> str:
    answer = await client.call_tool(tool, asked)
    assert answer.is_error
    return str(answer.content[0].text)


def test_it_tells_what_its_tools_do_and_that_they_only_read(folder: Path) -> None:
    async def talking(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"search", "cypher", "tables", "status", "neighbourhood", "thread"}
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools.values())
        assert all(tool.description and tool.title for tool in tools.values())
        kinds = tools["search"].input_schema["properties"]["kind"]["items"]["enum"]
        assert kinds == ["article", "hn", "news", "page"]

    talk(folder, talking)


def test_every_tool_answers(folder: Path) -> None:
    async def talking(client: Client) -> None:
        found = await ask(client, "search", words="climbing", mode="text")
        assert any(hit["article"] == "Vine" for hit in found["found"])
        found = await ask(client, "search", words="trellises", kind=["hn"])
        assert [hit["key"] for hit in found["found"]] == ["2"]
        assert found["found"][0]["citation"]["address"] == "https://news.ycombinator.com/item?id=2"
        tables = await ask(client, "tables")
        assert "title" in next(one for one in tables["tables"] if one["name"] == "Article")["properties"]
        assert tables["pipelines"]["article"]["processed"] > 1
        around = await ask(client, "neighbourhood", label="Article", key="Vine", limit=5)
        assert around["node"]["name"] == "Vine" and len(around["edges"]) == 5
        thread = await ask(client, "thread", id=1)
        assert [(item["depth"], item["id"]) for item in thread["items"]] == [(0, 1), (1, 2), (2, 3)]
        assert thread["items"][1]["text"] == "It climbs trellises." and not thread["cut"]
        rows = await ask(client, "cypher", statement="MATCH (a:Article {title: $t}) RETURN a.title, a.expansion_depth",
                         parameters={"t": "Vine"})  # fmt: skip
        assert rows == {"columns": ["a.title", "a.expansion_depth"], "rows": [["Vine", 0]], "cut": False}

    talk(folder, talking)


def test_rows_and_time_are_limited(folder: Path) -> None:
    async def talking(client: Client) -> None:
        every = "MATCH (a:Article) RETURN a.title"
        rows = await ask(client, "cypher", statement=every)
        assert len(rows["rows"]) == 20 and rows["cut"]
        rows = await ask(client, "cypher", statement=every, max_rows=3)
        assert len(rows["rows"]) == 3 and rows["cut"]
        rows = await ask(client, "cypher", statement=every, max_rows=100_000)
        assert len(rows["rows"]) == 20, "a client can't ask for more than the server gives"
        endless = "MATCH (a:Article), (b:Article), (c:Article), (d:Article) WHERE a.seq + b.seq = c.seq * d.seq RETURN count(*)"
        assert "2 s" in await refusal(client, "cypher", statement=endless)
        vector = await ask(client, "cypher", statement="RETURN range(1, 500) AS numbers, repeat('x', 5000) AS text")
        assert vector["rows"][0][0] == "(500 numbers)"
        assert vector["rows"][0][1].endswith("(5000 characters)") and len(vector["rows"][0][1]) < 2_100

    talk(folder, talking, "--max-rows", "20", "--timeout", "2")


def test_what_can_not_be_done_is_said_in_a_sentence(folder: Path) -> None:
    async def talking(client: Client) -> None:
        for statement in (
            "CREATE (:Article {title: 'x'})",
            "MATCH (a:Article) SET a.title = 'x'",
            "LOAD FROM '/etc/passwd' RETURN *",
        ):
            assert "is not for reading" in await refusal(client, "cypher", statement=statement)
        assert "there is no Article 'Nobody'" in await refusal(client, "neighbourhood", label="Article", key="Nobody")
        assert "there is no kind of node" in await refusal(client, "neighbourhood", label="Nothing", key="x")
        assert "99" in await refusal(client, "thread", id=99)
        assert "kind" in await refusal(client, "search", words="x", kind=["everything"])
        rows = await ask(client, "cypher", statement="MATCH (a:Article {title: 'x'}) RETURN count(*)")
        assert rows["rows"] == [[0]], "nothing was written, and the server goes on"

    talk(folder, talking)


def test_it_goes_through_the_daemon_and_holds_no_file(folder: Path) -> None:
    """One assistant before, beside and after a daemon; other commands come in between its calls."""

    async def talking(client: Client) -> None:
        count = "MATCH (a:Article) RETURN count(*)"
        before = (await ask(client, "cypher", statement=count))["rows"][0][0]
        assert find(str(folder / "graph.db")) is None
        await asyncio.to_thread(process, "seed", "article", "Between", "--graph", "graph.db", cwd=folder)
        with DaemonProcess(folder, "--worker", "article=0") as daemon:
            await asyncio.to_thread(daemon.ready)
            assert (await ask(client, "cypher", statement=count))["rows"] == [[before + 1]]
            several = await asyncio.gather(
                *(ask(client, "neighbourhood", label="Article", key="Vine") for _ in range(4))
            )
            assert len({json.dumps(one) for one in several}) == 1
            assert (await ask(client, "search", words="climbing", mode="text"))["found"]
            assert (await ask(client, "thread", id=1))["total"] == 3
            assert daemon.process.poll() is None
            await asyncio.to_thread(daemon.end)
        assert (await ask(client, "cypher", statement=count))["rows"] == [[before + 1]]

    talk(folder, talking)


def test_without_the_sdk_it_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("mcp", "mcp.server"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "graphvine.workers.mcp.server", raising=False)
    said = run("mcp", "--graph", str(folder / "graph.db"), status=1)
    assert "pip install 'graphvine[mcp]'" in said.err
