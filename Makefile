# The environment is made on first use and again whenever a requirements file changes.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Where torch, and torch alone, is taken from; empty: pip's own index. See the README for the CPU build.
TORCH_INDEX ?=

.PHONY: run test lint bench fuzz samples peers chromium clean

run: $(VENV)/.run
	$(BIN)/streamlit run app.py

# The tests are shared out between the cores, each a stretch of them, and who is done first takes of what the others have
# left; a single test is quicker with pytest alone.
test: $(VENV)/.dev chromium
	$(BIN)/python -m pytest -n auto --dist worksteal

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.dev chromium
	$(BIN)/python -m benchmarks

# Changed files of every format for some minutes; what fails is kept in the folder FOUND.
MINUTES ?= 10
FOUND ?= fuzz-found
fuzz: $(VENV)/.dev
	$(BIN)/python -m tests.fuzz.fuzz --minutes $(MINUTES) --keep $(FOUND)

# After a change of a sample's text, of the sentence splitter or of the model.
samples: $(VENV)/.run
	$(BIN)/python -m chunking.samples

chromium: $(VENV)/.dev
	@BIN="$(BIN)" sh tests/browser/chromium.sh

# The stamp, not the interpreter, is the target: where ensurepip is missing, venv fails but leaves an interpreter behind.
$(VENV)/.pip:
	@$(PYTHON) -c 'import sys; sys.exit("Chunkscope needs Python 3.11 or newer: make PYTHON=python3.12 …") if sys.version_info < (3, 11) else None'
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv $(VENV) || { echo "$(PYTHON) cannot make an environment with pip. On Debian and Ubuntu: apt install python3-venv, then make again." >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null || { echo "pip does not work in $(VENV): make clean, then make again." >&2; exit 1; }
	@touch $@

$(VENV)/.run: requirements.txt requirements-lock.txt | $(VENV)/.pip
	$(if $(TORCH_INDEX),$(PIP) --no-deps --index-url $(TORCH_INDEX) $$(grep '^torch==' requirements.txt))
	$(PIP) -r requirements.txt
	@touch $@

$(VENV)/.dev: requirements-dev.txt requirements-peers.txt requirements-cluster.txt $(VENV)/.run
	$(PIP) -r requirements-dev.txt
	@touch $@

# The other libraries' splitters, for those who want them in the app.
peers: $(VENV)/.run
	$(PIP) -r requirements-peers.txt

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
