"""What every process of a crash test would load for itself, loaded once in the server that they are forked from."""

from __future__ import annotations

import importlib

from graphvine.queries import library
from graphvine.schema import migrations

_MODULES = "backup claims doctor engines.kuzu.engine graph queue_admin reaper read_only status"
for _module in _MODULES.split():
    importlib.import_module(f"graphvine.{_module}")
for _name in ("pyarrow", "importlib.util", "tests.support.stores", "tests.support.articles"):
    importlib.import_module(_name)
library("kuzu")
migrations("kuzu")
