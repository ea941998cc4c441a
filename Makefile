# Every target sets up what it needs in .venv; Python and Rust are all that must be on the machine.
# `make PYTHON=python3.13 test` picks the interpreter of a fresh .venv.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c

PYTHON ?= python3
VENV := .venv
BIN := $(CURDIR)/$(VENV)/bin
PY := $(BIN)/python

# The binding is built and tested against the interpreter of .venv, never one that a shim picks.
export PYO3_PYTHON := $(PY)
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_QUIET := 1

RUST_SOURCES := $(shell find rust -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock

.PHONY: help soak coverage processors audit test test-rust test-python lint demo bench reproduce docs clean
.DEFAULT_GOAL := help

help: ## show the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/'

$(VENV)/.created:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "mindgap needs Python 3.10 or newer")'
	$(PYTHON) -m venv --clear $(VENV)
	$(PY) -m pip install --upgrade pip
	touch $@

$(VENV)/.maturin: $(VENV)/.created constraints.txt
	$(PY) -m pip install maturin
	touch $@

# What each kind of work needs beside the package itself.
$(VENV)/.extras-%: $(VENV)/.created pyproject.toml constraints.txt
	$(PY) tools/extras.py pyproject.toml $(subst +, ,$*) | $(PY) -m pip install -r /dev/stdin
	touch $@

# The package, editable: Python sources are used in place, Rust is rebuilt when it has changed.
$(VENV)/.built: $(VENV)/.maturin $(RUST_SOURCES) pyproject.toml
	$(BIN)/maturin develop --release --locked
	touch $@

test: test-rust test-python ## run all tests: the crate, the package, the extension packages

test-rust: $(VENV)/.created
	cargo test --locked --workspace
	cargo test --locked -p mindgap --no-default-features --features serde
	cargo package --locked -p mindgap --allow-dirty --quiet

test-python: $(VENV)/.built $(VENV)/.extras-test+cli+plot+sklearn
	tools/browser.sh
	$(PY) -m pytest

# `make soak SOAK="--minutes 60 --seed 1"`
soak: $(VENV)/.built $(VENV)/.extras-test+cli+plot+sklearn ## try every solver against oracles on random problems, for minutes or hours
	-$(PY) -m pip install -r tests/soak/requirements.txt
	cd tests && $(PY) -m soak $(SOAK)

coverage: $(VENV)/.built $(VENV)/.extras-test+cli+plot+sklearn $(VENV)/.extras-coverage ## measure which lines the tests reach, in Rust and Python
	tools/browser.sh
	PATH=$(BIN):$$PATH tools/coverage.sh

processors: ## compare the bits of fits on this processor with those on others, which qemu emulates
	$(PYTHON) tools/processors.py

# Each tool brings its own needs, and so stays out of .venv; either fails where it cannot reach its database.
AUDIT := target/audit

audit: ## look up known vulnerabilities of everything that is pinned
	$(PYTHON) -m venv $(AUDIT)/python
	$(AUDIT)/python/bin/python -m pip install pip-audit
	$(AUDIT)/python/bin/pip-audit --strict --no-deps --disable-pip -r constraints.txt
	cargo install --quiet --root $(AUDIT)/cargo --target-dir $(AUDIT)/cargo/build --locked cargo-audit
	PATH=$(CURDIR)/$(AUDIT)/cargo/bin:$$PATH cargo audit

lint: $(VENV)/.built $(VENV)/.extras-test+cli+plot+sklearn $(VENV)/.extras-lint ## check format, lints, types and the stub
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets --all-features -- -D warnings
	cargo clippy --locked -p mindgap --all-targets --no-default-features -- -D warnings
	RUSTDOCFLAGS='-D warnings' cargo doc --locked -p mindgap --no-deps --all-features
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(BIN)/lint-imports
	$(PY) -m mypy
	$(PY) -m mypy.stubtest mindgap._core

# The paper's experiments and the demo, an extension package.
$(VENV)/.paper: $(VENV)/.built plugins/mindgap-paper/pyproject.toml
	$(PY) -m pip install -e plugins/mindgap-paper
	touch $@

demo: $(VENV)/.paper ## fit the NYPANS heights both ways and draw them
	$(PY) -m mindgap_paper.demo

bench: $(VENV)/.built $(VENV)/.extras-cli+plot+sklearn ## measure against peers, in one run
	$(PY) -m pip install -r benchmarks/requirements.txt
	$(PY) benchmarks/run.py

# The authors' data sets of Experiments 1 and 3, where they are at hand.
DATA ?= ../shared/data

reproduce: $(VENV)/.paper ## redo the paper's experiments, and write docs/reproduction.md
	$(PY) -m mindgap reproduce --docs docs/reproduction.md
	if [ -d $(DATA) ]; then $(PY) -m mindgap reproduce 1 3 --data $(DATA) --out reproduction/authors \
	    --docs docs/reproduction_on_the_authors_data.md; fi

docs: $(VENV)/.built $(VENV)/.extras-docs $(VENV)/.extras-cli+plot+sklearn ## build the site into site/
	$(PY) -m sphinx -W --keep-going -b html docs site

clean: ## remove what the other targets made
	rm -rf $(VENV) target site build dist
