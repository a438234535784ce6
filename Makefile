# Two commands: `make demo` answers the five questions, `make test` runs the tests. Both set up .venv when it is missing.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# PyTorch's own index has builds without CUDA, gigabytes smaller; where it can't be reached pip takes the default index.
CPU_INDEX ?= --extra-index-url https://download.pytorch.org/whl/cpu --retries 0 --timeout 20

# Lines of compiled kernels are counted with the compiler off; FMA exists compiled only.
KERNELS := tests/differences/test_kernels.py tests/orders/test_replayed.py tests/datasheets/test_scans.py
UNCOMPILED := "kernels or scans or coarse or wide or rounding or ties or convolutions or (chain and False)"

# Side by side, one thread each: two processes of PyTorch with two threads each slow each other down tenfold on two cores.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --maxprocesses 4

# Tests of over ten seconds each are left to `make check`.
WHICH := -m "not slow"
FAST := tests/floats tests/orders tests/differences tests/ops tests/noise tests/documents tests/audits tests/verdicts/evidence

# Backends whose packages are not PyTorch's or NumPy's, each in an environment of its own beside .venv.
BACKENDS := onnxruntime openvino jax executorch litert mlx ncnn opencl triton
backends test-backends: export HALFULP_HOME = $(CURDIR)/.backends

# Libraries of models, with the version of PyTorch that their torchvision asks for, beside .venv.
REAL := .real-models
ORDERS := .orders-of-libraries
REAL_TORCH := torch==2.14.1

.PHONY: demo test test-fast check lint backends test-backends real-models orders-of-libraries notebooks docs schemas sentences benchmarks clean

demo: $(VENV)/.ready
	$(BIN)/halfulp demo

test: $(VENV)/.ready
	$(PYTEST) $(WHICH) $(COUNTED)

# What decides: numbers, ops, noise, verdicts, traces, origins. Under 90 seconds on two cores.
test-fast: $(VENV)/.ready
	$(PYTEST) -q $(WHICH) $(FAST)

# Lint, and all tests with their lines counted.
check: WHICH :=
check: COUNTED := --cov --cov-report= --cov-fail-under=0
check: lint test
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -q -W ignore $(KERNELS) -k $(UNCOMPILED) $(COUNTED) --cov-append
	$(BIN)/python -m coverage report

# 4 GB and three minutes, mostly downloads. OpenCL needs a driver too: Debian's pocl-opencl-icd.
backends: $(VENV)/.ready
	$(BIN)/halfulp backends install -c constraints.txt $(BACKENDS)

# What the suite leaves out where they are missing: each adapter, whole models through each, the matrix of ops.
test-backends: backends
	OMP_NUM_THREADS=1 HALFULP_TEST_BACKENDS=onnxruntime,openvino,jax,executorch,litert,mlx,ncnn,triton $(BIN)/python -m pytest -q tests/backends/adapters tests/sources/test_onnx_files.py tests/kernels/test_triton.py

# Orders of libraries that add, in an environment of their own: 1.5 GB, five minutes, mostly downloads.
orders-of-libraries: $(ORDERS)/.ready
	OMP_NUM_THREADS=1 $(ORDERS)/bin/python -W ignore -m benchmarks.ordering.run

# 1 GB without CUDA (6 GB with it); then honest pairs, faults and reduced precision in real models (half an hour on two cores).
real-models: $(REAL)/.ready
	OMP_NUM_THREADS=1 $(REAL)/bin/python -W ignore -m benchmarks.real_models
	OMP_NUM_THREADS=1 $(REAL)/bin/python -W ignore -m benchmarks.real_models.versions

lint: $(VENV)/.ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check --no-cache .
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports

# Runs the notebooks of the five questions and writes them with their outputs.
notebooks: $(VENV)/.ready
	$(BIN)/python -W ignore examples/notebooks/make.py

# The documentation site, in site/. The commands on its pages are run first (some minutes; what has not changed is not run again).
docs: $(VENV)/.ready
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build

# JSON Schemas from the classes of results.
schemas: $(VENV)/.ready
	$(BIN)/python -m halfulp.documents.schema_writer

