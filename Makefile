# Yardstone: `make demo` shows it at work, `make test` passes the tests.
# Each target installs what it needs into .venv first, once; .venv grows in three steps:
# what the demo runs, what the command can do, what develops and tests it.

SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO_READY := $(VENV)/.demo
INSTALLED := $(VENV)/.installed
TOOLS := $(VENV)/.tools
LOOPS := $(VENV)/.loops
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Exact versions, each file of which has the hash that is known of it, and nothing that runs
# code of its own to be installed.
PINNED = $(PIP) --only-binary :all: --require-hashes --no-deps
EDITABLE = $(PIP) --no-deps --no-build-isolation -e
# By itself, so that a build without CUDA can be chosen: make TORCH=/path/to/wheel
TORCH ?= torch==2.13.0
DEMO := demo-output
EXAMPLES := src/yardstone/examples
# Two processes: the tests are made to run on two cores.
TEST_WORKERS ?= 2
# Whatever the shell says, compiled Python is kept: tests start it a thousand times.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help install tools demo test fuzz lint format docs bench studies faults siege mutants pins audit clean

help:
	@echo "make demo      rate 27,612 games of chess engines, and a player of Go; pages in $(DEMO)/"
	@echo "make install   install all of the command into $(VENV); it is $(BIN)/yardstone"
	@echo "make test      run the tests, with all that they need"
	@echo "make fuzz      damage files for every reader: SECONDS=3600, TARGETS=names, SANITIZE=1"
	@echo "make lint      check style, types, the direction of imports and that the house does not grow"
	@echo "make docs      build the documentation into docs/_build/html"
	@echo "make bench     measure speed and memory beside other programs: BENCH=\"--ordo PATH\""
	@echo "make studies   make again the tables of the documentation, in hours"
	@echo "make mutants   put small faults into the code: does a test fail? PACKAGES=names SAMPLE=600"
	@echo "make faults    kill and refuse every command at many moments, within 20 minutes"
	@echo "make siege     bombs for every reader, a crowded hall, kills: within 30 minutes, PARTS=names"
	@echo "make pins      write requirements/ anew from pyproject.toml, with hashes"
	@echo "make audit     look for known weaknesses in what is pinned"
	@echo "make clean     remove what these commands made"

install: $(INSTALLED) $(LOOPS)

tools: $(TOOLS) $(LOOPS)

$(DEMO_READY): pyproject.toml requirements/demo.txt
	@command -v $(PYTHON) >/dev/null 2>&1 || { \
		echo "Yardstone needs Python 3.11 or later, and there is no $(PYTHON)." >&2; \
		echo "On Debian: apt-get install python3 python3-venv" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Yardstone needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) --version 2>&1)." >&2; \
		echo "Name another one: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || { \
		echo "Making $(VENV) ..."; rm -rf $(VENV); $(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "Python's venv is missing. On Debian: apt-get install python3-venv" >&2; exit 1; }; }
	@echo "Installing what the demo needs into $(VENV) ..."
	@# Python compiles what it imports, when it does: most of this is never imported.
	@$(PINNED) --no-compile -r requirements/demo.txt
	@touch $@

# Where there is no C compiler one is here for as long as this takes: seconds where little changed.
$(LOOPS): pyproject.toml $(shell find src -name '*.pyx' -o -name '*.pxd') | $(DEMO_READY)
	@echo "Compiling the loops ..."
	@$(BIN)/python -m tools.loops --find || \
		$(PINNED) -r requirements/compiler.txt --target build/compiler
	@PYTHONPATH=build/compiler $(EDITABLE) .
	@rm -rf build/compiler
	@touch $@

$(INSTALLED): $(DEMO_READY) requirements/command.txt lab/pyproject.toml
	@echo "Installing the rest of Yardstone into $(VENV) ..."
	@$(PINNED) -r requirements/command.txt
	@$(EDITABLE) lab
	@$(BIN)/python -m compileall -qq -j 0 $(VENV)/lib || true
	@touch $@
	@echo "Installed: $(BIN)/yardstone"

