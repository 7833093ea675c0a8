"""What is public in Python: listed on its page, documented, and loaded only when it is used."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import graphvine

FACES = (graphvine.Graph, graphvine.HackerNews, graphvine.News, graphvine.Uploads)
HEAVY = ("fastapi", "msgspec", "numpy", "pydantic", "typer")


@pytest.mark.parametrize("name", graphvine.__all__)
def test_a_public_name_is_documented(name: str) -> None:
    one = getattr(graphvine, name)
    text = vars(one).get("__doc__") if isinstance(one, type) else one.__doc__
    # A dataclass without a docstring gets its signature for one.
    assert text and not text.startswith(f"{name}("), f"{name} has no docstring"


@pytest.mark.parametrize("face", FACES)
def test_every_method_is_documented_and_typed(face: type) -> None:
    for name, one in inspect.getmembers(face, inspect.isfunction):
        if name.startswith("_"):
            continue
        signature = inspect.signature(one)
        assert inspect.getdoc(one), f"{face.__name__}.{name} has no docstring"
        assert signature.return_annotation is not signature.empty, name
        loose = [p.name for p in signature.parameters.values() if p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
        if name == "read":  # its keywords are the parameters of a block, which it checks
            continue
        assert not loose, f"{face.__name__}.{name} takes anything as {loose}"


def test_importing_the_package_loads_nothing_heavy() -> None:
    text = f"import sys, graphvine; print([name for name in {HEAVY!r} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", text], capture_output=True, text=True).stdout.strip() == "[]"
