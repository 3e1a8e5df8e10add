# Every target sets up what it needs (once, resumably, offline if everything is present) and then
# continues.
PREFIX ?= $(HOME)/.local
PYTHON ?= python3
BUILD  := build
# In CI, warnings are errors.
CONFIGURE := $(if $(CI),-DREDRAFT_WERROR=ON)
CTEST  := $(PYTHON) tools/run_tests.py --build $(BUILD)
SETUP  := $(PYTHON) tools/setup.py

.PHONY: help setup program dist demo test check check-core test-long test-aarch64 build configure hybrid-model bench lint format install wheel clean
.DEFAULT_GOAL := help

help: ## Show this
	@echo "redraft: edits code with a local model, losslessly and fast. Targets:"
	@sed -n 's/^\([a-z0-9-]*\):.*## /  \1 \t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 16

setup: ## Fetch everything: system packages, libtorch, grammars, template engine, models, test environment
	@$(SETUP)

program: ## Build only the program, build/redraft
	@$(SETUP) system libtorch grammars jinja gpu
	@cmake --preset release $(CONFIGURE) > $(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }; rm -f $(BUILD).log
	@cmake --build --preset release --target redraft

build: configure ## Build everything: the program, kernels for GPUs, tests and benches
	@cmake --build --preset release

configure:
	@$(SETUP) system libtorch grammars jinja cuda
	@cmake --preset release $(CONFIGURE) > $(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }; rm -f $(BUILD).log

demo: program ## Watch a real file being edited by a real model
	@$(SETUP) model:qwen2.5-coder-1.5b model:qwen2.5-coder-0.5b
	@tools/demo.sh

check-core: ## Build and test only the decoding loop: no download, no torch (3 minutes)
	@$(SETUP) core
	@cmake --preset core $(CONFIGURE) > build-core.log 2>&1 || { cat build-core.log; exit 1; }; rm -f build-core.log
	@cmake --build --preset core
	@$(PYTHON) tools/run_tests.py --build build-core --exclude 'model|hybrid|e2e|gpu|long'

check: build ## Run the tests that need no weights and no network (seconds)
	@$(CTEST) --exclude 'model|hybrid|e2e|gpu|long'

test: build ## Run all tests except the long sweeps
	@$(SETUP) --for-tests models tests instructions hybrid
	@$(CTEST) --exclude long

test-long: build ## Run the sweeps (hours), and build and test for AArch64
	@$(SETUP) --for-tests models tests hybrid aider
	@$(CTEST) --only long
	@[ "$$(uname -m)" = aarch64 ] || $(MAKE) test-aarch64

test-aarch64: ## Cross-build for AArch64 and run the tests by emulation (an hour)
	@$(SETUP) system grammars jinja tests aarch64
	@cmake --preset aarch64 $(CONFIGURE) > build-aarch64.log 2>&1 || { cat build-aarch64.log; exit 1; }; rm -f build-aarch64.log
	@cmake --build --preset aarch64
	@tools/emulated.sh $(PYTHON) tools/run_tests.py --build build-aarch64 --exclude 'model|hybrid|e2e|gpu|long' \
		--leave-out tests/not_emulated.txt

hybrid-model: ## Train a hybrid of five million parameters for measurements (half an hour)
	@$(SETUP) hybrid-large

bench: build ## Measure this machine: cost of passes, comparison with llama.cpp, decoders (BENCH=quick: less)
	@$(SETUP) models
	@$(PYTHON) tools/bench.py $(if $(filter quick,$(BENCH)),--quick) $(if $(LLAMA_CPP),--llama-cpp $(LLAMA_CPP))

lint: configure ## Check form and naming of all sources, clang-tidy for files that differ from main (LINT=all: all files; COMMITS=N: what the last N changed; QUICK=1: none)
	@$(SETUP) lint
	@$(PYTHON) tools/lint.py --build $(BUILD) $(if $(filter all,$(LINT)),--all) $(if $(COMMITS),--commits $(COMMITS)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(QUICK),--quick)

format: ## Format the C++ and CUDA sources
	@$(SETUP) lint
	@git ls-files -z -- '*.h' '*.cpp' '*.cu' '*.cuh' | xargs -0 clang-format -i

wheel: ## Build the Python package redraft-vllm, drafts for vLLM, to dist/
	@$(SETUP) core tests
	@tests/python.sh -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist serving/python

install: program ## Install to PREFIX (default ~/.local)
	@cmake --install $(BUILD) --prefix $(PREFIX)

dist: configure ## Pack the build for users who do not compile: archive, .deb, VS Code extension, Neovim plugin, wheel, npm package (DIST=deb: only that; LEVEL=3: fast)
	@$(SETUP) dist
	@cmake --build --preset release --target redraft
	@$(PYTHON) tools/dist.py --build $(BUILD) $(if $(DIST),--only $(DIST)) $(if $(LEVEL),--level $(LEVEL))

clean: ## Remove the build; downloads and models stay
	@rm -rf dist build build-aarch64 build-core build-dev build-tsan build-fuzz build-mutants
