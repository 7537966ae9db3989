# The environment is made on first use and again whenever a requirements file changes.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: run test lint bench samples chromium clean

run: $(VENV)/.run
	$(BIN)/streamlit run app.py

test: $(VENV)/.dev chromium
	$(BIN)/python -m pytest

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.dev chromium
	$(BIN)/python -m benchmarks

# After a change of a sample's text, of the sentence splitter or of the model.
samples: $(VENV)/.run
	$(BIN)/python -m chunking.samples

chromium:
	@sh tests/browser/chromium.sh

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("Chunkscope needs Python 3.11 or newer: make PYTHON=python3.12 …") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements.txt requirements-lock.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.dev: requirements-dev.txt $(VENV)/.run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
