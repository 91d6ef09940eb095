# The front door. `make run` and `make test` install what is missing, build, and do the job.
.PHONY: all build run report-check test asan tsan sanitize coverage lint format fuzz bench \
        python wheel wheel-abi3 python-bench logs-bench policy-bench interval-bench kill-rounds fleet-rounds soak \
        service-bench package try-package try-on clean help
.DEFAULT_GOAL := all
.DEFAULT:
	@echo "make: there is no target '$@'; 'make help' lists them" >&2; exit 2

JOBS ?= $(shell nproc)
OUT ?= out
# CI=1: as .ci/run builds, where warnings are errors. AND="asan tsan": make test goes on with these.
CI ?=
AND ?=

all: build  ## build build/dcmrank

build:  ## install what is missing and build
	@scripts/install-deps build
	@cmake --preset release -DDCMRANK_TESTS=$(if $(WITH_TESTS),ON,OFF) >/dev/null
	@cmake --build --preset release -j $(JOBS)

run: build  ## build, reproduce every experiment of the paper, and say where to look
	@build/dcmrank reproduce --out "$(OUT)"

report-check: build  ## open the report in headless Chromium and look for faults
	@scripts/install-deps report
	@build/dcmrank reproduce --quick --out $(OUT)-check
	@tests/report/check $(OUT)-check $(OUT)-check/screenshots

test:  ## build and run every test, those of the Python package too
	@scripts/install-deps build test python
	@scripts/check $(if $(CI),ci,release) $(AND)

python:  ## build the Python package into the virtual environment build-python/venv
	@scripts/install-deps python
	@scripts/python-env

wheel:  ## the Python package as a wheel for this machine's Python, in dist/
	@scripts/install-deps python
	@scripts/wheel

wheel-abi3:  ## the same for CPython 3.12 and later, built in a bare Debian 13 (as root, with debootstrap)
	@scripts/try-on trixie make wheel
	@mkdir -p dist
	@cp build-try/trixie/src/dist/*.whl dist/

python-bench: build  ## the Python package compared with the command: comparisons, rounds from Python, fits of frames, Spark
	@scripts/install-deps python test
	@scripts/python-env --quiet
	@build-python/venv/bin/python bench/python/run
	@build-python/venv/bin/python bench/python/fit
	@build-python/venv/bin/python bench/python/spark

bench:  ## measure speed: the parts, ratios against the plain version, growth, reading logs
	@scripts/install-deps build bench
	@cmake --preset release >/dev/null
	@cmake --build --preset release -j $(JOBS) --target bench_speed bench_logs
	@mkdir -p $(OUT)
	@build/bench/bench_speed --benchmark_min_time=0.2 $(OUT)/speed.svg
	@build/bench/bench_logs

asan:  ## library, command, service and fuzz corpora under AddressSanitizer and UndefinedBehaviorSanitizer
	@scripts/install-deps build test sanitize
	@scripts/check asan

tsan:  ## the tests that use threads, the command and the service under ThreadSanitizer
	@scripts/install-deps build test sanitize
	@scripts/check tsan

sanitize: asan tsan  ## both sanitizer builds

coverage:  ## line coverage of the library; fails below 95 %
	@scripts/install-deps build test coverage
	@scripts/check coverage
	@scripts/coverage

lint:  ## clang-format and clang-tidy, both must be clean
	@scripts/install-deps build test lint
	@scripts/lint

format:  ## reformat the code
	@scripts/install-deps lint
	@git ls-files -co --exclude-standard '*.h' '*.cpp' | xargs clang-format -i

fuzz:  ## fuzz every parser for SECONDS seconds each (default 60)
	@scripts/install-deps build test sanitize
	@scripts/fuzz $(SECONDS)

logs-bench:  ## reading logs by format and compression; models of millions of pairs. PYTHON=P: one with duckdb and polars
	@scripts/install-deps build
	@cmake --preset release >/dev/null
	@cmake --build --preset release -j $(JOBS) --target dcmrank-cli
	@$(or $(PYTHON),python3) bench/logs/speed
	@$(or $(PYTHON),python3) bench/logs/millions

policy-bench:  ## measure the policies (docs/policies.md); LOG=FILE: also on the DCMs of that log
	@scripts/install-deps build
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target policy_bench -j $(JOBS)
	@build/bench/policy_bench --out $(OUT)/policies $(if $(LOG),--log $(LOG))

fleet-rounds:  ## ROUNDS rounds (default 200) of load on two servers and a PostgreSQL, one of which is killed
	@scripts/install-deps build test
	@cmake --preset release -DDCMRANK_TESTS=ON >/dev/null
	@cmake --build --preset release -j $(JOBS) --target service_test
	@KILL_ROUNDS=$(or $(ROUNDS),200) build/tests/service_test --gtest_filter='FleetFaults.Counts*'

kill-rounds:  ## ROUNDS rounds (default 50) of load on the service with kill -9 and restart
	@scripts/install-deps build test
	@cmake --preset release -DDCMRANK_TESTS=ON >/dev/null
	@cmake --build --preset release -j $(JOBS) --target service_test
	@KILL_ROUNDS=$(or $(ROUNDS),50) build/tests/service_test --gtest_filter='Load.*'

soak:  ## load on the service for SECONDS seconds (default 3600): memory, descriptors
	@scripts/install-deps build
	@cmake --preset release >/dev/null
	@cmake --build --preset release -j $(JOBS) --target dcmrank-cli
	@tests/service/soak build/dcmrank $(or $(SECONDS),3600)

interval-bench:  ## measure how often the intervals of fitted attractions cover the truth
	@scripts/install-deps build
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target interval_bench -j $(JOBS)
	@build/bench/interval_bench

service-bench:  ## the service compared with nginx, also over TLS; feedback at a fixed rate; its start with 10 million pairs
	@scripts/install-deps build service-bench
	@cmake --preset release >/dev/null
	@cmake --build --preset release -j $(JOBS) --target dcmrank-cli
	@bench/service/run build/dcmrank
	@bench/service/run build/dcmrank --tls
	@bench/service/open_loop build/dcmrank
	@bench/service/start build/dcmrank

package:  ## a .deb of the command, the library, the manual, completions and the unit, in dist/
	@scripts/install-deps build package
	@cmake --preset release -DDCMRANK_TESTS=OFF -DDCMRANK_PACKAGE=ON >/dev/null
	@cmake --build --preset release -j $(JOBS)
	@cd build && cpack -G DEB >/dev/null
	@mkdir -p dist && rm -f dist/*.deb && mv build/*.deb dist/ && ls dist/*.deb
	@packaging/lint
	@cmake --preset release -DDCMRANK_PACKAGE=OFF >/dev/null

try-package:  ## make package on a bare Debian, install it there, run it, remove it: SUITE=trixie (as root)
	@scripts/try-on $(or $(SUITE),trixie) sh -ec 'make package; packaging/try'

try-on:  ## make run and make test on a bare Debian: SUITE=trixie (as root, with debootstrap)
	@scripts/try-on $(or $(SUITE),trixie)

clean:  ## remove what was built
	rm -rf --one-file-system build build-* dist out out-check

help:  ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
