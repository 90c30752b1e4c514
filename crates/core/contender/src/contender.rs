//! A contender: its names, its offers, and whether it can be measured.

use cupel_base::name::{ContenderName, Pattern};
use cupel_base::primitives;
use cupel_protocol::message::{Offer, Refusal};
use cupel_protocol::workload::{Completion, Contract, Key, Operation};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ffi::OsString;

/// An implementation on a toolchain, called in one way. Contenders are ranked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Contender {
    /// Its full name: `c/openssl-reused`.
    pub name: ContenderName,
    /// Its name within its runner: `openssl-reused`.
    pub implementation: String,
    /// The file name of its family, without the extension.
    pub family: String,
    /// The library that it comes from.
    pub library: String,
    /// The library's full version; empty if it is missing.
    pub version: String,
    /// SPDX expression of the library's licence.
    pub licence: String,
    /// How the library is called.
    pub summary: String,
    /// Its offers.
    pub offers: Vec<Offer>,
    /// Whether it can be measured.
    pub state: State,
    /// Compiler and flags, if it is part of a matrix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<Variant>,
    /// Whether it is on one of several versions of its language or its library, as
    /// `go/std@go-1.24`, next to the family on the usual one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub versioned: bool,
    /// The last argument of its command for each layout, if it has several (see
    /// cupel-toolchain/c/layout.rs).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layouts: Vec<String>,
    /// Whether its runner has the network and all that you may write: the family's file wants that,
    /// or its program needs privileges.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unconfined: bool,
    /// Whether its runner keeps the outputs of its calls until the clock has stopped, and its
    /// runtime frees them after that, as Cupel's runners of Node.js and Python do.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keeps_outputs: bool,
    /// Whether a runtime works next to its code (an interpreter, a compiler or a garbage collector),
    /// or might: nothing is known of its runner.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub managed: bool,
    /// Whether an interpreter calls its code. Like a JIT, it takes long to start.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interpreted: bool,
    /// The compiler that built it, if it came with the tool's package and was not built on this
    /// machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub built_with: Option<String>,
    /// Which contender stands for it in tables, if one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secondary: Option<Secondary>,
}

impl Contender {
    /// A contender in this state with no other known facts: its name gives its implementation and
    /// family.
    pub fn new(name: ContenderName, state: State) -> Contender {
        Contender {
            implementation: name.implementation().to_string(),
            family: name.family().unwrap_or_default().to_string(),
            name,
            library: String::new(),
            version: String::new(),
            licence: String::new(),
            summary: String::new(),
            offers: vec![],
            state,
            variant: None,
            versioned: false,
            layouts: vec![],
            unconfined: false,
            keeps_outputs: false,
            managed: false,
            interpreted: false,
            built_with: None,
            secondary: None,
        }
    }
}

/// How a contender varies another: it forces a code path, whatever the other would select on this
/// CPU, or calls it in a second style.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Secondary {
    /// The kind of variation.
    pub kind: SecondaryKind,
    /// The contender that stands for it: the one that selects its code path itself, `c/cupel`, or
    /// that is called as fast programs call it, `c/openssl-reused`.
    pub of: ContenderName,
    /// Whether the suite or a filter asked for this very contender, and not only for all that match
    /// a pattern.
    pub asked_for: bool,
    /// Whether it is the other's code in another environment. Then only a pattern that does not
    /// also match the other selects it: `jvm/jdk-*`, not `jvm/*`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub same_code: bool,
}

/// How a contender is secondary to another of its family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SecondaryKind {
    /// It makes the other's implementation take one code path.
    ForcedPath,
    /// It calls the other's implementation in a second style.
    SecondStyle,
}

impl SecondaryKind {
    /// Its words: `forced path`, `second style`.
    pub fn words(self) -> &'static str {
        match self {
            SecondaryKind::ForcedPath => "forced path",
            SecondaryKind::SecondStyle => "second style",
        }
    }
}

