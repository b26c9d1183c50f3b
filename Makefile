# One command each; every target sets up what it needs. `make help` lists them.
# Needs make and a Python of 3.11 or later; PYTHON=… chooses another one, VENV=… another place for the environment.

SHELL := /bin/sh
VENV ?= .venv
JOBS ?= auto
EXAMPLES ?= 5000
SEARCH ?= 1
MUTATIONS ?= 100000
CALLS ?= 1000
MINUTES ?= 10
BIN := $(VENV)/bin
STAMP := $(VENV)/.steadyhand-ready
# Only what `make try` needs; the tools, servers and agent frameworks that tests want come with the other.
LIGHT := $(VENV)/.steadyhand-light

# Hundreds of tests start the command line: without bytecode each of them compiles the package again.
unexport PYTHONDONTWRITEBYTECODE

# The first of these that runs and is new enough; a shim that answers for a version that is not there does not count.
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11 python3.14 python3.15 python; do \
	if $$name -c '$(NEW_ENOUGH)' >/dev/null 2>&1; then echo $$name; break; fi; done)

.DEFAULT_GOAL := help
.PHONY: help setup try test sweep check format docs site bench accuracy fleet fuzz crash stress attack conformance clients pages constraints release clean

help: ## this list
	@echo 'make try is the place to start; the others:'
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-20s %s\n", $$1, $$2 }'

setup: $(STAMP) ## the environment, with the versions of constraints.txt; done once

$(LIGHT): pyproject.toml constraints.txt
	@if [ -z "$(PYTHON)" ]; then \
		echo 'Steadyhand needs Python 3.11 or later and found none; install one or say where: make PYTHON=/path/to/python3' >&2; exit 1; fi
	@$(PYTHON) -c '$(NEW_ENOUGH)' 2>/dev/null || { \
		echo 'Steadyhand needs Python 3.11 or later, and $(PYTHON) is not one' >&2; exit 1; }
	@echo 'setting up $(VENV) (once) …'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { \
		echo '$(PYTHON) cannot make an environment; on Debian and Ubuntu install python3-venv' >&2; exit 1; }
	@$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[mcp]'
	@touch $@

$(STAMP): $(LIGHT)
	@echo 'adding what the tests need (once) …'
	@$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,frameworks]'
	@touch $@

try: $(LIGHT) ## a guided tour: an edit, a refusal, a transaction, history, why, undo
	@$(BIN)/python scripts/tour.py

test: $(STAMP) ## every test but the sweeps
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -q $(ARGS)

sweep: $(STAMP) ## the sweeps: many cases of what `make test` samples; ARGS="--for 60" takes a slice of a minute
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -q -m "sweep or sampled" --whole $(ARGS)

check: $(STAMP) ## formatting, lint, strict types, import contracts, generated pages
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo --no-cache
	$(BIN)/python scripts/generate_docs.py --check

format: $(STAMP) ## lay the code out as `check` wants it
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

docs: $(STAMP) ## write the generated pages again, and what the example sessions answer now
	$(BIN)/python scripts/generate_docs.py
	$(BIN)/python scripts/sessions.py

site: $(STAMP) ## the pages as a site with search, in build/site; any warning fails
	@test -x $(BIN)/mkdocs || $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

bench: $(STAMP) ## measure: speed of edits, commits, history, start-up; peak memory
	$(BIN)/python -m benches.run $(ARGS)

accuracy: $(STAMP) ## right, refused or wrong: Steadyhand and its peers on the same cases
	$(BIN)/python -m benches.accuracy $(ARGS)

fleet: $(STAMP) ## 10, 100 and 1,000 simulated agents on one tree, and whether every promise to them was kept
	$(BIN)/python -m benches.fleet $(or $(ARGS),--grow)

fuzz: $(STAMP) ## property tests with EXAMPLES=5000 examples each, others in every run; MUTATIONS=100000 broken replies; CALLS=1000 of each tool
	STEADYHAND_SEARCH=$(SEARCH) STEADYHAND_EXAMPLES=$(EXAMPLES) $(BIN)/python -m pytest -n $(JOBS) -q --timeout 3600 -m hypothesis tests $(ARGS)
	STEADYHAND_MUTATIONS=$(MUTATIONS) $(BIN)/python -m pytest -n $(JOBS) -q --timeout 3600 tests/dialects/test_fuzz.py tests/dialects/test_clean_diffs.py $(ARGS)
	STEADYHAND_SEARCH=$(SEARCH) STEADYHAND_CALLS=$(CALLS) $(BIN)/python -m pytest -n $(JOBS) -q --timeout 3600 tests/tools/test_malformed.py tests/tools/test_read_only.py $(ARGS)

crash: $(STAMP) ## the whole crash and disk-fault sweep
	STEADYHAND_SWEEP=all $(BIN)/python -m pytest -n $(JOBS) -q --timeout 3600 tests/faults $(ARGS)
	$(BIN)/python -m tests.attack --minutes 60 'system calls'

stress: $(STAMP) ## processes killed again and again, on a server that is restarted, cut off and frozen; some minutes
	STEADYHAND_STRESS=all $(BIN)/python -m pytest -q --timeout 3600 -m "" tests/concurrency/test_crews_under_fire.py tests/bulk/test_under_fire.py $(ARGS)

attack: $(STAMP) ## every attack we know for MINUTES=10 in all, and a table of attempts and violations
	$(BIN)/python -m tests.attack --minutes $(MINUTES) $(ARGS)

conformance: $(STAMP) ## the public MCP conformance suite, in both eras of the protocol; npm brings the Node it needs
	$(BIN)/python -m tests.conformance.run
	$(BIN)/python -m tests.conformance.inspector

clients: $(STAMP) ## eight MCP clients from npm, each set up with --install and driven by a scripted model; 2 GB in .node
	$(BIN)/python -m tests.clients.run $(ARGS)

pages: $(STAMP) ## the page of a review in a real Chromium; ARGS=--pictures takes the pictures of its guide
	@$(BIN)/python -c 'import playwright' 2>/dev/null || $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[pages]'
	@$(BIN)/python -m tests.pages.run $(ARGS)

release: ## build sdist and wheel, check and try both, print the changelog; ARGS=--write writes it and removes the fragments
	@$(PYTHON) scripts/release.py $(ARGS)

constraints: $(STAMP) ## pin what is installed now
	$(BIN)/python scripts/pin_constraints.py

clean: ## remove the environment and every cache
	rm -rf $(VENV) .node build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests scripts benches -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
