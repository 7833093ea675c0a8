"""Settings: where a value comes from, and what is said of a wrong one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import pytest

from graphvine.errors import SettingsError
from graphvine.settings import Settings, describe, describe_as, load, section


class Small(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of a pipeline."""

    max_depth: Annotated[int, msgspec.Meta(ge=0), describe_as("how deep")] = 2


def write(folder: Path, text: str) -> None:
    (folder / "graphvine.toml").write_text(text, "utf-8")


def test_defaults_are_the_document_s(tmp_path: Path) -> None:
    settings = load(folder=tmp_path)
    assert (settings.timeout_seconds, settings.max_retries, settings.heartbeat_seconds) == (300, 3, 30)


def test_the_call_wins_over_the_environment_and_that_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "max_retries = 4\nbatch_size = 5\nwindow_rows = 6\n")
    monkeypatch.setenv("GRAPHVINE_MAX_RETRIES", "7")
    monkeypatch.setenv("GRAPHVINE_BATCH_SIZE", "8")
    settings = load({"max_retries": 9}, folder=tmp_path)
    assert (settings.max_retries, settings.batch_size, settings.window_rows) == (9, 8, 6)


def test_a_pipeline_has_a_table_and_a_prefix_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "max_retries = 4\n[article]\nmax_depth = 5\n")
    assert section(Small, "article", folder=tmp_path).max_depth == 5
    assert load(folder=tmp_path).max_retries == 4
    monkeypatch.setenv("GRAPHVINE_ARTICLE_MAX_DEPTH", "6")
    assert section(Small, "article", folder=tmp_path).max_depth == 6
    load(folder=tmp_path)  # the core does not stumble over it


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("max_retry = 3", r"no setting 'max_retry', did you mean 'max_retries'"),
        ("max_retries = 'three'", r"graphvine\.toml: setting 'max_retries' has the value 'three'"),
        ("max_retries = 0", r"max_retries.*> 0|max_retries.*>= 1"),
        ("buffer_pool_mb = 1", r"buffer_pool_mb"),
        ("max_retries = ", r"not valid TOML"),
        ("article = 3\n", r"no setting 'article'"),
    ],
)
def test_a_wrong_file_is_told_with_its_setting(tmp_path: Path, text: str, message: str) -> None:
    write(tmp_path, text)
    with pytest.raises(SettingsError, match=message):
        load(folder=tmp_path)


def test_a_table_that_is_none_is_told(tmp_path: Path) -> None:
    write(tmp_path, "article = 3\n")
    with pytest.raises(SettingsError, match=r"'article' must be a table"):
        section(Small, "article", folder=tmp_path)
    write(tmp_path, "[article]\ndepth = 3\n")
    with pytest.raises(SettingsError, match=r"no setting 'article\.depth'"):
        section(Small, "article", folder=tmp_path)


def test_bytes_that_are_no_text_are_told(tmp_path: Path) -> None:
    (tmp_path / "graphvine.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="not valid TOML"):
        load(folder=tmp_path)


@pytest.mark.parametrize(("text", "value"), [("true", True), ("1", True), ("false", False), ("0", False)])
def test_the_environment_speaks_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, value: bool) -> None:
    monkeypatch.setenv("GRAPHVINE_SYNC", text)
    assert load(folder=tmp_path).sync is value


def test_a_wrong_variable_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHVINE_MAX_RETRIES", "many")
    with pytest.raises(SettingsError, match=r"GRAPHVINE_MAX_RETRIES: setting 'max_retries' has the value 'many'"):
        load(folder=tmp_path)


def test_a_call_is_checked_too(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="did you mean 'batch_size'"):
        load({"batchsize": 3}, folder=tmp_path)
    with pytest.raises(SettingsError, match="batch_size"):
        load({"batch_size": "3"}, folder=tmp_path)


def test_settings_do_not_change(tmp_path: Path) -> None:
    with pytest.raises(AttributeError):
        load(folder=tmp_path).max_retries = 5  # type: ignore[misc]


def test_every_setting_says_what_it_is_for() -> None:
    rows = describe(Settings, Settings(max_retries=7))
    assert all(row["help"] for row in rows), [row["name"] for row in rows if not row["help"]]
    (retries,) = [row for row in rows if row["name"] == "max_retries"]
    assert (retries["value"], retries["default"]) == (7, 3)