$(TOOLS): $(INSTALLED) requirements/tools.txt
	@echo "Installing what develops and tests Yardstone into $(VENV) (2 GB, some minutes) ..."
	@$(PINNED) -r requirements/tools.txt
	@$(PIP) '$(TORCH)'
	@$(BIN)/python -m compileall -q src/yardstone lab/src
	@touch $@

DEMO_COMMAND = yardstone rate $(EXAMPLES)/tcec.pgn.gz --min-games 150 --top 20 \
	-o $(DEMO)/tcec.svg -o $(DEMO)/tcec.html

DEMO_STRENGTH = yardstone strength estimate $(EXAMPLES)/professional.sgf --colour black \
	-o $(DEMO)/strength.html

demo: $(DEMO_READY) $(LOOPS)
	@mkdir -p $(DEMO)
	@echo '$$ $(DEMO_COMMAND)'
	@TIMEFORMAT='Done in %1R seconds.'; time $(BIN)/$(DEMO_COMMAND)
	@echo "The picture: $(DEMO)/tcec.svg. The page, for a browser: $(DEMO)/tcec.html"
	@echo
	@echo '$$ $(DEMO_STRENGTH)'
	@$(BIN)/$(DEMO_STRENGTH)
	@echo "The page, for a browser: $(DEMO)/strength.html"

test: $(TOOLS) $(LOOPS)
	$(BIN)/python -m pytest -n $(TEST_WORKERS) --dist worksteal

# For all readers together; findings and what to go on from are kept in fuzz-findings/.
SECONDS ?= 3600
TARGETS ?=
# SANITIZE=1: on loops that stop at each access to memory that is not theirs.

FUZZ = $(BIN)/python -m tests.fuzz run --seconds $(SECONDS) $(TARGETS)
fuzz: $(TOOLS) $(LOOPS)
ifdef SANITIZE
	$(BIN)/python -m tools.loops --sanitize
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libstdc++.so.6)" \
		ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 PYTHONMALLOC=malloc \
		$(FUZZ); status=$$?; $(BIN)/python -m tools.loops; exit $$status
else
	$(FUZZ)
endif

lint: $(TOOLS)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	PATH=$(BIN):$$PATH cython-lint src
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tools.house --check

format: $(TOOLS)
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: $(TOOLS) $(LOOPS)
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo "Documentation: docs/_build/html/index.html"

# Peers by their options: make bench BENCH="--ordo PATH --bbp PATH --peers PYTHON --write"
bench: $(TOOLS) $(LOOPS)
	$(BIN)/python -m benchmarks.speed $(BENCH)

# All of them, in the order that works, or some: make studies STUDIES="settling kaniuk"
STUDIES ?=

studies: $(TOOLS) $(LOOPS)
	$(BIN)/python -m lab.studies $(STUDIES)

# So many trials of each fault of each command.
EACH ?= 1

faults: $(TOOLS) $(LOOPS)
	mkdir -p build && rm -f build/faults.* && touch build/faults.start
	FAULTS_EACH=$(EACH) FAULTS_SURVIVED=$(CURDIR)/build/faults.txt \
	    $(BIN)/python -m pytest -n $(TEST_WORKERS) --dist worksteal tests/faults
	$(BIN)/python -m tests.faults.table build/faults.txt > docs/studies/faults-tables.md

# By name: bombs, hall, loss, or words of bombs.
PARTS ?=

siege: $(TOOLS) $(LOOPS)
	$(BIN)/python -m tests.siege $(PARTS) --minutes 30

# A sample of small faults; what is done is kept in build/mutants, and is gone on from.
SAMPLE ?= 600
PACKAGES ?=

mutants: $(TOOLS) $(LOOPS)
	$(BIN)/python -m tools.mutants --sample $(SAMPLE) $(PACKAGES)

pins: $(TOOLS)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m tools.pins

# With AUDIT=--strict all must be looked up; without a network none can be.
AUDIT ?=

audit: $(TOOLS)
	$(BIN)/python -m tools.audit $(AUDIT)

clean:
	rm -rf $(VENV) $(DEMO) fuzz-findings docs/_build build dist dist-bill .pytest_cache .mypy_cache .ruff_cache \
		.hypothesis .import_linter_cache src/*.egg-info lab/src/*.egg-info
	find src tests benchmarks lab docs -name __pycache__ -type d -prune \
		-exec rm -rf {} +
