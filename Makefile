# Two commands do all set-up: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# test, or test,rag to test with LangChain, LlamaIndex and Haystack themselves
EXTRAS ?= test
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# the tests start hundreds of processes: without bytecode each would compile all modules again
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test quick lint types docs bench fuzz clean

demo: $(VENV)/installed
	@mkdir -p demo
	@$(BIN)/berrypick demo --html demo/report.html

test: $(VENV)/installed-test lint types
	@$(BIN)/python -m pytest -n auto

# the loop: lint and the worked examples, without browsers, compilers, processes, real data and generated inputs
quick: $(VENV)/installed-test lint
	@$(BIN)/python -m pytest -n auto -m 'not slow'

lint: $(VENV)/installed-test
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(VENV)/installed-test
	@$(BIN)/mypy

# the generated pages of docs/reference, and the pictures, by Chromium if there is one
docs: $(VENV)/installed-test
	@$(BIN)/python docs/build.py
	@if command -v chromium >/dev/null; then $(BIN)/python docs/screenshots.py; else echo "no Chromium: docs/pictures/report-*.png are left as they are" >&2; fi

# the same work for us and for others, as ratios; files that begin with _ are parts of others
bench: $(VENV)/installed-test
	@for file in benchmarks/[!_]*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

# a million inputs, or INPUTS=N of them; SEED=... repeats a run; what fails is kept in fuzz-failures/
fuzz: $(VENV)/installed-test
	@$(BIN)/python tests/fuzz/run.py --inputs $(or $(INPUTS),1000000) --seed '$(SEED)' --keep fuzz-failures

# what is compiled at installation
NATIVE := CMakeLists.txt $(wildcard native/*)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "berrypick needs Python 3.10 or newer; name one with: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml $(NATIVE) | $(BIN)/python
	@echo "installing berrypick into $(VENV)" >&2
	@$(BIN)/python -m pip install --quiet --editable '.[chunks,frames,report]'
	@touch $@

$(VENV)/installed-test: pyproject.toml $(NATIVE) | $(BIN)/python
	@echo "installing berrypick with its test tools into $(VENV)" >&2
	@$(BIN)/python -m pip install --quiet --editable '.[$(EXTRAS)]'
	@touch $@ $(VENV)/installed

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
