# `make` alone lists what there is. Continuous integration calls these same targets.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
VENV := .venv
BIN := $(VENV)/bin
NORNIR := $(BIN)/nornir
TIMED = scripts/timed.sh
BASE ?= main
# Of the order of tests: the same each time, so that a change is judged by what it changes; test-long shuffles again.
# Files go to the workers as tests/conftest.py sorts them; with --update-slow-files, a whole run writes again which come first.
ORDER = --no-loadscope-reorder --randomly-seed 2590479068
# Two more than there are cores: much of the time of tests is waiting, for timers of switches and for machines.
WORKERS = $(shell expr $$(nproc) + 2)
# Tests start a thousand processes of ours: each would compile our modules again, which takes as long as all else it does.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo test test-changed test-fast test-roles test-long check docs bench clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(VENV)/.done ## Make .venv with everything the project needs

$(VENV)/.done: pyproject.toml constraints.txt scripts/setup.sh
	@scripts/setup.sh $(VENV)

demo: setup ## Bring up the built-in lab, push to it twice, validate it
	@$(TIMED) "make demo" scripts/demo.sh $(NORNIR)

# A file that is named here is run, listed as slow or not.
test-fast: setup ## Unit, error and property tests, without slow files, the machine and root (budget a minute on two cores)
	@$(TIMED) "make test-fast" $(BIN)/python -m pytest -n $(shell nproc) --dist loadfile -m "not long" --fast $(ORDER) tests/unit tests/errors/test_errors.py tests/property

test-changed: setup ## The tests that a change against BASE (main) can make fail, by imports and named files
	@tests=$$($(BIN)/python scripts/changed_tests.py $(BASE)); \
	if [ -z "$$tests" ]; then echo "nothing changed against $(BASE)"; exit 0; fi; \
	$(TIMED) "make test-changed" $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m "not long" $(ORDER) $$tests

test: setup ## Unit, property, corpus and lab tests (budget 25 minutes); as a normal user it says what it leaves out
	@if [ "$$(id -u)" -eq 0 ]; then scripts/machine_packages.sh; fi
	@$(TIMED) "make test" $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m "not long" --durations 20 $(ORDER)

test-roles: setup ## The Molecule scenario of each role, and that of site.yml (budget 15 minutes)
	@$(TIMED) "make test-roles" scripts/test_roles.sh $(BIN)

test-long: setup ## What takes long: fault counts, many random fabrics, new examples for all random tests
	@$(TIMED) "make test-long" $(BIN)/python -m pytest -m long -s
	@$(TIMED) "new examples" $(BIN)/python -m pytest -n auto --dist loadfile -m "hypothesis and not long" --hypothesis-profile new-examples
	@$(TIMED) "all sites come out as before" scripts/baseline.sh $(BIN) --large
	@$(TIMED) "more of roles" scripts/test_roles.sh $(BIN) --long

check: setup ## Format, lint, types, import contracts, YAML
	@$(TIMED) "make check" scripts/check.sh $(BIN)

docs: setup ## Build the documentation site into out/site; a dead link ends it
	@$(TIMED) "make docs" $(BIN)/python scripts/docs_site.py

bench: setup ## Measure speed and memory, lab machines too, into docs/benchmarks.md (PEERS=1: pyavd and netlab beside, installed apart; BENCH_ARGS="--hosts 0": no machines)
	@$(BIN)/python tests/bench/run.py $(BENCH_ARGS)

clean: ## End the lab and remove what make made
	@if [ -x $(NORNIR) ]; then $(NORNIR) lab down; fi
	@rm -rf $(VENV) dist build out
