# One environment in .venv, made once for each change of pyproject.toml. PYTHON=python3.12 picks another interpreter.
PYTHON ?= python3
BIN := .venv/bin
DATA ?= ../shared/data
BENCH ?= speed

.PHONY: help demo test check bench clean
.DEFAULT_GOAL := help

help: ## what can be made
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/make \1	\2/' | expand -t 14

demo: .venv/run ## a bilingual conversation, remembered and recalled
	@$(BIN)/zeromem demo

test: .venv/dev ## every test
	$(BIN)/python -m pytest -n 2 $(ARGS)

check: .venv/dev ## ruff, and mypy --strict on src
	$(BIN)/ruff check src tests bench
	$(BIN)/ruff format --check src tests bench
	$(BIN)/mypy

bench: .venv/run ## one benchmark: make bench BENCH=locomo DATA=../shared/data
	$(BIN)/python -m bench $(BENCH) --data $(DATA)

clean: ## throw the environment away
	rm -rf .venv

.venv/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "zeromem needs Python 3.11 or newer, and $(PYTHON) is $$($(PYTHON) --version 2>&1); try make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	@touch $@

.venv/run: .venv/made pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

.venv/dev: .venv/run pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@# The tests of a real language model, where it is at hand; without the package they are skipped and say so.
	@if [ -e ../shared/tools/local_llm.py ]; then $(BIN)/python -m pip install --quiet --disable-pip-version-check 'xllamacpp<2027' || true; fi
	@touch $@
