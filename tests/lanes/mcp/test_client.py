"""A Python client that is made from the description of the HTTP API works."""

from __future__ import annotations

import subprocess
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx
import pytest

from graphvine.settings import Settings
from graphvine.workers.serve.settings import ServeSettings
from tests.support.shared_graphs import TOKEN, Served
from tests.support.stores import QUICK, Place
from tests.support.waiting import WAIT_LIMIT
from tests.tools.parts import CLIENT_MAKER_VENV

NAME = "graphvine_client"


def made_of(address: str, folder: Path) -> None:
    """The client as a package in the folder; every route is in it."""
    description = folder / "openapi.json"
    description.write_bytes(httpx.get(f"{address}/openapi.json", timeout=WAIT_LIMIT, trust_env=False).content)
    command = [
        str(CLIENT_MAKER_VENV / "bin" / "openapi-python-client"), "generate", "--path", str(description),
        "--meta", "none", "--output-path", str(folder / NAME),
    ]  # fmt: skip
    done = subprocess.run(command, text=True, capture_output=True, timeout=WAIT_LIMIT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "will not be generated" not in done.stdout, done.stdout


def test_a_client_made_from_the_description_works(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = Served(place.path, Settings(**QUICK), serve=ServeSettings(port=0))
    try:
        made_of(served.address, tmp_path)
        monkeypatch.syspath_prepend(str(tmp_path))
        client = import_module(NAME).AuthenticatedClient(base_url=served.address, token=TOKEN, timeout=WAIT_LIMIT)

        def ask(route: str, body: dict[str, Any] | None = None, **given: Any) -> Any:
            module = import_module(f"{NAME}.api.queues.{route}")
            if body is not None:
                models = import_module(f"{NAME}.models.{route}_body")
                (model,) = [
                    one for name, one in vars(models).items() if name.lower() == f"{route}_body".replace("_", "")
                ]
                given["body"] = model.from_dict(body)
            return module.sync(client=client, **given)

        queue = {"pipeline": "article"}
        assert ask("seed_pipelines_pipeline_seeds_post", {"keys": ["a", "b", "c"]}, **queue).new == 3
        assert ask("prioritise_pipelines_pipeline_prioritise_post", {"keys": ["b"]}, **queue).prioritised == 1
        page = ask("rows_pipelines_pipeline_rows_get", limit=2, **queue)
        assert [(row.key, row.prioritised) for row in page.rows] == [("a", False), ("b", True)]
        rest = ask("rows_pipelines_pipeline_rows_get", limit=2, after=int(page.next_), **queue)
        assert [row.key for row in rest.rows] == ["c"]
        refused = ask("rows_pipelines_pipeline_rows_get", pipeline="none such")
        assert refused.error.type_ == "UnknownPipeline"
    finally:
        served.close()
