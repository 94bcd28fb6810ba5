# The front door: `make` lists what there is. CMakePresets.json holds the builds themselves.

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
MINUTES ?= 20
BUILD = cmake --build --preset
CTEST = ctest -j $(JOBS) $(CTEST_ARGS) --preset
# The second pattern is for slow tests that were not built, which have no label yet.
FAST = -LE slow -E _slow_test

.PHONY: setup setup-tests demo program reproduce probes adversarial ranks test test-labs test-fresh test-fast asan tsan eigen torture mutants fuzz lint lint-changed coverage bench nvcc \
        gpu-bundle gpu-check format install package wheel arm64 loc clean

# A fresh clone compiles the files of a folder as one, in half the time. Who edits files says `cmake --preset release -D HEED_UNITE=OFF`.
CONFIGURE = cmake --preset release $(if $(wildcard build/release/build.ninja),,-D HEED_UNITE=ON)

include labs/labs.mk  # help, lab and grade

# Tests run the Python that has what they need, where setup-tests has made it.
test test-labs test-fresh test-fast asan tsan eigen torture mutants: export PATH := $(CURDIR)/build/test-python/bin:$(PATH)

setup:  ## Install what the build needs and is missing (apt)
	@scripts/setup.sh

setup-tests: setup  ## Install what tests are skipped without: 90 MB from Debian, 120 MB from the Python package registry
	@scripts/setup_tests.sh

# A fresh clone builds what the demo needs, and in a way that suits only that; any other target then builds everything.
demo: setup  ## Build a first part of the program and show what it does (two cores: a page after 2.5 minutes, all after 7)
	@test -f build/release/build.ninja || { echo "Building what the demo needs (two cores: a minute)."; \
	  $(CONFIGURE) -D HEED_ALL_COMMANDS=OFF -D HEED_TESTS=OFF -D HEED_LABS=OFF -D HEED_BENCH=OFF -D HEED_EXAMPLES=OFF > /dev/null; }
	@$(BUILD) release -j $(JOBS) --target heed_program
	@scripts/demo.sh

reproduce: program  ## A small version of the experiment: 23 variants, 9 test sets, one page (some minutes)
	@scripts/reproduce.sh distraction

program: setup  ## Build the program, with all its commands
	@$(CONFIGURE) > /dev/null
	@$(BUILD) release -j $(JOBS) --target heed_program

probes: program  ## A small version of the experiment on probes: 11 models, 3 tasks, one page (some minutes)
	@scripts/reproduce.sh probes

ranks: program  ## Train with 1, 2 and 4 ranks of MPI, and compare the models byte by byte (half a minute)
	@scripts/ranks.sh

adversarial: program  ## A small adversarial evaluation: discriminators, controls, two generators, one page (a minute)
	@scripts/reproduce.sh adversarial

test: setup-tests  ## Every test, but for those of the next two (two cores: 19 minutes; more on a new machine, for packages)
	$(CONFIGURE)
	$(BUILD) release -j $(JOBS)
	$(CTEST) release -LE 'labs|fresh'

test-labs: setup  ## The course: its tool, and what it promises of its labs: proofs, planted mistakes, attacks on the grader (15 minutes)
	$(CONFIGURE)
	$(BUILD) release -j $(JOBS) --target heed_lab_programs
	$(CTEST) release -L labs

test-fresh: setup  ## What users build from nothing: the demo, programs with the installed library, a handout of the course (10 minutes)
	$(CONFIGURE)
	$(BUILD) release -j $(JOBS)
	$(CTEST) release -L fresh

test-fast: setup  ## The fast tests only
	$(CONFIGURE)
	$(BUILD) release -j $(JOBS) --target heed_fast_tests
	$(CTEST) release $(FAST)

# Those that start heed come last: they take as long as all others. FOLDERS="tensor nn": only tests of these folders; an
# unknown one is no target of the build, one without tests of a kind is no error.
FOLDERS ?=
empty :=
of_folders = $(if $(FOLDERS),-L '^of_($(subst $(empty) ,|,$(strip $(FOLDERS))))$$' --no-tests=ignore)
asan: setup  ## The fast tests under the address and undefined-behaviour sanitizers, CUDA kernels emulated
	cmake --preset asan
	$(BUILD) asan -j $(JOBS) --target $(or $(addprefix heed_fast_tests_of_,$(FOLDERS)),heed_fast_tests)
	$(CTEST) asan $(of_folders) -LE 'slow|program' -E _slow_test
	$(CTEST) asan $(of_folders) $(FAST) -L program

