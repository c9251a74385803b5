# Everything a person or CI does with this repository. `make` alone lists it.

PYTHON ?= python3
BIN := .venv/bin
# Newer than both of these files once the environment holds what they say.
INSTALLED := .venv/installed
BENCH_INSTALLED := .venv/bench-installed
DEPLOY_INSTALLED := .venv/deploy-installed
# The commit before the last that changed a contract: on main itself main would be compared with itself.
PROTOS_BEFORE = $(shell git log -2 --format=%H -- protos 2>/dev/null | sed -n 2p)
PROTOS := $(wildcard protos/floorbook/v1/*.proto)
TREES := services tests deploy

# $(call option,ROUNDS,rounds) is `--rounds '500'` if ROUNDS is set, else nothing.
option = $(if $($(1)),--$(2) '$($(1))')

.PHONY: help setup demo drill pictures test check bench proofs protos lock clean

help:
	@echo 'make setup    make the environment .venv (Python 3.11 or newer; PYTHON= names one)'
	@echo 'make demo     everything on this machine, reconciled to the cent; options:'
	@echo '              TABLES= ROUNDS= SEED= RULE_SET= KEEP= MISBEHAVE= REPORT='
	@echo '              PAGE= FLOORBOOK_KAFKA= FLOORBOOK_DATABASE= use servers that exist'
	@echo 'make drill    FAULT=evaluator-down|broker-down|database-down|poison|slow-table|'
	@echo '              device-silent: its alert, healed, resolved, the books (docs/drills.md)'
	@echo 'make test     all that CI runs'
	@echo 'make check    linters, alerts, dashboards, chart, drills: deploy/check 0 1 2 3 4'
	@echo 'make bench    the whole path and the rules measured; options: QUICK= WORKERS='
	@echo 'make proofs   the long proofs: hundreds of kills, all hands, all restarts'
	@echo 'make protos   generate services/floorbook/v1 from protos/ again'
	@echo 'make lock     pin all dependencies anew in requirements.lock'
	@echo 'make clean    remove what can be made again, except .venv'

setup: $(INSTALLED)

$(INSTALLED): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
	    "floorbook needs Python 3.11 or newer: make setup PYTHON=python3.11")'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo 'installing the pinned dependencies into .venv'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	    --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

demo: setup
	@$(BIN)/floorbook demo $(call option,TABLES,tables) $(call option,ROUNDS,rounds) \
	    $(call option,SEED,seed) $(call option,RULE_SET,rule-set) $(call option,KEEP,keep) \
	    $(call option,MISBEHAVE,misbehave) $(call option,REPORT,report) \
	    $(call option,PAGE,page)

drill: setup
	@$(BIN)/floorbook drill $(FAULT) $(call option,SHORTER,shorter) $(call option,TABLES,tables) \
	    $(call option,REPORT,report)

# The floor's page as it is in docs/: needs the packages of `make drill`, and chromium.
pictures: setup
	deploy/picture docs/floor-now.png 'rounds [3-9][0-9][0-9]/' \
	    floorbook demo --page --tables 6 --rounds 200 --rule-set all
	deploy/picture docs/floor-evaluator-down.png '^ALERT .*EvaluatorFailing' floorbook drill evaluator-down

test: setup
	$(BIN)/ruff check $(TREES)
	$(BIN)/ruff format --check $(TREES)
	$(BIN)/mypy
	$(if $(wildcard .importlinter),$(BIN)/lint-imports)
	$(BIN)/buf lint
	$(if $(PROTOS_BEFORE),$(BIN)/buf breaking --against '.git#ref=$(PROTOS_BEFORE)')
	$(BIN)/pytest -m 'not slow' -n 2 --dist loadfile tests

# Rungs 5, 6 and 7 (an API server, images, a cluster) take longer: deploy/check 5
check: setup $(DEPLOY_INSTALLED)
	deploy/check 0 1 2 3 4

$(DEPLOY_INSTALLED): $(INSTALLED) requirements-deploy.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	    --require-hashes -r requirements-deploy.lock
	@touch $@

$(BENCH_INSTALLED): $(INSTALLED) requirements-bench.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	    --require-hashes -r requirements-bench.lock
	@touch $@

bench: setup $(BENCH_INSTALLED)
	$(BIN)/python -m tests.benchmarks.path $(if $(QUICK),--quick) $(call option,WORKERS,workers)
	$(BIN)/python -m tests.benchmarks.thirteen_cards.speed
	$(BIN)/python -m tests.benchmarks.pai_kau.speed
	$(BIN)/python -m tests.benchmarks.mahjong.speed

proofs: setup $(BENCH_INSTALLED)
	$(BIN)/pytest -s -m slow tests

# Only what declares a service gets a module of stubs: the others' would be empty.
protos: setup
	$(BIN)/python -m grpc_tools.protoc -I protos --python_out=services --pyi_out=services $(PROTOS)
	$(BIN)/python -m grpc_tools.protoc -I protos --grpc_python_out=services \
	    $$(grep -l '^service ' $(PROTOS))

lock:
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	    $(PYTHON) -m venv "$$folder" && "$$folder/bin/pip" install --quiet uv && \
	    pin="$$folder/bin/uv pip compile -q --generate-hashes --no-emit-index-url --no-header \
	    --no-annotate --python-version 3.11" && \
	    $$pin --extra demo --extra otel --group dev -o requirements.lock pyproject.toml && \
	    $$pin --extra otel -o requirements-image.lock pyproject.toml && \
	    $$pin -c requirements.lock --group deploy -o requirements-deploy.lock && \
	    $$pin -c requirements.lock --group bench -o requirements-bench.lock

clean:
	rm -rf build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	rm -rf services/*.egg-info
	find $(TREES) -name __pycache__ -prune -exec rm -rf {} +
