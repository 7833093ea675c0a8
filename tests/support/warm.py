"""What every process of a crash test would load for itself, loaded once in the server that they are forked from."""

from __future__ import annotations

import importlib

from graphvine.queries import library
from graphvine.schema import migrations

for _module in ("backup", "claims", "doctor", "engines.embedded", "graph", "hands", "reaper", "read_only", "status"):
    importlib.import_module(f"graphvine.{_module}")
for _name in ("pyarrow", "importlib.util", "tests.support.stores", "tests.support.articles"):
    importlib.import_module(_name)
library("kuzu")
migrations("kuzu")
