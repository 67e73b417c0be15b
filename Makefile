PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
KILLED := tests/crashes tests/stories/test_killed.py tests/stories/test_killed_reading.py tests/emails/test_outbox_killed.py
PROOFS := $(KILLED) tests/secrets tests/fuzz tests/rules/test_fair.py tests/rules/test_records.py tests/stories/test_real_mail.py
INSPECT := .venv-inspect

.PHONY: demo test check bench proof words node pictures lock clean

demo: $(VENV)/.installed
	$(BIN)/estafette demo

test: $(VENV)/.installed-test check
	$(BIN)/pytest -n auto -m "not browser and not postfix"

check: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

node: var/node/.installed

pictures: $(VENV)/.installed-test
	$(BIN)/python -m tests.pictures pictures

bench: $(VENV)/.installed-test
	$(BIN)/python -m tests.perf --to var/bench

words: $(VENV)/.installed-test
	$(BIN)/python -m emails.catalogues

audit: $(INSPECT)/.installed
	$(INSPECT)/bin/pip-audit --disable-pip --require-hashes -r requirements-postgres.lock

sbom: $(INSPECT)/.installed
	mkdir -p dist
	$(INSPECT)/bin/cyclonedx-py requirements requirements-postgres.lock --pyproject pyproject.toml --output-reproducible -o dist/sbom.json

licences: $(INSPECT)/.installed $(VENV)/.installed-test
	$(INSPECT)/bin/pip-licenses --python $(BIN)/python --order license --packages $$(sed -n 's/^\([A-Za-z0-9_.-]*\)==.*/\1/p' requirements-postgres.lock)

proof: $(VENV)/.installed-proof check
	ESTAFETTE_PROOF=1 ESTAFETTE_TEST_POSTGRES= $(BIN)/pytest -n auto --dist worksteal $(PROOFS)
	test -z "$$ESTAFETTE_TEST_POSTGRES" || ESTAFETTE_PROOF=1 $(BIN)/pytest -n auto --dist worksteal $(KILLED)
	$(BIN)/python -m tests.fuzz 120 var/fuzz
	$(BIN)/python -m tests.mutants

lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header pyproject.toml -o requirements.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --extra postgres -c requirements.lock pyproject.toml -o requirements-postgres.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --extra test --extra postgres --extra sentry --extra telemetry -c requirements-postgres.lock pyproject.toml -o requirements-test.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --extra proof --extra test --extra postgres -c requirements-test.lock pyproject.toml -o requirements-proof.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --group pyproject.toml:inspect -o requirements-inspect.lock

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("Estafette needs Python 3.11 or newer, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else 0'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python requirements.lock pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	touch $@

$(VENV)/.installed-test: $(VENV)/bin/python requirements-test.lock pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-test.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	touch $@ $(VENV)/.installed

var/node/.installed: tests/stories/package-lock.json
	mkdir -p var/node
	cp tests/stories/package.json tests/stories/package-lock.json var/node
	npm ci --prefix var/node --ignore-scripts --no-audit --no-fund
	touch $@

$(INSPECT)/.installed: requirements-inspect.lock
	$(PYTHON) -m venv $(INSPECT)
	$(INSPECT)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-inspect.lock
	touch $@

$(VENV)/.installed-proof: $(VENV)/.installed-test requirements-proof.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-proof.lock
	touch $@

clean:
	rm -rf $(VENV) $(INSPECT) var build dist *.egg-info
