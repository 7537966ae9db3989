# The environment is made on first use and again whenever a requirements file changes; see tools/install.py.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m tools.install
# Where torch, and torch alone, is taken from, such as https://download.pytorch.org/whl/cu130; empty: chosen by machine.
TORCH_INDEX ?=
export TORCH_INDEX

.DEFAULT_GOAL := run
.PHONY: help run test test-all npm-for-tests lint docs bench fuzz golden samples static boundaries requirements sbom audit package peers hooks chromium clean

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1|/p' $(MAKEFILE_LIST) | column -t -s '|' 2>/dev/null || sed -n 's/:.*## /: /p' $(MAKEFILE_LIST)

run: $(VENV)/.run ## install what is pinned, then open the app in a browser
	$(BIN)/streamlit run app.py

# The tests are shared out between the cores, each a stretch of them, and who is done first takes of what the others have
# left; a single test is quicker with pytest alone.
PYTEST = $(BIN)/python -m pytest -n auto --dist worksteal $(PYTEST_OPTIONS)

# What Python compiles is kept: the tests start hundreds of processes, and each would compile all that it imports.
test test-all package: export PYTHONDONTWRITEBYTECODE =
# Every core has a worker already: threads of their own would only wait for each other, which costs processor time.
test test-all: export OMP_NUM_THREADS = 1
test test-all: export OPENBLAS_NUM_THREADS = 1

test: $(VENV)/.dev chromium npm-for-tests ## install that and what the tests need, then run the tests
	$(PYTEST) -m "not extended"

test-all: $(VENV)/.dev chromium npm-for-tests ## run the extended tests as well, with more generated examples
	HYPOTHESIS_PROFILE=thorough $(PYTEST)

npm-for-tests:
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory node_modules/.installed; else echo "Without npm, tests of scripts and of accessibility are skipped."; fi

lint: $(VENV)/.dev node_modules/.installed ## check style, types and spelling
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/typos
	node_modules/.bin/eslint .
	node_modules/.bin/tsc

# Node.js checks the scripts of the components; the app itself never needs it.
node_modules/.installed: package.json package-lock.json
	@command -v npm >/dev/null || { echo "make lint needs Node.js 18.18 or newer with npm. On Debian and Ubuntu: apt install nodejs npm, then make lint again." >&2; exit 1; }
	npm ci --no-audit --no-fund --loglevel=error
	@touch $@

docs: $(VENV)/.dev ## build the documentation into the folder site
	DISABLE_MKDOCS_2_WARNING=true NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict

bench: $(VENV)/.dev chromium ## measure, and print the figures
	$(BIN)/python -m benchmarks

# Changed files of every format for some minutes; what fails is kept in the folder FOUND.
MINUTES ?= 10
FOUND ?= fuzz-found
fuzz: $(VENV)/.dev ## feed changed files to the loaders for MINUTES=10
	$(BIN)/python -m tests.fuzz.fuzz --minutes $(MINUTES) --keep $(FOUND)

# After a change that is meant to change what is computed: the commit message says why.
golden: $(VENV)/.dev ## record what the product computes for tests/golden
	$(BIN)/python -m tests.golden.record

# After a change of a sample's text, of the sentence splitter or of the model.
samples: $(VENV)/.run ## make the vectors of the samples again
	$(BIN)/python -m chunking.samples

# From sentences of DATA and the vectors of all-MiniLM-L6-v2; the half hour of the latter is kept in build/static.
DATA ?= ../shared/data
static: $(VENV)/.run ## fit the vectors of the encoder static again
	$(BIN)/python -m tools.static_encoder $(DATA)

# From labelled documents of DATA, in about a minute.
boundaries: $(VENV)/.run ## fit the weights of the evidence for boundaries again
	$(BIN)/python -m tools.boundaries $(DATA)

chromium: $(VENV)/.dev
	@BIN="$(BIN)" sh tests/browser/chromium.sh

# The stamp, not the interpreter, is the target: where ensurepip is missing, venv fails but leaves an interpreter behind.
$(VENV)/.pip:
	@$(PYTHON) -c 'import sys; sys.exit("Chunkscope needs Python 3.11 or newer: make PYTHON=python3.12 …") if sys.version_info < (3, 11) else None'
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv $(VENV) || { echo "$(PYTHON) cannot make an environment with pip. On Debian and Ubuntu: apt install python3-venv, then make again." >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null || { echo "pip does not work in $(VENV): make clean, then make again." >&2; exit 1; }
	@touch $@

$(VENV)/.run: requirements.txt requirements-lock.txt | $(VENV)/.pip
	@echo "Installing Chunkscope's requirements into $(VENV); this happens once."
	@$(INSTALL) requirements.txt
	@touch $@

$(VENV)/.dev: requirements-dev.txt requirements-peers.txt requirements-cluster.txt requirements-multilingual.txt requirements-stores.txt $(VENV)/.run
	@echo "Installing what the tests and checks need into $(VENV); this happens once."
	@$(INSTALL) requirements-dev.txt
	@touch $@

# After a change of pyproject.toml or of a pin.
requirements: ## derive requirements*.txt from pyproject.toml and the pins
	$(PYTHON) -m tools.requirements

sbom: $(VENV)/.dev ## write what the app is made of to sbom.cdx.json (CycloneDX)
	$(BIN)/python -m tools.supply sbom

audit: $(VENV)/.dev ## ask the package index for known vulnerabilities of the app's packages
	$(BIN)/python -m tools.supply audit

# The tests of the wheel in environments that are installed, not linked.
package: $(VENV)/.dev ## build the wheel and try it in empty environments
	CHUNKSCOPE_INSTALL=1 $(BIN)/python -m pytest tests/package

peers: $(VENV)/.run ## add the splitters of other libraries to the app
	@$(INSTALL) requirements-peers.txt

hooks: $(VENV)/.dev node_modules/.installed ## run the quick checks before every commit
	$(BIN)/pre-commit install

clean: ## remove the environment and all caches
	rm -rf $(VENV) node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis site
