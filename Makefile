# Everything a developer or CI runs. Needs Python 3.11 or newer, make and git, nothing else.
.DELETE_ON_ERROR:
.PHONY: setup demo run test test-clients test-litellm check soak bench bench-decisions

BIN := .venv/bin
# The names are tried in this order; a pyenv shim of a version that is not there fails and is passed.
PYTHONS := python3 python3.13 python3.12 python3.11 python3.14 python
INSTALLED := .venv/.installed
INSTALLED_DEV := .venv/.installed-dev
DEMO_DATA := data/demo

# uv installs four times as fast as pip; where it cannot be had, pip does the same work.
define install
	@echo "Installing $(1)"
	@if command -v uv >/dev/null; then UV=uv; \
	elif $(BIN)/python -m pip install --quiet --disable-pip-version-check uv 2>/dev/null; then \
		UV=$(BIN)/uv; else UV=; fi; \
	if [ -n "$$UV" ]; then $$UV pip install --quiet --python $(BIN)/python -c constraints.txt -e '$(1)'; \
	else $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '$(1)'; fi
endef

setup: $(INSTALLED_DEV)

# A history and a pull request, shown as the product shows them; DEMO_SERVE=0 stops before serving.
demo: $(INSTALLED)
	rm -rf $(DEMO_DATA)
	DATABASE_URL= BROKER_URL= TIEBREAK_DATA_DIR=$(DEMO_DATA) $(BIN)/python manage.py demo

run: $(INSTALLED)
	$(BIN)/python manage.py migrate --noinput
	$(BIN)/python manage.py serve

# The whole suite on SQLite, then on PostgreSQL every test that uses the database; two processes,
# since most tests wait for a database half of their time.
test: $(INSTALLED_DEV)
	$(BIN)/python -m tests.servers.chromium
	$(BIN)/python -m tests.clients.installed
	env -u TEST_DATABASE_URL $(BIN)/python -m pytest -n 2
	$(BIN)/python -m tests.servers.postgres $(BIN)/python -m pytest -n 2

# LiteLLM's responses against the pytest plugin, in an environment of their own: it is large.
test-litellm: $(INSTALLED_DEV)
	$(BIN)/python -m venv .venv-litellm
	.venv-litellm/bin/python -m pip install --quiet --disable-pip-version-check 'litellm>=1.80,<2' pytest
	LITELLM_LOCAL_MODEL_COST_MAP=True .venv-litellm/bin/python -m pytest -c /dev/null --rootdir . \
		-p no:cacheprovider --confcutdir tests/client --import-mode importlib tests/client/litellm_answers.py

# The uploaders that teams have in CI, against a server in a process of its own; Datadog's needs npm.
test-clients: $(INSTALLED_DEV)
	$(BIN)/python -m tests.clients.installed --npm
	TEST_NPM_CLIENTS=1 CI=true $(BIN)/python -m pytest tests/clients tests/doors

check: $(INSTALLED_DEV)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python -m pip check

# Weeks of busy repositories with faults, counted once more in the end; DAYS=2 is a short one.
soak: $(INSTALLED_DEV)
	$(BIN)/python -m tests.soak --days $(or $(DAYS),24)

bench: $(INSTALLED_DEV)
	@for file in $(filter-out %/bench_decisions.py %/bench_replay.py,$(wildcard tests/benchmarks/bench_*.py)); do \
		$(BIN)/python -m tests.benchmarks.$$(basename $$file .py) || exit; done

# The operating characteristics of the decisions on real calls: those of the statistical core
# against their bounds, then those of the whole product with its second passes.
bench-decisions: $(INSTALLED_DEV)
	$(BIN)/python -m tests.benchmarks.bench_decisions
	$(BIN)/python -m tests.benchmarks.bench_replay

$(INSTALLED): pyproject.toml constraints.txt | $(BIN)/python
	$(call install,.)
	@touch $@

$(INSTALLED_DEV): pyproject.toml constraints.txt | $(BIN)/python
	$(call install,.[dev])
	@touch $(INSTALLED) $@

$(BIN)/python:
	@for name in $(PYTHONS); do \
		if $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			echo "Making .venv with $$($$name --version)"; exec $$name -m venv .venv; fi; done; \
	echo "no Python 3.11 or newer on PATH (tried: $(PYTHONS)); install one, then run make again" >&2; \
	exit 1
