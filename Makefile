# SPDX-License-Identifier: MIT
# The front door. Every target does all that it needs, from a fresh clone of the repository:
# installs the packages that are missing, configures, builds, runs.
SHELL := /bin/bash
.SHELLFLAGS := -e -o pipefail -c

# PRESET: one of CMakePresets.json. MATRIX: a file, or a kind that `dwell generate --help` lists.
# ARGS: more options for `make solve`, see `dwell cg --help`.
PRESET       ?= release
MATRIX       ?= trefethen:2000
ARGS         ?=
PREFIX       ?= /usr/local
JOBS         ?= $(shell nproc)
FUZZ_SECONDS ?= 60

BUILD := build/$(PRESET)

.PHONY: help
help: ## Show this list
	@echo "Usage: make TARGET [NAME=value ...]"
	@echo
	@sed -n -E 's/^([a-z]+):[^#]*## (.*)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 12
	@echo
	@echo "Build folder: $(BUILD) (PRESET=release, cpu, asan, tsan or fuzz)"

.PHONY: solve
solve: $(BUILD)/build.ninja ## Solve a system: MATRIX=file.mtx, ARGS="--device cpu --history h.csv"
	@cmake --build $(BUILD) --target dwell_cli --parallel $(JOBS)
	$(BUILD)/apps/dwell/dwell cg "$(MATRIX)" $(ARGS)

.PHONY: build
build: $(BUILD)/build.ninja ## Build everything
	@cmake --build $(BUILD) --parallel $(JOBS)

.PHONY: test
test: test-packages build ## Build everything and run all tests
	@ctest --test-dir $(BUILD) --output-on-failure --no-tests=error --parallel $(JOBS)

.PHONY: asan tsan
asan: checks-packages ## Run the tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(MAKE) --no-print-directory test PRESET=asan

# ThreadSanitizer of gcc 12 cannot start where the kernel randomises addresses over 32 bits.
NO_ASLR := $(shell setarch -R true 2>/dev/null && echo setarch -R)
tsan: checks-packages ## Run the tests under ThreadSanitizer
	@$(NO_ASLR) $(MAKE) --no-print-directory test PRESET=tsan

.PHONY: fuzz
fuzz: checks-packages build/fuzz/build.ninja ## Fuzz the reader of Matrix Market files: FUZZ_SECONDS=60
	@cmake -DDWELL_FUZZ_SECONDS=$(FUZZ_SECONDS) build/fuzz >/dev/null
	@cmake --build build/fuzz --target run_fuzz --parallel $(JOBS)

.PHONY: bench
bench: $(BUILD)/build.ninja ## Build and run the benchmark programs
	@cmake --build $(BUILD) --parallel $(JOBS)
	@scripts/bench.sh $(BUILD)

.PHONY: install
install: $(BUILD)/build.ninja ## Install the library, its headers and dwell: PREFIX=/usr/local
	@cmake --build $(BUILD) --target installed --parallel $(JOBS)
	@cmake --install $(BUILD) --prefix "$(PREFIX)"

.PHONY: format
format: checks-packages ## Format the sources in place
	@scripts/check-format.sh --fix

.PHONY: check
check: ## Everything that CI runs
	@.ci/run

.PHONY: clean
clean: ## Remove what was built
	@rm -rf build

.PHONY: packages test-packages checks-packages
packages:
	@scripts/install-packages.sh build
test-packages:
	@scripts/install-packages.sh build test
checks-packages:
	@scripts/install-packages.sh build test checks

# Ninja runs CMake again by itself when a CMakeLists.txt changes; only new presets need this rule.
build/%/build.ninja: CMakePresets.json | packages
	@cmake --preset $*
	@touch $@
