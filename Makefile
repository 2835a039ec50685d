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
PART         ?=
# Numbers for `make ladder`, which has defaults of its own.
SIDE         ?=
ITERATIONS   ?=

BUILD := build/$(PRESET)

.PHONY: help
help: ## Show this list
	@echo "Usage: make TARGET [NAME=value ...]"
	@echo
	@sed -n -E 's/^([a-z-]+):[^#]*## (.*)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18
	@echo
	@echo "Build folder: $(BUILD) (PRESET=release, all-kernels, cpu, asan, tsan or fuzz)"

.PHONY: solve
solve: packages ## Solve a system: MATRIX=file.mtx, ARGS="--device cpu --history h.csv"
	@PRESET=$(PRESET) JOBS=$(JOBS) MATRIX="$(MATRIX)" scripts/solve.sh $(ARGS)

.PHONY: build
build: $(BUILD)/build.ninja ## Build everything
	@cmake --build $(BUILD) --parallel $(JOBS)

.PHONY: test
test: test-packages build ## Build everything and run all tests
	@ctest --test-dir $(BUILD) --output-on-failure --no-tests=error --parallel $(JOBS)

.PHONY: asan tsan
asan: checks-packages ## Run the tests under AddressSanitizer and UndefinedBehaviorSanitizer: PART=2/3 for a third of the programs
	@cmake --preset asan -DDWELL_TEST_PART=$(PART) >/dev/null
	@$(MAKE) --no-print-directory test PRESET=asan

# ThreadSanitizer of gcc 12 cannot start where the kernel randomises addresses over 32 bits.
NO_ASLR := $(shell setarch -R true 2>/dev/null && echo setarch -R)
tsan: checks-packages ## Run the tests under ThreadSanitizer: PART=2/3 for a third of the programs
	@cmake --preset tsan -DDWELL_TEST_PART=$(PART) >/dev/null
	@$(NO_ASLR) $(MAKE) --no-print-directory test PRESET=tsan

.PHONY: fuzz
fuzz: checks-packages build/fuzz/build.ninja ## Fuzz the readers of matrix files and of .vti, each: FUZZ_SECONDS=60
	@cmake -DDWELL_FUZZ_SECONDS=$(FUZZ_SECONDS) build/fuzz >/dev/null
	@cmake --build build/fuzz --target run_fuzz --parallel $(JOBS)

.PHONY: python
python: python-packages ## Build the Python package, install it in a fresh environment, test it there: build/python
	@JOBS=$(JOBS) scripts/check/python.sh

.PHONY: wheel
wheel: python-packages ## Build wheels that need no compiler, install and test them: build/wheels/dist
	@JOBS=$(JOBS) scripts/package/build-wheels.sh

.PHONY: deb
deb: deb-packages ## Build Debian packages of library, headers, command and Python module: build/deb/packages
	@JOBS=$(JOBS) scripts/package/build-deb.sh

.PHONY: check-packages
check-packages: deb-packages ## Try the ways in from nothing: wheels, Debian packages, source (long; as root)
	@JOBS=$(JOBS) scripts/check/packages.sh

.PHONY: toolchains
toolchains: deb-packages ## Compile the small program by other compilers, CMakes and nvccs: TOOLCHAIN=clang-16 (default: all)
	@JOBS=$(JOBS) scripts/check/toolchains.sh $(or $(TOOLCHAIN),--all)

.PHONY: bench
bench: $(BUILD)/build.ninja ## Build and run the benchmark programs
	@cmake --build $(BUILD) --parallel $(JOBS)
	@scripts/measure/bench.sh $(BUILD)

.PHONY: ladder
ladder: $(BUILD)/build.ninja ## Build and run the teaching programs of apps/ladder: SIDE=600 ITERATIONS=5000
	@cmake --build $(BUILD) --target ladder --parallel $(JOBS)
	@apps/ladder/run.sh $(BUILD)/apps/ladder $(SIDE) $(ITERATIONS)

.PHONY: docs
docs: docs-packages ## Build the documentation site in build/docs/html
	@scripts/docs/build.sh

.PHONY: install
install: $(BUILD)/build.ninja ## Install the library, its headers and dwell: PREFIX=/usr/local
	@cmake --build $(BUILD) --target dwell_installed --parallel $(JOBS)
	@cmake --install $(BUILD) --strip --prefix "$(PREFIX)"

.PHONY: headers
headers: $(BUILD)/build.ninja ## Compile every header alone
	@cmake --build $(BUILD) --target all_verify_interface_header_sets --parallel $(JOBS)

.PHONY: format
format: checks-packages ## Format the sources in place
	@scripts/check/format.sh --fix

.PHONY: check
check: ## Everything that CI runs
	@.ci/run

.PHONY: release-check
release-check: ## Say what is missing before this tree can be tagged
	@scripts/package/release-check.sh

.PHONY: clean
clean: ## Remove what was built
	@rm -rf build

.PHONY: packages test-packages checks-packages python-packages deb-packages docs-packages
packages:
	@scripts/package/install-packages.sh build
test-packages:
	@scripts/package/install-packages.sh build test
checks-packages:
	@scripts/package/install-packages.sh build test checks
python-packages:
	@scripts/package/install-packages.sh build python
deb-packages:
	@scripts/package/install-packages.sh build python deb
docs-packages:
	@scripts/package/install-packages.sh docs

# Ninja runs CMake again by itself when a CMakeLists.txt changes; only new presets need this rule.
build/%/build.ninja: CMakePresets.json | packages
	@cmake --preset $*
	@touch $@
