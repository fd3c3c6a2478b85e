# Two commands do all set-up: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# groups of pyproject.toml beside test: rag to test with LangChain, LlamaIndex and Haystack themselves
GROUPS ?=
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# the tests start hundreds of processes: without bytecode each would compile all modules again
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test quick lint types docs site bench fuzz mutants lines experiments release clean

demo: $(VENV)/installed
	@mkdir -p demo
	@$(BIN)/berrypick demo --html demo/report.html

# Work is handed out in long stretches, so that few workers make the same report pages; types are checked meanwhile.
test: $(VENV)/installed-test lint
	@$(BIN)/mypy & types=$$!; $(BIN)/python -m pytest -n auto --dist worksteal; tests=$$?; \
	  wait $$types || { echo "mypy found errors, shown above" >&2; exit 1; }; exit $$tests

# the loop: lint and the worked examples, without browsers, compilers, processes, real data and generated inputs
quick: $(VENV)/installed-test lint
	@$(BIN)/python -m pytest -n auto -m 'not slow' --durations=5 --durations-min=0.3

lint: $(VENV)/installed-test
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(VENV)/installed-test
	@$(BIN)/mypy

# the generated pages of docs/reference, and the pictures, by Chromium if there is one
docs: $(VENV)/installed-test
	@$(BIN)/python docs/build.py
	@if command -v chromium >/dev/null; then $(BIN)/python docs/screenshots.py; else echo "no Chromium: docs/pictures/report-*.png are left as they are" >&2; fi

# the documentation with search, into site/; a broken link fails
site: $(VENV)/installed-site
	@$(BIN)/python docs/site.py site

# says what is missing for a release, or builds it into dist/; see RELEASING.md
release: $(VENV)/installed-test
	@$(BIN)/python -m pip install --quiet --group release
	@$(BIN)/python scripts/release.py

# the same work for us and for others, as ratios; files that begin with _ are parts of others
bench: $(VENV)/installed-test
	@for file in benchmarks/[!_]*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

# a million inputs, or INPUTS=N of them, then faults at many moments, and at length what other runs try in short;
# SEED=... repeats a run; failures are kept in fuzz-failures/
fuzz: $(VENV)/installed-test
	@$(BIN)/python tests/fuzz/run.py --inputs $(or $(INPUTS),1000000) --seed '$(SEED)' --keep fuzz-failures
	@BERRYPICK_FAULTS=25 $(BIN)/python -m pytest -m hypothesis
	@BERRYPICK_FAULTS=25 $(BIN)/python -m pytest tests/faults $$(grep -rl --include='test_*.py' 'import.* at_length' tests)

# the share of N random changes to the source that the tests of quick notice; VERBOSE=1 names those that they miss
mutants: $(VENV)/installed-test
	@$(BIN)/python scripts/mutants.py -n $(or $(N),200) --seed $(or $(SEED),1) $(if $(VERBOSE),--verbose)

# lines of code per room, for information; SINCE=... shows those of an earlier revision too
lines: $(BIN)/python
	@$(BIN)/python scripts/lines.py $(if $(SINCE),--since $(SINCE))

# the experiments of the pages, whose numbers are compared; DATA=... is a folder with their data, ONLY=... a word of the
# commands to run, RENEW=1 writes what they print into the pages
experiments: $(VENV)/installed-test
	@$(BIN)/python experiments/all.py $(ONLY) $(if $(DATA),--data $(DATA)) $(if $(RENEW),--renew)

# what is compiled at installation
NATIVE := CMakeLists.txt $(wildcard native/*)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "berrypick needs Python 3.10 or newer; name one with: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml $(NATIVE) | $(BIN)/python
	@echo "installing berrypick into $(VENV)" >&2
	@$(BIN)/python -m pip install --quiet --editable '.[annotations,chunks,frames,report]'
	@touch $@

$(VENV)/installed-test: pyproject.toml $(NATIVE) | $(BIN)/python
	@echo "installing berrypick with its test tools into $(VENV)" >&2
	@$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install --quiet --editable '.[all]' $(addprefix --group ,test $(GROUPS))
	@touch $@ $(VENV)/installed

$(VENV)/installed-site: pyproject.toml | $(BIN)/python
	@$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install --quiet --group site
	@touch $@

clean:
	rm -rf $(VENV) build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis
