# fairwire: two commands for a newcomer are `make bench` and `make test`.
SHELL := /bin/sh
JOBS  ?= $(shell nproc)
PLAN  ?= quick
# A testbed file of your own: make bench TESTBED=my-hosts.json
TESTBED ?=
PYTHON := /usr/bin/python3

RELEASE := build/release/fairwire
DEV     := build/dev/fairwire

.DEFAULT_GOAL := help
.PHONY: help deps bench build test check static format format-check fuzz percost bench-wire bench-vault clean release dev

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

deps: ## install the Debian packages that are missing (seconds when none is)
	@scripts/deps.sh

release: deps
	@cmake --preset release >build/release.log 2>&1 || { cat build/release.log; exit 1; }
	@cmake --build --preset release -j $(JOBS)

dev: deps
	@cmake --preset dev >build/dev.log 2>&1 || { cat build/dev.log; exit 1; }
	@cmake --build --preset dev -j $(JOBS)

build: release ## build/release/fairwire, -O3

# An ssh testbed needs the static binary too: it is what is copied to the hosts.
bench: release $(if $(TESTBED),static) ## dependencies, build, the quick plan, its report (PLAN=…, TESTBED=FILE)
	$(RELEASE) run $(PLAN) $(if $(TESTBED),--testbed $(TESTBED))

test: dev ## dependencies, sanitized build, every test
	ctest --preset dev
	FAIRWIRE=$(abspath $(DEV)) FAIRWIRE_BUILD=$(abspath build/dev) $(PYTHON) -m pytest -q --durations=25 tests python/tests

check: release ## what this host can do, and what the plan would cost
	$(RELEASE) check $(PLAN)

static: deps ## build/static/fairwire, for machines we know nothing of
	@cmake --preset static >build/static.log 2>&1 || { cat build/static.log; exit 1; }
	@cmake --build --preset static -j $(JOBS)

format: ## clang-format 14 over every source
	@scripts/deps.sh --format
	@git ls-files '*.cc' '*.h' | xargs clang-format-14 -i

format-check:
	@scripts/deps.sh --format
	@git ls-files '*.cc' '*.h' | xargs clang-format-14 --dry-run --Werror

fuzz: deps ## every fuzzer for SECONDS=10 each
	@scripts/deps.sh --fuzz
	@cmake --preset fuzz >build/fuzz.log 2>&1 || { cat build/fuzz.log; exit 1; }
	@cmake --build --preset fuzz -j $(JOBS) --target fuzzers
	@scripts/fuzz.sh build/fuzz $(or $(SECONDS),10)

percost: ## does what is done per piece cost the same however many came before?
	@scripts/deps.sh --percost
	@cmake --preset release -B build/perf -DFAIRWIRE_TESTS=ON -DFAIRWIRE_PYTHON=OFF >build/perf.log 2>&1 || { cat build/perf.log; exit 1; }
	@cmake --build build/perf -j $(JOBS) --target percost
	@build/perf/tests/percost

bench-wire: ## the accuracy of the emulated wire, as in docs/wire.md (RUNS=3, about 8 minutes, root)
	@scripts/deps.sh --percost
	@cmake --preset release -B build/perf -DFAIRWIRE_TESTS=ON -DFAIRWIRE_PYTHON=OFF >build/perf.log 2>&1 || { cat build/perf.log; exit 1; }
	@cmake --build build/perf -j $(JOBS) --target measure_wire measure_swarm fairwire
	@$(PYTHON) scripts/bench_wire.py build/perf $(or $(RUNS),3)

bench-vault: ## what a byte costs on its way into a vault, by step (one core)
	@scripts/deps.sh --percost
	@cmake --preset release -B build/perf -DFAIRWIRE_TESTS=ON -DFAIRWIRE_PYTHON=OFF >build/perf.log 2>&1 || { cat build/perf.log; exit 1; }
	@cmake --build build/perf -j $(JOBS) --target bench_vault
	@build/perf/tests/bench_vault

clean: ## remove build folders; runs/ stays
	rm -rf build

$(shell mkdir -p build)
