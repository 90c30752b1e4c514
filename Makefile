# `make run` and `make test` start from a fresh clone. Each step is also there by itself.

STEP := scripts/step
NATIVE := --manifest-path runners/native/Cargo.toml
RUST := --manifest-path runners/rust/Cargo.toml
CRATES := cupel-rust-contender cupel-rust-checks cupel-runner-rust cupel-runner-rust-asm
RUNNERS := cupel-runner-rust cupel-runner-rust-asm
MAVEN := mvn --quiet --batch-mode --no-transfer-progress --projects java,runners/jvm
TESTS := test-tool test-native test-rust test-java test-kernels test-uefi test-examples test-suites test-web
PREFIX ?= /usr/local
COMPLETIONS = $(PREFIX)/share/bash-completion/completions

# Cargo uses every core by itself, and two at once wait for each other's lock.
.NOTPARALLEL:
.PHONY: help run test setup setup-run setup-test build build-tool build-runners lint format \
	$(TESTS) seeds page install clean

help: ## say what there is to make
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 20

run: setup-run build ## the quickstart suite: find, build, verify, measure, tell
	@target/release/cupel run

test: setup-test lint $(TESTS) ## every lint and every test

setup: setup-test ## install what is missing to build, run and test

setup-run:
	@$(STEP) "what building and running needs" scripts/setup run

setup-test:
	@$(STEP) "what testing needs" scripts/setup test

build: build-runners ## the tool and the runners

build-tool:
	@$(STEP) "build the tool" cargo build --release --locked -p cupel

build-runners: build-tool
	@$(STEP) "build the native runner" cargo build --release --locked $(NATIVE)
	@# One package at a time: together, their features would unify.
	@set -e; for package in $(RUNNERS); do \
		$(STEP) "build $$package" cargo build --release --locked $(RUST) -p $$package; \
	done
	@# The tool builds it by itself where it can, and says where it cannot; so it is asked to.
	@$(STEP) "build the JVM runner" sh -c 'target/release/cupel --quiet doctor --build >/dev/null'

seeds: build ## measure the five documents' suites and write docs/seeds.md; long. CUPEL_RUN=OPTIONS for cupel run
	@scripts/seeds $(CUPEL_RUN)

lint: ## formatting, warnings, licences
	@$(STEP) "paths of one machine" scripts/no-local-paths
	@$(STEP) "scripts" scripts/lint-shell
	@$(STEP) "format of the C" scripts/format-c --dry-run -Werror
	@$(STEP) "format of the tool" cargo fmt --all --check
	@$(STEP) "format of the native runner" cargo fmt --all --check $(NATIVE)
	@$(STEP) "format of the Rust runners" cargo fmt --all --check $(RUST)
	@set -e; for manifest in Cargo.toml runners/native/Cargo.toml runners/rust/Cargo.toml; do \
		$(STEP) "licences and sources, $$manifest" \
			cargo deny --locked --config deny.toml --manifest-path $$manifest check \
			bans licenses sources; \
	done
	@$(STEP) "warnings in the tool" cargo clippy --locked --workspace --all-targets -- -D warnings
	@$(STEP) "warnings in the native runner" \
		cargo clippy --locked $(NATIVE) --all-targets -- -D warnings
	@# In release, so that the tests find the libraries' C and assembly already compiled.
	@set -e; for package in $(CRATES); do \
		$(STEP) "warnings in $$package" \
			cargo clippy --release --locked $(RUST) -p $$package --all-targets -- -D warnings; \
	done

format: ## format the Rust, the C and the Java
	@cargo fmt --all
	@cargo fmt --all $(NATIVE)
	@cargo fmt --all $(RUST)
	@scripts/format-c -i
	@$(MAVEN) spotless:apply

test-tool: ## tests of the tool
	@$(STEP) "tests of the tool" cargo test --locked --workspace

test-native: ## tests of the native runner and of the C contenders
	@$(STEP) "tests of the native runner" cargo test --locked $(NATIVE)

test-rust: ## tests of the Rust runners, on the programs that are measured
	@set -e; for package in $(CRATES); do \
		$(STEP) "tests of $$package" cargo test --release --locked $(RUST) -p $$package; \
	done

test-java: ## tests of the Java library on every JDK here, and of the JVM runner
	@$(STEP) "format of the Java" $(MAVEN) spotless:check
	@$(STEP) "tests of the Java library and of the JVM runner" $(MAVEN) verify
	@$(STEP) "tests of the Java library on the other JDKs" scripts/test-other-jdks

test-kernels: ## tests of the C library; CUPEL_EMULATORS names a folder with qemu-x86_64 and qemu-aarch64
	@$(STEP) "tests of the kernels" kernels/tests/run

test-uefi: ## boots of the UEFI image under QEMU
	@$(STEP) "tests of the UEFI image" cargo test --locked -p cupel --test uefi -- --ignored

test-examples: ## the examples of docs/bring-your-own.md, in C, Python and Java
	@$(STEP) "examples of bringing one's own" scripts/test-examples

test-suites: build ## every suite with its real contenders, as short as can be; suites/known-failures may fail
	@$(STEP) "every suite" scripts/test-suites

test-web: web/node_modules/.package-lock.json ## lint, freshness and browser tests of the report page
	@$(STEP) "programs for the tests of the page" cargo build --locked -p cupel -p cupel-sham
	@$(STEP) "lint of the page" npm --prefix web run --silent lint
	@$(STEP) "tests of the page" npm --prefix web run --silent test

page: web/node_modules/.package-lock.json ## build the report page, which is committed
	@$(STEP) "build the page" npm --prefix web run --silent build

web/node_modules/.package-lock.json: web/package-lock.json
	@$(STEP) "what the page is built with" npm --prefix web ci --no-audit --no-fund --silent

install: build-tool ## the tool, its manual and its completions, below PREFIX=/usr/local
	@install -D -m 755 target/release/cupel $(DESTDIR)$(PREFIX)/bin/cupel
	@target/release/cupel man $(DESTDIR)$(PREFIX)/share/man/man1
	@install -d $(DESTDIR)$(COMPLETIONS)
	@target/release/cupel completions bash >$(DESTDIR)$(COMPLETIONS)/cupel
	@echo "cupel finds contenders/ and suites/ from a checkout, or where CUPEL_HOME names one."

clean: ## delete what was built
	@cargo clean
	@cargo clean $(NATIVE)
	@cargo clean $(RUST)
	@rm -rf java/target runners/jvm/target kernels/build web/node_modules
