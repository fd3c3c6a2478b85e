# Two commands do all set-up: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test lint types docs clean

demo: $(VENV)/installed
	@$(BIN)/berrypick demo

test: $(VENV)/installed-test lint types
	@$(BIN)/python -m pytest

lint: $(VENV)/installed-test
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(VENV)/installed-test
	@$(BIN)/mypy

# the pages of docs/measures, docs/users and docs/formats, from the docstrings
docs: $(VENV)/installed-test
	@$(BIN)/python docs/build.py

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "berrypick needs Python 3.10 or newer; name one with: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(BIN)/python
	@echo "installing berrypick into $(VENV)" >&2
	@$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/installed-test: pyproject.toml | $(BIN)/python
	@echo "installing berrypick with its test tools into $(VENV)" >&2
	@$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $@ $(VENV)/installed

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