# Every sentence that the program can say, on one page to be read.
sentences: $(VENV)/.ready
	$(BIN)/python docs/making/sentences.py

benchmarks: $(VENV)/.ready
	$(BIN)/halfulp bench verdicts
	$(BIN)/halfulp bench verdicts --limits
	$(BIN)/python -m benchmarks.compare
	$(BIN)/python -W ignore -m benchmarks.check_cost
	$(BIN)/python -W ignore -m benchmarks.tolerances
	$(BIN)/python -W ignore -m benchmarks.orders
	$(BIN)/python -W ignore -m benchmarks.ulp
	$(BIN)/python -W ignore -m benchmarks.origins.run
	$(BIN)/python -W ignore -m benchmarks.agreement
	$(BIN)/python -W ignore -m benchmarks.record_cost
	$(BIN)/python -W ignore -m benchmarks.locate_cost
	$(BIN)/python -W ignore -m benchmarks.explain
	$(BIN)/python -W ignore -m benchmarks.explaining.by_words
	$(BIN)/python -W ignore -m benchmarks.compiling.run
	$(BIN)/python -W ignore -m benchmarks.origins.across
	$(BIN)/python -W ignore -m benchmarks.explain_cost
	$(BIN)/python -m benchmarks.start_up
	$(BIN)/python -m benchmarks.pages
	$(BIN)/python -m benchmarks.memory
	$(BIN)/python -m benchmarks.fuzz
	$(BIN)/python -W ignore -m benchmarks.kernels.run --peers
	$(BIN)/python -W ignore -m benchmarks.kernels.crowd
	$(BIN)/python -W ignore -m benchmarks.kernels.million
	$(BIN)/python -W ignore -m benchmarks.kernels.round_trip
	$(BIN)/python -W ignore -m benchmarks.sweeps.opinfo
	$(BIN)/python -W ignore -m benchmarks.sweeps.store
	$(BIN)/python -m pip --disable-pip-version-check install -q -c constraints.txt -e ".[ray]"
	$(BIN)/python -W ignore -m benchmarks.sweeps.engines
	$(BIN)/python -W ignore -m benchmarks.worst.run --peers
	$(BIN)/python -W ignore -m benchmarks.worst.unary --scan --minutes 120
	$(BIN)/python -m benchmarks.findings
	HALFULP_HOME=$(CURDIR)/.backends $(BIN)/halfulp backends install triton
	HALFULP_HOME=$(CURDIR)/.backends $(BIN)/python -W ignore -m benchmarks.kernels.released

# What CI runs besides the tests: pages, notebooks, and slices of the benchmarks, each of which stops where a figure is below its bar. Two side by side: make -j2 --output-sync=target slices
# By turns, from commit to commit: each of the four takes some, and all of them the pages. In two of the turns one part downloads gigabytes first, and has less beside it.
# EVERY_SLICE=1 takes all.
SLICES_0 := real-models docs explain origins orders agreement
SLICES_1 := docs notebooks verdicts compiling limits tolerances fuzz sweeps
SLICES_2 := backends docs kernels
SLICES_3 := docs findings
EVERY := $(sort $(SLICES_0) $(SLICES_1) $(SLICES_2) $(SLICES_3))
TURN := $(shell expr $$(git rev-list --count HEAD 2>/dev/null || echo 0) % 4)
SLICES := $(if $(EVERY_SLICE),$(EVERY),$(SLICES_$(TURN)))
.PHONY: slices $(EVERY:%=slice-%)
slices: $(SLICES:%=slice-%)
slices $(EVERY:%=slice-%): export OMP_NUM_THREADS = 1

slice-real-models: $(REAL)/.ready
	$(REAL)/bin/python -W ignore -m benchmarks.real_models --small --fresh --slice 7/12

# All adapters; the matrix ends with 1 where not all backends agree, and they don't.
slice-backends: export HALFULP_HOME = $(CURDIR)/.backends
slice-backends: test-backends
	$(BIN)/halfulp matrix --shapes small --json .backends/matrix.json || test $$? = 1
	$(BIN)/python -W ignore -m benchmarks.origins.across --library numpy

# Strict: a command on a page that ends otherwise than the page says, or a dead link, stops here.
slice-docs: docs

