# `make run` and `make test` start from a fresh clone. Each step is also its own target.

# Everything below expects builds next to their sources, wherever you build otherwise.
unexport CARGO_TARGET_DIR CARGO_BUILD_TARGET_DIR

STEP := scripts/step
NATIVE := --manifest-path runners/native/Cargo.toml
RUST := --manifest-path runners/rust/Cargo.toml
CRATES := cupel-rust-contender cupel-rust-checks cupel-runner-rust cupel-runner-rust-asm cupel-runner-rust-wide \
	cupel-runner-rust-new
RUNNERS := cupel-runner-rust cupel-runner-rust-asm
# As contenders/rust-wide.toml says.
WIDE := --cfg aes_backend="avx512" --cfg chacha20_avx512
# The tool names no folder of this machine: two builds of it are equal (scripts/reproducible).
BUILD_TOOL := env RUSTFLAGS="$$RUSTFLAGS --remap-path-prefix=$(CURDIR)=. --remap-path-prefix=$${CARGO_HOME:-$$HOME/.cargo}=cargo" \
	cargo build --release --locked --target-dir target -p cupel
MAVEN := mvn --quiet --batch-mode --no-transfer-progress -Dstyle.color=never --projects java,runners/jvm,tracer/java
LINTED := scripts/linted
# All of the workspace at once: of one package alone, dependencies have other features and are built
# again.
CARGO_TEST := $(LINTED) cargo test --locked --workspace
# The tests of the command, and then the tests that wait most, begin first.
TESTS := test-command test-tool test-languages test-web test-rust test-native test-java test-kernels test-suites
# If CUPEL_TEST_ALL is set, as `make test-all` does, each target runs all that it has.
TESTS_ALL := $(TESTS) test-examples test-uefi test-fleet test-package test-without test-docs
# The test programs of `make check`: all but those that simulate whole runs by the hundred, boot, or
# try out every fault of a runner; and of the others' tests not those that take longer than 4 s.
PROGRAMS := $(wildcard $(foreach crate,cupel core/* support/* questions/*,crates/$(crate)/tests/*.rs crates/$(crate)/tests/*/main.rs) runners/sham/tests/*.rs)
ALL_PROGRAMS := $(sort $(basename $(notdir $(PROGRAMS:/main.rs=))))
OTHERS := $(filter-out command,$(ALL_PROGRAMS))
QUICK := $(filter-out simulation coverage uefi fleet conform,$(ALL_PROGRAMS))
SLOW := faults::a_bad_tag faults::runners:: matrix::what_is_built \
	against::identical_builds against::the_gate_is_shown \
	advise::a_newer_run advise::a_range_ends compare::what_may_not \
	batches::a_call_is_of trace::jvms_
PREFIX ?= /usr/local
COMPLETIONS = $(PREFIX)/share/bash-completion/completions

# Left to `make test-all`: toolchains that are fetched, environments that are built again in a copy, and
# a wrong bit where another language shows the same.
LANGUAGES_ALL := is_added_where another_node each_python no_registry what_an_older_go without_a_compiler_for_wasm \
	one_wrong_bit_in_node one_wrong_bit_in_python one_wrong_bit_in_c one_wrong_bit_in_rust one_wrong_bit_in_java one_wrong_bit_in_wasm

.PHONY: help run check test test-all test-beside evidence fuzz evidence-clock setup setup-run setup-test setup-evidence build build-tool build-first \
	build-examples build-runners build-tests lint lint-texts lint-licences lint-runners format $(TESTS_ALL) seeds page \
	install packages packages-musl release docs clean

# Side by side only where scripts/test asks for it, and then in this order where there is one.
ifndef CUPEL_BESIDE
.NOTPARALLEL:
else
# The tests of the command, and the builds before them, take longest. The rest runs on the processors that they leave.
lint-runners $(filter-out test-command test-java test-suites,$(TESTS)): private STEP := nice -n 4 $(STEP)
# Both build the JVM runner in its place.
test-command test-tool: | test-java
# The tests of the command take longest, so they begin first.
test-native test-rust: | build-tests
# The suites take the runners that the tests before have built, and the machine for themselves.
test-suites: | $(filter-out test-suites,$(if $(CUPEL_TEST_ALL),$(TESTS_ALL),$(TESTS))) lint
endif

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 20

run: export CUPEL_TERSE := 1
run: setup-run build-first ## answer a first question, build everything and run the quickstart suite
	@# Only on a machine where the other runners still have to be built, which takes minutes.
	@[ -e runners/rust/target/release/cupel-runner-rust.cupel-stamp ] || \
		target/release/cupel ask sha256 64 c --budget 10s
	@$(MAKE) --no-print-directory build-runners
	@target/release/cupel run

check: lint-texts build-tests ## for every save: format, lints, unit tests and tests on the sham
	@$(STEP) "unit tests, and tests on the sham" \
		$(CARGO_TEST) --quiet --lib --bins $(QUICK:%=--test %) -- $(SLOW:%=--skip %)

test: ## before a change lands: every lint, tests of every part, and a plan of every suite
	@scripts/test

test-all: export CUPEL_TEST_ALL := 1
test-all: ## every night: all tests, also of the real clock, boots and fleets, and every suite with real contenders
	@scripts/test

test-beside: build-tests lint-texts lint-licences test-java test-kernels $(if $(CUPEL_TEST_ALL),$(TESTS_ALL),$(TESTS)) lint

evidence: setup-evidence build-tests ## before a release: rates by thousands of runs, every emulator, every JDK
	@$(STEP) "rates, by thousands of simulated runs" env CUPEL_EVIDENCE=1 \
		$(CARGO_TEST) --test simulation -- --nocapture
	@$(STEP) "rates of missed paths and of steps in histories" env CUPEL_EVIDENCE=1 \
		$(CARGO_TEST) --test command -- paths:: history::
	@$(STEP) "a hundred kills" env CUPEL_EVIDENCE=1 \
		$(CARGO_TEST) --test command -- --nocapture a_run_survives_being_killed
	@$(STEP) "rates of the gate over programs" $(CARGO_TEST) --lib -- --ignored --nocapture session::tests::rates
	@$(STEP) "damaged files of other programs" $(CARGO_TEST) --test cases -- --ignored --nocapture
	@$(STEP) "busy programs, on the real clock" $(CARGO_TEST) --test command -- --ignored company::
	@$(STEP) "build the Java library" $(MAVEN) verify
	@$(STEP) "tests of the Java library on every JDK" scripts/test-other-jdks
	@$(STEP) "tests of the kernels, with emulators" scripts/test-emulated
	@$(STEP) "every answer in Go, Node.js and Python" target/debug/cupel verify 'go/*' 'node/*' 'python/*'
	@$(STEP) "tests of cupel-runner-rust-wide" env RUSTFLAGS='$(WIDE)' cargo test --release --locked $(RUST) \
		--target-dir runners/rust/target/cupel-runner-rust-wide -p cupel-runner-rust-wide
	@$(STEP) "every answer of forced paths" target/debug/cupel verify 'rust-wide/*' '*-nosha' '*-noaes' \
		'*-noavx' '*-noavx2' '*-noavx512' '*-nosse4' '*-nobmi2'
	@$(STEP) "every suite, on a JDK of each version" scripts/test-suites --all
	@$(STEP) "build the tool" $(BUILD_TOOL)
	@set -e; for script in known-truth two-levels changes copies neighbours repeat leak_truth leaks; do \
		$(STEP) "contenders of known truth: $$script, tried out" scripts/evidence/$$script.py --quick; \
	done
	@$(STEP) "the programs of the five documents, tried out" scripts/evidence/documents.py --quick

fuzz: ## run every fuzzer of what reads what others wrote, for ten minutes
	@$(STEP) "fuzzers, ten minutes each" scripts/fuzz 600

evidence-clock: build-runners ## fill docs/trust/evidence/known-truth.md and documents.md, in six hours, on a machine that does nothing else
	@# Each one runs to its end: a false verdict is a result, and must not keep the others away.
	@set +e; failed=0; \
	$(STEP) "verdicts on contenders of known truth" \
		scripts/evidence/known-truth.py --times 20 --java-times 2 --save || failed=1; \
	$(STEP) "a contender that changes while a run goes on" scripts/evidence/changes.py --times 50 || failed=1; \
	$(STEP) "identical copies" scripts/evidence/copies.py --times 200 || failed=1; \
	$(STEP) "contenders of known truth" scripts/evidence/leak_truth.py --times 3 --timed || failed=1; \
	$(STEP) "contenders that leak by time" scripts/evidence/leaks.py --times 20 --clean 50 || failed=1; \
	$(STEP) "contenders of two speeds" \
		scripts/evidence/two-levels.py --times 50 --save || failed=1; \
	$(STEP) "neighbours, and other tools" scripts/evidence/neighbours.py --save || failed=1; \
	$(STEP) "a suite again and again" \
		scripts/evidence/repeat.py quickstart --times 10 --save || failed=1; \
	$(STEP) "the programs of the five documents" \
		scripts/evidence/documents.py --save || failed=1; \
	exit $$failed

setup: setup-test ## install what is missing to build, run and test

setup-run:
	@scripts/setup run

setup-test:
	@$(STEP) "what testing needs" scripts/setup test

setup-evidence:
	@$(STEP) "what the evidence needs" scripts/setup evidence

build: build-runners ## the tool and the runners

build-tool:
	@$(STEP) "build the tool" $(BUILD_TOOL)

build-examples:
	@$(STEP) "build what makes the packages" \
		$(BUILD_TOOL) --example manual --example shipped

# The needs of the first answer. The native runner builds while the tool's last crates use one processor.
build-first:
	@$(STEP) "build the tool and the native runner" sh -c ' \
		cargo build --release --locked --target-dir runners/native/target $(NATIVE) & \
		$(BUILD_TOOL) || exit; wait $$!'

# One package of the Rust runners at a time: together, their features would unify. The other languages
# build next to them: they wait for the network, and for programs that use one processor. The tool
# builds all that it can, and `cupel doctor` has the reasons for the rest.
build-runners: build-first
	@$(STEP) "build the runners for Rust, the JVM, Go, Node.js and Python" sh -c ' \
		target/release/cupel --quiet doctor --build >/dev/null & \
		for package in $(RUNNERS); do \
			cargo build --release --locked --target-dir runners/rust/target $(RUST) -p $$package || exit; \
		done; wait'

docs: build-tool ## the pages as a site in target/site, which needs no network
	@$(STEP) "the pages as a site" scripts/docs target/release/cupel

seeds: build ## measure the claims of the five documents for 40 minutes, and write docs/trust/seeds.md
	@scripts/seeds

build-tests: # lints the tool and builds it with its tests
	@$(STEP) "warnings in the tool and its tests, and their build" $(CARGO_TEST) --quiet --no-run

lint: lint-texts lint-licences build-tests lint-runners ## formatting, warnings, licences

lint-texts:
	@$(STEP) "paths of one machine" scripts/no-local-paths
	@$(STEP) "sources that Git ignores" scripts/lint-ignored
	@$(STEP) "links of the pages" scripts/lint-links
	@$(STEP) "words of the glossary" scripts/lint-words
	@$(STEP) "sources of the figures" scripts/figures --lacking
	@$(STEP) "texts that tests expect to be absent" scripts/lint-absences
	@$(STEP) "tables that are drawn from record/" scripts/evidence/draw.py --check
	@$(STEP) "leaders that are drawn from record/" scripts/evidence/leaders.py --check
	@$(STEP) "scripts" scripts/lint-shell
	@$(STEP) "format of the C" scripts/format-c --dry-run -Werror
	@$(STEP) "format of the tool" cargo fmt --all --check
	@$(STEP) "format of the native runner" cargo fmt --all --check $(NATIVE)
	@$(STEP) "format of the Rust runners" cargo fmt --all --check $(RUST)
	@$(STEP) "format of the fuzzers" cargo fmt --all --check --manifest-path fuzz/Cargo.toml
	@$(STEP) "lock file of the fuzzers" cargo update --quiet --workspace --locked --manifest-path fuzz/Cargo.toml

lint-licences:
	@set -e; for manifest in Cargo.toml runners/native/Cargo.toml runners/rust/Cargo.toml; do \
		$(STEP) "licences and sources, $$manifest" \
			cargo deny --locked --config deny.toml --manifest-path $$manifest check \
			bans licenses sources; \
	done

lint-runners:
	@$(STEP) "warnings in the native runner and its tests, and their build" \
		$(LINTED) cargo test --quiet --locked $(NATIVE) --no-run
	@# In release, so that the tests find the libraries' C and assembly already compiled.
	@$(STEP) "warnings in the Rust runners" \
		cargo clippy --release --locked $(RUST) --workspace --all-targets -- -D warnings

format: web/node_modules/.package-lock.json ## format the Rust, the C, the Java, and the runners in Go, Node.js and Python
	@cargo fmt --all
	@cargo fmt --all $(NATIVE)
	@cargo fmt --all $(RUST)
	@cargo fmt --all --manifest-path fuzz/Cargo.toml
	@scripts/format-c -i
	@$(MAVEN) spotless:apply
	@scripts/lint-languages --format

test-command: build-tests ## tests of the command, with processes; they take longest
	@$(STEP) "tests of the command" $(CARGO_TEST) --test command --no-fail-fast
	@[ -z "$(CUPEL_TEST_ALL)" ] || $(STEP) "tests of the command on the real clock" \
		$(CARGO_TEST) --no-fail-fast --test command -- --ignored --skip company::

test-tool: build-tests ## all other tests of the tool
	@$(STEP) "tests of the tool" $(CARGO_TEST) --lib --bins $(OTHERS:%=--test %) --no-fail-fast

test-native: ## tests of the native runner and of the C contenders
	@# Debian has no package of isa-l_crypto and of Intel's Cryptography Primitives Library: they are tested where
	@# they are installed.
	@$(STEP) "tests of the native runner" \
		env CUPEL_TEST_WITHOUT="$${CUPEL_TEST_WITHOUT-$$(pkg-config --exists libisal_crypto || echo isa-l),$$(pkg-config --exists ippcp || echo ippcp)}" \
		$(LINTED) cargo test --locked $(NATIVE)

test-rust: ## tests of the Rust runners, on the programs that are measured
	@# cupel-rust-checks has no tests: the runners' tests are made of it. The tests of the runner that is built
	@# with other flags are in `make evidence`: every crate would be built once more. The tests of the runner
	@# that needs a newer Rust are in `make test-all`, as it takes long to build.
	@set -e; for package in $(filter-out cupel-rust-checks cupel-runner-rust-wide \
		$(if $(CUPEL_TEST_ALL),,cupel-runner-rust-new),$(CRATES)); do \
		$(STEP) "tests of $$package" cargo test --release --locked $(RUST) -p $$package; \
	done

test-java: ## tests of the Java library and of the JVM runner, on the JDK that Maven uses
	@mvn --version | grep '^Java version'
	@$(STEP) "format of the Java" $(MAVEN) spotless:check
	@$(STEP) "tests of the Java library and of the JVM runner" $(MAVEN) verify

test-languages: web/node_modules/.package-lock.json build-tests ## lint and tests of the runners in Go, Node.js and Python
	@$(STEP) "lint of the Go, Node.js and Python runners" scripts/lint-languages
	@$(STEP) "tests of the Go, Node.js and Python runners" $(CARGO_TEST) --test languages -- \
		--include-ignored $(if $(CUPEL_TEST_ALL),,$(LANGUAGES_ALL:%=--skip %))

test-kernels: ## test the C library; CUPEL_EMULATORS names a folder with qemu-x86_64 and qemu-aarch64
	@$(STEP) "tests of the kernels" kernels/tests/run $(if $(CUPEL_TEST_ALL),--all)

test-uefi: build-tests ## boots of the UEFI image under QEMU
	@$(STEP) "tests of the UEFI image" $(CARGO_TEST) --test uefi -- --ignored

test-fleet: build-tests ## fleets: two nodes of Slurm, and two network namespaces; needs root
	@$(STEP) "tests of fleets" $(CARGO_TEST) --test fleet -- --ignored

test-without: ## what is left without each question: builds, passes its tests, and does not know it
	@$(STEP) "the tool without each question" scripts/without --prove

test-examples: build-tests ## the examples of docs/guide/bring-your-own.md, in C, Rust, Python and Java
	@$(STEP) "examples of bringing one's own" scripts/test-examples

test-package: build-tests ## the tool as others install it: from a package, in an empty folder
	@$(STEP) "the tool without a checkout" scripts/test-package

test-suites: build-tests ## every suite, planned; and one contender of each runner, measured; suites/known-failures may fail
	@$(STEP) "every suite" scripts/test-suites $(if $(CUPEL_TEST_ALL),--run)

test-docs: build-tests ## the pages as a site: every link, and no address of another host
	@$(STEP) "the pages as a site" scripts/docs target/debug/cupel

test-web: web/node_modules/.package-lock.json build-tests ## lint, freshness and browser tests of the report page
	@$(STEP) "lint of the page" npm --prefix web run --silent lint
	@$(STEP) "tests of the page" npm --prefix web run --silent test

page: web/node_modules/.package-lock.json ## build the report page, web/dist/page.html, which is committed
	@$(STEP) "build the page" npm --prefix web run --silent build

web/node_modules/.package-lock.json: web/package-lock.json
	@$(STEP) "what the page is built with" npm --prefix web ci --no-audit --no-fund --silent

install: build-tool build-examples ## install the tool, its manual and its completions below PREFIX=/usr/local
	@install -D -m 755 target/release/cupel $(DESTDIR)$(PREFIX)/bin/cupel
	@target/release/examples/manual $(DESTDIR)$(PREFIX)/share/man/man1
	@install -d $(DESTDIR)$(COMPLETIONS)
	@CUPEL_COMPLETE=bash target/release/cupel >$(DESTDIR)$(COMPLETIONS)/cupel
	@echo "Run cupel in any folder: outside of a checkout it unpacks its own files into the cache."

packages: build-tool build-examples ## a Debian package, a tarball and a Python wheel in target/packages, with the runners inside
	@$(STEP) "build the packages" scripts/package target/packages

release: ## packages, their sums, parts and notes in target/dist, checked; it neither tags nor publishes
	@scripts/release

packages-musl: packages ## a tarball and a wheel for Alpine as well
	@$(STEP) "build the packages for musl" scripts/package-musl target/packages

clean: ## delete what was built
	@cargo clean
	@cargo clean $(NATIVE)
	@cargo clean $(RUST)
	@rm -rf java/target runners/*/target kernels/build kernels/target web/node_modules