/// The difference of a contender of a matrix from its siblings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// The compiler's name: `gcc-12`.
    pub compiler: String,
    /// The line with which it names itself; empty if it is missing.
    pub version: String,
    /// The optimisation level: `-O2`.
    pub flag: String,
    /// Whether it is built for this machine's processor, with `-march=native`.
    pub native: bool,
}

impl Variant {
    /// The part after the `@` of a contender's name: `gcc-12-O2-native`.
    pub fn name(&self) -> String {
        format!("{}{}{}", self.compiler, self.flag, if self.native { "-native" } else { "" })
    }
}

/// Whether a contender can be measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It can, with this command line.
    Ready {
        /// The runner's program and arguments, after `env` and variables if the family's file gives
        /// this contender an environment: a line that a shell can repeat.
        command: Vec<String>,
        /// Whether its clock is simulated.
        simulated: bool,
        /// Whether its code is compiled at run time.
        jit: bool,
        /// The smallest step of its clock, in ns.
        resolution_ns: u64,
    },
    /// Something is not installed.
    Missing(Refusal),
    /// It should work, but something is wrong with it.
    Failed(Refusal),
    /// Its runner is not built yet, or was not asked because it can have nothing that is wanted.
    Unbuilt,
}

/// What to add to a contract so that it `fits`, in words; `None` if no such change does.
pub fn contract_to_add(
    contract: &Contract,
    fits: impl Fn(&Contract) -> bool,
) -> Option<&'static str> {
    let awaited = Contract { result: Completion::Awaited, ..contract.clone() };
    let per_call = Contract { key: Key::PerCall, ..contract.clone() };
    let prepared = Contract { key: Key::Prepared, ..contract.clone() };
    let changes = [
        (awaited, "its results are awaited: add --contract result=awaited"),
        (per_call, "it takes the key in every call: add --contract key=per-call"),
        (prepared, "it takes the key before the calls: add --contract key=prepared"),
    ];
    changes.into_iter().find(|(changed, _)| fits(changed)).map(|(_, words)| words)
}

impl Contender {
    /// Whether it is selected only where a pattern names its toolchain: it is a build of a compiler
    /// matrix, or on one of several versions of a language, and the family is there without it too.
    pub fn is_on_demand(&self) -> bool {
        self.variant.is_some() || self.versioned
    }

    /// Why it is not here, if it is on a version of a language that is not.
    pub fn version_missing(&self) -> Option<&Refusal> {
        match &self.state {
            State::Missing(refusal) if self.versioned => Some(refusal),
            _ => None,
        }
    }

    /// Whether its code is compiled at run time.
    pub fn is_jit(&self) -> bool {
        matches!(self.state, State::Ready { jit: true, .. })
    }

    /// The full name of the contender whose code path it forces: `c/cupel` for `c/cupel-ssse3`.
    /// `None` if it selects its code path by itself, as an application's code does.
    pub fn forced_path_of(&self) -> Option<&str> {
        self.secondary_of(SecondaryKind::ForcedPath)
    }

    /// The full name of the contender that it calls in a second style: `c/openssl-reused` for
    /// `c/openssl-oneshot`. `None` if it is the usual style.
    pub fn style_of(&self) -> Option<&str> {
        self.secondary_of(SecondaryKind::SecondStyle)
    }

    fn secondary_of(&self, kind: SecondaryKind) -> Option<&str> {
        self.secondary.as_ref().filter(|s| s.kind == kind).map(|s| s.of.as_str())
    }

    /// The contender that stands for it unless it is asked for, if there is one.
    pub fn stood_for(&self) -> Option<&Secondary> {
        self.secondary.as_ref().filter(|secondary| !secondary.asked_for)
    }

    /// The offer that covers a workload's primitive, operation and contract, if it has one.
    pub fn offer(
        &self,
        primitive: &str,
        operation: Operation,
        contract: &Contract,
    ) -> Option<&Offer> {
        self.offers
            .iter()
            .find(|o| o.primitive == primitive && o.operation == operation && o.fits(contract))
    }

