# `make run` and `make test` start from a fresh clone. Each step is also a target of its own.

STEP := scripts/step
NATIVE := --manifest-path runners/native/Cargo.toml
RUST := --manifest-path runners/rust/Cargo.toml
CRATES := cupel-rust-contender cupel-rust-checks cupel-runner-rust cupel-runner-rust-asm
RUNNERS := cupel-runner-rust cupel-runner-rust-asm
MAVEN := mvn --quiet --batch-mode --no-transfer-progress --projects java,runners/jvm
TESTS := test-tool test-native test-rust test-java test-kernels test-uefi test-examples test-suites test-web
PREFIX ?= /usr/local
COMPLETIONS = $(PREFIX)/share/bash-completion/completions

# Cargo uses every core by itself, and two runs of it wait for each other's lock.
.NOTPARALLEL:
.PHONY: help run test setup setup-run setup-test build build-tool build-runners lint format \
	$(TESTS) seeds page install clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 20

run: setup-run build ## build everything and run the quickstart suite
	@target/release/cupel run

test: setup-test lint $(TESTS) ## run every lint and every test

setup: setup-test ## install what is missing to build, run and test

setup-run:
	@$(STEP) "what building and running needs" scripts/setup run

setup-test:
	@$(STEP) "what testing needs" scripts/setup test

build: build-runners ## build the tool and the runners

build-tool:
	@$(STEP) "build the tool" cargo build --release --locked -p cupel

build-runners: build-tool
	@$(STEP) "build the native runner" cargo build --release --locked $(NATIVE)
	@# One package at a time: together, their features would unify.
	@set -e; for package in $(RUNNERS); do \
		$(STEP) "build $$package" cargo build --release --locked $(RUST) -p $$package; \
	done
	@# The tool builds it if it can, and otherwise reports why not.
	@$(STEP) "build the JVM runner" sh -c 'target/release/cupel --quiet doctor --build >/dev/null'

seeds: build ## measure the suites of the five documents and write docs/seeds.md; long; CUPEL_RUN has options for cupel run
	@scripts/seeds $(CUPEL_RUN)

lint: ## check formatting, warnings and licences
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
	@# In release mode, so that the tests find the libraries' C and assembly already compiled.
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

test-tool: ## test the tool
	@$(STEP) "tests of the tool" cargo test --locked --workspace

test-native: ## test the native runner and the C contenders
	@$(STEP) "tests of the native runner" cargo test --locked $(NATIVE)

test-rust: ## test the Rust runners, as the release programs that are measured
	@set -e; for package in $(CRATES); do \
		$(STEP) "tests of $$package" cargo test --release --locked $(RUST) -p $$package; \
	done

test-java: ## test the Java library on every installed JDK, and the JVM runner
	@$(STEP) "format of the Java" $(MAVEN) spotless:check
	@$(STEP) "tests of the Java library and of the JVM runner" $(MAVEN) verify
	@$(STEP) "tests of the Java library on the other JDKs" scripts/test-other-jdks

test-kernels: ## test the C library; CUPEL_EMULATORS names a folder with qemu-x86_64 and qemu-aarch64
	@$(STEP) "tests of the kernels" kernels/tests/run

test-uefi: ## boot the UEFI image under QEMU
	@$(STEP) "tests of the UEFI image" cargo test --locked -p cupel --test uefi -- --ignored

test-examples: ## run the examples of docs/bring-your-own.md, in C, Python and Java
	@$(STEP) "examples of docs/bring-your-own.md" scripts/test-examples

test-suites: build ## run every suite briefly with its real contenders; suites/known-failures may fail
	@$(STEP) "every suite" scripts/test-suites

test-web: web/node_modules/.package-lock.json ## lint and test the report page in a browser, and check that it is freshly built
	@$(STEP) "programs for the tests of the page" cargo build --locked -p cupel -p cupel-sham
	@$(STEP) "lint of the page" npm --prefix web run --silent lint
	@$(STEP) "tests of the page" npm --prefix web run --silent test

page: web/node_modules/.package-lock.json ## build the report page, web/dist/page.html, which is committed
	@$(STEP) "build the page" npm --prefix web run --silent build

web/node_modules/.package-lock.json: web/package-lock.json
	@$(STEP) "what the page is built with" npm --prefix web ci --no-audit --no-fund --silent

install: build-tool ## install the tool, its manual and its completions below PREFIX=/usr/local
	@install -D -m 755 target/release/cupel $(DESTDIR)$(PREFIX)/bin/cupel
	@target/release/cupel man $(DESTDIR)$(PREFIX)/share/man/man1
	@install -d $(DESTDIR)$(COMPLETIONS)
	@target/release/cupel completions bash >$(DESTDIR)$(COMPLETIONS)/cupel
	@echo "cupel finds contenders/ and suites/ in a checkout; run it there, or set CUPEL_HOME to one."

clean: ## delete what was built
	@cargo clean
	@cargo clean $(NATIVE)
	@cargo clean $(RUST)
	@rm -rf java/target runners/jvm/target kernels/build web/node_modules
