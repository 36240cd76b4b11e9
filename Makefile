# Two commands do everything on a fresh machine with Python 3.11, make and pip:
#   make demo   the whole benchmark in small, ending in a table and a page
#   make test   the tests
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ROOMS := caos.py caos_demo.py caos_doctor.py foundation assets simulator scenes segmentation ood_scores

.PHONY: install dev demo test coverage lint bench docs pictures clean

install: $(VENV)/.installed
dev: $(VENV)/.installed-dev

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	sh .ci/system-libraries
	$(BIN)/python -m pip install --quiet -e .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	sh .ci/system-libraries
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	@touch $@ $(VENV)/.installed

demo: install
	$(BIN)/caos demo --out demo

test: dev
	$(BIN)/python -m pytest $(PYTEST)

coverage: dev
	$(BIN)/python -m pytest --cov --cov-report=term:skip-covered -m 'not slow' $(PYTEST)

lint: dev
	$(BIN)/ruff check $(ROOMS) tests examples
	$(BIN)/ruff format --check $(ROOMS) tests examples
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: dev
	$(BIN)/python -m tests.bench

pictures: dev
	$(BIN)/caos assets preview --out demo/hazards.png --columns 24
	$(BIN)/python docs/pictures.py demo demo/hazards.png

docs: dev
	$(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) demo site
