# Two commands are all there is to know: `make demo` and `make test`. Each first makes `.venv`
# from the hashed lock, once per change of the lock. Paths here are relative, so that the
# checkout may lie in a folder whose name has spaces.

BIN := .venv/bin
READY := .venv/.ready
SUITABLE = import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))
# --python-version is the oldest one that we support: the lock holds for all from there on
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate pyproject.toml

.PHONY: demo test lint types tests coverage soak fuzz bench bench-cache bench-startup schema lock clean

demo: $(READY)
	@$(BIN)/python -m tests.demo

test: lint types tests

lint: $(READY)
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/zizmor --offline --quiet .github action.yml

types: $(READY)
	$(BIN)/python -m mypy

# Many tests wait, so there are more workers than two cores; those that wait longest stand together,
# so work is stolen.
tests: $(READY)
	$(BIN)/python -m pytest -q -n 4 --dist worksteal $(COVERAGE)

# Apart from `test`: it makes the suite half as slow again.
coverage: COVERAGE := --cov --cov-report=term:skip-covered
coverage: tests

# 200 runs, two at a time, on a GitHub of which some calls fail: minutes, most of them spent waiting.
soak: $(READY)
	$(BIN)/python -m tests.faults.soak

# What reads text of strangers, for SECONDS each: `make fuzz FUZZED=patch SECONDS=600 SEED=0` looks
# longer, and elsewhere each time. CI looks where it looked before: a find there is news of the code.
SECONDS := 4
SEED := 1
fuzz: $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
	  --require-hashes -r tests/fuzz/requirements.txt
	@mkdir -p build; for target in $(or $(FUZZED),`$(BIN)/python -m tests.fuzz`); do \
	  echo "== $$target"; \
	  $(BIN)/python -m tests.fuzz $$target $(SECONDS) $(SEED) >build/fuzz-$$target.log 2>&1 \
	    || { cat build/fuzz-$$target.log; exit 1; }; \
	  grep -h '^Done' build/fuzz-$$target.log; \
	done

$(READY): .venv/.locked pyproject.toml
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# A new .venv, not an upgraded one: nothing of an older lock stays behind.
.venv/.locked: requirements-dev.txt
	@found=; for python in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11; do \
	  if "$$python" -c '$(SUITABLE)' 2>/dev/null; then found=$$python; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo 'make: no Python 3.11 or newer with venv was found (PYTHON=/path/to/python3 names one)' >&2; \
	  exit 2; \
	fi; \
	echo "Setting up .venv with $$("$$found" -V)"; \
	"$$found" -m venv --clear .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@touch $@

# How fast the parts are that read what strangers wrote, and whether they stay linear.
bench: $(READY)
	$(BIN)/python -m bench.screening
	$(BIN)/python -m bench.snapshot

# How soon a run is at work, as ratios to a bare `import litellm`; RIVAL='command line' times one more.
RIVAL :=
bench-startup: $(READY)
	$(BIN)/python -m bench.startup $(if $(RIVAL),--rival '$(RIVAL)')

# What a provider's cache takes off five agents, billed by a stand-in's own count: 1.05 times at most.
bench-cache: $(READY)
	$(BIN)/python -m bench.cache

# The JSON schema of `.github/pr-review.yml`, after a change of a setting.
schema: $(READY)
	$(BIN)/pr-review config --schema > src/pr_review/settings.schema.json.new
	mv src/pr_review/settings.schema.json.new src/pr_review/settings.schema.json

# How reviews look on a phone and at a desk, for people to judge (Chromium draws them).
PICTURES := build/pictures
pictures: $(READY)
	$(BIN)/python -m tests.review.pictures $(PICTURES)

# Exact versions and the hashes of every file of a release, for all platforms and Pythons.
lock: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(LOCK) $(UPGRADE) -o requirements.txt
	$(LOCK) $(UPGRADE) --group dev -c requirements.txt -o requirements-dev.txt
	$(LOCK:pyproject.toml=) --group build -c requirements-dev.txt -o requirements-build.txt

clean:
	rm -rf .venv .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
