# Every target makes .venv and installs what it needs; where that is up to date it installs nothing.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
SPEC := pyproject.toml setup.cfg setup.py
OUT ?= demo-out

# what this variable forbids saves every process from compiling each module that it imports
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-slow test-all vignettes docs lint bench bench-studies clean

demo: $(VENV)/.base
	$(BIN)/python -m nproc demo --out $(OUT)

# two processes on two cores: more threads of BLAS in each would only get in each other's way
test test-all test-slow: export OMP_NUM_THREADS = 1
test test-all test-slow: export OPENBLAS_NUM_THREADS = 1

test: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow" --durations=20

test-all: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 --dist worksteal --durations=20

test-slow: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 --dist worksteal -m slow --durations=20

# runs every notebook from the top; stored outputs stay as they are
vignettes: $(VENV)/.vignettes
	cd vignettes && OMP_NUM_THREADS=1 ../$(BIN)/python -m pytest --nbmake --nbmake-timeout=180 --durations=0 -n 2 --override-ini testpaths= *.ipynb

docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/basedpyright
	$(BIN)/python tests/typing/check_wrong_calls.py

# the suite, within 20 minutes; the studies take hours; BENCH="--checkpoint folder" resumes where it stopped
bench: $(VENV)/.bench
	$(BIN)/python benchmarks/run_all.py $(BENCH)

bench-studies: $(VENV)/.bench
	$(BIN)/python benchmarks/run_all.py --studies $(BENCH)

clean:
	rm -rf $(VENV) $(OUT) build dist docs/_build *.egg-info .pytest_cache .ruff_cache

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.base: $(SPEC) | $(BIN)/python
	$(PIP) --editable .
	@touch $@

$(VENV)/.test: $(SPEC) | $(BIN)/python
	$(PIP) --editable ".[test]"
	@touch $@ $(VENV)/.base

$(VENV)/.vignettes: $(SPEC) | $(BIN)/python
	$(PIP) --editable ".[test,vignettes]"
	@touch $@ $(VENV)/.test $(VENV)/.base

$(VENV)/.docs: $(SPEC) | $(BIN)/python
	$(PIP) --editable ".[docs]"
	@touch $@ $(VENV)/.base

# a peer that cannot be installed is left out of the results, which say so
$(VENV)/.bench: $(SPEC) | $(BIN)/python
	$(PIP) --editable ".[test]"
	$(PIP) --editable ".[bench]" || echo "peers not installed: the benchmarks leave them out"
	@touch $@ $(VENV)/.test $(VENV)/.base

$(VENV)/.lint: $(SPEC) | $(BIN)/python
	$(PIP) --editable ".[lint]"
	@touch $@