# The notebooks of the five questions run.
slice-notebooks: $(VENV)/.ready
	$(BIN)/python -W ignore examples/notebooks/make.py --check

slice-explain: $(VENV)/.ready
	$(BIN)/python -W ignore -m benchmarks.explain --every 6

# The labelled pairs are among the slow tests.
slice-verdicts: $(VENV)/.ready
	$(BIN)/halfulp bench verdicts --part honest --part "sixteen bits" --honest 400

slice-origins: $(VENV)/.ready
	$(BIN)/python -W ignore -m benchmarks.origins.run

# Stops where FPRev's algorithm finds another tree.
slice-orders: $(VENV)/.ready
	$(BIN)/python -W ignore -m benchmarks.orders --quick

slice-compiling: $(VENV)/.ready
	$(BIN)/python -W ignore -m benchmarks.compiling.run --only codegen

# An environment of its own: the slice of all adapters may be making theirs at the same time.
slice-kernels: export HALFULP_HOME = $(CURDIR)/.backends/kernels
slice-kernels: $(VENV)/.ready
	$(BIN)/halfulp backends install triton
	$(BIN)/python -W ignore -m benchmarks.kernels.run --every 66
	$(BIN)/python -W ignore -m benchmarks.kernels.crowd --of 16 --budget 5
	$(BIN)/python -W ignore -m benchmarks.kernels.released --only rms_norm --budget 10

slice-sweeps: $(VENV)/.ready
	$(BIN)/python -W ignore -m benchmarks.sweeps.opinfo --only "special.*"
	$(BIN)/python -W ignore -m benchmarks.sweeps.engines --cases 40 --workers 2 --without-ray

slice-limits: $(VENV)/.ready
	$(BIN)/halfulp bench verdicts --limits --draws 20 --only rms_norm/

slice-agreement: $(VENV)/.ready
	$(BIN)/python -W ignore -m benchmarks.agreement --quick

slice-tolerances: $(VENV)/.ready
	$(BIN)/python -W ignore -m benchmarks.tolerances

# Findings in released packages by their scripts alone, each in a fresh environment; here those without PyTorch.
slice-findings: $(VENV)/.ready
	$(BIN)/python -m benchmarks.findings --only jax
	$(BIN)/python -m benchmarks.findings --only skimage

slice-fuzz: $(VENV)/.ready
	$(BIN)/python -m benchmarks.fuzz 1000

# Torch comes first: anything else that asks for it would bring the CUDA build along.
$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 10) and 'halfulp needs Python 3.10 or newer, got ' + sys.version)"
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -c "import torch" 2>/dev/null || $(PIP) install $(CPU_INDEX) -c constraints.txt torch
	$(PIP) install -c constraints.txt -e ".[dev]"
	touch $@

# An older transformers in a folder of its own: benchmarks.real_models.versions compares the two.
$(ORDERS)/.ready: pyproject.toml constraints.txt
	test -x $(ORDERS)/bin/python || $(PYTHON) -m venv $(ORDERS)
	$(ORDERS)/bin/python -m pip --disable-pip-version-check install $(CPU_INDEX) -c constraints.txt torch
	$(ORDERS)/bin/python -m pip --disable-pip-version-check install -c constraints.txt -e . jax numba onnx onnxruntime openvino pandas polars pyarrow scipy
	touch $@

$(REAL)/.ready: pyproject.toml constraints.txt
	test -x $(REAL)/bin/python || $(PYTHON) -m venv $(REAL)
	grep -v -e '^torch==' -e '^triton==' constraints.txt > $(REAL)/constraints.txt
	$(REAL)/bin/python -m pip --disable-pip-version-check install $(CPU_INDEX) -c $(REAL)/constraints.txt "$(REAL_TORCH)" torchvision
	$(REAL)/bin/python -m pip --disable-pip-version-check install -c $(REAL)/constraints.txt "$(REAL_TORCH)" -e ".[real-models]"
	test -d $(REAL)/older || $(REAL)/bin/python -m pip --disable-pip-version-check install --target $(REAL)/older "transformers==4.57.6"
	touch $@

clean:
	rm -rf $(VENV) $(REAL) .backends site docs/.printed