# The tests in which threads meet: of the pool, the allocator, every op, and the few places above that start threads.
TSAN_TESTS ?= threads_test parallel_test tensor_test out_of_memory_test random_test gemm_test op_table_test group_sums_test \
              model_test decode_test trainer_test lease_test statistics_test
tsan: setup  ## What runs threads, under the thread sanitizer
	cmake --preset tsan
	$(BUILD) tsan -j $(JOBS) --target $(TSAN_TESTS)
	$(CTEST) tsan -R '^($(subst $(empty) ,|,$(strip $(TSAN_TESTS))))$$'

EIGEN_TESTS = gemm_test gemm_eigen_test op_table_test
eigen: setup  ## The tests of products and ops with Eigen's products in the place of ours
	cmake --preset eigen
	$(BUILD) eigen -j $(JOBS) --target $(EIGEN_TESTS)
	$(CTEST) eigen -R '^($(subst $(empty) ,|,$(strip $(EIGEN_TESTS))))$$'

torture: setup  ## Kill, starve and mislead heed; prints a table (ARGS="--kills 20 --stride 10" for less)
	$(CONFIGURE)
	$(BUILD) release -j $(JOBS) --target heed_torture
	build/release/bin/heed_torture $(ARGS)

mutants: setup  ## Plant small bugs one at a time; says which no test notices (hours; a run goes on where it was)
	nice -n 15 scripts/mutants.py $(ARGS)

SECONDS ?= 60
fuzz:  ## Fuzz everything that parses (SECONDS=60 for each target); needs clang
	@scripts/setup.sh fuzz
	cmake --preset fuzz
	$(BUILD) fuzz -j $(JOBS) --target heed_fuzzers
	scripts/fuzz.sh $(SECONDS)

lint:  ## clang-tidy and cppcheck on what changed since the last time
	@scripts/setup.sh lint
	cmake --preset lint
	$(BUILD) lint -j $(JOBS) -- -k 0

lint-changed:  ## The same, only on what differs from the commit named in .ci/lint-since
	@scripts/setup.sh lint
	cmake --preset lint
	JOBS=$(JOBS) scripts/lint_changed.sh

coverage: setup  ## Lines and branches that the fast tests run
	cmake --preset coverage
	$(BUILD) coverage -j $(JOBS) --target heed_fast_tests
	find build/coverage -name '*.gcda' -delete
	$(CTEST) coverage $(FAST)
	scripts/coverage.sh build/coverage

bench:  ## Kernel benchmarks, each op's share of the machine, then PyTorch if it is there (MINUTES=20)
	@scripts/setup.sh bench
	$(CONFIGURE)
	$(BUILD) release -j $(JOBS) --target heed_bench heed_bench_ops heed_program
	build/release/bin/heed_bench $(ARGS)
	build/release/bin/heed_bench_ops
	@if python3 -c 'import torch' 2> /dev/null; then bench/compare_torch.py --minutes $(MINUTES); \
	else echo "no torch for Python: without the comparison (pip install torch)"; fi

nvcc: setup  ## Compile the CUDA kernels with nvcc, which needs no GPU
	cmake --preset nvcc
	$(BUILD) nvcc -j $(JOBS) --target heed_cuda

gpu-bundle: setup  ## Collect what gpu-check needs on a machine without network and packages
	@scripts/gpu_bundle.sh

gpu-check:  ## On a machine with a GPU: tests, compute-sanitizer and benchmark, as one page
	@scripts/gpu_check.sh $(PIECES)

format:  ## Format the sources with clang-format
	git ls-files -co --exclude-standard '*.h' '*.cc' '*.cu' | xargs clang-format -i

install: setup  ## Install to PREFIX (default /usr/local)
	$(CONFIGURE)
	$(BUILD) release -j $(JOBS) --target heed_kernel_levels heed_dialog heed_program heed_system_files
	cmake --install build/release --prefix "$(abspath $(PREFIX))"

package:  ## A .deb and a .tar.gz of the program and the libraries, in build/package
	@scripts/setup.sh package
	cmake --preset package
	$(BUILD) package -j $(JOBS) --target heed_kernel_levels heed_dialog heed_program heed_system_files
	cd build/package && cpack

wheel:  ## A wheel for Python, the package with the program, in build/wheels; tried in a fresh environment
	@scripts/setup.sh wheel
	scripts/wheel.sh

arm64:  ## Compile for 64-bit Arm and run the tests of the arithmetic in qemu (installs a cross compiler)
	scripts/arm64.sh

loc:  ## Lines of code for each folder; also updates the table in docs/reading-order.md, and lines that docs/ names
	@scripts/loc.sh

clean:  ## Remove everything that was built
	rm -rf build