    /// Whether it has an offer for a workload's primitive, or for one of those that the workload
    /// chooses between.
    pub fn offers_one_of(&self, primitive: &str, op: Operation, contract: &Contract) -> bool {
        primitives::choice(primitive).into_iter().any(|p| self.offer(p, op, contract).is_some())
    }

    /// Whether its library is Cupel's own.
    pub fn is_ours(&self) -> bool {
        let library = self.library.to_ascii_lowercase();
        // The Java library has the coordinates of its package.
        library == "cupel" || library.starts_with("dev.cupel:")
    }

    /// Whether it can be measured.
    pub fn is_ready(&self) -> bool {
        matches!(self.state, State::Ready { .. })
    }

    /// The smallest step of its runner's clock, in ns; 0 if it is not ready.
    pub fn resolution_ns(&self) -> f64 {
        match self.state {
            State::Ready { resolution_ns, .. } => resolution_ns as f64,
            _ => 0.0,
        }
    }

    /// The variables, as `NAME=value`, that its command line sets for its process.
    pub fn environment(&self) -> &[String] {
        let State::Ready { command, .. } = &self.state else { return &[] };
        match command.split_first() {
            Some((env, rest)) if env == ENV => {
                let program = rest.iter().position(|word| !word.contains('='));
                &rest[..program.unwrap_or(rest.len())]
            }
            _ => &[],
        }
    }

    /// The command line of its runner, if it is ready.
    pub fn command(&self) -> Option<Vec<OsString>> {
        self.command_in(0)
    }

    /// The command for one of its layouts; the number wraps around.
    pub fn command_in(&self, layout: usize) -> Option<Vec<OsString>> {
        let State::Ready { command, .. } = &self.state else { return None };
        let mut command: Vec<OsString> = command.iter().map(OsString::from).collect();
        if !self.layouts.is_empty()
            && let Some(last) = command.last_mut()
        {
            *last = self.layouts[layout % self.layouts.len()].clone().into();
        }
        Some(command)
    }

    /// Whether a pattern of a suite or a filter selects it. A contender of a matrix is one of
    /// hundreds, and one on a version of a language is there without it too, so only a pattern with
    /// an `@` selects them. A contender that is another's code in another environment would double
    /// the work of most suites, for a question that few of them have.
    pub fn is_meant_by(&self, pattern: &Pattern) -> bool {
        let toolchain = self.name.toolchain().filter(|_| self.versioned);
        (!self.is_on_demand() || pattern.names_toolchain())
            && toolchain.is_none_or(|toolchain| pattern.may_mean_toolchain(toolchain))
            && pattern.fits(&self.name)
            && !self.secondary.as_ref().is_some_and(|s| s.same_code && pattern.fits(&s.of))
    }
}

/// Whether the contenders of one run are on a simulated clock.
///
/// # Errors
/// If some are and some are not: their times are never compared.
pub fn simulated(contenders: &[Contender]) -> Result<bool, String> {
    let kinds: BTreeSet<bool> = contenders
        .iter()
        .filter_map(|c| match c.state {
            State::Ready { simulated, .. } => Some(simulated),
            _ => None,
        })
        .collect();
    match kinds.len() {
        0 => Ok(false),
        1 => Ok(kinds.contains(&true)),
        _ => Err(
            "simulated and real contenders cannot be in one run: their times are not comparable"
                .into(),
        ),
    }
}

/// This state with variables in the environment of the runner's process. `env` becomes the runner,
/// so it is the same process, and the command line alone is complete.
pub fn with_environment(ready: &State, variables: &[String]) -> State {
    let mut state = ready.clone();
    if let State::Ready { command, .. } = &mut state
        && !variables.is_empty()
    {
        command.splice(0..0, [ENV].into_iter().map(String::from).chain(variables.iter().cloned()));
    }
    state
}

/// The program that sets variables and becomes another.
const ENV: &str = "env";
