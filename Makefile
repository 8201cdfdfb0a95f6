# Needs Python 3.11 or newer, and make. Everything else comes into .venv, pinned by requirements-dev.txt.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
CORE   := $(VENV)/.core
DEV    := $(VENV)/.dev
PEERS  := .venv-peers
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: setup demo test check bench bench-mcp bench-peers docs pins clean

setup: $(DEV)            ## the package, editable, with all that its tests need

$(CORE): pyproject.toml requirements-dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --constraint requirements-dev.txt --editable .
	@touch $@

$(DEV): $(CORE)
	$(PIP) install --requirement requirements-dev.txt
	@touch $@

demo: $(CORE)            ## what it does, in one run
	@$(BIN)/lukasa demo

test: $(DEV)             ## everything, on both engines
	$(BIN)/pytest --numprocesses 2

check: $(DEV)            ## what to run before each commit; under a minute
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/pytest --numprocesses 2 -m "not slow"

bench: $(DEV)            ## the measured bars, as ratios
	$(BIN)/python benchmarks/entries.py
	$(BIN)/python benchmarks/surfaces.py
	$(BIN)/python benchmarks/hooks.py

bench-mcp: $(DEV)        ## what the MCP server costs, beside others that are installed for it; some minutes
	$(BIN)/python benchmarks/protocol.py

bench-peers: $(DEV)      ## others beside us, in a venv of their own; half an hour and some gigabytes
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip --disable-pip-version-check --quiet install --requirement benchmarks/speed/requirements.txt
	$(PEERS)/bin/python -m pip --disable-pip-version-check --quiet install --editable .
	$(PEERS)/bin/python -W ignore benchmarks/speed/peers.py --out benchmarks/speed/peers.json
	$(BIN)/python benchmarks/speed/report.py benchmarks/speed/peers.json --picture docs/pictures/speed.svg

docs: $(DEV)             ## writes docs/commands.md and docs/schema, and runs every example of the documents
	$(BIN)/python tools/commands.py > docs/commands.new
	mv docs/commands.new docs/commands.md
	$(BIN)/python tools/schema.py docs/schema
	$(BIN)/pytest tests/house/test_docs.py

pins:                    ## newest versions into requirements-dev.txt; needs uv
	uv lock --upgrade --quiet
	head -2 requirements-dev.txt > requirements-dev.new
	uv export --only-group dev --no-emit-project --no-hashes --no-annotate --no-header --quiet >> requirements-dev.new
	mv requirements-dev.new requirements-dev.txt

clean:                   ## back to what the repository holds
	rm -rf $(VENV) dist build .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
